// The live page while a robot is posed: pins, and how well motors hold the joints.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OUTPUT, openBrowser, openPage, serve } from './browser.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser.close());

/** Serves a model and opens its page; both end with the test. */
async function open(t, ...args) {
  const server = await serve(...args);
  const page = await openPage(browser, server.url);
  t.after(async () => { await page.close(); server.stop(); });
  assert.ok(await page.evaluate(() => window.bellcrank.source.poses));
  return page;
}

/** Where a body's middle is on the screen. */
const onScreen = (page, name) => page.evaluate((n) => {
  const { stage, frame, world, model } = window.bellcrank, at = world.poseStart + 7 * model.bodies.findIndex((body) => body.name === n);
  const p = stage.camera.position.clone().set(...[0, 1, 2].map((k) => frame.poses[at + k] + world.offset[k])).project(stage.camera);
  return [(0.5 + 0.5 * p.x) * innerWidth, (0.5 - 0.5 * p.y) * innerHeight];
}, name);

test('joints are coloured by how well motors hold them, from red to blue', async (t) => {
  const page = await open(t, 'view', 'four_bar', '--paused');
  await page.check('#show-singular');
  await page.waitForFunction(() => window.bellcrank.frame.holds.length === 4);
  const { holds, colors } = await page.evaluate(() => {
    const { frame, overlays } = window.bellcrank, mesh = overlays.parts.singular.drums.mesh;
    return { holds: [...frame.holds], colors: [...mesh.instanceColor.array.slice(0, 3 * mesh.count)] };
  });
  // one motor holds the one limb that there is: all joints alike, and neither red nor grey
  assert.ok(holds.every((x) => x === holds[0] && x > 0.1 && x <= 1), holds.join());
  assert.equal(colors.length, 12);
  const paint = (share) => page.evaluate((x) => window.bellcrank.overlays.parts.singular.paint({}, x).toArray(), share);
  const [red, blue] = [await paint(0), await paint(1)];
  assert.ok(red[0] > 3 * red[2] && blue[2] > 3 * blue[0], `${red} and ${blue}`);
  (await paint(holds[0])).forEach((x, k) => assert.ok(Math.abs(x - colors[k]) < 1e-6));
  await page.screenshot({ path: `${OUTPUT}singular.png` });
  await page.uncheck('#show-singular');
  await page.waitForFunction(() => window.bellcrank.frame.holds.length === 0);
  assert.deepEqual(page.faults, []);
});

test('a body that is pinned with shift and a click stays while another is posed', async (t) => {
  const page = await open(t, 'view', 'hybrid_biped', '--paused');
  const height = (name) => page.evaluate((n) => { const { frame, world, model } = window.bellcrank; return frame.poses[world.poseStart + 7 * model.bodies.findIndex((body) => body.name === n) + 2]; }, name);
  const pinned = () => page.evaluate(() => window.bellcrank.source.pins.map((pin) => window.bellcrank.model.bodies[pin.body].name));
  for (const foot of ['left_foot', 'right_foot']) {
    await page.keyboard.down('Shift');
    await page.mouse.click(...(await onScreen(page, foot)));
    await page.keyboard.up('Shift');
  }
  await page.waitForFunction(() => window.bellcrank.source.pins.length === 2);
  assert.deepEqual(await pinned(), ['left_foot', 'right_foot']);
  const [pelvis, foot] = [await height('pelvis'), await height('left_foot')];
  await page.evaluate(() => {
    const { source, model, frame, world } = window.bellcrank, body = model.bodies.findIndex((one) => one.name === 'pelvis');
    const [x, y, z] = frame.poses.subarray(world.poseStart + 7 * body, world.poseStart + 7 * body + 3);
    source.drag(0, body, [0, 0, 0], [x, y, z - 0.03]);
  });
  await page.waitForFunction((z) => { const { frame, world, model } = window.bellcrank; return Math.abs(frame.poses[world.poseStart + 7 * model.bodies.findIndex((one) => one.name === 'pelvis') + 2] - z + 0.03) < 1e-5; }, pelvis);
  assert.ok(Math.abs((await height('left_foot')) - foot) < 1e-6);
  await page.screenshot({ path: `${OUTPUT}pins.png` });
  await page.keyboard.down('Shift');
  await page.mouse.click(...(await onScreen(page, 'left_foot')));
  await page.keyboard.up('Shift');
  await page.waitForFunction(() => window.bellcrank.source.pins.length === 1);
  assert.deepEqual(page.faults, []);
});
