// A floor with a grid of two spacings that fades away.

import * as THREE from 'three';

const PARS = /* glsl */ `
uniform float cell;
uniform float reach;
uniform vec2 center;
varying vec2 ground;
float lines(vec2 p, float spacing, float width) {
  vec2 x = p / spacing;
  vec2 w = max(fwidth(x), 1e-6);
  vec2 d = abs(fract(x - 0.5) - 0.5) / w;
  float line = 1.0 - clamp(min(d.x, d.y) - width, 0.0, 1.0);
  return line * (1.0 - smoothstep(0.15, 0.5, max(w.x, w.y)));
}
`;

const PAINT = /* glsl */ `
  float minor = lines(ground, cell, 0.0);
  float major = lines(ground, 10.0 * cell, 0.3);
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.50, 0.55, 0.60), 0.30 * minor + 0.45 * major * (1.0 - 0.3 * minor));
  diffuseColor.a *= 1.0 - smoothstep(0.35 * reach, reach, length(ground - center));
`;

/** Grid cells are a power of ten near a tenth of `size` [m]. */
export function makeFloor(size) {
  const cell = 10 ** Math.round(Math.log10(size / 6));
  const reach = 22 * size;
  const material = new THREE.MeshLambertMaterial({ color: '#eef1f3', transparent: true });
  const uniforms = { cell: { value: cell }, reach: { value: reach }, center: { value: new THREE.Vector2() } };
  material.userData = uniforms;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = `varying vec2 ground;\n${shader.vertexShader}`
      .replace('#include <begin_vertex>', '#include <begin_vertex>\n ground = (modelMatrix * vec4(transformed, 1.0)).xy;');
    shader.fragmentShader = PARS + shader.fragmentShader.replace('#include <color_fragment>', `#include <color_fragment>\n${PAINT}`);
  };
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2.5 * reach, 2.5 * reach), material);
  mesh.receiveShadow = true;
  mesh.renderOrder = -1;
  return mesh;
}
