// Takes a picture of a page: node look.mjs URL out.png [script]
import { openBrowser, openPage } from './browser.mjs';
const [url, out, script, w, h] = process.argv.slice(2);
const browser = await openBrowser();
const page = await openPage(browser, url, { width: Number(w || 1280), height: Number(h || 800) });
await page.waitForTimeout(1500);
if (script) { console.log(await page.evaluate(script)); await page.waitForTimeout(1200); }
console.log(await page.evaluate(() => ({ fps: window.bellcrank.framesPerSecond, scale: window.bellcrank.stage.scale, software: window.bellcrank.stage.software, calls: window.bellcrank.stage.renderer.info.render })));
console.log(page.faults);
await page.screenshot({ path: out });
await browser.close();
