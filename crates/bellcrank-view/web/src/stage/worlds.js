// All worlds: a few draw calls, however many there are.
//
// The world in focus is drawn finely and throws a shadow; when there are many, the others are coarse and do not.

import * as THREE from 'three';
import { extentSize, trace } from '../data/scene.js';
import { centerOfMass } from '../overlays/mass.js';
import { CHOSEN, FROZEN, shapeColor } from './colors.js';
import { Patches } from './floor.js';
import { PoseTexture, makeFlock, paintItem } from './flock.js';
import { geometryKey, makeGeometry } from './geometry.js';
import { frameMatrix } from './pose.js';

export const FEW = 12; // as many worlds are all drawn finely
const SMALL = 0.075; // parts below this share of the model are left out of coarse worlds,
const SMALLER = 0.13; // below this one where there are very many
const VERY_MANY = 40;

export class Worlds {
  constructor(scene, stage) {
    this.scene = scene;
    this.stage = stage;
    this.group = new THREE.Group();
    stage.scene.add(this.group);
    this.geometries = new Map();
    this.poses = new PoseTexture(scene);
    this.chosen = null;
    this.frozen = new Set();
    this.setFocus(0);
  }

  /** Draws world number `focus` finely. */
  setFocus(focus) {
    this.focus = focus;
    this.group.children.forEach((mesh) => { mesh.geometry.dispose(); mesh.material.dispose(); });
    this.group.clear();
    if (this.patches) this.stage.scene.remove(this.patches.mesh);
    this.flocks = [];
    const worlds = this.scene.worlds;
    const few = worlds.length <= FEW;
    this.addWorlds(few ? worlds : [worlds[focus]], false);
    const far = few ? [] : worlds.filter((_, place) => place !== focus);
    this.addWorlds(far, true);
    this.patches = new Patches(few ? [] : worlds, this.scene.models, this.scene.floor, this.stage.size);
    this.stage.scene.add(this.patches.mesh);
    this.paint();
  }

  /** One mesh per opacity. */
  addWorlds(worlds, coarse) {
    const groups = new Map();
    const small = worlds.length > VERY_MANY ? SMALLER : SMALL;
    for (const world of worlds) {
      const bodies = this.scene.models[world.model].bodies.length;
      for (const shape of this.visibleShapes(world.model)) {
        const opacity = shape.color ? shape.color[3] : 1;
        if (opacity <= 0) continue;
        const geometry = this.geometry(shape.geometry, coarse);
        if (coarse && 2 * geometry.boundingSphere.radius < small * extentSize(this.scene.models[world.model])) continue;
        if (!groups.has(opacity)) groups.set(opacity, []);
        const slot = this.poses.starts[world.place] + (shape.body ?? bodies);
        groups.get(opacity).push({ world, shape, slot, geometry });
      }
    }
    for (const [opacity, items] of groups) {
      const mesh = makeFlock(items, this.poses, this.material(opacity, coarse));
      mesh.castShadow = !coarse && opacity > 0.5;
      mesh.receiveShadow = !coarse && !this.stage.software;
      this.group.add(mesh);
      this.flocks.push({ mesh, items });
    }
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

  geometry(geometry, coarse) {
    const detail = coarse ? 'coarse' : this.stage.software ? 'middle' : 'fine';
    const key = `${geometryKey(geometry)} ${detail}`;
    if (!this.geometries.has(key)) {
      const made = makeGeometry(geometry, this.scene.meshes, detail);
      made.computeBoundingSphere();
      this.geometries.set(key, made);
    }
    return this.geometries.get(key);
  }

  material(opacity, coarse) {
    const look = { vertexColors: true, transparent: opacity < 1, opacity };
    if (coarse || this.stage.software) return new THREE.MeshLambertMaterial({ ...look, flatShading: coarse });
    return new THREE.MeshStandardMaterial({ ...look, roughness: 0.5, metalness: 0.05 });
  }

  /** Puts everything where the frame says. */
  update(frame) {
    this.frame = frame;
    this.poses.update(frame);
    this.markFrozen(frame);
    this.patches.update((world) => centerOfMass(frame, world, this.scene.models[world.model]));
  }

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
    for (const { mesh, items } of this.flocks) {
      for (const item of items) {
        const { world, shape } = item;
        const marked = this.chosen && world.place === this.chosen.world && shape.body === this.chosen.body;
        paintItem(mesh, item, color.set(marked ? CHOSEN : this.frozen.has(world.place) ? FROZEN : shapeColor(shape)));
      }
    }
  }

  /** The nearest body under a ray: world, body, point in the scene. */
  pick(raycaster) {
    let nearest = null;
    const probe = new THREE.Mesh();
    for (const { items } of this.flocks) {
      for (const { world, shape, geometry } of items) {
        if (shape.body === null) continue;
        probe.geometry = geometry;
        frameMatrix(this.frame, world, shape.body, shape.pose, probe.matrixWorld);
        const [hit] = raycaster.intersectObject(probe, false);
        if (hit && !(hit.distance > nearest?.distance)) nearest = { world: world.place, body: shape.body, point: hit.point, distance: hit.distance };
      }
    }
    return nearest;
  }
}
