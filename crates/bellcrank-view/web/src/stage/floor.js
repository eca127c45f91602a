// A floor with a grid of two spacings that fades away, and the shadow on it.
//
// They are two things: the floor fills half the picture and must be cheap, the shadow is small.

import * as THREE from 'three';

const VERTEX = /* glsl */ `
varying vec2 ground;
void main() {
  vec4 p = modelMatrix * vec4(position, 1.0);
  ground = p.xy;
  gl_Position = projectionMatrix * viewMatrix * p;
}`;

const FRAGMENT = /* glsl */ `
uniform float cell;
uniform float reach;
uniform vec2 center;
varying vec2 ground;
float lines(vec2 p, float spacing, float width) {
  vec2 x = p / spacing;
  vec2 w = max(fwidth(x), vec2(1e-6));
  vec2 d = abs(fract(x - 0.5) - 0.5) / w;
  float line = 1.0 - clamp(min(d.x, d.y) - width, 0.0, 1.0);
  return line * (1.0 - smoothstep(0.12, 0.45, max(w.x, w.y)));
}
void main() {
  float line = max(0.22 * lines(ground, cell, 0.0), 0.42 * lines(ground, 10.0 * cell, 0.35));
  float alpha = 1.0 - smoothstep(0.15 * reach, reach, length(ground - center));
  vec3 color = mix(vec3(0.955, 0.963, 0.968), vec3(0.47, 0.53, 0.58), line);
  gl_FragColor = vec4(color, alpha);
}`;

/** Grid cells are a power of ten near a sixth of `size` [m]. */
export function makeFloor(size) {
  const cell = 10 ** Math.round(Math.log10(size / 6));
  const reach = 16 * size;
  const uniforms = { cell: { value: cell }, reach: { value: reach }, center: { value: new THREE.Vector2() } };
  const material = new THREE.ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(4 * reach, 4 * reach), material);
  mesh.renderOrder = -2;
  return mesh;
}

/** Catches the shadow; of radius 1. */
export function makeShade() {
  const material = new THREE.ShadowMaterial({ color: '#27313c', opacity: 0.3, depthWrite: false });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2.4, 2.4), material);
  mesh.receiveShadow = true;
  mesh.renderOrder = -1;
  return mesh;
}

/** Soft patches under worlds that throw no true shadow, so that they stand and do not hover. */
export class Patches {
  constructor(worlds, models, floor, size) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    const context = canvas.getContext('2d');
    const gradient = context.createRadialGradient(32, 32, 2, 32, 32, 32);
    gradient.addColorStop(0, 'rgba(39, 49, 60, 0.34)');
    gradient.addColorStop(0.55, 'rgba(39, 49, 60, 0.16)');
    gradient.addColorStop(1, 'rgba(39, 49, 60, 0)');
    context.fillStyle = gradient;
    context.fillRect(0, 0, 64, 64);
    const material = new THREE.MeshBasicMaterial({ map: new THREE.CanvasTexture(canvas), transparent: true, depthWrite: false });
    this.mesh = new THREE.InstancedMesh(new THREE.PlaneGeometry(1, 1), material, Math.max(worlds.length, 1));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
    this.mesh.count = worlds.length;
    Object.assign(this, { worlds, models, height: floor - 0.4e-3 * size });
  }

  /** Under every world's centre; `center` gives it. */
  update(center) {
    const matrix = new THREE.Matrix4();
    this.worlds.forEach((world, k) => {
      const { low, high } = this.models[world.model].extent;
      const { x, y } = center(world);
      matrix.makeScale(1.7 * (high[0] - low[0]) + 0.05, 1.5 * (high[1] - low[1]) + 0.05, 1).setPosition(x, y, this.height);
      this.mesh.setMatrixAt(k, matrix);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
