//! The light: a sky, a sun with shadows and a softer lamp from the other side, the same as in the browser's viewer.

use crate::stage::of_hex;
use crate::triangles::V;

/// See the module; colours are linear and times intensity.
pub(crate) struct Light {
    pub sky: V,
    pub ground: V,
    pub key: V,
    /// Direction to the sun.
    pub key_from: V,
    pub fill: V,
    pub fill_from: V,
    pub backdrop: V,
}

impl Light {
    pub fn day() -> Self {
        Light {
            sky: of_hex(0xffffff) * 1.75,
            ground: of_hex(0xd3cdc4) * 1.75,
            key: of_hex(0xfff6ea) * 2.2,
            key_from: V::new(0.75, -0.35, 1.35).normalized(),
            fill: of_hex(0xdfeaff) * 0.7,
            fill_from: V::new(1.0, -4.0, 1.2).normalized(),
            backdrop: of_hex(0xf3f6f8),
        }
    }

    /// Lambert's law: colour / π · Σ irradiance, of a surface with this normal that sees so much of the sun.
    pub fn on(&self, color: V, normal: V, sun: f32) -> V {
        let up = 0.5 + 0.5 * normal.z;
        let sky = self.ground * (1.0 - up) + self.sky * up;
        let key = self.key * (sun * normal.dot(self.key_from).max(0.0));
        let fill = self.fill * normal.dot(self.fill_from).max(0.0);
        let all = (sky + key + fill) * std::f32::consts::FRAC_1_PI;
        V::new(color.x * all.x, color.y * all.y, color.z * all.z)
    }
}

/// Linear light to a byte of sRGB.
pub(crate) fn encoded(c: f32) -> u8 {
    let c = c.clamp(0.0, 1.0);
    let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * c + 0.5) as u8
}
