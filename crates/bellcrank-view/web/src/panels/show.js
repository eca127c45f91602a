// What is drawn over the world in focus.

import { el } from './dom.js';

const CHOICES = [
  ['joints', 'Joints'], ['singular', 'Singular'], ['axes', 'Axes'], ['loops', 'Loops'], ['contacts', 'Contacts'],
  ['mass', 'Centre of mass'], ['inertia', 'Inertia boxes'], ['collision', 'Collision'], ['names', 'Names'],
];

export function addShow(app, root) {
  const boxes = CHOICES.map(([name, text]) => {
    const box = el('input', { type: 'checkbox', id: `show-${name}`, onchange: () => app.overlays.set(name, box.checked) });
    box.checked = app.overlays.is(name);
    return el('label', { hidden: name === 'singular' && !app.source.poses }, box, text);
  });
  root.append(el('section', { class: 'card', id: 'show' }, el('h2', {}, 'Show'), el('div', { class: 'shows' }, boxes)));
}
