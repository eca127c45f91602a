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
    this.followButton = el('button', { onclick: () => { view.follow = !view.follow; this.update(); } }, 'Follow');
    this.rate = el('span', { class: 'quiet', id: 'rate' });
    const step = el('button', { id: 'step', title: 'One step (.)', onclick: () => source.step(1) }, 'Step');
    const reset = el('button', { id: 'reset', title: 'Back to the start (r)', onclick: () => app.reset() }, source.live ? 'Reset' : 'Start');
    this.program = source.live ? el('button', { id: 'program', onclick: () => source.setProgram(!source.program), title: 'The program moves the motors; sliders take over by hand' }, 'Program') : null;
    const camera = [
      el('button', { id: 'frame-one', onclick: () => app.look(() => view.frameWorld(app.focus)) }, 'Frame robot'),
      app.scene.worlds.length > 1 ? el('button', { id: 'frame-all', onclick: () => app.look(() => view.frameAll()) }, 'Frame all') : null,
    ];
    if (!source.live) {
      this.line = el('input', { type: 'range', id: 'timeline', min: 0, max: 1, step: 0.001, 'aria-label': 'Time', oninput: () => { source.pause(); source.seek(Number(this.line.value)); this.update(); } });
    }
    root.append(...[this.playButton, step, reset, this.speed, this.program, this.time, this.line ?? el('span', { class: 'spacer' }), this.rate, this.followButton, ...camera].filter(Boolean));
    this.update();
  }

  toggle() {
    const { source } = this.app;
    if (source.playing) source.pause(); else source.play();
    if (!source.live) this.update();
  }

  /** Buttons say what is so. */
  update() {
    const { source, view } = this.app;
    this.playButton.textContent = source.playing ? 'Pause' : 'Play';
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
