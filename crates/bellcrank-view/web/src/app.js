// Brings the parts together: a source of frames, the stage, the panels.

import * as THREE from 'three';
import { extentSize } from './data/scene.js';
import { Drag } from './drag.js';
import { giveBackFocus, keysOf, takesKey } from './keys.js';
import { Overlays } from './overlays/index.js';
import { centerOfMass } from './overlays/mass.js';
import { Capture } from './panels/capture.js';
import { Dials } from './panels/dials.js';
import { Foot } from './panels/foot.js';
import { Head } from './panels/head.js';
import { Help } from './panels/help.js';
import { Motion } from './panels/motion.js';
import { Plots } from './panels/plots.js';
import { addShow } from './panels/show.js';
import { Tree } from './panels/tree.js';
import { Quality } from './quality.js';
import { frameMatrix } from './stage/pose.js';
import { Stage } from './stage/stage.js';
import { View } from './stage/view.js';
import { FEW, Worlds } from './stage/worlds.js';
import { onTheme } from './theme.js';

const part = (id) => document.getElementById(id);

export class App {
  focus = 0;
  chosen = null;
  frame = null;
  framesPerSecond = 0;
  drawn = 0;

  constructor(source) {
    this.source = source;
    this.scene = source.scene;
    const size = Math.max(...this.scene.models.map(extentSize));
    this.stage = new Stage(part('view'), this.scene.floor, size);
    this.worlds = new Worlds(this.scene, this.stage);
    this.stage.changed = () => this.redraw();
    this.view = new View(this.scene, this.stage);
    this.view.controls.addEventListener('change', () => this.redraw());
    this.overlays = new Overlays(this);
    this.drag = new Drag(this);
    this.quality = new Quality(this.stage, this.worlds);
    this.capture = new Capture(this);
    this.buildPanels();
    giveBackFocus(part('view'));
    onTheme(() => { this.stage.dress(); this.plots.paintAll(); this.redraw(); });
    window.addEventListener('resize', () => { this.stage.resize(); this.redraw(); });
    window.addEventListener('keydown', (event) => this.key(event));
    this.clock = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  get world() { return this.scene.worlds[this.focus]; }
  get model() { return this.scene.models[this.world.model]; }

  buildPanels() {
    document.title = `${this.scene.title}, Bellcrank`;
    this.head = new Head(this, part('head'));
    this.tree = new Tree(this, part('left'));
    addShow(this, part('right'));
    this.plots = new Plots(this, part('right'));
    this.dials = new Dials(this, part('right'));
    this.motion = new Motion(this, part('right'));
    this.foot = new Foot(this, part('foot'));
    this.help = new Help(this, document.body);
    // for pages that embed this one: the scene alone
    if (new URLSearchParams(location.search).has('bare')) document.body.classList.add('bare', 'alone');
    // side panels end above the foot line, also where that needs two rows
    new ResizeObserver(([{ target }]) => document.documentElement.style.setProperty('--foot', `${target.offsetHeight}px`)).observe(part('foot'));
  }

  /** One picture of the screen: takes what is new, draws if anything changed. */
  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    const elapsed = now - this.clock;
    this.clock = now;
    if (this.drew) this.quality.note(elapsed, now); // a picture that takes long delays the next tick
    const frame = this.source.advance(Math.min(elapsed, 250) / 1000);
    if (frame && (frame !== this.frame || this.source.playing)) this.take(frame);
    this.foot.tick(this.count(now));
    this.drew = this.dirty;
    if (!this.dirty && !this.quality.rest(now)) return;
    this.dirty = false;
    this.drag.update();
    this.worlds.prepare();
    this.stage.render();
    if (this.drew) this.drawn++;
  }

  take(frame) {
    this.frame = frame;
    this.worlds.update(frame);
    const center = centerOfMass(frame, this.world, this.model);
    this.view.track(center, frame);
    this.stage.light(center.setZ(this.scene.floor + 0.4 * extentSize(this.model)), this.shadowRadius());
    this.overlays.update(frame);
    this.head.update(frame);
    this.motion.update(frame);
    this.plots.update(frame);
    this.redraw();
  }

  /** Shadows reach over everything that is drawn finely, as far as that stays sharp. */
  shadowRadius() {
    const count = this.scene.worlds.length;
    return (count > FEW ? 0.9 : Math.min(1.1 + 0.9 * (Math.sqrt(count) - 1), 4)) * extentSize(this.model);
  }

  /** Pictures per second, over the last second or so. */
  count(now) {
    const { since = now, before = this.drawn } = this.counted ?? {};
    if (now - since > 1000) this.framesPerSecond = (1000 * (this.drawn - before)) / (now - since);
    if (!this.counted || now - since > 1000) this.counted = { since: now, before: this.drawn };
    return this.framesPerSecond;
  }

  redraw() { this.dirty = true; }

  /** Marks a body and turns to its world. */
  choose(chosen) {
    this.chosen = chosen;
    if (chosen && chosen.world !== this.focus) this.turnTo(chosen.world);
    this.worlds.choose(chosen);
    this.tree.mark();
    this.redraw();
  }

  turnTo(place) {
    const sameModel = this.scene.worlds[place].model === this.world.model;
    this.focus = place;
    if (this.source.live) this.source.focus(this.world.index);
    this.worlds.setFocus(place);
    this.plots.clear();
    if (!sameModel) {
      this.tree.fill();
      this.plots.showJoint(null);
    }
    this.motion.fill();
    this.look(() => this.view.frameWorld(place));
    if (this.frame) this.take(this.frame);
  }

  look(move) {
    move();
    this.redraw();
  }

  reset() {
    this.plots.clear();
    this.source.reset();
  }

  bodyMatrix(world, body) { return frameMatrix(this.frame, world, body, undefined, new THREE.Matrix4()); }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKey(event.target, event.key)) return;
    if (this.dials.key(event.key)) return;
    if (event.key === 'Escape') this.help.card.hidden = true;
    const found = keysOf(this).find(({ key }) => key === event.key);
    if (!found) return;
    event.preventDefault();
    found.act();
  }

  /** The scene alone, or everything again. */
  hide() {
    const bare = !document.body.classList.contains('bare');
    document.body.classList.toggle('bare', bare);
    if (!bare) document.body.classList.remove('alone');
    this.redraw();
  }

  /** The state of play has changed. */
  changed() {
    this.foot.update();
    this.dials.update();
    document.getElementById('show-singular').parentElement.hidden = !this.source.poses;
    if (this.frame) this.overlays.update(this.frame);
    this.redraw();
    say(this.source.note);
  }
}

let hiding;
/** A line that goes away again. */
export function say(text) {
  const note = part('note');
  if (!text) return;
  note.textContent = text;
  note.classList.add('shown');
  clearTimeout(hiding);
  hiding = setTimeout(() => note.classList.remove('shown'), 4000);
}
