// Plays a recording that is part of the page.

import { decodeBlock, openRecording } from './decode.js';

/** Frames in place of a server: the same calls as `LiveSource`, without control. */
export class RecordedSource {
  live = false;
  frames = [];
  playing = true;
  speed = 1;
  time = 0;
  loop = true;

  constructor(text) {
    const { header, blocks } = openRecording(text);
    this.header = header;
    this.blocks = blocks;
    this.scene = header.scene;
    this.loaded = this.load();
  }

  async load() {
    for (const block of this.blocks) {
      this.frames.push(...await decodeBlock(block, this.header));
      if (this.frames.length === block.count) this.time = this.frames[0].time;
    }
    return this.frames.length;
  }

  get start() { return this.frames.length ? this.frames[0].time : 0; }
  get end() { return this.frames.length ? this.frames[this.frames.length - 1].time : 0; }

  /** Moves on by so many seconds of the clock on the wall; gives the frame to draw, or null while there is none. */
  advance(seconds) {
    if (!this.frames.length) return null;
    if (this.playing) {
      this.time += seconds * this.speed;
      if (this.time > this.end) this.time = this.loop ? this.start : this.end;
    }
    return this.at(this.time);
  }

  /** The frame at a time, between its neighbours; the same one as long as the time is the same. */
  at(time) {
    const frames = this.frames;
    if (this.last?.time === time) return this.last;
    let low = 0, high = frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle].time <= time) low = middle; else high = middle - 1;
    }
    this.index = low;
    const a = frames[low], b = frames[Math.min(low + 1, frames.length - 1)];
    const share = b.time > a.time ? Math.min(Math.max((time - a.time) / (b.time - a.time), 0), 1) : 0;
    this.last = share === 0 ? a : blend(a, b, share, time);
    return this.last;
  }

  seek(time) { this.time = Math.min(Math.max(time, this.start), this.end); }
  play() { if (this.time >= this.end) this.time = this.start; this.playing = true; }
  pause() { this.playing = false; }
  step(count) {
    this.pause();
    const next = Math.min(Math.max((this.index ?? 0) + count, 0), this.frames.length - 1);
    if (this.frames.length) this.time = this.frames[next].time;
  }
  reset() { this.time = this.start; }
  setSpeed(value) { this.speed = value; }
}

function blend(a, b, share, time) {
  const poses = new Float32Array(a.poses.length);
  for (let k = 0; k < poses.length; k += 7) {
    for (let i = 0; i < 3; i++) poses[k + i] = a.poses[k + i] + share * (b.poses[k + i] - a.poses[k + i]);
    // quaternions along the short way; neighbours are near enough not to need the great circle
    let dot = 0;
    for (let i = 3; i < 7; i++) dot += a.poses[k + i] * b.poses[k + i];
    const sign = dot < 0 ? -share : share;
    let norm = 0;
    for (let i = 3; i < 7; i++) {
      poses[k + i] = (1 - share) * a.poses[k + i] + sign * b.poses[k + i];
      norm += poses[k + i] ** 2;
    }
    norm = Math.sqrt(norm) || 1;
    for (let i = 3; i < 7; i++) poses[k + i] /= norm;
  }
  return { time, poses, joints: a.joints, velocities: a.velocities, traces: a.traces, contacts: a.contacts };
}
