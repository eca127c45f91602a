// Headless Chromium with a software renderer, and what the tests ask of a page.

import { existsSync, mkdirSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

export const OUTPUT = new URL('../test-output/', import.meta.url).pathname;
export const BELLCRANK = process.env.BELLCRANK ?? new URL('../../../../target/release/bellcrank', import.meta.url).pathname;


/** A browser without a network and without a graphics card. */
export async function openBrowser() {
  mkdirSync(OUTPUT, { recursive: true });
  const executablePath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--no-proxy-server'],
  });
}

/** What a page reads where a graphics card draws: not the name of a software renderer. */
export const likeAGraphicsCard = () => {
  const get = WebGL2RenderingContext.prototype.getExtension;
  WebGL2RenderingContext.prototype.getExtension = function (name) { return name === 'WEBGL_debug_renderer_info' ? null : get.call(this, name); };
};

/** A page that fails the test when its script fails or when it asks for anything but itself. */
export async function openPage(browser, url, size = { width: 1280, height: 800 }, first = null) {
  const page = await browser.newPage({ viewport: size });
  if (first) await page.addInitScript(first);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error' || message.text().startsWith('THREE')) page.faults.push(message.text()); });
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url()) && !request.url().startsWith(new URL(url).origin)) page.faults.push(`asked for ${request.url()}`); });
  await page.goto(url);
  await page.waitForFunction(() => window.bellcrank?.frame, null, { timeout: 30000 });
  return page;
}

/** Starts `bellcrank …` and waits for the address that it prints. */
export async function serve(...args) {
  const child = spawn(BELLCRANK, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    const read = (data) => { text += data; const found = text.match(/http:\S+/); if (found) resolve(found[0]); };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', () => reject(new Error(`bellcrank ended: ${text}`)));
  });
  return { url, stop: () => child.kill('SIGINT') };
}
