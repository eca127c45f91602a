// Renderer, light, sky.

import * as THREE from 'three';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { dressFloor, makeFloor, makeShade } from './floor.js';
import { LIGHT, backdrop } from './light.js';

/** Canvas → picture. Everything is drawn with z up, in metres. */
export class Stage {
  constructor(canvas, floor, size) {
    this.software = isSoftware();
    const renderer = this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, stencil: true, powerPreference: 'high-performance' });
    renderer.outputColorSpace = THREE.SRGBColorSpace;
    renderer.toneMapping = THREE.NoToneMapping;
    renderer.shadowMap.enabled = !this.software;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.02 * size, 200 * size);
    this.camera.up.set(0, 0, 1);
    this.size = size;
    this.floor = makeFloor(size);
    this.floor.position.z = floor - 1e-3 * size;
    this.shade = makeShade();
    this.shade.position.z = floor - 0.5e-3 * size;
    this.shade.visible = !this.software;
    this.scene.add(this.floor, this.shade);
    this.addLights();
    this.dress();
    this.scale = 1; // of the picture's resolution
    this.resize();
  }

  /** In the colours of day or night. */
  dress() {
    this.renderer.setClearColor(backdrop().backdrop, 1);
    dressFloor(this.floor);
  }

  addLights() {
    const { sky, key, fill } = LIGHT;
    this.scene.add(new THREE.HemisphereLight(sky.color, sky.ground, sky.intensity));
    this.key = new THREE.DirectionalLight(key.color, key.intensity);
    this.key.castShadow = !this.software;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.scene.add(this.key, this.key.target);
    const other = new THREE.DirectionalLight(fill.color, fill.intensity);
    other.position.set(...fill.from);
    this.scene.add(other);
    if (this.software) return; // plain materials mirror the sky by themselves
    // what surfaces mirror: without it black ones are holes in the picture
    const makeEnvironment = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = makeEnvironment.fromScene(new RoomEnvironment(), 0.04).texture;
    this.scene.environmentRotation.set(Math.PI / 2, 0, 0); // its up is y
    this.scene.environmentIntensity = LIGHT.mirrored;
    makeEnvironment.dispose();
  }

  /** Turns the key light, and the shadow that it throws, to a place of this radius. */
  light(center, radius) {
    const camera = this.key.shadow.camera;
    this.key.target.position.copy(center);
    this.key.position.copy(center).add(new THREE.Vector3(...LIGHT.key.from).multiplyScalar(4 * radius));
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.5 * radius, far: 12 * radius });
    camera.updateProjectionMatrix();
    this.key.shadow.bias = -2e-4;
    this.key.shadow.normalBias = 0.004 * radius;
    this.key.target.updateMatrixWorld();
    this.shade.position.x = center.x;
    this.shade.position.y = center.y;
    this.shade.scale.setScalar(radius);
    const { center: middle, cell } = this.floor.material.uniforms;
    middle.value.set(center.x, center.y).divideScalar(cell.value);
  }

  resize() {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * this.scale);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.floor.material.uniforms.pixel.value = Math.max(this.scale, 1);
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
  }

  render() { this.renderer.render(this.scene, this.camera); }
}

/** True where a processor draws instead of a graphics card. */
function isSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
