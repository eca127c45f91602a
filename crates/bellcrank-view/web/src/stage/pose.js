// Poses without garbage: a frame holds thousands of them.

import * as THREE from 'three';

/** Writes the 4×4 matrix of X_WB · X_BG, moved by `offset`; `start` < 0 is the world itself. */
export function writeMatrix(out, at, poses, start, local, offset) {
  const [lw, lx, ly, lz] = local.quat_wxyz;
  const [px, py, pz] = local.p;
  let x = px, y = py, z = pz, w = lw, i = lx, j = ly, k = lz;
  if (start >= 0) {
    const bw = poses[start + 3], bx = poses[start + 4], by = poses[start + 5], bz = poses[start + 6];
    // t = 2 b × p;  p' = p + w t + b × t
    const tx = 2 * (by * pz - bz * py), ty = 2 * (bz * px - bx * pz), tz = 2 * (bx * py - by * px);
    x = poses[start] + px + bw * tx + by * tz - bz * ty;
    y = poses[start + 1] + py + bw * ty + bz * tx - bx * tz;
    z = poses[start + 2] + pz + bw * tz + bx * ty - by * tx;
    w = bw * lw - bx * lx - by * ly - bz * lz;
    i = bw * lx + bx * lw + by * lz - bz * ly;
    j = bw * ly - bx * lz + by * lw + bz * lx;
    k = bw * lz + bx * ly - by * lx + bz * lw;
  }
  out[at] = 1 - 2 * (j * j + k * k);
  out[at + 1] = 2 * (i * j + w * k);
  out[at + 2] = 2 * (i * k - w * j);
  out[at + 3] = 0;
  out[at + 4] = 2 * (i * j - w * k);
  out[at + 5] = 1 - 2 * (i * i + k * k);
  out[at + 6] = 2 * (j * k + w * i);
  out[at + 7] = 0;
  out[at + 8] = 2 * (i * k + w * j);
  out[at + 9] = 2 * (j * k - w * i);
  out[at + 10] = 1 - 2 * (i * i + j * j);
  out[at + 11] = 0;
  out[at + 12] = x + offset[0];
  out[at + 13] = y + offset[1];
  out[at + 14] = z + offset[2];
  out[at + 15] = 1;
}

const NOWHERE = { p: [0, 0, 0], quat_wxyz: [1, 0, 0, 0] };

/** The matrix of a frame fixed to a body (null: to the world) of a world, in the scene. */
export function frameMatrix(frame, world, body, local = NOWHERE, out = new THREE.Matrix4()) {
  writeMatrix(out.elements, 0, frame.poses, body === null ? -1 : world.poseStart + 7 * body, local, world.offset);
  return out;
}

/** Where the origin of such a frame is. */
export function framePoint(frame, world, body, local, out = new THREE.Vector3()) {
  return out.setFromMatrixPosition(frameMatrix(frame, world, body, local, scratch));
}
const scratch = new THREE.Matrix4();
