// Centres of mass, and boxes of even density with the bodies' inertia.

import * as THREE from 'three';
import { bodyColor } from '../stage/colors.js';
import { frameMatrix } from '../stage/pose.js';
import { Marks, unitBar } from './marks.js';

/** Where the whole model's centre of mass is, in the scene. */
export function centerOfMass(frame, world, model, out = new THREE.Vector3()) {
  out.set(0, 0, 0);
  let mass = 0;
  model.bodies.forEach((body, b) => {
    const at = world.poseStart + 7 * b;
    out.x += body.mass * frame.poses[at];
    out.y += body.mass * frame.poses[at + 1];
    out.z += body.mass * frame.poses[at + 2];
    mass += body.mass;
  });
  return out.divideScalar(mass || 1).add(offset.set(...world.offset));
}

export class Mass {
  constructor(scene, floor) {
    this.floor = floor;
    const most = Math.max(...scene.models.map((model) => model.bodies.length), 1);
    this.balls = new Marks(new THREE.SphereGeometry(1, 18, 12), most + 2, { opacity: 0.9 });
    this.plumb = new Marks(unitBar(6), 1, { opacity: 0.7 });
    this.objects = [this.balls.mesh, this.plumb.mesh];
  }

  update(frame, world, model) {
    this.balls.begin();
    this.plumb.begin();
    const heaviest = Math.max(...model.bodies.map((body) => body.mass), 1e-9);
    model.bodies.forEach((body, b) => {
      const at = world.poseStart + 7 * b;
      const r = 0.018 * this.size * Math.cbrt(body.mass / heaviest);
      point.set(frame.poses[at], frame.poses[at + 1], frame.poses[at + 2]).add(offset.set(...world.offset));
      this.balls.add(matrix.makeScale(r, r, r).setPosition(point), grey);
    });
    centerOfMass(frame, world, model, point);
    const r = 0.03 * this.size;
    this.balls.add(matrix.makeScale(r, r, r).setPosition(point), red);
    foot.copy(point).setZ(this.floor);
    this.plumb.addBar(point, foot, 0.0025 * this.size, red);
    this.balls.add(matrix.makeScale(0.5 * r, 0.5 * r, 0.1 * r).setPosition(foot), red);
    this.balls.end();
    this.plumb.end();
  }
}

export class Inertia {
  constructor(scene) {
    const most = Math.max(...scene.models.map((model) => model.bodies.length), 1);
    this.boxes = new Marks(new THREE.BoxGeometry(2, 2, 2), most, { opacity: 0.28, onTop: false });
    this.edges = new Marks(new THREE.BoxGeometry(2, 2, 2), most, { opacity: 0.5, wireframe: true });
    this.objects = [this.boxes.mesh, this.edges.mesh];
  }

  update(frame, world, model) {
    this.boxes.begin();
    this.edges.begin();
    model.bodies.forEach(({ inertia_box: box }, b) => {
      if (!box) return;
      frameMatrix(frame, world, b, { p: [0, 0, 0], quat_wxyz: box.quat_wxyz }, matrix).scale(point.set(...box.half));
      this.boxes.add(matrix, color.set(bodyColor(b)));
      this.edges.add(matrix, color);
    });
    this.boxes.end();
    this.edges.end();
  }
}

const matrix = new THREE.Matrix4(), point = new THREE.Vector3(), foot = new THREE.Vector3(), offset = new THREE.Vector3();
const grey = new THREE.Color('#4a5460'), red = new THREE.Color('#d13b3b'), color = new THREE.Color();
