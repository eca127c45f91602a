// The camera: framed on the robot, orbiting, following.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { lookThrough } from './camera.js';

/** How far a robot may rise or sink until the camera goes along, as a part of its size. */
const SLACK = 0.12;
/** Where presets look from; straight down would leave open which way is up. */
const DIRECTIONS = { front: [1, 0, 0.08], side: [0, -1, 0.08], top: [0.001, -0.02, 1], corner: null };

export class View {
  follow = true;

  constructor(scene, stage) {
    this.scene = scene;
    this.stage = stage;
    this.controls = new OrbitControls(stage.camera, stage.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.2 * stage.size;
    this.controls.maxDistance = 60 * stage.size;
    this.controls.addEventListener('start', () => this.leave());
    this.fov = stage.camera.fov;
    this.anchor = null;
    this.through = null; // a camera of the model
    this.frameWorld(0);
  }

  /** Size and middle of a world's model at its reference pose. */
  box(place) {
    const world = this.scene.worlds[place];
    const { low, high } = this.scene.models[world.model].extent;
    const offset = new THREE.Vector3(...world.offset);
    return new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high)).translate(offset);
  }

  frameWorld(place) {
    this.focus = place;
    this.anchor = null;
    this.level = this.box(place).getCenter(new THREE.Vector3()).z;
    const several = this.scene.worlds.length > 1;
    this.lookAt([this.box(place)], several ? 1.55 : 1.1);
  }

  frameAll() {
    this.anchor = this.level = null;
    this.lookAt(this.scene.worlds.map((_, place) => this.box(place)), 1.03);
  }

  /** From one of the directions that have a name; the distance stays fitting. */
  preset(name) {
    this.anchor = null;
    this.level = this.box(this.focus).getCenter(new THREE.Vector3()).z;
    this.lookAt([this.box(this.focus)], this.scene.worlds.length > 1 ? 1.55 : 1.1, DIRECTIONS[name]);
  }

  /** Through a camera of the model in focus, until somebody turns the picture. */
  look(name, frame) {
    this.through = this.scene.models[this.scene.worlds[this.focus].model].cameras?.find((camera) => camera.name === name) ?? null;
    if (this.through && frame) lookThrough(this.through, frame, this.scene.worlds[this.focus], this.stage.camera);
  }

  /** The page's own camera again, from where the model's was. */
  leave() {
    if (!this.through) return;
    this.through = null;
    const { camera } = this.stage;
    const ahead = camera.getWorldDirection(new THREE.Vector3());
    const middle = this.box(this.focus).getCenter(new THREE.Vector3());
    const distance = Math.max(middle.sub(camera.position).dot(ahead), 0.5 * this.stage.size);
    this.controls.target.copy(camera.position).addScaledVector(ahead, distance);
    camera.fov = this.fov;
    camera.updateProjectionMatrix();
    this.anchor = null;
  }

  /** From the side from which the boxes look largest, a little above, as near as they fit between the panels. */
  lookAt(boxes, room, from = null) {
    this.leave();
    const all = boxes.reduce((sum, box) => sum.union(box), new THREE.Box3());
    const size = all.getSize(new THREE.Vector3());
    const center = all.getCenter(new THREE.Vector3());
    const flat = size.y < 0.6 * size.x && size.x < 3 * size.z;
    const direction = (from ? new THREE.Vector3(...from) : flat ? new THREE.Vector3(0.42, -1, 0.3) : new THREE.Vector3(1, -0.72, 0.42)).normalize();
    const camera = this.stage.camera;
    camera.position.copy(center).addScaledVector(direction, room * this.distance(boxes, center, direction));
    this.controls.target.copy(center);
    this.controls.update();
  }

  /** How far away all corners are inside the part of the window that no panel covers. */
  distance(boxes, center, direction) {
    const { clientWidth: width, clientHeight: height } = this.stage.renderer.domElement;
    const bare = document.body.classList.contains('bare');
    const free = width > 860 && !bare ? (width - 590) / width : 0.9;
    const low = Math.max(1 - (bare ? 130 : 200) / height, 0.5); // foot, and as much again above
    const tangent = Math.tan(this.stage.camera.fov * Math.PI / 360);
    const right = new THREE.Vector3(0, 0, 1).cross(direction).normalize(), up = direction.clone().cross(right);
    let far = 0;
    for (let n = 0; n < 8 * boxes.length; n++) {
      const box = boxes[n >> 3];
      const p = new THREE.Vector3(...[0, 1, 2].map((k) => ((n >> k) & 1 ? box.max : box.min).getComponent(k))).sub(center);
      const across = Math.abs(p.dot(right)) / (tangent * this.stage.camera.aspect * free);
      far = Math.max(far, p.dot(direction) + across, p.dot(direction) + Math.abs(p.dot(up)) / (tangent * low));
    }
    return far;
  }

  /** Moves along with the robot; upwards and downwards only beyond a slack, since a hop should look like a hop. */
  track(center, frame) {
    this.level ??= center.z;
    if (this.through) {
      lookThrough(this.through, frame, this.scene.worlds[this.focus], this.stage.camera);
    } else if (this.follow) {
      const shift = center.clone().sub(this.anchor ?? center); // a page that comes late finds the robot on the floor, perhaps
      const slack = SLACK * this.stage.size, off = center.z - this.level;
      shift.z = off - Math.min(Math.max(off, -slack), slack);
      this.level += shift.z;
      this.stage.camera.position.add(shift);
      this.controls.target.add(shift);
    }
    this.anchor = center.clone();
  }

  update() { if (!this.through) this.controls.update(); }
}
