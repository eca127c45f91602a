// What is drawn over the world in focus, each part switched on and off.

import { extentSize } from '../data/scene.js';
import { Collision } from './collision.js';
import { Contacts } from './contacts.js';
import { Axes, Joints, Singular } from './joints.js';
import { Lines } from './lines.js';
import { Loops } from './loops.js';
import { Inertia, Mass } from './mass.js';
import { Names } from './names.js';
import { Pins } from './pins.js';

const PARTS = { joints: Joints, singular: Singular, axes: Axes, loops: Loops, contacts: Contacts, mass: Mass, inertia: Inertia, collision: Collision, names: Names };

export class Overlays {
  shown = new Set();
  parts = {};

  constructor(app) {
    this.app = app;
    this.pins = new Pins(app);
    this.lines = new Lines(app);
    new URLSearchParams(location.search).get('show')?.split(',').filter((name) => PARTS[name]).forEach((name) => this.set(name, true));
  }

  is(name) { return this.shown.has(name); }

  set(name, on) {
    const { scene, stage, worlds } = this.app;
    if (on) {
      this.parts[name] ??= new PARTS[name](scene, scene.floor, worlds, stage);
      this.parts[name].objects.forEach((object) => stage.scene.add(object));
      this.shown.add(name);
    } else {
      this.parts[name]?.objects.forEach((object) => stage.scene.remove(object));
      this.parts[name]?.hide?.();
      this.shown.delete(name);
    }
    if (name === 'singular') this.app.source.singular?.(on);
    const box = document.getElementById(`show-${name}`);
    if (box) box.checked = on;
    if (this.app.frame) this.update(this.app.frame);
    this.app.redraw();
  }

  update(frame) {
    const { world, model } = this.app;
    this.pins.update(frame, world, extentSize(model));
    this.lines.update(world);
    for (const name of this.shown) {
      this.parts[name].size = extentSize(model);
      this.parts[name].update(frame, world, model, this.shown.has('joints'));
    }
  }
}
