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
  }

  /** Takes note of how long drawing took [ms]. */
  note(milliseconds, now) {
    this.last = now;
    if (this.stage.scale !== this.moving) this.set(this.moving);
    if (milliseconds > 250) return; // something began again after a rest
    this.mean += 0.15 * (milliseconds - this.mean);
    if (++this.still < 12) return;
    const wanted = this.mean > SLOW ? this.moving * 0.82 : this.mean < FAST ? this.moving * 1.12 : this.moving;
    this.moving = Math.min(Math.max(wanted, LEAST), 1);
    if (Math.abs(this.moving - this.stage.scale) < 0.01) return;
    this.set(this.moving);
    this.still = 0;
  }

  /** True once when nothing has changed for a while and the picture could be better. */
  rest(now) {
    if (now - this.last < REST || this.stage.scale >= 1) return false;
    this.set(1);
    return true;
  }

  set(scale) {
    this.stage.scale = scale;
    this.stage.resize();
  }
}
