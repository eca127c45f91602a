// Shapes of the model → triangles. Coarse ones are for worlds far away.

import * as THREE from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import { bytesOf } from '../data/scene.js';

/** Two shapes with equal keys have equal triangles. */
export function geometryKey(geometry) {
  return JSON.stringify(geometry);
}

/** Triangles in the shape's own frame: coarse, light, middle or fine; capsule, cylinder and cone stand along z. */
export function makeGeometry(geometry, meshes, detail) {
  if (detail === 'coarse') return coarseGeometry(geometry, meshes);
  const round = { light: 6, middle: 16, fine: 28 }[detail];
  switch (geometry.type) {
    case 'sphere':
      return new THREE.SphereGeometry(geometry.radius, round, Math.round(0.65 * round));
    case 'ellipsoid':
      return new THREE.SphereGeometry(1, round, Math.round(0.65 * round)).scale(...geometry.radii);
    case 'capsule':
      return new THREE.CapsuleGeometry(geometry.radius, 2 * geometry.half_length, { light: 1, middle: 4, fine: 7 }[detail], round, 1).rotateX(Math.PI / 2);
    case 'cylinder':
      return new THREE.CylinderGeometry(geometry.radius, geometry.radius, 2 * geometry.half_length, round).rotateX(Math.PI / 2);
    case 'cone':
      return new THREE.ConeGeometry(geometry.radius, 2 * geometry.half_length, round).rotateX(Math.PI / 2);
    case 'box': {
      const [x, y, z] = geometry.half.map((h) => 2 * h);
      if (detail === 'light') return new THREE.BoxGeometry(x, y, z);
      const bevel = 0.12 * Math.min(x, y, z);
      return new RoundedBoxGeometry(x, y, z, detail === 'fine' ? 3 : 1, bevel);
    }
    case 'mesh':
      return meshGeometry(meshes[geometry.mesh]);
    case 'height_field':
      return fieldGeometry(geometry);
    case 'plane':
      return new THREE.PlaneGeometry(4, 4);
    default:
      throw new Error(`this page does not know the shape ${geometry.type}`);
  }
}

/** As few triangles as will do. */
function coarseGeometry(geometry, meshes) {
  switch (geometry.type) {
    case 'sphere':
      return new THREE.IcosahedronGeometry(1.06 * geometry.radius, 0);
    case 'ellipsoid':
      return new THREE.IcosahedronGeometry(1.06, 0).scale(...geometry.radii);
    case 'capsule':
      // a square bar of the same cross-section, √π r wide, without ends: eight triangles
      return squareBar(1.77 * geometry.radius, 2 * geometry.half_length + geometry.radius);
    case 'cylinder':
      return new THREE.CylinderGeometry(geometry.radius, geometry.radius, 2 * geometry.half_length, 8, 1).rotateX(Math.PI / 2);
    case 'box':
      return new THREE.BoxGeometry(...geometry.half.map((h) => 2 * h));
    default:
      return makeGeometry(geometry, meshes, 'middle');
  }
}

/** The four long sides of a bar along z. */
function squareBar(width, length) {
  const box = new THREE.BoxGeometry(width, width, length);
  box.setIndex([...box.index.array].slice(0, 24)); // ±x, ±y; the ends along z come last
  return box;
}

function meshGeometry(mesh) {
  const points = new Float32Array(bytesOf(mesh.points).buffer);
  const triangles = new Uint32Array(bytesOf(mesh.triangles).buffer);
  if (triangles.length === 0) {
    const corners = [];
    for (let k = 0; k + 2 < points.length; k += 3) corners.push(new THREE.Vector3(points[k], points[k + 1], points[k + 2]));
    return new ConvexGeometry(corners);
  }
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute('position', new THREE.BufferAttribute(points, 3));
  indexed.setIndex(new THREE.BufferAttribute(triangles, 1));
  const flat = indexed.toNonIndexed(); // crisp edges: CAD meshes look wrong when smoothed
  const uvs = new Float32Array(bytesOf(mesh.uvs ?? '').buffer); // by corner of a triangle; recordings of old have none
  if (uvs.length) flat.setAttribute('uv', new THREE.BufferAttribute(uvs, 2));
  flat.computeVertexNormals();
  return flat;
}

function fieldGeometry({ rows, columns, size, heights }) {
  const z = new Float32Array(bytesOf(heights).buffer);
  const plane = new THREE.PlaneGeometry(size[0], size[1], columns - 1, rows - 1);
  const position = plane.getAttribute('position');
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      // three.js counts rows from +y, the field from −y
      position.setZ((rows - 1 - row) * columns + column, z[row * columns + column]);
    }
  }
  plane.computeVertexNormals();
  return plane;
}
