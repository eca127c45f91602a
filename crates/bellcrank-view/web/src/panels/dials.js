// Numbers that the program lets us turn while it runs, by sliders and by keys: what walking robots are told.

import { el } from './dom.js';
import { slider } from './motion.js';

const STEPS = 10; // key presses from one end of a dial to the other

export class Dials {
  constructor(app, root) {
    this.app = app;
    this.card = el('section', { class: 'card', id: 'dials', hidden: true });
    root.append(this.card);
  }

  /** The program has told of its dials: makes the sliders once, and lets those that nobody holds follow. */
  update() {
    const dials = this.app.source.dials ?? [];
    if (!dials.length) return;
    if (!this.sliders) this.fill(dials);
    this.sliders.forEach((made, index) => { if (!made.held()) made.set(dials[index].value ?? 0); });
    this.chance.hidden = dials.every((dial) => dial.value === null);
  }

  fill(dials) {
    const turn = (index, value) => this.app.source.setDial(index, value);
    this.sliders = dials.map((dial, index) => slider({
      name: `${dial.name} (${dial.keys.join(', ')})`, unit: dial.unit, range: dial.range, value: dial.value ?? 0,
      onInput: (value) => turn(index, value),
    }));
    this.chance = el('button', { onclick: () => dials.forEach((_, index) => turn(index, null)), title: 'As in training: commands change by themselves' }, 'By chance');
    this.card.replaceChildren(el('h2', {}, 'Command', el('span', { class: 'spacer' }), this.chance), el('div', { class: 'sliders' }, this.sliders.map((made) => made.element)));
    this.card.hidden = false;
  }

  /** Turns the dial that a key belongs to; says whether there is one. */
  key(key) {
    const dials = this.app.source.dials ?? [];
    const index = dials.findIndex((dial) => dial.keys.includes(key));
    if (index < 0) return false;
    const { range, keys, value } = dials[index];
    const step = (range[1] - range[0]) / STEPS;
    this.app.source.setDial(index, (value ?? 0) + (key === keys[1] ? step : -step));
    return true;
  }
}
