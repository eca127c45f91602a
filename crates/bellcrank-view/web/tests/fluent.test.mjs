// A hundred bipeds, drawn by a processor.

import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { after, before, test } from 'node:test';
import { browserSeconds, perPicture } from './asks.mjs';
import { openBrowser, openPage, serve } from './browser.mjs';

let browser, server;
before(async () => { browser = await openBrowser(); server = await serve('view', 'hybrid_biped', '--worlds', '100'); });
after(async () => { await browser.close(); server.stop(); });

test('a hundred bipeds take a handful of draw calls and few triangles; the rate without a graphics card is printed', async () => {
  const page = await openPage(browser, server.url);
  // the first frames compile shaders, and the resolution settles
  await page.waitForFunction(() => window.bellcrank.drawn > 60, null, { timeout: 120000 });
  await page.waitForTimeout(4000);
  const drawn = () => page.evaluate(() => window.bellcrank.drawn);
  const [frames, clock, processor] = [await drawn(), Date.now(), browserSeconds()];
  await page.waitForTimeout(5000);
  const count = (await drawn()) - frames, seconds = (Date.now() - clock) / 1000;
  const perSecond = count / seconds, work = perPicture(processor, browserSeconds(), count);
  const calls = await page.evaluate(() => ({ ...window.bellcrank.stage.renderer.info.render, scale: window.bellcrank.stage.scale }));
  console.log(`${perSecond.toFixed(1)} frames/s, ${work.told}, ${calls.calls} draw calls, ${calls.triangles} triangles, resolution ${calls.scale.toFixed(2)}, load ${loadavg()[0].toFixed(1)}`);
  assert.ok(calls.calls < 10, `${calls.calls} draw calls`);
  // How many frames a second that gives depends on the machine and on what else it does: a figure, not a test. What
  // decides it is checked: few calls, few triangles, and that pictures keep coming.
  assert.ok(calls.triangles > 5000 && calls.triangles < 16000, `${calls.triangles} triangles`);
  assert.ok(count > 10, `${count} frames in ${seconds} s`);
  // who turns away from the worlds does not pay for them: floor and patches are left, and the world in focus
  await page.evaluate(() => window.bellcrank.look(() => {
    const { stage, view } = window.bellcrank;
    stage.camera.position.set(30, 0, 1);
    view.controls.target.set(40, 0, 0.5);
    view.controls.update();
  }));
  await page.waitForFunction(() => window.bellcrank.stage.renderer.info.render.triangles < 2500, null, { timeout: 20000 });
  assert.deepEqual(page.faults, []);
});
