// Many bodies in one draw call: every corner knows the number of its body, and a texture holds where the bodies are.
//
// Instancing would also be one call, but software renderers take every instance as a call of its own.

import * as THREE from 'three';

const ROW = 1024; // texels of the texture's rows; a pose takes two: position, quaternion xyzw

const HEAD = /* glsl */ `
attribute float slot;
uniform highp sampler2D poses;
vec4 poseTexel(int k) { return texelFetch(poses, ivec2(k % ${ROW}, k / ${ROW}), 0); }
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;

/** Poses of all bodies of all worlds, and one more per world for what is fixed to it. */
export class PoseTexture {
  row = ROW;

  constructor(scene) {
    this.worlds = scene.worlds;
    let slots = 0;
    this.starts = scene.worlds.map((world) => {
      const start = slots;
      slots += scene.models[world.model].bodies.length + 1;
      return start;
    });
    this.counts = scene.worlds.map((world) => scene.models[world.model].bodies.length);
    this.data = new Float32Array(4 * ROW * Math.ceil((2 * slots) / ROW));
    this.texture = new THREE.DataTexture(this.data, ROW, this.data.length / (4 * ROW), THREE.RGBAFormat, THREE.FloatType);
    this.texture.needsUpdate = true;
  }

  update(frame) {
    const { data } = this;
    this.worlds.forEach((world, place) => {
      const [x, y, z] = world.offset, count = this.counts[place];
      let to = 8 * this.starts[place], from = world.poseStart;
      for (let b = 0; b < count; b++, from += 7, to += 8) {
        data[to] = frame.poses[from] + x;
        data[to + 1] = frame.poses[from + 1] + y;
        data[to + 2] = frame.poses[from + 2] + z;
        data[to + 4] = frame.poses[from + 4];
        data[to + 5] = frame.poses[from + 5];
        data[to + 6] = frame.poses[from + 6];
        data[to + 7] = frame.poses[from + 3];
      }
      data[to] = x;
      data[to + 1] = y;
      data[to + 2] = z;
      data[to + 7] = 1;
    });
    this.texture.needsUpdate = true;
  }
}

/**
 * `items` are { slot, shape, geometry }: triangles in the shape's frame, fixed to the body of that slot. Each item is told its
 * `first` corner, and `start` and `end` of its entries in the index.
 */
export function makeFlock(items, poses, material) {
  const corners = items.reduce((sum, { geometry }) => sum + geometry.getAttribute('position').count, 0);
  const indices = items.reduce((sum, { geometry }) => sum + (geometry.index?.count ?? geometry.getAttribute('position').count), 0);
  const arrays = { position: new Float32Array(3 * corners), normal: new Float32Array(3 * corners), color: new Float32Array(3 * corners), slot: new Float32Array(corners) };
  if (material.map ?? material.uniforms?.picture) arrays.uv = new Float32Array(2 * corners);
  const index = new Uint32Array(indices);
  let corner = 0, next = 0;
  for (const item of items) {
    item.first = corner;
    const { geometry, shape } = item;
    const [w, x, y, z] = shape.pose.quat_wxyz;
    turn.set(x, y, z, w);
    const position = geometry.getAttribute('position'), normal = geometry.getAttribute('normal');
    for (let k = 0; k < position.count; k++) {
      point.fromBufferAttribute(position, k).applyQuaternion(turn).toArray(arrays.position, 3 * (corner + k));
      for (let axis = 0; axis < 3; axis++) arrays.position[3 * (corner + k) + axis] += shape.pose.p[axis];
      if (normal) point.fromBufferAttribute(normal, k).applyQuaternion(turn).toArray(arrays.normal, 3 * (corner + k));
    }
    if (arrays.uv && geometry.hasAttribute('uv')) arrays.uv.set(geometry.getAttribute('uv').array, 2 * corner);
    arrays.slot.fill(item.slot, corner, corner + position.count);
    const count = geometry.index?.count ?? position.count;
    item.start = next;
    for (let k = 0; k < count; k++) index[next++] = corner + (geometry.index ? geometry.index.getX(k) : k);
    item.end = next;
    corner += position.count;
  }
  const geometry = new THREE.BufferGeometry();
  for (const [name, array] of Object.entries(arrays)) geometry.setAttribute(name, new THREE.BufferAttribute(array, { slot: 1, uv: 2 }[name] ?? 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  const plain = material.isShaderMaterial; // it takes positions from the texture of itself, and throws no shadow
  const mesh = new THREE.Mesh(geometry, plain ? material : place(material, poses));
  if (!plain) mesh.customDepthMaterial = place(new THREE.MeshDepthMaterial(), poses);
  mesh.frustumCulled = false;
  return mesh;
}

/** Colours the corners of an item. */
export function paintItem(mesh, item, color) {
  const colors = mesh.geometry.getAttribute('color');
  for (let k = 0; k < item.geometry.getAttribute('position').count; k++) colors.setXYZ(item.first + k, color.r, color.g, color.b);
  colors.needsUpdate = true;
}

/** Makes a material's shader take positions from the texture. */
function place(material, poses) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.poses = { value: poses.texture };
    shader.vertexShader = HEAD + shader.vertexShader
      .replace('#include <beginnormal_vertex>', 'vec4 bodyTurn = poseTexel(2 * int(slot) + 1);\nvec3 objectNormal = turn(bodyTurn, normal);')
      .replace('#include <begin_vertex>', 'vec3 transformed = turn(poseTexel(2 * int(slot) + 1), position) + poseTexel(2 * int(slot)).xyz;');
  };
  return material;
}

const point = new THREE.Vector3(), turn = new THREE.Quaternion();
