// Keeps the picture fluent: where frames take too long, it is drawn with fewer points; at rest with all of them.

const SLOW = 29, FAST = 14; // ms per frame
const LEAST = 0.45;
const REST = 400; // ms without change until the picture is drawn at its best

export class Quality {
  constructor(stage, worlds) {
    this.stage = stage;
    this.worlds = worlds;
    this.best = stage.software ? 2 : 1; // a processor smooths edges by drawing four points for one
    this.mean = 20;
    this.still = 0;
    this.last = 0;
    this.moving = 1; // scale while something moves
    this.resting = false;
    this.held = false; // a film's pictures are all of one size
  }

  /** Keeps the resolution as the page has it, or lets it go again. */
  hold(on) {
    if (on) this.set(1, false);
    this.held = on;
  }

  /** Takes note of how long it took from one picture to the next [ms]. */
  note(milliseconds, now) {
    this.last = now;
    if (this.held) return;
    this.mean += 0.2 * (Math.min(milliseconds, 300) - this.mean);
    if (this.resting) this.set(this.moving, false);
    if (++this.still < 8) return;
    const wanted = this.mean > SLOW ? this.moving * 0.82 : this.mean < FAST ? this.moving * 1.12 : this.moving;
    this.moving = Math.min(Math.max(wanted, LEAST), 1);
    this.still = 0;
    this.set(this.moving, false);
  }

  /** True once when nothing has changed for a while and the picture could be better. */
  rest(now) {
    if (this.held || this.resting || now - this.last < REST) return false;
    this.set(this.best, true);
    return true;
  }

  set(scale, resting) {
    if (resting !== this.resting) this.worlds.rest(resting);
    this.resting = resting;
    if (Math.abs(scale - this.stage.scale) < 0.01) return;
    this.stage.scale = scale;
    this.stage.resize();
  }
}
