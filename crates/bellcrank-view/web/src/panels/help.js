// What the keyboard and the mouse do.

import { MOUSE, MOUSE_LIVE, keysOf } from '../keys.js';
import { el } from './dom.js';

export class Help {
  constructor(app, root) {
    this.app = app;
    this.card = el('section', { class: 'card', id: 'help', role: 'dialog', 'aria-label': 'Keys', hidden: true, onclick: () => this.toggle() });
    root.append(this.card);
  }

  toggle() {
    this.card.hidden = !this.card.hidden;
    if (!this.card.hidden) this.fill();
  }

  fill() {
    const { source } = this.app;
    const row = (key, words) => el('div', { class: 'row' }, el('kbd', {}, key), el('span', {}, words));
    const dials = (source.dials ?? []).map((dial) => row(dial.keys.join(' '), dial.name));
    const mouse = [...MOUSE, ...(source.live ? MOUSE_LIVE : [])].map(([what, words]) => row(what, words));
    this.card.replaceChildren(
      el('h2', {}, 'Keys'), el('div', { class: 'keys' }, keysOf(this.app).map(({ key, shown, words }) => row(shown ?? key, words)), dials),
      el('h2', {}, 'Mouse'), el('div', { class: 'mouse' }, mouse),
    );
  }
}
