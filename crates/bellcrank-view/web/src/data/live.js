// Talks to the program that served the page.

import { prepareScene } from './scene.js';

/** Frames from a running simulation, and commands to it. */
export class LiveSource {
  live = true;
  playing = true;
  program = false;
  speed = 1;
  time = 0;
  measuredSpeed = 0;
  note = '';
  poses = false;
  pins = [];
  lines = [];
  received = 0;

  /** Calls `onScene` once, `onState` whenever the state of play changed, `onEnd` when the program has gone. */
  constructor({ onScene, onState, onEnd }) {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.socket = new WebSocket(`${scheme}://${location.host}/live${location.search}`);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') return this.take(data);
      const message = JSON.parse(data);
      if (message.type === 'scene') {
        this.scene = prepareScene(message.scene);
        onScene(this);
        this.socket.send('ready');
      } else if (message.type === 'state') {
        Object.assign(this, { playing: message.playing, program: message.program, speed: message.speed, note: message.note, poses: message.poses, pins: message.pins, dials: message.dials });
        onState(this);
      } else if (message.type === 'lines') {
        this.lines = message.lines; // drawn with the frame that follows
      }
    };
    this.socket.onclose = onEnd;
  }

  take(buffer) {
    const head = new Uint32Array(buffer, 0, 7);
    const clock = new DataView(buffer);
    let at = 44;
    const list = (count) => { const part = new Float32Array(buffer, at, count); at += 4 * count; return part; };
    const frame = { time: clock.getFloat64(28, true), poses: list(head[1]), joints: list(head[2]), velocities: list(head[3]), traces: list(head[4]), contacts: list(head[5]), holds: list(head[6]) };
    this.measuredSpeed = clock.getFloat64(36, true);
    this.time = frame.time;
    this.next = frame;
    this.received++;
  }

  /** The newest frame, once; asks for another. */
  advance() {
    const frame = this.next ?? null;
    if (frame) {
      this.next = null;
      this.send('ready');
    }
    return frame;
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  play() { this.send({ type: 'play' }); }
  pause() { this.send({ type: 'pause' }); }
  step(count) { this.send({ type: 'step', count }); }
  reset(worlds = []) { this.send({ type: 'reset', worlds }); }
  setSpeed(value) { this.send({ type: 'speed', value }); }
  setProgram(on) { this.send({ type: 'program', on }); }
  setTarget(worlds, actuator, value) { this.send({ type: 'target', worlds, actuator, value }); }
  setJoint(world, joint, value) { this.send({ type: 'joint', world, joint, value }); }
  setDial(dial, value) { this.send({ type: 'dial', dial, value }); }
  goTo(worlds, name) { this.send({ type: 'keyframe', worlds, name }); }
  drag(world, body, anchor, target) { this.send({ type: 'drag', world, body, anchor, target }); }
  focus(world) { this.send({ type: 'focus', world }); }
  pin(world, body) { this.send({ type: 'pin', world, body }); }
  singular(on) { this.send({ type: 'singular', on }); }
  release() { this.send({ type: 'release' }); }
}
