// The page around the scene: keys and focus, layout, themes, files that it saves, and how it is embedded.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { BELLCRANK, OUTPUT, openBrowser, openPage, serve } from './browser.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser.close());

async function open(t, args, size, query = '') {
  const server = await serve(...args);
  const page = await openPage(browser, `${server.url}${query}`, size);
  t.after(async () => { await page.close(); server.stop(); });
  return page;
}
const playing = (page) => page.evaluate(() => window.bellcrank.source.playing);
const turns = (page, wanted) => page.waitForFunction((w) => window.bellcrank.source.playing === w, wanted);

test('space plays and pauses after a click on a box, a slider or a list; whoever comes by Tab presses what has the focus', async (t) => {
  const page = await open(t, ['view', 'four_bar']);
  await page.click('#show-names');
  await page.keyboard.press('Space');
  await turns(page, false);
  assert.equal(await page.isChecked('#show-names'), true, 'the box stays as it was');
  await page.click('#motion input[type="range"]');
  await page.keyboard.press('Space');
  await turns(page, true);
  await page.selectOption('#speed', '0.5');
  await page.keyboard.press('Space');
  await turns(page, false);
  await page.focus('.search input');
  await page.keyboard.type('a b');
  assert.equal(await page.inputValue('.search input'), 'a b', 'text is text');
  assert.equal(await playing(page), false);
  await page.focus('#show-loops');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  assert.equal(await page.isChecked('#show-loops'), true);
  assert.equal(await playing(page), false);
  assert.deepEqual(page.faults, []);
});

test('a question mark lists every key, and presets turn the camera', async (t) => {
  const page = await open(t, ['view', 'hybrid_biped']);
  await page.keyboard.press('?');
  const listed = await page.$$eval('#help kbd', (keys) => keys.map((key) => key.textContent));
  for (const key of ['Space', 'f', '1', '2', '3', '4', 'p', 'v', 'n', '?']) assert.ok(listed.includes(key), key);
  await page.keyboard.press('Escape');
  assert.equal(await page.isVisible('#help'), false);
  const from = () => page.evaluate(() => { const { stage, view } = window.bellcrank; return stage.camera.position.clone().sub(view.controls.target).normalize().toArray(); });
  await page.keyboard.press('1');
  assert.ok((await from())[0] > 0.98, 'from the front');
  await page.keyboard.press('2');
  assert.ok((await from())[1] < -0.98, 'from the side');
  await page.selectOption('#preset', 'top');
  assert.ok((await from())[2] > 0.98, 'from above');
  assert.deepEqual(page.faults, []);
});

test('at 1280 × 800 a chosen joint leaves room for sliders, and no panel reaches the foot line', async (t) => {
  const page = await open(t, ['view', 'hybrid_biped']);
  await page.click('.tree [data-joint]');
  await page.waitForSelector('#joint:not([hidden])');
  const boxes = await page.evaluate(() => ['motion', 'foot', 'right'].map((id) => { const { top, bottom, height } = document.getElementById(id).getBoundingClientRect(); return { top, bottom, height }; }));
  const [motion, foot, right] = boxes;
  assert.ok(motion.height >= 148, `${motion.height} pixels for sliders`);
  assert.ok(motion.bottom <= foot.top && right.bottom <= foot.top, 'above the foot line');
  // curves have numbers at both axes: pixels of the quiet colour left of the curve
  const inked = await page.$eval('canvas[data-trace="energy_j"]', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, 30 * devicePixelRatio, canvas.height);
    return data.reduce((sum, byte, k) => sum + (k % 4 === 3 && byte > 60 ? 1 : 0), 0);
  });
  assert.ok(inked > 20, `${inked} pixels of numbers`);
});

test('the camera goes down with a robot that falls', async (t) => {
  const page = await open(t, ['view', 'box', '--paused']);
  const height = () => page.evaluate(() => window.bellcrank.view.controls.target.z);
  const before = await height();
  await page.evaluate(() => { const { view, model } = window.bellcrank; const [low, high] = [model.extent.low[2], model.extent.high[2]]; const at = view.anchor.clone(); at.z -= 2 * (high - low); view.track(at); });
  const sunk = before - (await height());
  const size = await page.evaluate(() => window.bellcrank.stage.size);
  assert.ok(sunk > 1.5 * size && sunk < 2.2 * size, `${sunk} m of ${2 * size}`);
});

test('it is dark where the system is, by the address and by a key', async (t) => {
  const server = await serve('view', 'four_bar', '--paused');
  t.after(() => server.stop());
  const page = await openPage(browser, server.url);
  const back = () => page.evaluate(() => { const { stage } = window.bellcrank, gl = stage.renderer.getContext(), pixel = new Uint8Array(4); stage.render(); gl.readPixels(2, gl.drawingBufferHeight - 3, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); return pixel[0]; });
  assert.ok((await back()) > 200);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => document.documentElement.classList.contains('dark'));
  assert.ok((await back()) < 60);
  await page.keyboard.press('n');
  assert.ok((await back()) > 200);
  await page.close();
  const dark = await openPage(browser, `${server.url}?theme=dark`);
  assert.equal(await dark.evaluate(() => document.documentElement.classList.contains('dark')), true);
  assert.deepEqual(dark.faults, []);
  await dark.close();
});

test('buttons save a picture and a film', async (t) => {
  const page = await open(t, ['view', 'hybrid_biped'], { width: 640, height: 480 });
  const saved = async (act) => { const [download] = await Promise.all([page.waitForEvent('download'), act()]); return [download.suggestedFilename(), readFileSync(await download.path())]; };
  const [name, picture] = await saved(() => page.evaluate(() => window.bellcrank.capture.picture()));
  assert.match(name, /^hybrid_biped-[\d.]+s\.png$/);
  assert.ok(picture.subarray(1, 4).toString() === 'PNG' && picture.length > 5000, `${picture.length} bytes`);
  await page.keyboard.press('v'); // in windows as narrow as this there is no room for the button
  await page.waitForTimeout(1200);
  assert.equal(await page.getAttribute('#film', 'aria-pressed'), 'true');
  const [film, bytes] = await saved(() => page.keyboard.press('v'));
  assert.match(film, /\.(webm|mp4)$/);
  assert.ok(bytes.length > 5000, `${bytes.length} bytes`);
  assert.deepEqual(page.faults, []);
});

test('black paint has a shape: most of a black box is lighter than black', async (t) => {
  const file = `${OUTPUT}black.xml`;
  writeFileSync(file, '<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="sphere" size="0.5" rgba="0 0 0 1"/></body></worldbody></mujoco>');
  const page = await open(t, ['view', file, '--paused']);
  const shades = await page.evaluate(() => {
    const { stage } = window.bellcrank, gl = stage.renderer.getContext();
    stage.render();
    const bytes = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    const dark = bytes.filter((byte, k) => k % 4 === 1 && byte < 140);
    return [new Set(dark).size, Math.min(...new Set(dark))];
  });
  assert.ok(shades[0] > 20 && shades[1] > 15, `${shades[0]} shades, the darkest is ${shades[1]}`);
});

test('on a phone overlays and sliders come as a sheet, and a number can be typed', async (t) => {
  const page = await open(t, ['view', 'hybrid_biped'], { width: 390, height: 844 });
  assert.equal(await page.isVisible('#motion'), false);
  await page.click('#panels');
  await page.check('#show-loops');
  assert.equal(await page.evaluate(() => window.bellcrank.overlays.is('loops')), true);
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide[0] <= wide[1], 'nothing sticks out at the side');
  await page.fill('[aria-label="left_inner_hip_pitch_motor, number"]', '-0,3');
  await page.keyboard.press('Enter');
  assert.equal(await page.inputValue('[aria-label="left_inner_hip_pitch_motor"]'), '-0.3');
  const joint = await page.evaluate(() => window.bellcrank.model.joints.findIndex((j) => j.name === 'left_inner_hip_pitch'));
  await page.waitForFunction((j) => { const a = window.bellcrank; return a.frame.joints[a.model.joints[j].coordinate] < -0.05; }, joint);
  assert.deepEqual(page.faults, []);
});

test('several mechanisms are chosen from a list', async (t) => {
  const page = await open(t, ['view', 'delta', 'stewart', 'jansen_leg']);
  assert.deepEqual(await page.$$eval('#robots option', (options) => options.map((option) => option.textContent)), ['delta', 'stewart', 'jansen_leg']);
  await page.selectOption('#robots', '1');
  assert.equal(await page.evaluate(() => window.bellcrank.model.name), 'stewart');
  assert.match(await page.textContent('.tree'), /platform/);
  assert.deepEqual(page.faults, []);
});

test('one line puts a recording into another page, without panels', async (t) => {
  execFileSync(BELLCRANK, ['run', 'jansen_leg', '--steps', '100', '--record', `${OUTPUT}leg.html`]);
  writeFileSync(`${OUTPUT}outer.html`, '<!doctype html><h1>A leg</h1><iframe src="leg.html?bare" width="480" height="320"></iframe>');
  const page = await browser.newPage();
  t.after(() => page.close());
  await page.goto(`file://${OUTPUT}outer.html`);
  const frame = page.frame({ url: /leg\.html/ });
  await frame.waitForFunction(() => window.bellcrank?.frame);
  for (const id of ['head', 'left', 'right', 'foot']) assert.equal(await frame.isVisible(`#${id}`), false, id);
  const first = await frame.evaluate(() => window.bellcrank.source.time);
  await frame.waitForFunction((t0) => window.bellcrank.source.time !== t0, first);
});
