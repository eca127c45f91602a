// Bodies of the world in focus that stay while others are posed: a yellow ball at each one's centre of mass.

import * as THREE from 'three';
import { framePoint } from '../stage/pose.js';
import { Marks } from './marks.js';

const MOST = 64;

export class Pins {
  constructor(app) {
    this.source = app.source;
    this.balls = new Marks(new THREE.SphereGeometry(1, 16, 12), MOST, { opacity: 0.9 });
    app.stage.scene.add(this.balls.mesh);
  }

  update(frame, world, size) {
    this.balls.begin();
    for (const pin of this.source.pins ?? []) {
      if (pin.world !== world.index) continue;
      framePoint(frame, world, pin.body, undefined, point);
      this.balls.add(ball.makeScale(0.02 * size, 0.02 * size, 0.02 * size).setPosition(point), yellow);
    }
    this.balls.end();
  }
}

const point = new THREE.Vector3(), ball = new THREE.Matrix4(), yellow = new THREE.Color('#f2c230');
