// Keeps the picture fluent: where frames take too long, it is drawn with fewer points; at rest with all of them.

const SLOW = 29, FAST = 14; // ms per frame
const LEAST = 0.45;
const REST = 400; // ms without change until the picture is drawn at its best

export class Quality {
  constructor(stage) {
    this.stage = stage;
    this.mean = 20;
    this.still = 0;
    this.last = 0;
    this.moving = 1; // scale while something moves
    this.plain = false; // without shadows while something moves
  }

  /** Takes note of how long it took from one picture to the next [ms]. */
  note(milliseconds, now) {
    this.last = now;
    if (this.stage.scale !== this.moving || this.stage.shadows === this.plain) this.set(this.moving);
    this.mean += 0.2 * (Math.min(milliseconds, 300) - this.mean);
    if (++this.still < 8) return;
    const wanted = this.mean > SLOW ? this.moving * 0.82 : this.mean < FAST ? this.moving * 1.12 : this.moving;
    this.moving = Math.min(Math.max(wanted, LEAST), 1);
    // the last resort: no true shadow while things move
    if (this.moving === LEAST && this.mean > SLOW) this.plain = true;
    if (this.mean < FAST) this.plain = false;
    this.still = 0;
    this.set(this.moving);
  }

  /** True once when nothing has changed for a while and the picture could be better. */
  rest(now) {
    if (now - this.last < REST || (this.stage.scale >= 1 && this.stage.shadows)) return false;
    this.set(1, true);
    return true;
  }

  set(scale, shadows = !this.plain) {
    this.stage.showShadows(shadows);
    if (Math.abs(scale - this.stage.scale) < 0.01) return;
    this.stage.scale = scale;
    this.stage.resize();
  }
}
