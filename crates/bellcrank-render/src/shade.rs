//! Colours of pixels: what the rasteriser found there, in light and shadow, four samples to a pixel.

use crate::camera::Projection;
use crate::floor::Floor;
use crate::light::{Light, encoded};
use crate::raster::{Buffer, NOBODY};
use crate::stage::linear;
use crate::triangles::V;
use bellcrank_model::Texture;
use rayon::prelude::*;
use std::sync::{Arc, LazyLock};

/// How dark a shadow on the floor is, and its colour in sRGB.
const SHADOW: f32 = 0.26;
const SHADOW_COLOR: V = V { x: 0.153, y: 0.192, z: 0.235 };

/// What the sun sees.
pub(crate) struct Sun<'a> {
    pub projection: Projection,
    pub buffer: &'a Buffer,
    /// Surfaces nearer than this to what throws the shadow are lit [m].
    pub bias: f32,
}

impl Sun<'_> {
    /// Part of the sun that a point sees, over four neighbouring texels.
    fn on(&self, p: V) -> f32 {
        let [x, y, near] = self.projection.pixel(self.projection.seen(p));
        let mut lit = 0.0;
        for [dx, dy] in [[-0.75, -0.25], [0.25, -0.75], [0.75, 0.25], [-0.25, 0.75]] {
            let (x, y) = (x + dx, y + dy);
            let outside = x < 0.0 || y < 0.0;
            let (x, y) = (x as usize, y as usize);
            let hidden = !outside
                && x < self.buffer.width
                && y < self.buffer.height
                && self.buffer.near[y * self.buffer.width + x] > near + self.bias;
            lit += if hidden { 0.0 } else { 0.25 };
        }
        lit
    }
}

/// What a part is painted with.
pub(crate) struct Paint {
    /// Linear red, green and blue.
    pub color: V,
    /// The colour tints it.
    pub texture: Option<Arc<Texture>>,
}

/// The light of a byte in sRGB.
static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear(byte as f32 / 255.0)));

impl Paint {
    /// Its linear colour at a place in its picture.
    fn at(&self, uv: [f32; 2]) -> V {
        let Some(texture) = &self.texture else { return self.color };
        let [r, g, b] = texture.at(uv).map(|byte| LINEAR[usize::from(byte)]);
        V::new(self.color.x * r, self.color.y * g, self.color.z * b)
    }
}

/// All that colours are worked out from.
pub(crate) struct Shading<'a> {
    pub camera: Projection,
    pub samples: &'a Buffer,
    /// Samples per pixel, across and down.
    pub fineness: usize,
    pub paints: &'a [Paint],
    pub floor: Option<Floor>,
    pub sun: Option<Sun<'a>>,
    pub light: Light,
}

impl Shading<'_> {
    /// Fills rows of red, green and blue.
    pub fn paint(&self, width: usize, rgb: &mut [u8]) {
        rgb.par_chunks_mut(3 * width).enumerate().for_each(|(row, line)| {
            for (column, pixel) in line.chunks_exact_mut(3).enumerate() {
                let color = self.pixel(column, row);
                pixel.copy_from_slice(&[encoded(color.x), encoded(color.y), encoded(color.z)]);
            }
        });
    }

    /// The mean of its samples, in linear light.
    fn pixel(&self, column: usize, row: usize) -> V {
        let n = self.fineness;
        let mut sum = V::zero();
        for k in 0..n * n {
            sum += self.sample(n * column + k % n, n * row + k / n);
        }
        sum * (1.0 / (n * n) as f32)
    }

    fn sample(&self, column: usize, row: usize) -> V {
        let at = row * self.samples.width + column;
        let (x, y) = (column as f32 + 0.5, row as f32 + 0.5);
        let (part, near) = (self.samples.part[at], self.samples.near[at]);
        let met = self.floor.and_then(|floor| floor.met(&self.camera, x, y).map(|met| (floor, met)));
        if let Some((floor, met)) = met.filter(|(_, met)| part == NOBODY || met.near > near) {
            let sun = self.sun.as_ref().map_or(1.0, |sun| sun.on(met.at));
            let color = floor.color(&met, srgb(self.light.backdrop));
            let dark = SHADOW * (1.0 - sun);
            let c = color * (1.0 - dark) + SHADOW_COLOR * dark;
            return V::new(linear(c.x), linear(c.y), linear(c.z));
        }
        if part == NOBODY {
            return self.light.backdrop;
        }
        let ray = self.camera.ray(x, y);
        let p = self.camera.eye + ray * (1.0 / near);
        let n = self.samples.normal[at];
        let n = n * (1.0 / n.norm().max(1e-30));
        let n = if n.dot(ray) > 0.0 { -n } else { n }; // thin sheets have two sides
        let sun = if n.dot(self.light.key_from) > 0.0 {
            self.sun.as_ref().map_or(1.0, |sun| sun.on(p + n * (2.0 * sun.bias)))
        } else {
            0.0
        };
        let ray = ray * (1.0 / ray.norm().max(1e-30));
        self.light.on(self.paints[part as usize].at(self.samples.uv[at]), n, ray, sun)
    }
}

fn srgb(c: V) -> V {
    V::new(encoded(c.x).into(), encoded(c.y).into(), encoded(c.z).into()) * (1.0 / 255.0)
}
