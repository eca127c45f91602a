// All worlds: a few draw calls, however many there are.
//
// The world in focus is drawn finely; when there are few, all are. The others are a crowd. A graphics card throws true
// shadows of what is fine; a processor flattens everything onto the floor instead.

import * as THREE from 'three';
import { trace } from '../data/scene.js';
import { centerOfMass } from '../overlays/mass.js';
import { CHOSEN, FROZEN, painted, shapeColor } from './colors.js';
import { Crowd } from './crowd.js';
import { Patches } from './floor.js';
import { PoseTexture, makeFlock, paintItem } from './flock.js';
import { geometryKey, makeGeometry } from './geometry.js';
import { Pictures } from './pictures.js';
import { plainMaterial } from './plain.js';
import { frameMatrix } from './pose.js';

export const FEW = 12; // as many worlds are all drawn finely

export class Worlds {
  constructor(scene, stage) {
    this.scene = scene;
    this.stage = stage;
    this.group = new THREE.Group();
    this.fine = new THREE.Group();
    this.group.add(this.fine);
    stage.scene.add(this.group);
    this.geometries = new Map();
    this.poses = new PoseTexture(scene);
    this.pictures = new Pictures(scene, () => this.stage.changed?.());
    this.chosen = null;
    this.frozen = new Set();
    this.few = scene.worlds.length <= FEW;
    this.centers = scene.worlds.map((world) => new THREE.Vector3(...world.offset));
    this.addCrowd();
    this.setFocus(0);
  }

  addCrowd() {
    const { scene, stage } = this;
    const items = this.items(scene.worlds, 'coarse', (opacity) => opacity > 0.5);
    this.crowd = new Crowd(scene, stage, this.poses, items, this.material(1, true));
    this.crowd.items = items;
    this.crowd.mesh.visible = !this.few;
    this.patches = new Patches(this.few ? [] : scene.worlds, scene.models, scene.floor, stage.size);
    this.group.add(this.crowd.mesh);
    stage.scene.add(this.patches.mesh, this.crowd.shadow);
  }

  /** Draws world number `focus` finely. */
  setFocus(focus) {
    this.focus = focus;
    this.fine.children.forEach((mesh) => { mesh.geometry.dispose(); mesh.material.dispose(); });
    this.fine.clear();
    const worlds = this.few ? this.scene.worlds : [this.scene.worlds[focus]];
    this.places = new Set(worlds.map(({ place }) => place));
    this.flocks = this.few ? [] : [{ mesh: this.crowd.mesh, items: this.crowd.items, crowd: true }];
    // a processor draws fewer triangles while things move, and all of them at rest
    for (const detail of this.stage.software ? ['light', 'middle'] : ['fine']) this.addFine(worlds, detail);
    this.crowd.age = Infinity;
    this.paint();
  }

  /** One mesh per opacity and picture. */
  addFine(worlds, detail) {
    const all = Map.groupBy(this.items(worlds, detail, (opacity) => opacity > 0), ({ opacity, shape }) => `${opacity} ${shape.picture ?? ''}`);
    for (const items of all.values()) {
      const [{ opacity, shape }] = items;
      const mesh = makeFlock(items, this.poses, this.material(opacity, false, shape.picture ?? null));
      mesh.castShadow = !this.stage.software && opacity > 0.5;
      mesh.receiveShadow = !this.stage.software;
      mesh.userData.detail = detail;
      this.fine.add(mesh);
      this.flocks.push({ mesh, items });
    }
    this.rest(this.resting ?? false);
  }

  /** At rest every triangle may be drawn. */
  rest(on) {
    this.resting = on;
    if (!this.stage.software) return;
    for (const mesh of this.fine.children) mesh.visible = (mesh.userData.detail === 'middle') === on;
  }

  /** The shapes of worlds that are drawn, with their triangles. */
  items(worlds, detail, wanted) {
    return worlds.flatMap((world) => {
      const bodies = this.scene.models[world.model].bodies.length;
      return this.visibleShapes(world.model).map((shape) => {
        const opacity = shape.color ? shape.color[3] : 1;
        const slot = this.poses.starts[world.place] + (shape.body ?? bodies);
        return { world, shape, slot, opacity, geometry: this.geometry(shape.geometry, detail) };
      }).filter(({ opacity }) => wanted(opacity));
    });
  }

  /** What is drawn of a model: collision shapes only where there is no mesh to look at; floors are the stage's. */
  visibleShapes(index) {
    const model = this.scene.models[index];
    model.visible ??= model.shapes.filter((shape) => {
      if (shape.geometry.type === 'plane') return Math.abs(shape.pose.quat_wxyz[0]) < 0.999;
      const dressed = (other) => !other.collides && other.body === shape.body && other.geometry.type === 'mesh';
      return !(shape.collides && shape.body !== null && model.shapes.some(dressed));
    });
    return model.visible;
  }

  geometry(geometry, detail) {
    const key = `${geometryKey(geometry)} ${detail}`;
    if (!this.geometries.has(key)) {
      const made = makeGeometry(geometry, this.scene.meshes, detail);
      made.computeBoundingSphere();
      this.geometries.set(key, made);
    }
    return this.geometries.get(key);
  }

  material(opacity, coarse, picture = null) {
    const map = picture === null ? null : this.pictures.texture(picture);
    if (this.stage.software) return plainMaterial(this.poses, opacity, map);
    const look = { vertexColors: true, transparent: opacity < 1, opacity, map };
    if (coarse) return new THREE.MeshLambertMaterial(look);
    return new THREE.MeshStandardMaterial({ ...look, roughness: 0.5, metalness: 0.05 });
  }

  /** Puts everything where the frame says. */
  update(frame) {
    this.frame = frame;
    this.poses.update(frame);
    this.markFrozen(frame);
    this.scene.worlds.forEach((world, place) => centerOfMass(frame, world, this.scene.models[world.model], this.centers[place]));
    this.patches.update((world) => this.centers[world.place]);
  }

  /** Before every picture. */
  prepare() { this.crowd.choose(this.centers, this.places, this.resting); }

  /** Worlds that stand still for good lose their colours. */
  markFrozen(frame) {
    const frozen = this.scene.worlds.filter((world) => trace(this.scene, frame, world, 'status') === 3).map((world) => world.place);
    if (frozen.length === this.frozen.size && frozen.every((place) => this.frozen.has(place))) return;
    this.frozen = new Set(frozen);
    this.paint();
  }

  /** Marks a body of a world, or none. */
  choose(chosen) {
    this.chosen = chosen;
    this.paint();
  }

  paint() {
    const color = new THREE.Color();
    for (const { mesh, items, crowd } of this.flocks) {
      for (const item of items) {
        const { world, shape } = item;
        const marked = this.chosen && world.place === this.chosen.world && shape.body === this.chosen.body;
        paintItem(mesh, item, painted(color.set(marked ? CHOSEN : this.frozen.has(world.place) ? FROZEN : shapeColor(shape, crowd))));
      }
    }
  }

  /** The nearest body under a ray: world, body, point in the scene. */
  pick(raycaster) {
    let nearest = null;
    const probe = new THREE.Mesh();
    for (const { mesh, items, crowd } of this.flocks) {
      if (!mesh.visible) continue;
      for (const { world, shape, geometry } of items) {
        if (shape.body === null || (crowd && this.places.has(world.place))) continue;
        probe.geometry = geometry;
        frameMatrix(this.frame, world, shape.body, shape.pose, probe.matrixWorld);
        const [hit] = raycaster.intersectObject(probe, false);
        if (hit && !(hit.distance > nearest?.distance)) nearest = { world: world.place, body: shape.body, point: hit.point, distance: hit.distance };
      }
    }
    return nearest;
  }
}
