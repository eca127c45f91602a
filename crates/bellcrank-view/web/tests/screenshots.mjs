// Pictures for the documentation, from the real viewer: node tests/screenshots.mjs [name …]

import { mkdirSync, statSync } from 'node:fs';
import { openBrowser, openPage, serve } from './browser.mjs';

const FOLDER = new URL('../../../../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1180, height: 700 };
const WIDE = { width: 1180, height: 560 };

/** Panels and foot line away: the scene alone. */
const bare = () => { document.body.classList.add('bare'); ['foot', 'head'].forEach((id) => { document.getElementById(id).style.display = 'none'; }); window.bellcrank.stage.resize(); };
const look = (target, from, distance) => window.bellcrank.look(() => {
  const { stage, view } = window.bellcrank;
  view.controls.target.set(...target);
  stage.camera.position.set(...target.map((x, k) => x + distance * from[k]));
  view.controls.update();
});

const PICTURES = {
  demo: { size: WIDE, args: ['demo', '--port', '0'], until: 5.7, acts: [[bare], [look, [-0.4, 0.05, 0.2], [0.93, -0.5, 0.36], 2.7]] },
  viewer: { args: ['demo', 'biped', '--port', '0'], until: 6 },
  loops: { args: ['view', 'hybrid_biped'], until: 1, acts: [[() => ['loops', 'joints', 'contacts'].forEach((name) => window.bellcrank.overlays.set(name, true))]] },
  linkage: { args: ['view', 'jansen_leg'], until: 0.5, acts: [[() => ['names', 'axes'].forEach((name) => window.bellcrank.overlays.set(name, true))]] },
  walker: { args: ['demo', 'jansen', '--port', '0'], until: 4 },
  hundred: { size: WIDE, args: ['view', 'hybrid_biped', '--worlds', '100'], until: 0.5, acts: [[bare], [() => window.bellcrank.look(() => window.bellcrank.view.frameAll())]] },
  zoo: { size: WIDE, args: ['demo', 'zoo', '--port', '0'], until: 3, acts: [[bare], [look, [-0.45, 0.05, 0.26], [0.93, -0.5, 0.42], 3.2]] },
};

mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);
const browser = await openBrowser();
for (const [name, { size = SIZE, args, until, acts = [] }] of Object.entries(PICTURES)) {
  if (wanted.length && !wanted.includes(name)) continue;
  const server = await serve(...args);
  const page = await openPage(browser, server.url, size);
  await page.waitForFunction((t) => window.bellcrank.source.time > t, until, { timeout: 180000 });
  await page.evaluate(() => window.bellcrank.source.pause());
  await page.waitForFunction(() => !window.bellcrank.source.playing);
  for (const [act, ...values] of acts) await page.evaluate(`(${act})(...${JSON.stringify(values)})`);
  await page.evaluate(() => window.bellcrank.redraw());
  // at rest the picture is drawn at its best
  await page.waitForFunction(() => window.bellcrank.quality.resting, null, { timeout: 30000 });
  await page.waitForTimeout(1000);
  const path = `${FOLDER}${name}.png`;
  await page.screenshot({ path });
  console.log(`${path}: ${(statSync(path).size / 1024).toFixed(0)} kB`);
  await page.close();
  server.stop();
}
await browser.close();
process.exit(0);
