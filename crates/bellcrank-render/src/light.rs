//! The light: a sky, a sun with shadows and a softer lamp from the other side, the same as in the browser's viewer.

use crate::stage::of_hex;
use crate::triangles::V;

/// The least that anything gives back of the light: black paint is not a hole.
const BLACK: f32 = 0.03;

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

    /// Lambert's law: colour / π · Σ irradiance, of a surface with this normal that sees so much of the sun; and the sky that it
    /// mirrors along a `ray` of length one from the camera, by Schlick's approximation of Fresnel's law.
    pub fn on(&self, color: V, normal: V, ray: V, sun: f32) -> V {
        let up = 0.5 + 0.5 * normal.z;
        let sky = self.ground * (1.0 - up) + self.sky * up;
        let key = self.key * (sun * normal.dot(self.key_from).max(0.0));
        let fill = self.fill * normal.dot(self.fill_from).max(0.0);
        let all = (sky + key + fill) * std::f32::consts::FRAC_1_PI;
        let facing = -normal.dot(ray);
        let edge = (1.0 - facing).clamp(0.0, 1.0);
        let up = 0.5 + 0.5 * (ray.z + 2.0 * facing * normal.z);
        let around = self.ground * (1.0 - up) + self.sky * up;
        let mirrored = around * ((0.04 + 0.6 * edge.powi(5)) * std::f32::consts::FRAC_1_PI);
        let given = |c: f32| BLACK + (1.0 - BLACK) * c;
        V::new(given(color.x) * all.x, given(color.y) * all.y, given(color.z) * all.z) + mirrored
    }
}

/// Linear light to a byte of sRGB.
pub(crate) fn encoded(c: f32) -> u8 {
    let c = c.clamp(0.0, 1.0);
    let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * c + 0.5) as u8
}
