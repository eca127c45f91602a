// Where the time of a picture goes when a processor draws it: node tests/profile.mjs [worlds]
//
// Plays a recording of so many bipeds (100) in headless Chromium and takes parts away one after the other. Figures are
// processor time per picture, which a busy machine disturbs less than pictures per second.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { browserSeconds, perPicture } from './asks.mjs';
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
  const [a, before, clock] = [await read(), browserSeconds(), Date.now()];
  await page.waitForTimeout(1000 * SECONDS);
  const [b, after, elapsed] = [await read(), browserSeconds(), (Date.now() - clock) / 1000];
  const frames = b.drawn - a.drawn;
  const { triangles, calls } = await page.evaluate(() => window.bellcrank.stage.renderer.info.render);
  console.log(`without ${name.padEnd(12)} ${(frames / elapsed).toFixed(1).padStart(5)} pictures/s, ${perPicture(before, after, frames).told}, `
    + `script ${((b.spent - a.spent) / frames).toFixed(1)}; ${calls} calls, ${triangles} triangles, load ${loadavg()[0].toFixed(1)}`);
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
