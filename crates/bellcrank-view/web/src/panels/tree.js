// The model's parts, to find one among many.

import { shapeColor, bodyColor } from '../stage/colors.js';
import { el } from './dom.js';

export class Tree {
  constructor(app, root) {
    this.app = app;
    this.input = el('input', { type: 'search', placeholder: 'Search bodies, joints, motors', 'aria-label': 'Search the model', oninput: () => this.fill() });
    this.list = el('div', { class: 'tree' });
    root.append(el('div', { class: 'search' }, this.input), this.list);
    this.fill();
  }

  /** Lists what matches, bodies in the order of the spanning tree. */
  fill() {
    const model = this.app.model, wanted = this.input.value.trim().toLowerCase();
    const matches = (name) => name.toLowerCase().includes(wanted);
    const rows = [];
    const section = (title, parts) => { if (parts.length) rows.push(el('h3', {}, `${title} (${parts.length})`), ...parts); };
    section('Bodies', this.bodies(model).filter(({ body }) => matches(model.bodies[body].name)).map((row) => this.bodyRow(model, row)));
    section('Joints', numbered(model.joints).filter(([joint]) => matches(joint.name)).map(([joint]) => this.jointRow(model, joint)));
    section('Motors', numbered(model.actuators).filter(([motor]) => matches(motor.name)).map(([motor]) => this.motorRow(model, motor)));
    this.list.replaceChildren(...(rows.length ? rows : [el('div', { class: 'none' }, 'Nothing of that name.')]));
    this.mark();
  }

  /** Bodies with their depth in the spanning tree, children after parents. */
  bodies(model) {
    const rows = [];
    const visit = (parent, depth) => model.bodies.forEach((body, index) => {
      if (body.parent !== parent) return;
      rows.push({ body: index, depth });
      visit(index, depth + 1);
    });
    visit(null, 0);
    return rows;
  }

  bodyRow(model, { body, depth }) {
    const { name, mass } = model.bodies[body];
    const shape = model.shapes.find((s) => s.body === body);
    const dot = el('span', { class: 'dot' });
    dot.style.background = shape ? shapeColor(shape) : bodyColor(body);
    const indent = this.input.value ? 0 : Math.min(depth, 9);
    const row = el('button', { 'data-body': body, title: `${name}, ${mass.toPrecision(3)} kg`, onclick: () => this.app.choose({ world: this.app.focus, body }) },
      dot, el('span', { class: 'name' }, name));
    row.style.paddingLeft = `${6 + 9 * indent}px`;
    return row;
  }

  jointRow(model, joint) {
    const between = [joint.predecessor, joint.successor].map((b) => (b === null ? 'world' : model.bodies[b].name)).join(' – ');
    const loop = joint.closes_loop ? '↻ ' : '';
    return el('button', { title: `${joint.name}: ${between}${loop ? ', closes a loop' : ''}`, 'data-joint': joint.name, onclick: () => { this.app.choose({ world: this.app.focus, body: joint.successor ?? joint.predecessor }); this.app.plots.showJoint(joint); } },
      el('span', { class: 'name' }, joint.name), el('span', { class: 'kind' }, loop + joint.kind));
  }

  motorRow(model, motor) {
    const body = model.joints[motor.joint]?.successor ?? 0;
    return el('button', { title: motor.name, onclick: () => this.app.choose({ world: this.app.focus, body }) },
      el('span', { class: 'name' }, motor.name), el('span', { class: 'kind' }, motor.control));
  }

  mark() {
    const body = this.app.chosen?.world === this.app.focus ? this.app.chosen?.body : undefined;
    for (const row of this.list.querySelectorAll('[data-body]')) {
      const chosen = Number(row.dataset.body) === body;
      row.classList.toggle('chosen', chosen);
      if (chosen) row.scrollIntoView({ block: 'nearest' });
    }
  }
}

function numbered(list) { return list.map((part, index) => [part, index]); }
