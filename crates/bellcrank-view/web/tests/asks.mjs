// What the tests look at: pixels and processor time.

import { readFileSync, readdirSync } from 'node:fs';

/** The picture as the page drew it: how many colours, and how much of it differs from the picture without the robots. */
export function lookAt(page) {
  return page.evaluate(() => {
    const { stage, worlds } = window.bellcrank;
    const gl = stage.renderer.getContext();
    const read = () => {
      stage.render();
      const bytes = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
      gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      return bytes;
    };
    const full = read();
    worlds.group.visible = false;
    const empty = read();
    worlds.group.visible = true;
    const colors = new Set();
    let robot = 0;
    for (let k = 0; k < full.length; k += 4) {
      colors.add((full[k] << 16) | (full[k + 1] << 8) | full[k + 2]);
      if (Math.abs(full[k] - empty[k]) + Math.abs(full[k + 1] - empty[k + 1]) + Math.abs(full[k + 2] - empty[k + 2]) > 24) robot++;
    }
    stage.render();
    return { colors: colors.size, robot: robot / (full.length / 4) };
  });
}

/** What a plot shows, as text that changes when the curve does. */
export function plot(page, name) {
  return page.evaluate((n) => document.querySelector(`canvas[data-trace="${n}"]`).toDataURL(), name);
}

/** Processor seconds of the browser by kind of process: this process's children and theirs, the simulation left out. */
export function browserSeconds() {
  const parents = new Map(), seconds = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(pid, fields[1]);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!command.includes('--no-sandbox')) continue;
      const kind = command.match(/--type=([a-z-]+)/)?.[1] ?? 'browser';
      seconds.set(pid, [kind, (Number(fields[11]) + Number(fields[12])) / 100]);
    } catch { /* it has ended meanwhile */ }
  }
  const ours = (pid) => pid !== undefined && pid !== '0' && (parents.get(pid) === String(process.pid) || ours(parents.get(pid)));
  const sums = {};
  for (const [pid, [kind, s]] of seconds) if (ours(pid)) sums[kind] = (sums[kind] ?? 0) + s;
  return sums;
}

/** Milliseconds per picture between two readings, by kind of process and in all. */
export function perPicture(before, after, pictures) {
  const kinds = Object.keys(after).map((kind) => [kind, (1000 * (after[kind] - (before[kind] ?? 0))) / pictures]).filter(([, ms]) => ms > 0.05);
  const all = kinds.reduce((sum, [, ms]) => sum + ms, 0);
  return { all, told: `${all.toFixed(1)} ms of processor time per picture (${kinds.map(([kind, ms]) => `${kind} ${ms.toFixed(1)}`).join(', ')})` };
}

/** Waits until a plot shows something else than before; false when it does not for ten seconds. */
export async function plotChanges(page, name, before) {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await plot(page, name)) !== before) return true;
    await page.waitForTimeout(100);
  }
  return false;
}
