// Renderer, light, sky.

import * as THREE from 'three';
import { makeFloor } from './floor.js';

const SKY = ['#f7f9fb', '#e9eef2', '#dde4ea'];

/** Canvas → picture. Everything is drawn with z up, in metres. */
export class Stage {
  constructor(canvas, floor, size) {
    const probe = this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance', preserveDrawingBuffer: true });
    this.software = isSoftware(probe.getContext());
    probe.outputColorSpace = THREE.SRGBColorSpace;
    probe.toneMapping = THREE.NoToneMapping;
    probe.shadowMap.enabled = true;
    probe.shadowMap.type = this.software ? THREE.PCFShadowMap : THREE.PCFSoftShadowMap;
    this.scene = new THREE.Scene();
    this.scene.background = sky();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * size, 400 * size);
    this.camera.up.set(0, 0, 1);
    this.size = size;
    this.floorHeight = floor;
    this.floor = makeFloor(size);
    this.floor.position.z = floor - 1e-3 * size;
    this.scene.add(this.floor);
    this.addLights();
    this.scale = 1; // of the picture's resolution
    this.resize();
  }

  addLights() {
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#c9c3ba', 1.55));
    this.key = new THREE.DirectionalLight('#fff4e6', 2.1);
    this.key.castShadow = true;
    const resolution = this.software ? 1024 : 2048;
    this.key.shadow.mapSize.set(resolution, resolution);
    this.key.shadow.radius = 5;
    this.key.shadow.intensity = 0.55;
    this.scene.add(this.key, this.key.target);
    const fill = new THREE.DirectionalLight('#dfeaff', 0.55);
    fill.position.set(-3, -2, 2);
    this.scene.add(fill);
  }

  /** Turns the key light, and the shadow that it throws, to a place of this radius. */
  light(center, radius) {
    const camera = this.key.shadow.camera;
    this.key.target.position.copy(center);
    this.key.position.copy(center).add(new THREE.Vector3(0.55, -0.7, 1.35).multiplyScalar(4 * radius));
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.5 * radius, far: 12 * radius });
    camera.updateProjectionMatrix();
    this.key.shadow.bias = -1e-4;
    this.key.shadow.normalBias = 0.004 * radius;
    this.key.target.updateMatrixWorld();
  }

  resize() {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * this.scale);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
  }

  render() {
    this.floor.material.userData.center.value.set(this.key.target.position.x, this.key.target.position.y);
    this.renderer.render(this.scene, this.camera);
  }
}

/** True where a processor draws instead of a graphics card. */
function isSoftware(gl) {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

function sky() {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [2, 256];
  const context = canvas.getContext('2d');
  const gradient = context.createLinearGradient(0, 0, 0, 256);
  SKY.forEach((color, k) => gradient.addColorStop(k / (SKY.length - 1), color));
  context.fillStyle = gradient;
  context.fillRect(0, 0, 2, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
