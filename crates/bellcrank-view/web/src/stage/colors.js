// Colours for bodies whose author gave none: calm, told apart, readable on light ground.

const PALETTE = ['#2f8f94', '#e0775a', '#e3ab3d', '#7b6ca8', '#5f8dc0', '#8aa65a', '#c0698f', '#8c7562'];

export const WORLD_COLOR = '#5b6673';
export const CHOSEN = '#ffb000';
export const FROZEN = '#aebccb';

export function bodyColor(body) {
  return body === null ? WORLD_COLOR : PALETTE[body % PALETTE.length];
}

/** CSS colour of a shape: the one that tints its picture, or, where pictures are left out, the mean of both. */
export function shapeColor(shape, mean = false) {
  const color = (mean && shape.mean_color) || shape.color;
  if (!color) return bodyColor(shape.body);
  const [r, g, b] = color.map((c) => Math.round(255 * Math.min(Math.max(c, 0), 1)));
  return `rgb(${r}, ${g}, ${b})`;
}

/** The least that anything gives back of the light: black paint is not a hole. The same in bellcrank-render. */
const BLACK = 0.03;

/** A linear colour as surfaces of that paint have it. */
export function painted(color) {
  return color.multiplyScalar(1 - BLACK).addScalar(BLACK);
}

/** One colour for a loop, all of them different. */
export function loopColor(index, count) {
  return `hsl(${Math.round(330 + (360 * index) / Math.max(count, 1)) % 360}, 75%, 50%)`;
}
