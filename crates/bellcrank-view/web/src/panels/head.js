// What is shown, and how its worlds fare.

import { STATUS, trace } from '../data/scene.js';
import { el } from './dom.js';

export class Head {
  constructor(app, root) {
    this.app = app;
    const { scene, source } = app;
    const names = [...new Set(scene.models.map((model) => model.name))];
    this.title = el('h1', { title: names.join(', ') }, names.length > 2 ? `${names.length} mechanisms` : names.join(' · '));
    this.pill = el('span', { class: 'pill', id: 'pill' }, source.live ? 'live' : 'recorded');
    this.text = el('p', { id: 'status', onclick: () => this.turnToNextIll() });
    root.append(this.pill, this.list() ?? this.title, this.text);
  }

  /** Several mechanisms: one of them is chosen from a list. */
  list() {
    const { scene } = this.app;
    if (scene.models.length < 2) return null;
    const place = (model) => scene.worlds.findIndex((world) => world.model === model);
    this.choice = el('select', { id: 'robots', 'aria-label': 'Mechanism', title: this.title.title, onchange: () => this.app.turnTo(place(Number(this.choice.value))) },
      scene.models.map((model, index) => el('option', { value: index, hidden: place(index) < 0 }, model.name)));
    return this.choice;
  }

  update(frame) {
    const { scene, world } = this.app;
    if (this.choice && document.activeElement !== this.choice) this.choice.value = world.model;
    const counts = STATUS.map(() => 0);
    scene.worlds.forEach((w) => { counts[trace(scene, frame, w, 'status')]++; });
    const frozen = trace(scene, frame, world, 'status') === 3;
    const body = this.app.model.bodies[trace(scene, frame, world, 'frozen_body')];
    const many = scene.worlds.length > 1 ? `World ${world.index} of ${scene.world_count}` : '1 world';
    const bad = counts.map((n, k) => (k > 0 && n ? `${n} ${STATUS[k]}` : '')).filter(Boolean).join(', ');
    const words = frozen ? `${many}, frozen${body ? ` at ${body.name}` : ''}` : `${many}, ${bad || 'all ok'}`;
    if (words !== this.words) this.text.textContent = this.words = words;
    const ill = scene.worlds.length > 1 && counts[0] < scene.worlds.length;
    this.text.classList.toggle('link', ill);
    this.text.title = ill ? 'Turn to the next world that is not well' : '';
    this.pill.classList.toggle('bad', counts[3] > 0);
  }

  /** Goes round the worlds whose status is not ok, the frozen ones first. */
  turnToNextIll() {
    const { scene, frame, focus } = this.app;
    const status = (place) => trace(scene, frame, scene.worlds[place], 'status');
    const count = scene.worlds.length;
    const round = Array.from({ length: count }, (_, k) => (focus + 1 + k) % count);
    const next = round.find((place) => status(place) === 3) ?? round.find((place) => status(place) > 0);
    if (next !== undefined) this.app.turnTo(next);
  }

  end() {
    this.pill.textContent = 'ended';
    this.pill.classList.add('bad');
  }
}
