// A policy at play: the page tells robots where to go.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, openPage, serve } from './browser.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser.close());

test('sliders and keys tell walking robots where to go, and chance takes over again', async (t) => {
  const server = await serve('play', 'biped_walk', '--worlds', '2');
  const page = await openPage(browser, server.url);
  t.after(async () => { await page.close(); server.stop(); });
  const values = () => page.evaluate(() => window.bellcrank.source.dials.map((dial) => dial.value));
  await page.waitForSelector('#dials:not([hidden])');
  assert.deepEqual(await values(), [null, null, null]);
  await page.$eval('[aria-label="forward (s, w)"]', (input) => { input.value = 0.3; input.dispatchEvent(new Event('input')); });
  await page.waitForFunction(() => Math.abs(window.bellcrank.source.dials[0].value - 0.3) < 1e-3);
  await page.keyboard.press('a'); // a tenth of −0.3 to 0.3 rad/s
  await page.waitForFunction(() => Math.abs(window.bellcrank.source.dials[2].value - 0.06) < 1e-6);
  const x = () => page.evaluate(() => window.bellcrank.frame.poses[0]);
  const start = await x();
  await page.waitForFunction((x0) => window.bellcrank.frame.poses[0] > x0 + 0.1, start, { timeout: 60_000 }); // it walks ahead
  await page.click('#dials button');
  await page.waitForFunction(() => window.bellcrank.source.dials.every((dial) => dial.value === null));
  assert.deepEqual(page.faults, []);
});
