// Every loop as a closed band through its joints.

import * as THREE from 'three';
import { loopColor } from '../stage/colors.js';
import { framePoint } from '../stage/pose.js';
import { Marks, unitBar } from './marks.js';

export class Loops {
  constructor(scene) {
    const most = Math.max(...scene.models.map((model) => model.loops.reduce((sum, loop) => sum + loop.length, 0)), 1);
    this.bars = new Marks(unitBar(8), most, { opacity: 0.8 });
    this.dots = new Marks(new THREE.SphereGeometry(1, 12, 8), most, { opacity: 0.9 });
    this.objects = [this.bars.mesh, this.dots.mesh];
  }

  update(frame, world, model) {
    this.bars.begin();
    this.dots.begin();
    model.loops.forEach((loop, index) => {
      color.set(loopColor(index, model.loops.length));
      const points = loop.map((j) => {
        const joint = model.joints[j];
        return framePoint(frame, world, joint.predecessor, joint.frame_predecessor, new THREE.Vector3());
      });
      points.forEach((point, k) => {
        this.bars.addBar(point, points[(k + 1) % points.length], 0.005 * this.size, color);
        this.dots.add(dot.makeScale(0.011 * this.size, 0.011 * this.size, 0.011 * this.size).setPosition(point), color);
      });
    });
    this.bars.end();
    this.dots.end();
  }
}

const color = new THREE.Color(), dot = new THREE.Matrix4();
