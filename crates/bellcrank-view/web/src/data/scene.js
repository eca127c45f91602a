// The scene as told by the program, with the places of its numbers in a frame.

export const POSE = 7; // x, y, z, quaternion wxyz
export const STATUS = ['ok', 'inexact', 'contacts dropped', 'frozen'];

/** Adds to every world where its poses, joint coordinates, velocities and traces begin in a frame. */
export function prepareScene(scene) {
  let pose = 0, joint = 0, velocity = 0;
  scene.worlds.forEach((world, place) => {
    const model = scene.models[world.model];
    world.place = place;
    world.poseStart = pose;
    world.jointStart = joint;
    world.velocityStart = velocity;
    world.traceStart = place * scene.traces.length;
    pose += POSE * model.bodies.length;
    joint += model.joints.reduce((sum, j) => sum + j.coordinate_count, 0);
    velocity += model.joints.reduce((sum, j) => sum + j.angle.length, 0);
  });
  scene.poseCount = pose;
  scene.jointCount = joint;
  scene.velocityCount = velocity;
  scene.traceCount = scene.worlds.length * scene.traces.length;
  return scene;
}

/** The value of a named trace of a world. */
export function trace(scene, frame, world, name) {
  return frame.traces[world.traceStart + scene.traces.indexOf(name)];
}

/** base64 text → bytes. */
export function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The longest edge of a model [m]. */
export function extentSize({ extent: { low, high } }) {
  return Math.max(...high.map((h, k) => h - low[k]), 1e-3);
}
