// Pictures and films of what is on the screen, saved as files.

import { say } from '../app.js';

const RATE = 30; // pictures per second of a film

export class Capture {
  constructor(app) { this.app = app; }

  name(ending) { return `${this.app.model.name}-${this.app.source.time.toFixed(2)}s.${ending}`; }

  /** The scene as it is now, with as many pixels as it has at rest. */
  picture() {
    const { stage } = this.app;
    stage.render(); // the drawing buffer is only there until the browser has shown it
    stage.renderer.domElement.toBlob((blob) => save(blob, this.name('png')));
  }

  /** Begins a film, or ends it and saves it. */
  film() {
    if (this.recorder) return this.recorder.stop();
    const canvas = this.app.stage.renderer.domElement;
    const type = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'].find((wanted) => window.MediaRecorder?.isTypeSupported(wanted));
    if (!type) return say('This browser cannot make films; bellcrank run … --record film.gif can.');
    const parts = [];
    this.app.quality.hold(true);
    this.recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: type, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = ({ data }) => parts.push(data);
    this.recorder.onstop = () => {
      this.recorder = null;
      this.app.quality.hold(false);
      save(new Blob(parts, { type }), this.name(type.startsWith('video/mp4') ? 'mp4' : 'webm'));
      this.app.foot.update();
    };
    this.recorder.start();
    this.app.foot.update();
  }
}

function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
