// Small curves of the world in focus, and of the joint that was chosen in the tree.

import { trace } from '../data/scene.js';
import { styled } from '../theme.js';
import { el, figure } from './dom.js';

const CURVES = [
  { name: 'loop_gap_m', title: 'Loop gap', unit: 'm', log: true, floor: 1e-9, color: '#0f7f83' },
  { name: 'energy_j', title: 'Energy', unit: 'J', color: '#d9603b' },
  { name: 'residual', title: 'Residual', unit: '', log: true, floor: 1e-12, color: '#7b6ca8' },
  { name: 'iterations', title: 'Iterations', unit: '', color: '#b57f12' },
];
const FORCE = { name: 'contact_force', title: 'Contact force', unit: 'N', color: '#c0504d' };
const JOINT = [
  { name: 'joint_position', title: 'Position', color: '#2f6fb5' },
  { name: 'joint_velocity', title: 'Velocity', color: '#b5447f' },
];
const SPAN = 600; // frames kept when live
const LEFT = 34; // pixels for the numbers at the left
const PAUSE = 66; // ms between two paintings: curves need not be smoother than the eye

export class Plots {
  constructor(app, root) {
    this.app = app;
    this.painted = 0;
    const { scene } = app;
    const figures = CURVES.map((curve) => makeCurve({ ...curve, read: (frame, world) => trace(scene, frame, world, curve.name) }));
    figures.push(makeCurve({ ...FORCE, read: contactForce }));
    this.ofJoint = JOINT.map(makeCurve);
    this.jointTitle = el('h2', {});
    this.joint = el('div', { id: 'joint', hidden: true }, this.jointTitle, el('div', { class: 'plots' }, this.ofJoint.map((c) => c.element)));
    this.curves = [...figures, ...this.ofJoint];
    root.append(el('section', { class: 'card', id: 'plots' }, el('h2', {}, 'Figures'), el('div', { class: 'plots' }, figures.map((c) => c.element)), this.joint));
  }

  /** Adds the curves of a joint of the model in focus, or takes them away. */
  showJoint(joint) {
    this.joint.hidden = !joint?.angle.length;
    if (this.joint.hidden) return;
    this.jointTitle.textContent = joint.name;
    const before = this.app.model.joints.slice(0, this.app.model.joints.indexOf(joint));
    const velocity = before.reduce((sum, { angle }) => sum + angle.length, 0);
    const unit = !joint.scalar ? '' : joint.angle[0] ? 'rad' : 'm';
    const [position, rate] = this.ofJoint;
    Object.assign(position, { unit, read: (frame, world) => frame.joints[world.jointStart + joint.coordinate] });
    Object.assign(rate, { unit: unit && `${unit}/s`, read: (frame, world) => frame.velocities[world.velocityStart + velocity] });
    this.ofJoint.forEach((curve) => { curve.points = []; curve.whole = null; });
    this.painted = 0;
    if (this.app.frame) this.update(this.app.frame);
  }

  clear() { this.curves.forEach((curve) => { curve.points = []; curve.whole = null; }); }

  update(frame) {
    const { source, world } = this.app;
    for (const curve of this.curves) {
      if (!curve.read) continue;
      curve.now = curve.read(frame, world);
      const last = curve.points[curve.points.length - 1];
      if (last && frame.time < last[0]) curve.points.length = 0;
      if (source.live && (!last || frame.time > last[0])) curve.points.push([frame.time, curve.now]);
      if (curve.points.length > SPAN) curve.points.shift();
    }
    this.time = frame.time;
    clearTimeout(this.later);
    const wait = this.painted + PAUSE - performance.now();
    if (wait > 0) this.later = setTimeout(() => this.paintAll(), wait); // the last frame before a pause counts too
    else this.paintAll();
  }

  paintAll() {
    this.painted = performance.now();
    this.curves.forEach((curve) => this.paint(curve, this.time));
  }

  /** All points of a recording, thinned to what a small picture shows. */
  points(curve) {
    const { source, world } = this.app;
    if (source.live) return curve.points;
    if (curve.whole?.count !== source.frames.length) {
      const every = Math.ceil(source.frames.length / 500);
      const points = source.frames.filter((_, k) => k % every === 0).map((f) => [f.time, curve.read(f, world)]);
      curve.whole = { count: source.frames.length, points };
    }
    return curve.whole.points;
  }

  paint(curve, time) {
    const { canvas, log, floor, unit, color } = curve;
    curve.value.textContent = `${figure(curve.now)} ${unit}`;
    const ratio = window.devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !curve.read) return; // not shown
    if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [width * ratio, height * ratio];
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const points = this.points(curve);
    const scale = log ? (v) => Math.log10(Math.max(v, floor)) : (v) => v;
    let low = Infinity, high = -Infinity;
    for (const [, v] of points) if (Number.isFinite(v)) { low = Math.min(low, scale(v)); high = Math.max(high, scale(v)); }
    if (!(high >= low)) [low, high] = [0, 1];
    const pad = Math.max(0.12 * (high - low), log ? 0.5 : 1e-3 * Math.max(Math.abs(high), 1));
    [low, high] = [!log && low >= 0 ? Math.max(low - pad, 0) : low - pad, high + pad];
    const first = points[0]?.[0] ?? 0, span = Math.max((points[points.length - 1]?.[0] ?? 1) - first, 1e-3);
    const right = width - 3, bottom = height - 11;
    const x = (t) => LEFT + ((t - first) / span) * (right - LEFT), y = (v) => bottom - 1 - ((scale(v) - low) / (high - low)) * (bottom - 3);
    drawAxes(context, { right, bottom, low, high, first, span, log });
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    context.beginPath();
    for (const [t, v] of points) if (Number.isFinite(v)) context.lineTo(x(t), y(v));
    context.stroke();
    if (Number.isFinite(curve.now) && points.length) {
      context.fillStyle = color;
      context.beginPath();
      context.arc(Math.min(Math.max(x(time), LEFT + 2), right), y(curve.now), 2.5, 0, 7);
      context.fill();
    }
  }
}

/** Numbers at the ends of both axes: values at the left, seconds below. */
function drawAxes(context, { right, bottom, low, high, first, span, log }) {
  context.strokeStyle = styled('--line');
  context.lineWidth = 1;
  context.beginPath();
  [1.5, bottom / 2, bottom - 0.5].forEach((line) => { context.moveTo(LEFT, line); context.lineTo(right, line); });
  context.stroke();
  context.fillStyle = styled('--quiet');
  context.font = '9px system-ui, "DejaVu Sans", sans-serif';
  const value = (v) => (log ? (10 ** v).toExponential(0).replace('e+', 'e') : tick(v, high - low));
  context.textAlign = 'right';
  context.textBaseline = 'top';
  context.fillText(value(high), LEFT - 3, 0);
  context.textBaseline = 'alphabetic';
  context.fillText(value(low), LEFT - 3, bottom);
  const seconds = (t) => `${t.toFixed(span < 10 ? 1 : 0)}`;
  context.textAlign = 'left';
  context.fillText(seconds(first), LEFT, bottom + 10);
  context.textAlign = 'right';
  context.fillText(`${seconds(first + span)} s`, right, bottom + 10);
}

/** A number with as many decimals as tell it from others on an axis that is so long, in six characters. */
function tick(v, span) {
  const text = v.toFixed(Math.min(Math.max(Math.ceil(1 - Math.log10(span)), 0), 6));
  return text.length <= 6 ? text : v.toExponential(0).replace('e+', 'e');
}

/** Of all contacts of the world, added up without their directions [N]. */
function contactForce({ contacts }, world) {
  let sum = 0;
  for (let k = 0; k < contacts.length; k += 7) if (contacts[k] === world.place) sum += Math.hypot(contacts[k + 4], contacts[k + 5], contacts[k + 6]);
  return sum;
}

function makeCurve(curve) {
  const value = el('span', { class: 'value' }), canvas = el('canvas', { 'data-trace': curve.name });
  const element = el('div', { class: 'plot' }, el('div', { class: 'row' }, el('span', {}, curve.title), value), canvas);
  return { ...curve, value, canvas, element, points: [] };
}
