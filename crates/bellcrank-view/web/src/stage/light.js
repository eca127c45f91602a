// The light, once: for the renderer's own materials and for the plain one of software renderers.

import { isDark } from '../theme.js';

export const LIGHT = {
  sky: { color: '#ffffff', ground: '#d3cdc4', intensity: 1.75 },
  key: { color: '#fff6ea', intensity: 2.2, from: [0.75, -0.35, 1.35] },
  fill: { color: '#dfeaff', intensity: 0.7, from: [1, -4, 1.2] },
  mirrored: 0.5, // of the surroundings, by every surface
};
export const SHADOW = { color: '#27313c', opacity: 0.26 };
const DAY = { backdrop: '#f3f6f8', lines: -1 }, NIGHT = { backdrop: '#171b21', lines: 0.55 };

/** What lies behind everything, and whether the floor's grid is darker (-1) than it or lighter. */
export const backdrop = () => (isDark() ? NIGHT : DAY);
