//! Triangles to pixels: which part each pixel shows, how near it is, and how it is turned there.
//!
//! Nearness 1/z and normals over z are linear over the picture, so that both are three numbers per triangle that every pixel adds
//! up. The picture is cut into bands of rows, and every thread fills bands of its own.

use crate::camera::Projection;
use crate::triangles::V;
use rayon::prelude::*;

/// No part.
pub(crate) const NOBODY: u32 = u32::MAX;
/// Triangles of less than half of this cover nothing, and what is worked out in them is rounding [pixels²].
const SLIVER: f32 = 1e-3;
/// Rows of a band.
const BAND: usize = 16;

/// A triangle on the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat {
    /// Pixels across and down, and nearness, of its corners.
    corners: [[f32; 3]; 3],
    /// Times nearness.
    normals: [V; 3],
    /// Where the corners lie in a picture, times nearness; `None` without one.
    uvs: Option<[[f32; 2]; 3]>,
    /// Number of the part.
    pub part: u32,
    /// Part of its pixels that it covers.
    opacity: f32,
    rows: [f32; 2],
}

/// What the camera sees of a corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// Right, up and forward [m].
    pub seen: V,
    pub normal: V,
    /// Where it lies in a picture.
    pub uv: [f32; 2],
}

impl Corner {
    /// The point at this share of the way to another corner.
    fn towards(&self, other: &Corner, share: f32) -> Corner {
        Corner {
            seen: self.seen + (other.seen - self.seen) * share,
            normal: self.normal + (other.normal - self.normal) * share,
            uv: [0, 1].map(|k| self.uv[k] + (other.uv[k] - self.uv[k]) * share),
        }
    }
}

/// What a part's triangles share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coat {
    pub part: u32,
    pub opacity: f32,
    /// A picture covers it.
    pub covered: bool,
    /// Nothing nearer than this is drawn [m].
    pub least: f32,
}

/// Adds a triangle of the world, given by what the camera sees of its corners; what is behind the camera is cut off.
pub(crate) fn project(to: &Projection, corners: [Corner; 3], coat: Coat, out: &mut Vec<Flat>) {
    let inside = corners.map(|corner| to.parallel || corner.seen.z > coat.least);
    match inside.iter().filter(|inside| **inside).count() {
        0 => {}
        3 => out.extend(flat(to, corners, coat)),
        _ => {
            let mut kept: Vec<Corner> = Vec::with_capacity(4);
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                if inside[k] {
                    kept.push(a);
                }
                if inside[k] != inside[(k + 1) % 3] {
                    let at = (coat.least - a.seen.z) / (b.seen.z - a.seen.z);
                    kept.push(a.towards(&b, at));
                }
            }
            for k in 1..kept.len().saturating_sub(1) {
                out.extend(flat(to, [kept[0], kept[k], kept[k + 1]], coat));
            }
        }
    }
}

fn flat(to: &Projection, corners: [Corner; 3], coat: Coat) -> Option<Flat> {
    let pixels = corners.map(|corner| to.pixel(corner.seen));
    let [a, b, c] = pixels;
    let ys = [a[1], b[1], c[1]];
    let rows = [
        ys.iter().copied().fold(f32::INFINITY, f32::min),
        ys.iter().copied().fold(f32::NEG_INFINITY, f32::max),
    ];
    let twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if !(twice.abs() > SLIVER && twice.is_finite()) {
        return None;
    }
    let near = pixels.map(|pixel| if to.parallel { 1.0 } else { pixel[2] });
    let normals = [0, 1, 2].map(|k| corners[k].normal * near[k]);
    let uvs = coat.covered.then(|| [0, 1, 2].map(|k| corners[k].uv.map(|x| x * near[k])));
    let mut flat = Flat { corners: pixels, normals, uvs, part: coat.part, opacity: coat.opacity, rows };
    if twice < 0.0 {
        flat.corners.swap(1, 2);
        flat.normals.swap(1, 2);
        flat.uvs.iter_mut().for_each(|uvs| uvs.swap(1, 2));
    }
    Some(flat)
}

/// What the pixels of a picture show, row by row.
#[derive(Default)]
pub(crate) struct Buffer {
    pub width: usize,
    pub height: usize,
    /// Greater is nearer; see [`Projection::pixel`].
    pub near: Vec<f32>,
    /// Number of the part, or [`NOBODY`].
    pub part: Vec<u32>,
    /// Not of length one.
    pub normal: Vec<V>,
    /// Where it lies in its part's picture.
    pub uv: Vec<[f32; 2]>,
}

impl Buffer {
    /// Draws triangles over an empty picture.
    pub fn fill(&mut self, [width, height]: [usize; 2], emptiness: f32, triangles: &[Flat]) {
        (self.width, self.height) = (width, height);
        let count = width * height;
        self.near.clear();
        self.near.resize(count, emptiness);
        self.part.clear();
        self.part.resize(count, NOBODY);
        self.normal.resize(count, V::zero());
        self.uv.resize(count, [0.0; 2]);
        let bands = self.near.par_chunks_mut(BAND * width).zip(self.part.par_chunks_mut(BAND * width));
        let bands = bands.zip(self.normal.par_chunks_mut(BAND * width));
        let bands = bands.zip(self.uv.par_chunks_mut(BAND * width)).enumerate();
        bands.for_each(|(k, (((near, part), normal), uv))| {
            let rows = [k * BAND, k * BAND + near.len() / width];
            let mut band = Band { near, part, normal, uv, width, first: rows[0] };
            let [top, bottom] = [rows[0] as f32, rows[1] as f32];
            let here = triangles.iter().filter(|t| t.rows[1] >= top && t.rows[0] <= bottom);
            here.for_each(|t| band.draw(t, rows));
        });
    }
}

struct Band<'a> {
    near: &'a mut [f32],
    part: &'a mut [u32],
    normal: &'a mut [V],
    uv: &'a mut [[f32; 2]],
    width: usize,
    first: usize,
}

impl Band<'_> {
    /// Row by row: the pixels whose middles lie within all three edges.
    fn draw(&mut self, t: &Flat, rows: [usize; 2]) {
        let [a, b, c] = t.corners;
        let edges = [edge(b, c), edge(c, a), edge(a, b)]; // each belongs to the corner opposite
        let area = edges[0][0] * a[0] + edges[0][1] * a[1] + edges[0][2];
        let first = ((t.rows[0] - 0.5).ceil().max(rows[0] as f32)) as usize;
        let last = ((t.rows[1] + 0.5).floor().min(rows[1] as f32)).max(0.0) as usize;
        for row in first..last {
            let y = row as f32 + 0.5;
            let (mut low, mut high) = (0.5_f32, self.width as f32 - 0.5);
            for [ex, ey, e] in edges {
                let rest = ey * y + e;
                if ex > 0.0 {
                    low = low.max(-rest / ex);
                } else if ex < 0.0 {
                    high = high.min(-rest / ex);
                } else if rest < 0.0 {
                    high = -1.0;
                }
            }
            let (from, to) = ((low - 0.5).ceil().max(0.0) as usize, (high + 0.5).floor().max(0.0) as usize);
            for column in from..to.min(self.width) {
                let x = column as f32 + 0.5;
                let share = edges.map(|[ex, ey, e]| (ex * x + ey * y + e) / area);
                self.put(t, share, [column, row]);
            }
        }
    }

    fn put(&mut self, t: &Flat, share: [f32; 3], [column, row]: [usize; 2]) {
        let near = share[0] * t.corners[0][2] + share[1] * t.corners[1][2] + share[2] * t.corners[2][2];
        let at = (row - self.first) * self.width + column;
        if near <= self.near[at] || t.opacity < COVER[row & 1][column & 1] {
            return;
        }
        self.near[at] = near;
        self.part[at] = t.part;
        self.normal[at] = t.normals[0] * share[0] + t.normals[1] * share[1] + t.normals[2] * share[2];
        if let Some([a, b, c]) = t.uvs {
            self.uv[at] = [0, 1].map(|k| (share[0] * a[k] + share[1] * b[k] + share[2] * c[k]) / near);
        }
    }
}

/// Of four pixels in a square, a part of this opacity covers some.
const COVER: [[f32; 2]; 2] = [[0.0, 0.625], [0.875, 0.375]];

/// Positive on the inner side: a x + b y + c.
fn edge(p: [f32; 3], q: [f32; 3]) -> [f32; 3] {
    let (a, b) = (p[1] - q[1], q[0] - p[0]);
    [a, b, -(a * p[0] + b * p[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::renderer::Size;
    use bellcrank_math::Vec3;

    const SIZE: Size = Size { width: 64, height: 48 };

    fn projection() -> Projection {
        let camera = Camera { field_of_view: 1.0, ..Camera::new(Vec3::zero(), Vec3::x_axis()) };
        camera.projection(SIZE)
    }

    fn drawn(corners: [V; 3]) -> Buffer {
        let (to, mut flats) = (projection(), Vec::new());
        let coat = Coat { part: 3, opacity: 1.0, covered: true, least: 0.1 };
        let corner = |p: V| Corner { seen: to.seen(p), normal: V::z_axis(), uv: [p.x + p.y, p.z] };
        project(&to, corners.map(corner), coat, &mut flats);
        let mut buffer = Buffer::default();
        buffer.fill([64, 48], 0.0, &flats);
        buffer
    }

    /// Every pixel of a triangle is as far as the ray through its middle says: by plane and ray, not by the rasteriser's formulas.
    #[test]
    fn pixels_are_as_far_as_rays_say() {
        let corners = [V::new(2.0, 0.8, -0.5), V::new(5.0, -1.5, -0.4), V::new(3.0, 0.2, 1.0)];
        let buffer = drawn(corners);
        let to = projection();
        let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let mut inside = 0;
        for row in 0..48 {
            for column in 0..64 {
                let ray = to.ray(column as f32 + 0.5, row as f32 + 0.5);
                let t = n.dot(corners[0]) / n.dot(ray);
                let hit = ray * t;
                let signs: Vec<f32> = (0..3)
                    .map(|k| {
                        let (a, b) = (corners[k], corners[(k + 1) % 3]);
                        n.dot((b - a).cross(hit - a))
                    })
                    .collect();
                let at = row * 64 + column;
                if signs.iter().all(|s| *s > 1e-3) {
                    assert_eq!(buffer.part[at], 3, "{column}, {row}");
                    assert!((1.0 / buffer.near[at] - t).abs() < 1e-4 * t);
                    // places in a picture are linear over the triangle, not over the pixels
                    let [u, v] = buffer.uv[at];
                    assert!((u - hit.x - hit.y).abs() < 1e-3 && (v - hit.z).abs() < 1e-3, "{u} {v} {hit:?}");
                    inside += 1;
                } else if signs.iter().any(|s| *s < -1e-3) {
                    assert_eq!(buffer.part[at], NOBODY, "{column}, {row}");
                }
            }
        }
        assert!(inside > 100);
    }

    /// A triangle that reaches behind the camera is seen as far as it is in front.
    #[test]
    fn what_is_behind_the_camera_is_cut_off() {
        let floor = [V::new(-10.0, -8.0, -1.0), V::new(10.0, 0.0, -1.0), V::new(-10.0, 8.0, -1.0)];
        let buffer = drawn(floor);
        let to = projection();
        for column in 28..36 {
            let at = 47 * 64 + column;
            let ray = to.ray(column as f32 + 0.5, 47.5);
            assert_eq!(buffer.part[at], 3);
            assert!((1.0 / buffer.near[at] + 1.0 / ray.z).abs() < 1e-3);
            assert_eq!(buffer.part[column], NOBODY);
        }
    }
}
