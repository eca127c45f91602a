// All worlds: one instanced mesh per different shape, so that a hundred robots are a few draw calls.
//
// The world in focus is drawn finely and throws a shadow; when there are many, the others are coarse and do not.

import * as THREE from 'three';
import { CHOSEN, shapeColor } from './colors.js';
import { centerOfMass } from '../overlays/mass.js';
import { Patches } from './floor.js';
import { geometryKey, makeGeometry } from './geometry.js';
import { writeMatrix } from './pose.js';

export const FEW = 12; // as many worlds are all drawn finely

export class Worlds {
  constructor(scene, stage) {
    this.scene = scene;
    this.stage = stage;
    this.group = new THREE.Group();
    stage.scene.add(this.group);
    this.geometries = new Map();
    this.chosen = null;
    this.setFocus(0);
  }

  /** Draws world number `focus` finely. */
  setFocus(focus) {
    this.focus = focus;
    this.group.children.forEach((mesh) => mesh.dispose());
    if (this.patches) this.stage.scene.remove(this.patches.mesh);
    this.group.clear();
    this.batches = [];
    const worlds = this.scene.worlds;
    const few = worlds.length <= FEW;
    const near = few ? worlds : [worlds[focus]];
    this.addWorlds(near, false);
    const far = few ? [] : worlds.filter((_, place) => place !== focus);
    this.addWorlds(far, true);
    this.patches = new Patches(far, this.scene.models, this.scene.floor, this.stage.size);
    this.stage.scene.add(this.patches.mesh);
    this.paint();
  }

  /** Instances of these worlds, grouped by equal shape. */
  addWorlds(worlds, coarse) {
    const groups = new Map();
    for (const world of worlds) {
      for (const shape of this.visibleShapes(world.model)) {
        const opacity = shape.color ? shape.color[3] : 1;
        if (opacity <= 0) continue;
        const key = `${geometryKey(shape.geometry)} ${opacity}`;
        if (!groups.has(key)) groups.set(key, { shape, opacity, items: [] });
        groups.get(key).items.push({ world, shape });
      }
    }
    for (const { shape, opacity, items } of groups.values()) {
      const mesh = new THREE.InstancedMesh(this.geometry(shape.geometry, coarse), this.material(opacity, coarse), items.length);
      mesh.castShadow = !coarse && opacity > 0.5;
      mesh.receiveShadow = !coarse && !this.stage.software;
      mesh.frustumCulled = false;
      mesh.userData = { items };
      this.group.add(mesh);
      this.batches.push({ mesh, items });
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
    if (!this.geometries.has(key)) this.geometries.set(key, makeGeometry(geometry, this.scene.meshes, detail));
    return this.geometries.get(key);
  }

  material(opacity, coarse) {
    const look = { transparent: opacity < 1, opacity, side: THREE.FrontSide };
    if (coarse || this.stage.software) return new THREE.MeshLambertMaterial({ ...look, flatShading: coarse });
    return new THREE.MeshStandardMaterial({ ...look, roughness: 0.5, metalness: 0.05 });
  }

  /** Puts everything where the frame says. */
  update(frame) {
    for (const { mesh, items } of this.batches) {
      const matrices = mesh.instanceMatrix.array;
      for (let k = 0; k < items.length; k++) {
        const { world, shape } = items[k];
        const start = shape.body === null ? -1 : world.poseStart + 7 * shape.body;
        writeMatrix(matrices, 16 * k, frame.poses, start, shape.pose, world.offset);
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.patches.update((world) => centerOfMass(frame, world, this.scene.models[world.model]));
  }

  /** Marks a body of a world, or none. */
  choose(chosen) {
    this.chosen = chosen;
    this.paint();
  }

  paint() {
    const color = new THREE.Color();
    for (const { mesh, items } of this.batches) {
      items.forEach(({ world, shape }, k) => {
        const marked = this.chosen && world.place === this.chosen.world && shape.body === this.chosen.body;
        mesh.setColorAt(k, marked ? color.set(CHOSEN) : color.set(shapeColor(shape)));
      });
      mesh.instanceColor.needsUpdate = true;
    }
  }

  /** The nearest body under a ray: world, body, point in the scene. */
  pick(raycaster) {
    const hits = raycaster.intersectObjects(this.group.children, false);
    for (const hit of hits) {
      const { world, shape } = hit.object.userData.items[hit.instanceId];
      if (shape.body !== null) return { world: world.place, body: shape.body, point: hit.point };
    }
    return null;
  }
}
