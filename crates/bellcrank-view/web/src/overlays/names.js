// Names beside bodies (and joints, while those are shown), where there is room for them.

import * as THREE from 'three';
import { framePoint } from '../stage/pose.js';

export class Names {
  objects = [];
  spans = [];

  constructor(scene, floor, worlds, stage) {
    this.stage = stage;
    this.root = document.getElementById('labels');
  }

  hide() { this.root.replaceChildren(); this.spans = []; this.model = null; }

  update(frame, world, model, withJoints) {
    if (this.model !== model || this.withJoints !== withJoints) this.build(model, withJoints);
    const { camera, renderer } = this.stage;
    const width = renderer.domElement.clientWidth, height = renderer.domElement.clientHeight;
    const taken = [];
    for (const { span, body, local, wide } of this.spans) {
      framePoint(frame, world, body, local, point).project(camera);
      const x = Math.round((0.5 + 0.5 * point.x) * width + 8), y = Math.round((0.5 - 0.5 * point.y) * height - 8);
      const hidden = point.z > 1 || taken.some(([a, b, w]) => Math.abs(y - b) < 16 && x < a + w && a < x + wide);
      span.style.display = hidden ? 'none' : '';
      if (hidden) continue;
      taken.push([x, y, wide]);
      span.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  build(model, withJoints) {
    [this.model, this.withJoints] = [model, withJoints];
    const label = (text, kind, body, local) => {
      const span = document.createElement('span');
      span.className = kind;
      span.textContent = text;
      return { span, body, local, wide: 7 * text.length + 12 };
    };
    this.spans = model.bodies.map((body, b) => label(body.name, 'body', b, undefined));
    if (withJoints) this.spans.push(...model.joints.map((joint) => label(joint.name, 'joint', joint.predecessor, joint.frame_predecessor)));
    this.root.replaceChildren(...this.spans.map(({ span }) => span));
  }
}

const point = new THREE.Vector3();
