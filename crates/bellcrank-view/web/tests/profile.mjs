// Where the time of a picture goes when a processor draws it: node tests/profile.mjs [worlds]
//
// Plays a recording of so many bipeds (100) in headless Chromium and takes parts away one after the other. Figures are
// processor time per picture, which a busy machine disturbs less than pictures per second.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { BELLCRANK, OUTPUT, openBrowser, openPage } from './browser.mjs';

const worlds = process.argv[2] ?? '100';
const recorded = `${OUTPUT}profile-${worlds}.html`, file = `${OUTPUT}profile-page.html`;
const SECONDS = 3;
const PAGE = process.env.PAGE ?? new URL('../dist/page.html', import.meta.url).pathname;

/** What is taken away; each starts from the whole page. */
const WITHOUT = {
  nothing: () => {},
  'shadows': () => { const { worlds, stage } = window.bellcrank; worlds.crowd.shadow.visible = stage.key.castShadow = false; },
  worlds: () => { window.bellcrank.worlds.group.visible = false; },
  floor: () => { window.bellcrank.stage.floor.visible = false; },
  patches: () => { window.bellcrank.worlds.patches.mesh.visible = false; },
  'panels': () => { document.querySelectorAll('.card').forEach((card) => { card.style.display = 'none'; }); },
  'new poses': () => { window.bellcrank.source.pause(); },
  'the picture': () => { window.bellcrank.stage.render = () => {}; },
};

/** Processor seconds by kind of process: those that Chromium started for us. */
function processSeconds() {
  const seconds = {};
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!command.includes('swiftshader') || !command.includes('headless')) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const kind = command.match(/--type=([a-z-]+)/)?.[1] ?? 'browser';
      seconds[kind] = (seconds[kind] ?? 0) + (Number(fields[11]) + Number(fields[12])) / 100;
    } catch { /* it has ended meanwhile */ }
  }
  return seconds;
}

async function measure(browser, name, change) {
  const page = await openPage(browser, `file://${file}`);
  await page.evaluate(() => window.bellcrank.source.loaded);
  // always one resolution and always a picture, so that the figures can be compared
  await page.evaluate(() => {
    const app = window.bellcrank, { stage, quality } = app;
    quality.note = quality.rest = () => false;
    stage.scale = Number(new URLSearchParams(location.search).get('scale') ?? 0.6);
    stage.resize();
    app.spent = 0;
    const tick = app.tick.bind(app);
    app.tick = (now) => { const start = performance.now(); app.redraw(); tick(now); app.spent += performance.now() - start; };
  });
  await page.evaluate(change);
  await page.waitForTimeout(1500);
  const read = () => page.evaluate(() => ({ drawn: window.bellcrank.drawn, spent: window.bellcrank.spent }));
  const [a, before, clock] = [await read(), processSeconds(), Date.now()];
  await page.waitForTimeout(1000 * SECONDS);
  const [b, after, elapsed] = [await read(), processSeconds(), (Date.now() - clock) / 1000];
  const frames = b.drawn - a.drawn;
  const per = Object.fromEntries(Object.keys(after).map((kind) => [kind, (1000 * (after[kind] - (before[kind] ?? 0))) / frames]));
  const sum = Object.values(per).reduce((x, y) => x + y, 0);
  const { triangles, calls } = await page.evaluate(() => window.bellcrank.stage.renderer.info.render);
  console.log(`without ${name.padEnd(18)} ${(frames / elapsed).toFixed(1).padStart(5)} pictures/s  ${sum.toFixed(1).padStart(5)} ms: `
    + `script ${((b.spent - a.spent) / frames).toFixed(1)}, ${Object.entries(per).map(([kind, ms]) => `${kind} ${ms.toFixed(1)}`).join(', ')}; ${calls} calls, ${triangles} triangles`);
  await page.close();
}

mkdirSync(OUTPUT, { recursive: true });
try { readFileSync(recorded); } catch {
  execFileSync(BELLCRANK, ['run', 'hybrid_biped', '--worlds', worlds, '--show', worlds, '--steps', '500', '--precision', 'f32', '--control', 'random', '--record', recorded]);
}
// the recording in the page as it is now
const script = readFileSync(recorded, 'utf8').match(/<script id="recording"[^]*?<\/script>/)[0];
writeFileSync(file, readFileSync(PAGE, 'utf8').replace('<!--recording-->', () => script));
const browser = await openBrowser();
for (const [name, change] of Object.entries(WITHOUT)) await measure(browser, name, change);
await browser.close();
