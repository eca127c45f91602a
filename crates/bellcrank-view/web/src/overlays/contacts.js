// Where it touches, and how hard: an arrow as long as the model for its own weight.

import * as THREE from 'three';
import { Marks, unitBar } from './marks.js';

const MOST = 1024;

export class Contacts {
  constructor(scene) {
    this.dots = new Marks(new THREE.SphereGeometry(1, 12, 8), MOST);
    this.shafts = new Marks(unitBar(8), MOST, { opacity: 0.9 });
    this.heads = new Marks(new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2), MOST, { opacity: 0.95 });
    this.objects = [this.dots.mesh, this.shafts.mesh, this.heads.mesh];
  }

  update(frame, world, model) {
    [this.dots, this.shafts, this.heads].forEach((marks) => marks.begin());
    const perNewton = this.size / Math.max(9.81 * model.mass, 1e-6);
    const offset = world.offset, list = frame.contacts;
    for (let k = 0; k < list.length; k += 7) {
      if (list[k] !== world.place) continue;
      point.set(list[k + 1] + offset[0], list[k + 2] + offset[1], list[k + 3] + offset[2]);
      force.set(list[k + 4], list[k + 5], list[k + 6]).multiplyScalar(perNewton);
      const dot = 0.008 * this.size;
      this.dots.add(matrix.makeScale(dot, dot, dot).setPosition(point), red);
      const length = Math.min(force.length(), 1.5 * this.size);
      if (length < 0.01 * this.size) continue;
      force.setLength(length);
      const tip = end.copy(point).add(force);
      this.shafts.addBar(point, tip, 0.004 * this.size, orange);
      this.heads.addBar(tip, tip.clone().addScaledVector(force, 0.045 * this.size / length), 0.013 * this.size, orange);
    }
    [this.dots, this.shafts, this.heads].forEach((marks) => marks.end());
  }
}

const point = new THREE.Vector3(), force = new THREE.Vector3(), end = new THREE.Vector3(), matrix = new THREE.Matrix4();
const red = new THREE.Color('#c62f2f'), orange = new THREE.Color('#e4572e');
