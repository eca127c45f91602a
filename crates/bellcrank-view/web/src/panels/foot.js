// Play, pause, step, reset, speed, time, camera.

import { el, figure } from './dom.js';

const PAUSE = 90; // ms between two lines of text
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

export class Foot {
  constructor(app, root) {
    this.app = app;
    const { source, view } = app;
    this.playButton = el('button', { class: 'main', id: 'play', onclick: () => this.toggle() });
    this.speed = el('select', { id: 'speed', 'aria-label': 'Speed', onchange: () => source.setSpeed(Number(this.speed.value)) },
      SPEEDS.map((x) => el('option', { value: x }, `${x}×`)));
    this.speed.value = 1;
    this.time = el('span', { class: 'time', id: 'time' }, '0.00 s');
    this.followButton = el('button', { id: 'follow', title: 'The camera goes along (f)', onclick: () => this.follow() }, 'Follow');
    this.rate = el('span', { class: 'quiet', id: 'rate' });
    const step = el('button', { id: 'step', title: 'One step (.)', onclick: () => source.step(1) }, 'Step');
    const reset = el('button', { id: 'reset', title: 'Back to the start (r)', onclick: () => app.reset() }, source.live ? 'Reset' : 'Start');
    this.program = source.live ? el('button', { id: 'program', onclick: () => source.setProgram(!source.program), title: 'The program moves the motors; sliders take over by hand' }, 'Program') : null;
    const camera = [
      el('button', { id: 'frame-one', onclick: () => app.look(() => view.frameWorld(app.focus)) }, 'Frame robot'),
      app.scene.worlds.length > 1 ? el('button', { id: 'frame-all', onclick: () => app.look(() => view.frameAll()) }, 'Frame all') : null,
    ];
    const preset = el('select', { id: 'preset', 'aria-label': 'Look from', title: 'Look from (1, 2, 3, 4)', onchange: () => {
      const { value } = preset;
      app.look(() => (value.startsWith('camera ') ? view.look(value.slice(7), app.frame) : view.preset(value)));
      preset.value = '';
    } },
    el('option', { value: '', hidden: true }, 'View'), [['front', 'Front'], ['side', 'Side'], ['top', 'Top'], ['corner', 'Corner']].map(([value, text]) => el('option', { value }, text)),
    (app.model.cameras ?? []).map(({ name }) => el('option', { value: `camera ${name}` }, `Camera ${name}`)));
    this.filmButton = el('button', { id: 'film', title: 'Begin or end a film (v)', onclick: () => app.capture.film() }, 'Film');
    const others = [
      preset,
      el('button', { id: 'picture', title: 'Save a picture (p)', onclick: () => app.capture.picture() }, 'Picture'),
      this.filmButton,
      el('button', { id: 'panels', title: 'Figures, overlays and sliders', onclick: () => document.body.classList.toggle('sheet') }, 'Panels'),
      el('button', { id: 'keys', title: 'Keys (?)', 'aria-label': 'Keys', onclick: () => app.help.toggle() }, '?'),
    ];
    if (!source.live) {
      this.line = el('input', { type: 'range', id: 'timeline', min: 0, max: 1, step: 0.001, 'aria-label': 'Time', oninput: () => { source.pause(); source.seek(Number(this.line.value)); this.update(); } });
    }
    root.append(...[this.playButton, step, reset, this.speed, this.program, this.time, this.line ?? el('span', { class: 'spacer' }), this.rate, this.followButton, ...camera, ...others].filter(Boolean));
    this.update();
  }

  toggle() {
    const { source } = this.app;
    if (source.playing) source.pause(); else source.play();
    if (!source.live) this.update();
  }

  follow() {
    this.app.view.follow = !this.app.view.follow;
    this.update();
  }

  /** Buttons say what is so. */
  update() {
    const { source, view } = this.app;
    this.playButton.textContent = source.playing ? 'Pause' : 'Play';
    this.filmButton.setAttribute('aria-pressed', String(Boolean(this.app.capture.recorder)));
    this.followButton.setAttribute('aria-pressed', String(view.follow));
    if (document.activeElement !== this.speed && SPEEDS.includes(source.speed)) this.speed.value = source.speed;
    if (this.program) {
      this.program.setAttribute('aria-pressed', String(source.program));
      this.program.hidden = !source.program && !this.hadProgram;
      this.hadProgram ||= source.program;
    }
  }

  tick(framesPerSecond) {
    const { source } = this.app;
    const now = performance.now();
    if (now - (this.told ?? 0) < PAUSE) return;
    this.told = now;
    this.time.textContent = `${source.time.toFixed(2)} s`;
    const slow = source.live && source.playing && source.measuredSpeed > 0 ? `${figure(source.measuredSpeed, 2)}× real time, ` : '';
    this.rate.textContent = source.playing && framesPerSecond > 0 ? `${slow}${Math.round(framesPerSecond)} fps` : '';
    if (this.line) {
      this.line.min = source.start;
      this.line.max = source.end;
      if (document.activeElement !== this.line || source.playing) this.line.value = source.time;
    }
  }
}
