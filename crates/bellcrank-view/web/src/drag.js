// The mouse on a body: a click chooses it, one with shift pins it (live), a pull drags it (live), everything else orbits.

import * as THREE from 'three';

const SLACK = 4; // pixels until a click is a pull

export class Drag {
  constructor(app) {
    this.app = app;
    this.raycaster = new THREE.Raycaster();
    const canvas = app.stage.renderer.domElement;
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    ['pointerup', 'pointercancel'].forEach((name) => canvas.addEventListener(name, (event) => this.up(event)));
    const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3));
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: '#d13b3b', depthTest: false, transparent: true }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 12;
    this.line.visible = false;
    app.stage.scene.add(this.line);
  }

  aim(event) {
    const { left, top, width, height } = event.target.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * 2 - 1, y = 1 - ((event.clientY - top) / height) * 2;
    this.raycaster.setFromCamera(new THREE.Vector2(x, y), this.app.stage.camera);
  }

  down(event) {
    event.target.focus();
    if (event.button !== 0 || event.ctrlKey || !this.app.frame) return;
    this.aim(event);
    const hit = this.app.worlds.pick(this.raycaster);
    if (!hit) return;
    this.held = { ...hit, x: event.clientX, y: event.clientY, pulling: false, pins: event.shiftKey };
    if (!this.app.source.live || event.shiftKey) return;
    this.app.view.controls.enabled = false;
    event.target.setPointerCapture(event.pointerId);
    const facing = this.app.stage.camera.getWorldDirection(new THREE.Vector3());
    this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point);
    const world = this.app.scene.worlds[hit.world];
    const inverse = this.app.bodyMatrix(world, hit.body).invert();
    this.held.anchor = hit.point.clone().applyMatrix4(inverse);
  }

  move(event) {
    const held = this.held;
    if (!held) return;
    if (Math.hypot(event.clientX - held.x, event.clientY - held.y) > SLACK) held.pulling = true;
    if (!held.pulling || !held.anchor) return;
    this.aim(event);
    const target = this.raycaster.ray.intersectPlane(this.plane, new THREE.Vector3());
    if (!target) return;
    held.target = target;
    const world = this.app.scene.worlds[held.world];
    const local = target.clone().sub(new THREE.Vector3(...world.offset));
    this.app.source.drag(world.index, held.body, held.anchor.toArray(), local.toArray());
  }

  up() {
    const held = this.held;
    if (!held) return;
    this.held = null;
    this.line.visible = false;
    this.app.view.controls.enabled = true;
    if (held.pulling && held.anchor) this.app.source.release();
    else if (!held.pulling && held.pins) this.pin(held);
    else if (!held.pulling) this.app.choose({ world: held.world, body: held.body });
    this.app.redraw();
  }

  /** It stays while others are posed, or may move again. */
  pin({ world, body }) {
    if (this.app.source.poses) this.app.source.pin(this.app.scene.worlds[world].index, body);
  }

  /** The band between body and mouse. */
  update() {
    const held = this.held;
    this.line.visible = Boolean(held?.target);
    if (!held?.target) return;
    const from = held.anchor.clone().applyMatrix4(this.app.bodyMatrix(this.app.scene.worlds[held.world], held.body));
    const position = this.line.geometry.getAttribute('position');
    position.setXYZ(0, ...from.toArray());
    position.setXYZ(1, ...held.target.toArray());
    position.needsUpdate = true;
  }
}
