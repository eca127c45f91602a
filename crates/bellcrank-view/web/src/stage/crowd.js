// Many worlds, coarsely: who is out of sight is left out, who is far away loses its small parts, and no more triangles are
// drawn than the machine can take. Everything stays in one buffer; what changes is the list of corners to draw.

import * as THREE from 'three';
import { extentSize } from '../data/scene.js';
import { makeFlock } from './flock.js';
import { shadowMaterial } from './plain.js';

const FINEST = 0.2; // worth of the least part that is drawn (see `slice`)
const FEW = { worlds: 8000, shadows: 2000 }, MANY = { worlds: 150000, shadows: 50000 }; // triangles
const SHADOW_PIXELS = 55; // worlds that look smaller than this have only a soft patch under them
const PATIENCE = 8; // pictures until the list is made anew

export class Crowd {
  /** `items` as for a flock, in any order. */
  constructor(scene, stage, poses, items, material) {
    this.scene = scene;
    this.stage = stage;
    this.worlds = scene.worlds.map((world) => ({ world, size: extentSize(scene.models[world.model]), parts: [] }));
    items.sort((a, b) => a.world.place - b.world.place || breadth(b.geometry) - breadth(a.geometry));
    this.mesh = makeFlock(items, poses, material);
    this.all = this.mesh.geometry.index.array.slice();
    for (const item of items) this.worlds[item.world.place].parts.push({ breadth: breadth(item.geometry), start: item.start, end: item.end });
    this.mesh.geometry.index.setUsage(THREE.DynamicDrawUsage);
    const shadow = new THREE.BufferGeometry();
    for (const name of ['position', 'slot']) shadow.setAttribute(name, this.mesh.geometry.getAttribute(name));
    shadow.setIndex(new THREE.BufferAttribute(new Uint32Array(this.all.length), 1).setUsage(THREE.DynamicDrawUsage));
    this.shadow = new THREE.Mesh(shadow, shadowMaterial(poses, scene.floor - 0.3e-3 * stage.size));
    this.shadow.frustumCulled = false;
    this.shadow.renderOrder = -1;
    this.age = PATIENCE;
  }

  /**
   * Chooses what is drawn; `fine` are the worlds that are drawn by others and only throw their shadow here. At rest there is
   * time for everything.
   */
  choose(centers, fine, resting) {
    if (++this.age < PATIENCE && !resting) return;
    this.age = 0;
    const seen = this.visible(centers);
    const { software } = this.stage;
    const budget = software && !resting ? FEW : MANY;
    const crowd = seen.filter(({ place }) => !fine.has(place));
    this.write(this.mesh.geometry, crowd, budget.worlds);
    const near = seen.filter((one) => one.pixels * one.size > SHADOW_PIXELS && (software || !fine.has(one.place)));
    this.write(this.shadow.geometry, near, budget.shadows);
  }

  /** Worlds in sight, near ones first, with the pixels that a metre takes there. */
  visible(centers) {
    const { camera, renderer, scale } = this.stage;
    camera.updateMatrixWorld();
    frustum.setFromProjectionMatrix(matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    const focal = (renderer.domElement.clientHeight * scale) / (2 * Math.tan((camera.fov * Math.PI) / 360));
    const seen = [];
    this.worlds.forEach(({ size }, place) => {
      sphere.set(centers[place], 0.8 * size);
      if (!frustum.intersectsSphere(sphere)) return;
      const distance = Math.max(camera.position.distanceTo(centers[place]), 0.1 * size);
      seen.push({ place, size, distance, pixels: focal / distance });
    });
    return seen.sort((a, b) => a.distance - b.distance);
  }

  /**
   * First and last entry of the parts of a world that are worth so much: their share of the whole times the root of its
   * pixels, so that a leg far away counts more than a bolt nearby.
   */
  slice({ place, pixels, size }, least) {
    const { parts } = this.worlds[place];
    const worth = Math.sqrt(pixels * size) / size;
    let count = parts.length;
    while (count > 0 && parts[count - 1].breadth * worth < least) count--;
    return count ? [parts[0].start, parts[count - 1].end] : [0, 0];
  }

  /** Lists the parts of these worlds, the small ones left out until there are few enough triangles. */
  write(geometry, worlds, budget) {
    let least = FINEST, slices;
    do {
      slices = worlds.map((one) => this.slice(one, least));
      least *= 1.15;
    } while (least < 1e3 && slices.reduce((sum, [start, end]) => sum + (end - start) / 3, 0) > budget);
    const signature = slices.join(';');
    if (geometry.signature === signature) return;
    geometry.signature = signature;
    let next = 0;
    for (const [start, end] of slices) {
      geometry.index.array.set(this.all.subarray(start, end), next);
      next += end - start;
    }
    geometry.index.clearUpdateRanges();
    geometry.index.addUpdateRange(0, next);
    geometry.index.needsUpdate = true;
    geometry.setDrawRange(0, next);
  }
}

/** The edge of a square as large as the part's broadest side [m]: what it takes of the picture. */
function breadth(geometry) {
  if (!geometry.boundingBox) geometry.computeBoundingBox();
  const [, middle, longest] = geometry.boundingBox.getSize(edges).toArray().sort((a, b) => a - b);
  return Math.sqrt(middle * longest);
}

const edges = new THREE.Vector3();
const frustum = new THREE.Frustum(), matrix = new THREE.Matrix4(), sphere = new THREE.Sphere();
