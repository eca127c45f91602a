// A recorded page, opened from the disk.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { lookAt, plot, plotChanges } from './asks.mjs';
import { BELLCRANK, OUTPUT, likeAGraphicsCard, openBrowser, openPage } from './browser.mjs';

const FILE = `${OUTPUT}bipeds.html`;
let browser, page;

before(async () => {
  browser = await openBrowser();
  // ten seconds of sixteen bipeds
  execFileSync(BELLCRANK, ['run', 'hybrid_biped', '--worlds', '16', '--steps', '2500', '--precision', 'f32', '--control', 'random', '--record', FILE]);
  page = await openPage(browser, `file://${FILE}`);
  await page.evaluate(() => window.bellcrank.source.loaded);
});
after(() => browser.close());

test('ten seconds of sixteen bipeds are below five megabytes', () => {
  const bytes = statSync(FILE).size;
  assert.ok(bytes < 5e6, `${bytes} bytes`);
});

test('the picture is not blank and the robot is in it', async () => {
  const { colors, robot } = await lookAt(page);
  assert.ok(colors > 200, `${colors} colours`);
  assert.ok(robot > 0.05 && robot < 0.9, `robots fill ${robot}`);
});

test('it plays, pauses and goes where the timeline is put', async () => {
  const time = () => page.evaluate(() => window.bellcrank.source.time);
  const first = await time();
  await page.waitForFunction((t) => window.bellcrank.source.time !== t, first);
  await page.click('#play');
  const paused = await time();
  await page.waitForTimeout(300);
  assert.equal(await time(), paused);
  await page.evaluate(() => { const line = document.getElementById('timeline'); line.value = 4; line.dispatchEvent(new Event('input')); });
  assert.ok(Math.abs((await time()) - 4) < 0.01);
  await page.click('#step');
  assert.ok(Math.abs((await time()) - 4 - 1 / 30) < 0.04);
});

test('the plots move with the time', async () => {
  const before = await plot(page, 'energy_j');
  await page.evaluate(() => window.bellcrank.source.seek(8));
  await page.waitForFunction(() => window.bellcrank.frame.time > 7.9);
  assert.ok(await plotChanges(page, 'energy_j', before));
});

test('loops stay closed in what was recorded: joints of a loop coincide to a tenth of a millimetre', async () => {
  // quanta: 0.55 m / 65536 = 8 µm in positions and 3e-5 in quaternions over arms of 0.2 m; both ends, all axes
  const gap = await page.evaluate(() => {
    const { source, scene, world, model } = window.bellcrank;
    const rotate = (q, p) => {
      const [w, x, y, z] = q, t = [2 * (y * p[2] - z * p[1]), 2 * (z * p[0] - x * p[2]), 2 * (x * p[1] - y * p[0])];
      return [p[0] + w * t[0] + y * t[2] - z * t[1], p[1] + w * t[1] + z * t[0] - x * t[2], p[2] + w * t[2] + x * t[1] - y * t[0]];
    };
    let most = 0;
    for (const frame of source.frames) {
      const at = (body, local) => {
        const s = world.poseStart + 7 * body, q = [...frame.poses.subarray(s + 3, s + 7)], n = Math.hypot(...q);
        return rotate(q.map((x) => x / n), local.p).map((x, k) => x + frame.poses[s + k]);
      };
      for (const joint of scene.models[world.model].joints) {
        const a = at(joint.predecessor, joint.frame_predecessor), b = at(joint.successor, joint.frame_successor);
        most = Math.max(most, Math.hypot(...a.map((x, k) => x - b[k])));
      }
    }
    return most;
  });
  assert.ok(gap < 1e-4 && gap > 0, `${gap} m`);
});

test('a search finds parts, and every overlay draws something', async () => {
  await page.fill('.search input', 'knee');
  const rows = await page.$$eval('.tree button .name', (spans) => spans.map((span) => span.textContent));
  assert.ok(rows.length >= 8 && rows.every((name) => name.includes('knee')), rows.join());
  await page.fill('.search input', 'no such thing');
  assert.match(await page.textContent('.tree'), /Nothing of that name/);
  await page.fill('.search input', '');
  for (const name of ['joints', 'axes', 'loops', 'contacts', 'mass', 'inertia', 'collision']) {
    await page.evaluate((n) => { window.bellcrank.source.pause(); window.bellcrank.overlays.set(n, false); }, name);
    const without = await page.evaluate(() => { window.bellcrank.stage.render(); return window.bellcrank.stage.renderer.domElement.toDataURL(); });
    await page.check(`#show-${name}`);
    const changed = await page.evaluate((before) => { window.bellcrank.stage.render(); return window.bellcrank.stage.renderer.domElement.toDataURL() !== before; }, without);
    assert.ok(changed, name);
    await page.uncheck(`#show-${name}`);
  }
  await page.check('#show-names');
  await page.waitForFunction(() => document.querySelectorAll('#labels span').length === 31);
});

test('where a graphics card draws, the robot throws a true shadow', async () => {
  const rich = await openPage(browser, `file://${FILE}`, { width: 640, height: 400 }, likeAGraphicsCard);
  await rich.evaluate(async () => { const { source } = window.bellcrank; await source.loaded; source.pause(); });
  await rich.waitForFunction(() => window.bellcrank.quality.resting, null, { timeout: 60000 });
  const [software, darker] = await rich.evaluate(() => {
    const { stage } = window.bellcrank, gl = stage.renderer.getContext();
    const read = () => {
      stage.render();
      const bytes = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
      gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      return bytes;
    };
    const shaded = read();
    stage.shade.visible = false;
    const bare = read();
    return [stage.software, bare.reduce((sum, byte, k) => sum + (byte > shaded[k] + 20 ? 1 : 0), 0) / bare.length];
  });
  assert.equal(software, false);
  assert.ok(darker > 2e-4, `${darker} of the picture lies in the shadow`);
  assert.deepEqual(rich.faults, []);
  await rich.close();
});

test('nothing failed on the way, and nothing was asked of a network', () => {
  assert.deepEqual(page.faults, []);
});
