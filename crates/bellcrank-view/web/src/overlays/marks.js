// Many copies of one small thing, written anew every frame.

import * as THREE from 'three';

export class Marks {
  constructor(geometry, capacity, { opacity = 1, onTop = true, wireframe = false } = {}) {
    const material = new THREE.MeshBasicMaterial({ transparent: opacity < 1 || onTop, opacity, depthTest: !onTop, depthWrite: false, wireframe });
    this.mesh = new THREE.InstancedMesh(geometry, material, Math.max(capacity, 1));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = onTop ? 10 : 5;
    this.mesh.count = 0;
    // colours exist from the start: the shader is compiled with or without them once
    this.mesh.setColorAt(0, new THREE.Color());
    this.capacity = Math.max(capacity, 1);
  }

  begin() { this.mesh.count = 0; }

  add(matrix, color) {
    if (this.mesh.count >= this.capacity) return;
    this.mesh.setMatrixAt(this.mesh.count, matrix);
    this.mesh.setColorAt(this.mesh.count, color);
    this.mesh.count++;
  }

  /** A bar of this radius between two points; the geometry stands along z with length 1 and radius 1. */
  addBar(from, to, radius, color) {
    along.subVectors(to, from);
    const length = along.length();
    if (!(length > 0)) return;
    turn.setFromUnitVectors(up, along.divideScalar(length));
    this.add(matrix.compose(middle.addVectors(from, to).multiplyScalar(0.5), turn, size.set(radius, radius, length)), color);
  }

  end() {
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }
}

const along = new THREE.Vector3(), middle = new THREE.Vector3(), size = new THREE.Vector3(), up = new THREE.Vector3(0, 0, 1);
const turn = new THREE.Quaternion(), matrix = new THREE.Matrix4();

/** A cylinder along z of length and radius 1. */
export function unitBar(sides = 10) { return new THREE.CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2); }
