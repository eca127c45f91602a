// Sliders: targets of motors, and joints that move the whole linkage.

import { el, figure } from './dom.js';

export class Motion {
  constructor(app, root) {
    this.app = app;
    this.mode = 'motors';
    this.card = el('section', { class: 'card', id: 'motion' });
    root.append(this.card);
    this.fill();
  }

  fill() {
    const { source, model } = this.app;
    this.card.hidden = !source.live;
    if (!source.live) return;
    const tab = (mode, text) => el('button', { 'aria-pressed': String(this.mode === mode), onclick: () => { this.mode = mode; this.fill(); } }, text);
    this.all = el('input', { type: 'checkbox', id: 'all-worlds' });
    const several = this.app.scene.worlds.length > 1 && this.mode === 'motors' && model.actuators.length > 0;
    this.sliders = this.mode === 'motors' ? this.motors(model) : this.joints(model);
    const poses = model.keyframes.map((name) => el('button', { onclick: () => source.goTo([this.app.world.index], name) }, name));
    this.card.replaceChildren(
      el('h2', {}, 'Move', el('span', { class: 'spacer' }), tab('motors', 'Motors'), tab('joints', 'Joints')),
      el('div', { class: 'sliders' }, this.sliders.length ? this.sliders.map((s) => s.element) : el('p', { class: 'quiet' }, 'Nothing here can be moved.')),
      several ? el('label', {}, this.all, 'all worlds of this model') : '',
      poses.length && this.mode === 'joints' ? el('div', { class: 'poses' }, poses) : '',
    );
  }

  motors(model) {
    return model.actuators.map((motor, index) => slider({
      name: motor.name, unit: motor.unit, range: motor.range, value: motor.target ?? 0,
      onInput: (value) => {
        motor.target = value;
        this.app.source.setTarget(this.wanted(), index, value);
      },
    }));
  }

  joints(model) {
    return model.joints.flatMap((joint, index) => {
      if (!joint.scalar) return [];
      const angle = joint.angle[0], wide = angle ? Math.PI : this.app.stage.size;
      const range = [joint.limits[0][0] ?? -wide, joint.limits[0][1] ?? wide];
      const made = slider({
        name: joint.name, unit: angle ? 'rad' : 'm', range, value: 0,
        onInput: (value) => this.app.source.setJoint(this.app.world.index, index, value),
      });
      made.coordinate = joint.coordinate;
      return [made];
    });
  }

  /** Numbers of the worlds that a target is for. */
  wanted() {
    const { scene, world } = this.app;
    if (!this.all?.checked) return [world.index];
    return scene.worlds.filter((other) => other.model === world.model).map((other) => other.index);
  }

  /** Joints that nobody holds follow the frame. */
  update(frame) {
    if (this.mode !== 'joints' || this.card.hidden) return;
    for (const made of this.sliders) {
      if (made.coordinate !== undefined && !made.held()) made.set(frame.joints[this.app.world.jointStart + made.coordinate]);
    }
  }
}

export function slider({ name, unit, range, value, onInput }) {
  let held = false;
  const text = el('input', {
    class: 'value', inputmode: 'decimal', 'aria-label': `${name}, number`,
    onfocus: () => { held = true; text.select(); },
    onblur: () => { held = false; show(Number(input.value)); },
    onkeydown: (event) => { if (event.key === 'Enter') text.blur(); },
    onchange: () => {
      const x = Number(text.value.replace(',', '.').replace(unit, ''));
      if (!Number.isFinite(x)) return;
      input.value = Math.min(Math.max(x, range[0]), range[1]);
      onInput(Number(input.value));
    },
  });
  const show = (x) => { text.value = figure(x); };
  const input = el('input', {
    type: 'range', min: range[0], max: range[1], step: 'any', 'aria-label': name,
    oninput: () => { show(Number(input.value)); onInput(Number(input.value)); },
    onpointerdown: () => { held = true; }, onpointerup: () => { held = false; }, onblur: () => { held = false; },
  });
  input.value = value;
  show(value);
  return {
    element: el('div', { class: 'slider' }, el('div', { class: 'row' }, el('span', { title: name }, name), el('span', { class: 'number' }, text, unit)), input),
    held: () => held,
    set: (x) => { if (Math.abs(Number(input.value) - x) > 1e-6) { input.value = x; show(x); } },
  };
}
