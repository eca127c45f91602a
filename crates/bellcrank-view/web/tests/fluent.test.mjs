// A hundred bipeds, drawn by a processor.

import assert from 'node:assert/strict';
import { cpus, loadavg } from 'node:os';
import { after, before, test } from 'node:test';
import { browserSeconds } from './asks.mjs';
import { openBrowser, openPage, serve } from './browser.mjs';

let browser, server;
before(async () => { browser = await openBrowser(); server = await serve('view', 'hybrid_biped', '--worlds', '100'); });
after(async () => { await browser.close(); server.stop(); });

test('a hundred bipeds are drawn thirty times a second without a graphics card', async () => {
  const page = await openPage(browser, server.url);
  // the first frames compile shaders, and the resolution settles
  await page.waitForFunction(() => window.bellcrank.drawn > 60, null, { timeout: 120000 });
  await page.waitForTimeout(4000);
  const drawn = () => page.evaluate(() => window.bellcrank.drawn);
  const [frames, clock, processor] = [await drawn(), Date.now(), browserSeconds()];
  await page.waitForTimeout(5000);
  const count = (await drawn()) - frames, seconds = (Date.now() - clock) / 1000;
  const perSecond = count / seconds, work = (browserSeconds() - processor) / count;
  const calls = await page.evaluate(() => ({ ...window.bellcrank.stage.renderer.info.render, scale: window.bellcrank.stage.scale }));
  console.log(`${perSecond.toFixed(1)} frames/s, ${(1000 * work).toFixed(1)} ms of processor time per frame (browser), ${calls.calls} draw calls, ${calls.triangles} triangles, resolution ${calls.scale.toFixed(2)}, load ${loadavg()[0].toFixed(1)}`);
  assert.ok(calls.calls < 60, `${calls.calls} draw calls`);
  // A machine that is busy with other things cannot show thirty; there the work per frame is bounded instead. On two free cores
  // thirty frames leave 67 ms of processor time each; sharing caches and cores makes the same work up to half as long again.
  if (perSecond < 30 && loadavg()[0] > 1.5 * cpus().length) {
    console.log('BUSY: the rate cannot be measured here, the work per frame is checked instead');
    assert.ok(work < 0.1, `${1000 * work} ms per frame`);
  } else {
    assert.ok(perSecond >= 30, `${perSecond} frames/s`);
  }
  assert.deepEqual(page.faults, []);
});
