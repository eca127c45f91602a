// Pictures for the documentation, from the real viewer: node tests/screenshots.mjs [name …]

import { mkdirSync, statSync } from 'node:fs';
import { openBrowser, openPage, serve } from './browser.mjs';

const FOLDER = new URL('../../../../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1000, height: 620 };
const SMALL = { width: 920, height: 480 };

const PICTURES = {
  demo: { size: SMALL, args: ['demo', '--port', '0'], until: 5.6, act: () => { document.body.classList.add('bare'); const { view, stage } = window.bellcrank; stage.resize(); view.lookAt(view.box(0), 1.12); } },
  viewer: { args: ['demo', 'biped', '--port', '0'], until: 6 },
  loops: { args: ['view', 'hybrid_biped'], until: 1, act: () => ['loops', 'joints', 'contacts'].forEach((name) => window.bellcrank.overlays.set(name, true)) },
  linkage: { args: ['view', 'jansen_leg'], until: 0.5, act: () => { window.bellcrank.overlays.set('names', true); window.bellcrank.overlays.set('axes', true); } },
  zoo: { size: SMALL, args: ['demo', 'zoo', '--port', '0'], until: 3, act: () => { document.body.classList.add('bare'); const { view } = window.bellcrank; view.frameAll(); view.lookAt(view.box(0).union(view.box(1)).union(view.box(2)).union(view.box(5)), 1.15); } },
};

mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);
const browser = await openBrowser();
for (const [name, { size = SIZE, args, until, act }] of Object.entries(PICTURES)) {
  if (wanted.length && !wanted.includes(name)) continue;
  const server = await serve(...args);
  const page = await openPage(browser, server.url, size);
  await page.waitForFunction((t) => window.bellcrank.source.time > t, until, { timeout: 120000 });
  await page.evaluate(() => window.bellcrank.source.pause());
  if (act) await page.evaluate(act);
  await page.evaluate(() => window.bellcrank.redraw());
  // at rest the picture is drawn at its best
  await page.waitForFunction(() => { const { scale, shadows } = window.bellcrank.stage; return scale === 1 && shadows; }, null, { timeout: 30000 });
  await page.waitForTimeout(1000);
  const path = `${FOLDER}${name}.png`;
  await page.screenshot({ path });
  console.log(`${path}: ${(statSync(path).size / 1024).toFixed(0)} kB`);
  await page.close();
  server.stop();
}
await browser.close();
process.exit(0);
