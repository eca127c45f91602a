// The light, once: for the renderer's own materials and for the plain one of software renderers.

export const LIGHT = {
  sky: { color: '#ffffff', ground: '#d3cdc4', intensity: 1.75 },
  key: { color: '#fff6ea', intensity: 2.2, from: [0.75, -0.35, 1.35] },
  fill: { color: '#dfeaff', intensity: 0.7, from: [1, -4, 1.2] },
};
export const SHADOW = { color: '#27313c', opacity: 0.26 };
export const BACKDROP = '#f3f6f8';
