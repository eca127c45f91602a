// The live page: what a hand can do to a mechanism.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lookAt, plot, plotChanges } from './asks.mjs';
import { OUTPUT, openBrowser, openPage, serve } from './browser.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(() => browser.close());

/** Serves a model and opens its page; both end with the test. */
async function open(t, ...args) {
  const server = await serve(...args);
  const page = await openPage(browser, server.url);
  t.after(async () => { await page.close(); server.stop(); });
  return page;
}
const time = (page) => page.evaluate(() => window.bellcrank.source.time);
const gap = (page) => page.evaluate(() => { const { scene, frame, world } = window.bellcrank; return frame.traces[world.traceStart + scene.traces.indexOf('loop_gap_m')]; });

test('it runs, pauses, makes one step, and starts again', async (t) => {
  const page = await open(t, 'view', 'hybrid_biped');
  await page.waitForFunction(() => window.bellcrank.source.time > 0.2);
  const { colors, robot } = await lookAt(page);
  assert.ok(colors > 100 && robot > 0.02, `${colors} colours, robots fill ${robot}`);
  const curve = await plot(page, 'energy_j');
  await page.waitForFunction((t0) => window.bellcrank.source.time > t0 + 0.3, await time(page));
  assert.ok(await plotChanges(page, 'energy_j', curve), 'the plots move');
  await page.click('#play');
  await page.waitForFunction(() => !window.bellcrank.source.playing);
  await page.waitForTimeout(200);
  const paused = await time(page);
  await page.click('#step');
  await page.waitForFunction((t0) => window.bellcrank.source.time > t0, paused);
  await page.waitForTimeout(200);
  assert.ok(Math.abs((await time(page)) - paused - 0.004) < 1e-9, 'one step of 4 ms');
  await page.click('#reset');
  await page.waitForFunction(() => window.bellcrank.source.time === 0);
  assert.deepEqual(page.faults, []);
});

test('a joint slider moves the whole linkage and the loop stays closed', async (t) => {
  const page = await open(t, 'view', 'four_bar');
  await page.click('text=Joints >> nth=-1');
  const rocker = () => page.evaluate(() => window.bellcrank.frame.joints[window.bellcrank.model.joints.find((j) => j.name === 'rocker_hinge').coordinate]);
  const seen = [];
  for (const angle of [0.4, 1.1, 2.0]) {
    await page.$eval('[aria-label="crank_hinge"]', (input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }, angle);
    await page.waitForFunction((q) => Math.abs(window.bellcrank.frame.joints[0] - q) < 0.01, angle);
    seen.push(await rocker());
    // the gap is measured by a step
    await page.click('#step');
    await page.waitForTimeout(150);
    const open = await gap(page);
    assert.ok(open < 1e-5, `open by ${open} m`);
  }
  assert.ok(Math.max(...seen) - Math.min(...seen) > 0.1, `the rocker follows: ${seen}`);
  assert.deepEqual(page.faults, []);
});

test('where the mechanism cannot close the page says so', async (t) => {
  const page = await open(t, 'view', 'four_bar');
  await page.click('text=Joints >> nth=-1');
  await page.$eval('[aria-label="rocker_hinge"]', (input) => { input.value = 2.9; input.dispatchEvent(new Event('input')); });
  await page.waitForFunction(() => document.getElementById('note').textContent.includes('does not close'));
});

test('a motor slider moves the motor', async (t) => {
  const page = await open(t, 'view', 'hybrid_biped');
  const joint = await page.evaluate(() => window.bellcrank.model.joints.findIndex((j) => j.name === 'left_inner_hip_pitch'));
  await page.$eval('[aria-label="left_inner_hip_pitch_motor"]', (input) => { input.value = -0.3; input.dispatchEvent(new Event('input')); });
  await page.waitForFunction((j) => { const a = window.bellcrank; return a.frame.joints[a.model.joints[j].coordinate] < -0.05; }, joint);
  assert.ok((await gap(page)) < 1e-5);
});

test('dragging with the mouse pulls the body along, and a click chooses it', async (t) => {
  const page = await open(t, 'view', 'box');
  await page.waitForFunction(() => window.bellcrank.source.time > 0.1);
  const where = () => page.evaluate(() => [...window.bellcrank.frame.poses.subarray(0, 3)]);
  const at = await page.evaluate(() => {
    const { stage, frame, world } = window.bellcrank;
    const p = stage.camera.position.clone().set(frame.poses[0] + world.offset[0], frame.poses[1] + world.offset[1], frame.poses[2] + world.offset[2]).project(stage.camera);
    return [(0.5 + 0.5 * p.x) * innerWidth, (0.5 - 0.5 * p.y) * innerHeight];
  });
  const start = await where();
  await page.mouse.move(...at);
  await page.mouse.down();
  await page.mouse.move(at[0] + 40, at[1] - 90, { steps: 4 });
  await page.mouse.move(at[0] + 60, at[1] - 160, { steps: 4 });
  // a pull upwards of more than its weight lifts the box off the ground
  await page.waitForFunction((z) => window.bellcrank.frame.poses[2] > z + 0.02, start[2], { timeout: 20000 });
  await page.mouse.up();
  await page.waitForFunction((z) => window.bellcrank.frame.poses[2] < z + 0.01, start[2], { timeout: 20000 });
  assert.equal(await page.evaluate(() => window.bellcrank.chosen), null, 'a pull is no click');
  await page.evaluate(() => window.bellcrank.look(() => window.bellcrank.view.frameWorld(0)));
  await page.click('.tree button');
  assert.deepEqual(await page.evaluate(() => window.bellcrank.chosen), { world: 0, body: 0 });
  assert.deepEqual(page.faults, []);
});

test('a program moves the motors until a hand takes over', async (t) => {
  const page = await open(t, 'demo', 'biped', '--port', '0');
  await page.waitForFunction(() => window.bellcrank.source.program);
  // it walks by a trained policy: the knee bends and stretches again, whenever the page comes to look
  const knee = (first) => window.bellcrank.frame.joints[window.bellcrank.model.joints.find((j) => j.name === 'left_inner_knee').coordinate] - first;
  await page.waitForFunction(() => window.bellcrank.frame?.joints?.length > 0);
  const first = await page.evaluate(knee, 0);
  const moved = (first) => Math.abs(window.bellcrank.frame.joints[window.bellcrank.model.joints.find((j) => j.name === 'left_inner_knee').coordinate] - first) > 0.1;
  await page.waitForFunction(moved, first, { timeout: 30000 });
  await page.click('#program');
  await page.waitForFunction(() => !window.bellcrank.source.program);
});

test('a world that stops being finite loses its colours, is counted and found, and a reset wakes it', async (t) => {
  const page = await open(t, 'view', 'four_bar', '--worlds', '20');
  await page.waitForFunction(() => window.bellcrank.source.time > 0.1);
  assert.match(await page.textContent('#status'), /World 0 of 20, all ok/);
  // a pull beyond all numbers
  await page.evaluate(() => window.bellcrank.source.drag(7, 1, [0, 0, 0], [1e300, 0, 0]));
  await page.waitForFunction(() => document.getElementById('status').textContent.includes('1 frozen'));
  await page.evaluate(() => window.bellcrank.source.release());
  assert.ok(await page.evaluate(() => document.getElementById('pill').classList.contains('bad')));
  assert.deepEqual(await page.evaluate(() => [...window.bellcrank.worlds.frozen]), [7]);
  await page.click('#status');
  await page.waitForFunction(() => window.bellcrank.focus === 7);
  await page.waitForFunction(() => /World 7 of 20, frozen at \w+/.test(document.getElementById('status').textContent));
  // the others go on
  const before = await time(page);
  await page.waitForFunction((t0) => window.bellcrank.source.time > t0 + 0.1, before);
  await page.click('#reset');
  await page.waitForFunction(() => document.getElementById('status').textContent.includes('all ok'));
  assert.deepEqual(page.faults, []);
});

test('a joint that is chosen in the tree shows its position and its velocity', async (t) => {
  const page = await open(t, 'view', 'chain');
  await page.click('[data-joint]');
  await page.waitForFunction(() => !document.getElementById('joint').hidden);
  const curve = await plot(page, 'joint_velocity');
  assert.ok(await plotChanges(page, 'joint_velocity', curve), 'it swings');
  // over one step of 4 ms the velocity is the slope of the position
  const slope = await page.evaluate(async () => {
    const app = window.bellcrank, read = () => [app.frame.time, app.frame.joints[0], app.frame.velocities[0]];
    const next = async (time) => { while (app.frame.time === time) await new Promise(requestAnimationFrame); };
    app.source.pause();
    while (app.source.playing) await new Promise(requestAnimationFrame);
    app.source.step(1);
    await new Promise((done) => setTimeout(done, 300));
    const [t0, q0, v0] = read();
    app.source.step(1);
    await next(t0);
    const [t1, q1, v1] = read();
    return [(q1 - q0) / (t1 - t0), v1, Math.abs(v1 - v0)];
  });
  assert.ok(Math.abs(slope[0] - slope[1]) <= 0.01 + slope[2], slope.join());
});

test('panels fit into low and narrow windows', async (t) => {
  const page = await open(t, 'view', 'hybrid_biped', '--worlds', '2');
  for (const [width, height] of [[1920, 1080], [1280, 600], [1000, 620], [800, 500]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(300);
    const found = await page.evaluate(() => {
      const foot = document.getElementById('foot').getBoundingClientRect();
      const clipped = [...document.querySelectorAll('.card')].filter((card) => card.offsetParent !== null || card.id === 'foot').flatMap((card) => {
        const box = card.getBoundingClientRect();
        if (!box.width) return [];
        const fits = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight && (card.id === 'foot' || box.bottom <= foot.top);
        return fits ? [] : [`${card.id || card.className} ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`];
      });
      const wrapped = [...document.querySelectorAll('.plot .row')].filter((row) => row.clientHeight > 24).map((row) => row.textContent);
      const wide = [...document.querySelectorAll('.card, .plot .row, .shows label')].filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map((e) => e.textContent.slice(0, 30));
      return { clipped, wide: [...wide, ...wrapped], sliders: document.querySelector('.sliders').clientHeight };
    });
    assert.deepEqual(found.clipped, [], `${width}×${height}`);
    assert.deepEqual(found.wide, [], `${width}×${height}`);
    assert.ok(found.sliders >= 40, `${width}×${height}: ${found.sliders} pixels for the sliders`);
    await page.screenshot({ path: `${OUTPUT}panels-${width}x${height}.png` });
  }
});

test('without the server the page says that the simulation has ended', async () => {
  const server = await serve('view', 'pendulum');
  const page = await openPage(browser, server.url);
  server.stop();
  await page.waitForFunction(() => document.getElementById('pill').textContent === 'ended');
  await page.close();
});
