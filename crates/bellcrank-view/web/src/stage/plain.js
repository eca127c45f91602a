// Materials that a processor can draw: lit at the corners, nothing left to do for the pixels.

import * as THREE from 'three';
import { LIGHT, SHADOW } from './light.js';

/** Positions from the texture of poses; see flock.js. */
const PLACE = /* glsl */ `
attribute float slot;
uniform highp sampler2D poses;
vec4 poseTexel(int k) { return texelFetch(poses, ivec2(k % ROW, k / ROW), 0); }
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;

// Lambert's law with three lights, as in the renderer's own material: c / π · Σ irradiance; and the sky mirrored by Schlick's
// approximation of Fresnel's law, so that black things have a shape; then sRGB.
const LIT = /* glsl */ `
uniform vec3 sky, ground, keyLight, keyFrom, fillLight, fillFrom;
varying vec3 tint;
// sRGB's curve from roots alone: within 0.002, near black within 0.011
vec3 encode(vec3 c) { vec3 a = sqrt(c), b = sqrt(a); return 0.585122381 * a + 0.783140355 * b - 0.368262736 * sqrt(b); }
void main() {
  int k = 2 * int(slot);
  vec4 q = poseTexel(k + 1);
  vec3 n = turn(q, normal), p = turn(q, position) + poseTexel(k).xyz;
  vec3 light = mix(ground, sky, 0.5 + 0.5 * n.z) + keyLight * max(dot(n, keyFrom), 0.0) + fillLight * max(dot(n, fillFrom), 0.0);
  vec3 ray = normalize(p - cameraPosition);
  n = dot(n, ray) > 0.0 ? -n : n;
  float facing = min(-dot(n, ray), 1.0), edge = 1.0 - facing, edge2 = edge * edge;
  float mirrored = 0.04 + 0.6 * edge2 * edge2 * edge;
  vec3 around = mix(ground, sky, 0.5 + 0.5 * (ray.z + 2.0 * facing * n.z));
  tint = encode(clamp((color * light + mirrored * around) * 0.31831, 0.0, 1.0));
  gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
}`;

// Along the key light down to the floor; what is below stays where it is.
const FLAT = /* glsl */ `
uniform vec3 keyFrom;
uniform float floorHeight;
void main() {
  int k = 2 * int(slot);
  vec3 p = turn(poseTexel(k + 1), position) + poseTexel(k).xyz;
  p -= keyFrom * (max(p.z - floorHeight, 0.0) / keyFrom.z);
  gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
}`;

const linear = ({ color, intensity }) => new THREE.Vector3().setFromColor(new THREE.Color(color)).multiplyScalar(intensity);
const direction = ({ from }) => new THREE.Vector3(...from).normalize();

/** For a flock whose poses are in this texture. */
export function plainMaterial(poses, opacity, map = null) {
  const uniforms = {
    poses: { value: poses.texture },
    sky: { value: linear(LIGHT.sky) },
    ground: { value: linear({ color: LIGHT.sky.ground, intensity: LIGHT.sky.intensity }) },
    keyLight: { value: linear(LIGHT.key) },
    keyFrom: { value: direction(LIGHT.key) },
    fillLight: { value: linear(LIGHT.fill) },
    fillFrom: { value: direction(LIGHT.fill) },
  };
  const place = PLACE.replaceAll('ROW', poses.row), alpha = opacity.toFixed(3);
  const look = { uniforms, vertexColors: true, transparent: opacity < 1, depthWrite: opacity === 1 };
  if (!map) {
    return new THREE.ShaderMaterial({
      ...look, vertexShader: place + LIT,
      fragmentShader: `varying vec3 tint; void main() { gl_FragColor = vec4(tint, ${alpha}); }`,
    });
  }
  Object.assign(uniforms, { picture: { value: map }, repeat: { value: map.repeat } });
  return new THREE.ShaderMaterial({
    ...look, vertexShader: place + LIT.replace('void main() {', 'uniform vec2 repeat; varying vec2 spot;\nvoid main() {\n  spot = uv * repeat;'),
    // sRGB is nearly a power law, so that coded colours may be multiplied: the code of the product is the product of the codes
    fragmentShader: `uniform sampler2D picture; varying vec3 tint; varying vec2 spot;
      vec3 encode(vec3 c) { return pow(c, vec3(1.0 / 2.2)); }
      void main() { gl_FragColor = vec4(tint * encode(texture2D(picture, spot).rgb), ${alpha}); }`,
  });
}

/** A flock's shadow on the floor; where two parts overlap it is drawn once. */
export function shadowMaterial(poses, floor) {
  const color = new THREE.Color(SHADOW.color).convertLinearToSRGB().toArray().map((c) => c.toFixed(4));
  return new THREE.ShaderMaterial({
    uniforms: { poses: { value: poses.texture }, keyFrom: { value: direction(LIGHT.key) }, floorHeight: { value: floor } },
    vertexShader: PLACE.replaceAll('ROW', poses.row) + FLAT,
    fragmentShader: `void main() { gl_FragColor = vec4(${color.join(', ')}, ${SHADOW.opacity}); }`,
    transparent: true, depthWrite: false, // of every part the sides that the light meets, which stay turned upwards
    stencilWrite: true, stencilRef: 1, stencilFunc: THREE.NotEqualStencilFunc, stencilZPass: THREE.ReplaceStencilOp,
  });
}
