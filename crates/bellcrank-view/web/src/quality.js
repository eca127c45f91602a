// Keeps the picture fluent: where frames take too long, it is drawn with fewer points and spread out again.

const SLOW = 29, FAST = 14; // ms per frame
const LEAST = 0.45;

export class Quality {
  constructor(stage) {
    this.stage = stage;
    this.mean = 20;
    this.still = 0;
  }

  /** Takes note of how long drawing took [ms]. */
  note(milliseconds) {
    this.mean += 0.15 * (Math.min(milliseconds, 200) - this.mean);
    if (++this.still < 12) return;
    const { stage } = this;
    const wanted = this.mean > SLOW ? stage.scale * 0.82 : this.mean < FAST ? stage.scale * 1.12 : stage.scale;
    const scale = Math.min(Math.max(wanted, LEAST), 1);
    if (Math.abs(scale - stage.scale) < 0.01) return;
    stage.scale = scale;
    stage.resize();
    this.still = 0;
  }
}
