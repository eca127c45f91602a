// The camera: framed on the robot, orbiting, following.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

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
    this.anchor = null;
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
    const several = this.scene.worlds.length > 1;
    this.lookAt(this.box(place), several ? 1.7 : 1.12);
  }

  frameAll() {
    const all = new THREE.Box3();
    this.scene.worlds.forEach((_, place) => all.union(this.box(place)));
    this.anchor = null;
    this.lookAt(all, 0.95);
  }

  /** From the side from which the box looks largest, a little above. */
  lookAt(box, room) {
    const size = box.getSize(new THREE.Vector3());
    const center = box.getCenter(new THREE.Vector3());
    const flat = size.y < 0.6 * size.x;
    const direction = flat ? new THREE.Vector3(0.42, -1, 0.3) : new THREE.Vector3(1, -0.72, 0.42);
    const camera = this.stage.camera;
    const radius = 0.5 * size.length();
    const half = Math.min(camera.fov * Math.PI / 360, Math.atan(Math.tan(camera.fov * Math.PI / 360) * camera.aspect * this.clear()));
    camera.position.copy(center).addScaledVector(direction.normalize(), room * radius / Math.sin(half));
    this.controls.target.copy(center);
    this.controls.update();
  }

  /** The part of the window's width that no panel covers. */
  clear() {
    const width = this.stage.renderer.domElement.clientWidth;
    return width > 860 ? (width - 560) / width : 0.8;
  }

  /** Moves along with the robot, sideways only: a jump should look like a jump. */
  track(center) {
    if (this.follow && this.anchor) {
      const shift = center.clone().sub(this.anchor).setZ(0);
      this.stage.camera.position.add(shift);
      this.controls.target.add(shift);
    }
    this.anchor = center.clone();
  }

  update() { this.controls.update(); }
}
