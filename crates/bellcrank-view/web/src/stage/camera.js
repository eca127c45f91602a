// The cameras of a model: where one is in a frame.

import * as THREE from 'three';
import { frameMatrix, framePoint } from './pose.js';

/** Puts the page's camera where the model's is. */
export function lookThrough(told, frame, world, camera) {
  const matrix = frameMatrix(frame, world, told.body, told.pose);
  matrix.decompose(camera.position, camera.quaternion, scale);
  const mean = new THREE.Vector3();
  for (const { body, p, share } of told.about) mean.addScaledVector(framePoint(frame, world, body, { p, quat_wxyz: [1, 0, 0, 0] }), share);
  if (told.beside) {
    const [w, x, y, z] = told.beside.quat_wxyz;
    camera.quaternion.set(x, y, z, w);
    camera.position.copy(mean).add(new THREE.Vector3(...told.beside.p));
  } else if (told.about.length) {
    camera.up.set(0, 0, 1);
    camera.lookAt(mean);
  }
  camera.fov = THREE.MathUtils.radToDeg(told.field_of_view);
  camera.updateProjectionMatrix();
}

const scale = new THREE.Vector3();
