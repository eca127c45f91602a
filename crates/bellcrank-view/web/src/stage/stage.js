// Renderer, light, sky.

import * as THREE from 'three';
import { makeFloor, makeShade } from './floor.js';

/** Canvas → picture, over the page's own background. Everything is drawn with z up, in metres. */
export class Stage {
  constructor(canvas, floor, size) {
    this.software = isSoftware();
    const renderer = this.renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: !this.software, powerPreference: 'high-performance', preserveDrawingBuffer: true });
    renderer.outputColorSpace = THREE.SRGBColorSpace;
    renderer.toneMapping = THREE.NoToneMapping;
    renderer.setClearColor('#e9eef2', 0);
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = this.software ? THREE.PCFShadowMap : THREE.PCFSoftShadowMap;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.02 * size, 200 * size);
    this.camera.up.set(0, 0, 1);
    this.size = size;
    this.floor = makeFloor(size);
    this.floor.position.z = floor - 1e-3 * size;
    this.shade = makeShade();
    this.shade.position.z = floor - 0.5e-3 * size;
    this.scene.add(this.floor, this.shade);
    this.addLights();
    this.count = 0;
    this.shadows = true;
    this.scale = 1; // of the picture's resolution
    this.resize();
  }

  addLights() {
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#d3cdc4', 1.75));
    this.key = new THREE.DirectionalLight('#fff6ea', 2.2);
    this.key.castShadow = true;
    const resolution = this.software ? 512 : 2048;
    this.key.shadow.mapSize.set(resolution, resolution);
    this.key.shadow.radius = this.software ? 3 : 5;
    this.scene.add(this.key, this.key.target);
    const fill = new THREE.DirectionalLight('#dfeaff', 0.7);
    fill.position.set(1, -4, 1.2);
    this.scene.add(fill);
  }

  /** Turns the key light, and the shadow that it throws, to a place of this radius. */
  light(center, radius) {
    const camera = this.key.shadow.camera;
    this.key.target.position.copy(center);
    this.key.position.copy(center).add(new THREE.Vector3(0.75, -0.35, 1.35).multiplyScalar(4 * radius));
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.5 * radius, far: 12 * radius });
    camera.updateProjectionMatrix();
    this.key.shadow.bias = -2e-4;
    this.key.shadow.normalBias = 0.004 * radius;
    this.key.target.updateMatrixWorld();
    this.shade.position.x = center.x;
    this.shade.position.y = center.y;
    this.shade.scale.setScalar(radius);
    this.floor.material.uniforms.center.value.set(center.x, center.y);
  }

  /** True shadows, or only patches. */
  showShadows(on) {
    this.shadows = this.shade.visible = this.key.castShadow = on;
  }

  resize() {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * this.scale);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
  }

  render() {
    // a processor draws the shadow anew only every third time
    this.renderer.shadowMap.autoUpdate = !this.software || this.count++ % 3 === 0;
    this.renderer.render(this.scene, this.camera);
  }
}

/** True where a processor draws instead of a graphics card. */
function isSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
