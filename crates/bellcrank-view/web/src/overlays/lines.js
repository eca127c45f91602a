// Lines that the program draws over the world in focus: where samples of a planner would take a fingertip.

import * as THREE from 'three';

const MOST = 1 << 16;

export class Lines {
  constructor(app) {
    this.source = app.source;
    this.geometry = new THREE.BufferGeometry();
    this.places = new THREE.BufferAttribute(new Float32Array(3 * MOST), 3).setUsage(THREE.DynamicDrawUsage);
    this.colors = new THREE.BufferAttribute(new Float32Array(3 * MOST), 3).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute('position', this.places).setAttribute('color', this.colors).setDrawRange(0, 0);
    const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.85, depthTest: false });
    this.mesh = new THREE.LineSegments(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 9;
    app.stage.scene.add(this.mesh);
  }

  update(world) {
    let count = 0;
    for (const { world: index, points, color } of this.source.lines ?? []) {
      if (index !== world.index) continue;
      for (let k = 1; k < points.length && count + 2 <= MOST; k++) {
        for (const [x, y, z] of [points[k - 1], points[k]]) {
          this.places.setXYZ(count, x + world.offset[0], y + world.offset[1], z + world.offset[2]);
          this.colors.setXYZ(count++, color[0], color[1], color[2]);
        }
      }
    }
    this.geometry.setDrawRange(0, count);
    this.places.needsUpdate = true;
    this.colors.needsUpdate = true;
  }
}
