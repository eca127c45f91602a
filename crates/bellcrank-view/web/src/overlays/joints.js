// Joints as small drums along their axes, coloured by kind or by how well motors hold them; axes as lines; body frames as red, green, blue.

import * as THREE from 'three';
import { frameMatrix } from '../stage/pose.js';
import { Marks, unitBar } from './marks.js';

const KINDS = {
  revolute: '#e08a1e', prismatic: '#2f7fd1', cylindrical: '#3f9ec4', universal: '#c2588f', spherical: '#b0479b',
  gimbal: '#a04fb5', planar: '#4f9d5d', cartesian: '#4f9d5d', screw: '#8d7a2f', fixed: '#6b7480', free: '#9aa3ad',
};
const RGB = ['#d64545', '#3f9d4f', '#3b6fd4'];

export class Joints {
  radius = 0.014;

  constructor(scene) {
    const most = Math.max(...scene.models.map((model) => model.joints.length), 1);
    this.drums = new Marks(unitBar(20), most, { opacity: 0.85 });
    this.objects = [this.drums.mesh];
  }

  /** As its kind. */
  paint(joint) { return color.set(KINDS[joint.kind]); }

  update(frame, world, model) {
    this.drums.begin();
    model.joints.forEach((joint, index) => {
      frameMatrix(frame, world, joint.predecessor, joint.frame_predecessor, at);
      const ball = joint.kind === 'spherical' || joint.kind === 'gimbal';
      const length = (ball ? 0.028 : 0.05) * this.size, radius = this.radius * this.size;
      // the drum stands along z, the joint's axis is x
      this.drums.add(at.multiply(turnX).scale(scale.set(radius, radius, length)), this.paint(joint, frame.holds?.[index]));
    });
    this.drums.end();
  }
}

/** From red, where motors do not hold the joint's limb, to blue, where they are all there is to it; grey where no motor could. */
export class Singular extends Joints {
  radius = 0.016; // over the other drums where both are shown

  paint(joint, share = -1) { return share < 0 ? color.set('#9aa3ad') : color.setHSL(0.62 * Math.sqrt(share), 0.85, 0.48); }
}

export class Axes {
  constructor(scene) {
    const joints = Math.max(...scene.models.map((model) => model.joints.length), 1);
    const bodies = Math.max(...scene.models.map((model) => model.bodies.length), 1);
    this.bars = new Marks(unitBar(6), joints + 3 * bodies, { opacity: 0.9 });
    this.objects = [this.bars.mesh];
  }

  update(frame, world, model) {
    this.bars.begin();
    for (const joint of model.joints) {
      frameMatrix(frame, world, joint.predecessor, joint.frame_predecessor, at);
      this.axis(at, 0, -0.09, 0.09, 0.0022, '#e08a1e');
    }
    model.bodies.forEach((_, body) => {
      frameMatrix(frame, world, body, undefined, at);
      RGB.forEach((rgb, k) => this.axis(at, k, 0, 0.06, 0.003, rgb));
    });
    this.bars.end();
  }

  axis(matrix, column, from, to, radius, rgb) {
    direction.setFromMatrixColumn(matrix, column);
    origin.setFromMatrixPosition(matrix);
    start.copy(origin).addScaledVector(direction, from * this.size);
    this.bars.addBar(start, origin.addScaledVector(direction, to * this.size), radius * this.size, color.set(rgb));
  }
}

const at = new THREE.Matrix4(), scale = new THREE.Vector3(), color = new THREE.Color();
const direction = new THREE.Vector3(), origin = new THREE.Vector3(), start = new THREE.Vector3();
const turnX = new THREE.Matrix4().makeRotationY(Math.PI / 2);
