// Starts the page: with the recording that it carries, or with the program that served it.

import { App, say } from './app.js';
import { LiveSource } from './data/live.js';
import { RecordedSource } from './data/recording.js';

function start() {
  const recording = document.getElementById('recording');
  if (recording) {
    const source = new RecordedSource(recording.textContent);
    recording.remove(); // megabytes of text that nobody needs twice
    window.bellcrank = new App(source);
    source.loaded.catch((error) => say(`The recording is damaged: ${error.message}`));
    return;
  }
  let app;
  new LiveSource({
    onScene: (source) => { window.bellcrank = app = new App(source); },
    onState: () => app?.changed(),
    onEnd: () => { app?.head.end(); say(app ? 'The simulation has ended.' : 'The simulation cannot be reached.'); },
  });
}

try {
  start();
} catch (error) {
  say(`The page cannot be shown: ${error.message}`);
  throw error;
}
