// Every key and what it does, once: for the keyboard and for the list that `?` shows.

import { turnTheme } from './theme.js';

/** What keys do; those that make no sense here are left out. */
export function keysOf(app) {
  const { source, view } = app;
  const look = (preset) => () => app.look(() => view.preset(preset));
  return [
    { key: ' ', shown: 'Space', words: 'play or pause', act: () => app.foot.toggle() },
    { key: '.', words: 'one step on', act: () => source.step(1) },
    ...(source.live ? [] : [{ key: ',', words: 'one frame back', act: () => source.step(-1) }]),
    { key: 'r', words: 'back to the start', act: () => app.reset() },
    { key: 'f', words: 'follow the robot or not', act: () => app.foot.follow() },
    { key: '1', words: 'look from the front', act: look('front') },
    { key: '2', words: 'look from the side', act: look('side') },
    { key: '3', words: 'look from above', act: look('top') },
    { key: '4', words: 'look from where the page began', act: look('corner') },
    { key: 'h', words: 'hide or show the panels', act: () => app.hide() },
    { key: 'p', words: 'save a picture', act: () => app.capture.picture() },
    { key: 'v', words: 'begin or end a film', act: () => app.capture.film() },
    { key: 'n', words: 'light or dark', act: turnTheme },
    { key: '?', words: 'this list', act: () => app.help.toggle() },
  ];
}

export const MOUSE = [
  ['drag, wheel, right drag', 'orbit, zoom, shift'],
  ['click a body', 'mark it'],
];
export const MOUSE_LIVE = [
  ['drag a body', 'pull at it; pose it while paused'],
  ['shift-click a body', 'pin it while posing'],
];

/** True where a key belongs to what has the focus: text, and what the keyboard has reached by Tab. */
export function takesKey(target, key) {
  if (target.matches?.('input[type="search"], input.value, textarea')) return true;
  if (target.tagName === 'SELECT') return key !== ' ' || target.matches(':focus-visible');
  // a mouse leaves no focus behind (see `giveBackFocus`): here somebody came by Tab and wants to press it
  return (key === ' ' || key === 'Enter') && target.matches?.('button, input[type="checkbox"]');
}

/** After a click of the mouse the keyboard belongs to the scene again. */
export function giveBackFocus(canvas) {
  const back = (target) => { if (target.matches?.('button, select, input:not([type="search"], .value)')) canvas.focus({ preventScroll: true }); };
  window.addEventListener('click', (event) => { if (event.detail > 0 && event.target.tagName !== 'SELECT') back(document.activeElement); });
  window.addEventListener('change', (event) => { if (event.target.tagName === 'SELECT') back(event.target); });
}
