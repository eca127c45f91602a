// src/ → dist/page.html: one file with style and script inside, and the hash of what it was made from.

import { build } from 'esbuild';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** FNV-1a, 64 bits, over names and contents in order; `tests/bundle.rs` computes the same. */
function hash(files) {
  let h = 0xcbf29ce484222325n;
  for (const file of files) {
    const bytes = Buffer.concat([Buffer.from(file), Buffer.from([0]), readFileSync(file), Buffer.from([0])]);
    for (const byte of bytes) h = ((h ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return h.toString(16).padStart(16, '0');
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? sources(path) : [path];
  });
}

const result = await build({ entryPoints: ['src/main.js'], bundle: true, minify: true, write: false, format: 'iife', target: 'es2022', legalComments: 'none', charset: 'utf8' });
const style = await build({ entryPoints: ['src/style.css'], minify: true, write: false });
const notice = '/* three.js, MIT licence, Copyright 2010-2026 three.js authors */\n';
// functions, so that `$&` in the script stays what it is
const page = readFileSync('src/index.html', 'utf8')
  .replace('/*style*/', () => style.outputFiles[0].text.trim())
  .replace('/*script*/', () => notice + result.outputFiles[0].text.trim());
writeFileSync(join('dist', 'page.html'), page);
const inputs = [...sources('src'), 'build.mjs', 'package-lock.json'].sort();
writeFileSync(join('dist', 'hashes.txt'), `sources ${hash(inputs)}\npage ${hash(['dist/page.html'])}\n`);
console.log(`dist/page.html: ${(page.length / 1024).toFixed(0)} kB`);
