//! A floor with a grid of two spacings that fades away with the distance, as in the browser's viewer.

use crate::camera::Projection;
use crate::triangles::V;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    pub height: f32,
    /// Side of a cell [m].
    cell: f32,
    /// Where it has faded away [m].
    reach: f32,
    /// What it fades around.
    centre: V,
}

/// Where a ray meets it.
pub(crate) struct Met {
    pub at: V,
    /// 1/z, as the rasteriser has it.
    pub near: f32,
    /// Change of the place from one pixel to the next, across and down [m].
    steps: [V; 2],
}

impl Floor {
    /// Cells are a power of ten near a sixth of `size` [m].
    pub fn new(height: f64, size: f64, centre: V) -> Self {
        let cell = 10.0_f64.powf((size / 6.0).log10().round());
        Floor { height: height as f32, cell: cell as f32, reach: (16.0 * size) as f32, centre }
    }

    pub fn met(&self, from: &Projection, x: f32, y: f32) -> Option<Met> {
        let ray = from.ray(x, y);
        let z = (self.height - from.eye.z) / ray.z;
        if !(z > 0.0 && z.is_finite()) {
            return None;
        }
        // p = e + z r with z = (h − e_z)/r_z: dp = z (dr − r dr_z/r_z)
        let turn = |dr: V| (dr - ray * (dr.z / ray.z)) * z;
        let steps = [from.axes[0] * (1.0 / from.scale[0]), from.axes[1] * (-1.0 / from.scale[1])].map(turn);
        Some(Met { at: from.eye + ray * z, near: 1.0 / z, steps })
    }

    /// Its colour in sRGB, less where the grid is.
    pub fn color(&self, met: &Met, backdrop: V) -> V {
        let [gx, gy] = [met.at.x / self.cell, met.at.y / self.cell];
        let wide = |a: f32, b: f32| (a.abs() + b.abs()) / self.cell + 1e-6;
        let wides = [wide(met.steps[0].x, met.steps[1].x), wide(met.steps[0].y, met.steps[1].y)];
        let to_line = |g: f32| ((g - 0.5) - (g - 0.5).floor() - 0.5).abs();
        let fine = (to_line(gx) / wides[0]).min(to_line(gy) / wides[1]);
        let bold = (10.0 * to_line(0.1 * gx) / wides[0]).min(10.0 * to_line(0.1 * gy) / wides[1]);
        let widest = wides[0].max(wides[1]);
        let line = ((1.0 - fine).clamp(0.0, 1.0) * (0.30 - 0.66 * widest).clamp(0.0, 0.22))
            .max((1.35 - bold).clamp(0.0, 1.0) * (0.57 - 0.126 * widest).clamp(0.0, 0.42));
        let away = met.at - self.centre;
        let near = (1.0 - (away.x * away.x + away.y * away.y) / (self.reach * self.reach)).max(0.0);
        let tint = V::new(0.008, 0.010, 0.011) + V::new(0.475, 0.425, 0.382) * line;
        backdrop - tint * (near * near)
    }
}
