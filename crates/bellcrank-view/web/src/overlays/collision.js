// The shapes that touch, as wire.

import * as THREE from 'three';
import { frameMatrix } from '../stage/pose.js';

export class Collision {
  constructor(scene, floor, worlds) {
    this.worlds = worlds;
    this.group = new THREE.Group();
    this.objects = [this.group];
    this.material = new THREE.MeshBasicMaterial({ color: '#1667c2', wireframe: true, transparent: true, opacity: 0.55, depthTest: false });
  }

  update(frame, world, model) {
    if (this.model !== model) this.build(model);
    this.items.forEach(({ mesh, shape }) => frameMatrix(frame, world, shape.body, shape.pose, mesh.matrix));
  }

  build(model) {
    this.model = model;
    this.group.clear();
    this.items = model.shapes.filter((shape) => shape.collides && shape.geometry.type !== 'plane').map((shape) => {
      const mesh = new THREE.Mesh(this.worlds.geometry(shape.geometry, 'coarse'), this.material);
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      mesh.renderOrder = 8;
      this.group.add(mesh);
      return { mesh, shape };
    });
  }
}
