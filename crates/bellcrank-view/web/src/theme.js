// Light or dark, as the system has it until somebody chooses; `?theme=dark` in the address chooses too.

const system = window.matchMedia('(prefers-color-scheme: dark)');
const asked = new URLSearchParams(location.search).get('theme');
let chosen = ['dark', 'light'].includes(asked) ? asked === 'dark' : null;
const watchers = [];

export const isDark = () => chosen ?? system.matches;

function apply() {
  document.documentElement.classList.toggle('dark', isDark());
  watchers.forEach((watch) => watch());
}

export function turnTheme() {
  chosen = !isDark();
  apply();
}

/** Calls back whenever light turns dark or dark light. */
export function onTheme(watch) { watchers.push(watch); }

/** The value of a colour of the style sheet. */
export const styled = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

system.addEventListener('change', () => { if (chosen === null) apply(); });
apply();
