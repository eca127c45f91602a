// A floor with a grid of two spacings that fades away, and the shadow on it.
//
// They are two things: the floor fills half the picture and must be cheap, the shadow is small.

import * as THREE from 'three';
import { SHADOW, backdrop } from './light.js';

const VERTEX = /* glsl */ `
uniform float cell;
varying vec2 grid; // in cells
void main() {
  vec4 p = modelMatrix * vec4(position, 1.0);
  grid = p.xy / cell;
  gl_Position = projectionMatrix * viewMatrix * p;
}`;

// Lines are about a pixel wide, whatever the distance; where cells become smaller than a few pixels they fade out. It fills
// half the picture: every operation counts.
const FRAGMENT = /* glsl */ `
uniform vec2 center; // in cells
uniform float nearness; // 1 / reach², in cells
uniform vec3 backdrop;
uniform float lines; // -1 for dark lines on a light floor
uniform float pixel; // of the page, in pixels of the picture
varying vec2 grid;
void main() {
  vec2 wide = pixel * fwidth(grid) + 1e-6; // cells per pixel
  vec2 dense = 1.0 / wide;
  vec2 fine = abs(fract(grid - 0.5) - 0.5) * dense, bold = abs(fract(0.1 * grid - 0.5) - 0.5) * (10.0 * dense);
  float widest = max(wide.x, wide.y);
  float line = max(
    clamp(1.0 - min(fine.x, fine.y), 0.0, 1.0) * clamp(0.30 - 0.66 * widest, 0.0, 0.22),
    clamp(1.35 - min(bold.x, bold.y), 0.0, 1.0) * clamp(0.57 - 0.126 * widest, 0.0, 0.42));
  vec2 away = grid - center;
  float near = max(1.0 - nearness * dot(away, away), 0.0);
  near *= near;
  gl_FragColor = vec4(backdrop + lines * near * (vec3(0.008, 0.010, 0.011) + line * vec3(0.475, 0.425, 0.382)), 1.0);
}`;

/** Grid cells are a power of ten near a sixth of `size` [m]. */
export function makeFloor(size) {
  const cell = 10 ** Math.round(Math.log10(size / 6));
  const reach = 16 * size;
  const uniforms = { pixel: { value: 1 }, cell: { value: cell }, nearness: { value: (cell / reach) ** 2 }, center: { value: new THREE.Vector2() }, backdrop: { value: new THREE.Vector3() }, lines: { value: -1 } };
  const material = new THREE.ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, depthWrite: false });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(4 * reach, 4 * reach), material);
  mesh.renderOrder = 1; // after what hides it
  return mesh;
}

/** The floor in the colours of day or night. */
export function dressFloor(mesh) {
  const { uniforms } = mesh.material, { backdrop: color, lines } = backdrop();
  uniforms.backdrop.value.setFromColor(new THREE.Color(color).convertLinearToSRGB());
  uniforms.lines.value = lines;
}

/** Catches the shadow; of radius 1. */
export function makeShade() {
  const material = new THREE.ShadowMaterial({ color: SHADOW.color, opacity: SHADOW.opacity, depthWrite: false });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2.4, 2.4), material);
  mesh.receiveShadow = true;
  mesh.renderOrder = -1;
  return mesh;
}

const PATCH_VERTEX = /* glsl */ `
varying vec2 from;
void main() {
  from = 2.0 * uv - 1.0;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`;

const PATCH = /* glsl */ `
varying vec2 from;
void main() {
  float near = max(1.0 - dot(from, from), 0.0);
  gl_FragColor = vec4(0.153, 0.192, 0.235, 0.22 * near * near);
}`;

/**
 * Soft patches under worlds that throw no true shadow, so that they stand and do not hover. One mesh of squares whose
 * corners are written anew: software renderers draw instances one by one.
 */
export class Patches {
  constructor(worlds, models, floor, size) {
    const material = new THREE.ShaderMaterial({ vertexShader: PATCH_VERTEX, fragmentShader: PATCH, transparent: true, depthWrite: false });
    const geometry = new THREE.BufferGeometry();
    this.corners = new Float32Array(12 * worlds.length);
    geometry.setAttribute('position', new THREE.BufferAttribute(this.corners, 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setAttribute('uv', new THREE.BufferAttribute(Float32Array.from({ length: 8 * worlds.length }, (_, k) => SQUARE[k % 8]), 2));
    geometry.setIndex(worlds.flatMap((_, k) => [0, 1, 2, 2, 1, 3].map((corner) => 4 * k + corner)));
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
    Object.assign(this, { worlds, height: floor - 0.4e-3 * size });
    this.sizes = worlds.map((world) => {
      const { low, high } = models[world.model].extent;
      return [1.5 * (high[0] - low[0]), 1.3 * (high[1] - low[1])];
    });
  }

  /** Under every world's centre; `center` gives it. */
  update(center) {
    this.worlds.forEach((world, k) => {
      const { x, y } = center(world), [wide, deep] = this.sizes[k];
      for (let corner = 0; corner < 4; corner++) {
        const at = 12 * k + 3 * corner;
        this.corners[at] = x + wide * (SQUARE[2 * corner] - 0.5);
        this.corners[at + 1] = y + deep * (SQUARE[2 * corner + 1] - 0.5);
        this.corners[at + 2] = this.height;
      }
    });
    this.mesh.geometry.getAttribute('position').needsUpdate = true;
  }
}

const SQUARE = [0, 0, 1, 0, 0, 1, 1, 1];
