// Blocks of a recording → frames (docs/reference/recording.md).

import { POSE, bytesOf, prepareScene } from './scene.js';

const MAGIC = 'BELLREC1';

/** Header and blocks of a recording given as base64. */
export function openRecording(text) {
  const bytes = bytesOf(text.trim());
  const view = new DataView(bytes.buffer);
  if (String.fromCharCode(...bytes.subarray(0, 8)) !== MAGIC) throw new Error('this is no recording');
  const length = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  if (header.version !== 2) throw new Error(`this page plays version 2, the recording is version ${header.version}`);
  const blocks = [];
  for (let at = 12 + length; at + 8 <= bytes.length;) {
    const count = view.getUint32(at, true), size = view.getUint32(at + 4, true);
    blocks.push({ count, bytes: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size;
  }
  prepareScene(header.scene);
  return { header, blocks };
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The frames of one block. */
export async function decodeBlock(block, header) {
  const bytes = await inflate(block.bytes);
  const view = new DataView(bytes.buffer);
  const { scene, quanta } = header;
  const numbers = new Int32Array(scene.poseCount + scene.jointCount + scene.velocityCount);
  let at = 0;
  const unsigned = () => {
    let x = 0, shift = 0, byte;
    do { byte = bytes[at++]; x |= (byte & 127) << shift; shift += 7; } while (byte > 127);
    return x >>> 0;
  };
  const signed = () => { const x = unsigned(); return (x >>> 1) ^ -(x & 1); };
  const frames = [];
  for (let n = 0; n < block.count; n++) {
    const frame = { time: view.getFloat64(at, true) };
    at += 8;
    for (let k = 0; k < numbers.length; k++) numbers[k] += signed();
    frame.poses = new Float32Array(scene.poseCount);
    for (let k = 0; k < scene.poseCount; k++) {
      frame.poses[k] = numbers[k] * (k % POSE < 3 ? quanta.position : quanta.quaternion);
    }
    const velocities = scene.poseCount + scene.jointCount;
    frame.joints = Float32Array.from(numbers.subarray(scene.poseCount, velocities), (q) => q * quanta.joint);
    frame.velocities = Float32Array.from(numbers.subarray(velocities), (v) => v * quanta.joint_velocity);
    frame.traces = new Float32Array(scene.traceCount);
    for (let k = 0; k < scene.traceCount; k++, at += 4) frame.traces[k] = view.getFloat32(at, true);
    const contacts = unsigned();
    frame.contacts = new Float32Array(7 * contacts);
    for (let c = 0; c < contacts; c++) {
      frame.contacts[7 * c] = unsigned();
      for (let k = 1; k < 7; k++) frame.contacts[7 * c + k] = signed() * (k < 4 ? quanta.position : quanta.force);
    }
    frames.push(frame);
  }
  return frames;
}
