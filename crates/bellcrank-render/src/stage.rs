//! What there is to draw: surfaces, their colours, and the bodies that carry them.

use crate::error::RenderError;
use crate::triangles::{Triangles, V};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Geometry, Model, Texture};
use bellcrank_sim::Batch;
use bellcrank_view::{Drawn, Scene, drawn, is_seen};
use std::collections::HashMap;
use std::sync::Arc;

/// Colours of bodies whose author gave none, as in the browser's viewer.
const PALETTE: [u32; 8] = [0x2f8f94, 0xe0775a, 0xe3ab3d, 0x7b6ca8, 0x5f8dc0, 0x8aa65a, 0xc0698f, 0x8c7562];
const WORLD_COLOR: u32 = 0x5b6673;

/// Something with one colour that moves with a body.
pub(crate) struct Part {
    /// Number in [`Stage::surfaces`].
    pub surface: usize,
    /// Number of the body; `None` for what is fixed to the world.
    pub body: Option<usize>,
    pub X_BG: Pose,
    /// Linear red, green and blue.
    pub color: V,
    pub opacity: f32,
    /// What covers it; the colour tints it.
    pub texture: Option<Arc<Texture>>,
}

impl Part {
    /// Its colour where pictures cannot be told.
    pub fn mean_color(&self) -> V {
        let [r, g, b] = self.texture.as_ref().map_or([1.0; 3], |texture| texture.mean());
        V::new(self.color.x * linear(r), self.color.y * linear(g), self.color.z * linear(b))
    }
}

/// Worlds of a batch, ready to be drawn.
pub struct Stage {
    pub(crate) scene: Scene,
    pub(crate) surfaces: Vec<Arc<Triangles>>,
    /// By shown world: number in `parts`.
    pub(crate) models: Vec<usize>,
    pub(crate) parts: Vec<Vec<Part>>,
    /// The floor is drawn.
    pub(crate) floor: Option<f64>,
}

impl Stage {
    /// These worlds of a batch, side by side; `round` is the number of corners of a circle.
    ///
    /// # Errors
    /// When no world is listed, or one does not exist.
    pub(crate) fn new(batch: &Batch, worlds: &[usize], round: usize) -> Result<Self, RenderError> {
        let scene = Scene::of(batch, worlds)?;
        let (mut known, mut models) = (Vec::<Arc<Model>>::new(), Vec::new());
        for &world in worlds {
            let model = batch.model(world)?;
            let at = known.iter().position(|other| Arc::ptr_eq(other, model));
            models.push(at.unwrap_or(known.len()));
            if at.is_none() {
                known.push(model.clone());
            }
        }
        let mut surfaces = Surfaces { all: Vec::new(), known: HashMap::new(), round };
        let parts = known.iter().map(|model| surfaces.parts(model)).collect();
        let floor = Some(scene.floor);
        Ok(Stage { scene, surfaces: surfaces.all, models, parts, floor })
    }

    /// Bounds of all shown worlds at their reference poses [m].
    pub(crate) fn bounds(&self) -> [Vec3; 2] {
        let mut all = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for place in 0..self.models.len() {
            let [low, high] = self.scene.bounds(place);
            for k in 0..3 {
                all[0][k] = all[0][k].min(low[k]);
                all[1][k] = all[1][k].max(high[k]);
            }
        }
        all.map(Vec3::from_array)
    }

    /// Size of the largest model [m].
    pub fn size(&self) -> f64 {
        self.scene.size()
    }
}

/// Surfaces that several shapes share are made once.
struct Surfaces {
    all: Vec<Arc<Triangles>>,
    known: HashMap<String, usize>,
    round: usize,
}

impl Surfaces {
    fn parts(&mut self, model: &Model) -> Vec<Part> {
        let all = drawn(model);
        let level = |shape: &Drawn| {
            matches!(shape.geometry, Geometry::Plane) && shape.X_BG.R.rotate(Vec3::z_axis()).z > 0.999
        };
        let seen = all.iter().filter(|shape| is_seen(shape, &all) && !level(shape));
        seen.map(|shape| self.part(shape)).filter(|part| part.opacity > 0.02).collect()
    }

    fn part(&mut self, shape: &Drawn) -> Part {
        let (color, opacity) = match shape.color {
            Some([r, g, b, opacity]) => (V::new(linear(r), linear(g), linear(b)), opacity),
            None => (of_hex(shape.body.map_or(WORLD_COLOR, |b| PALETTE[b % PALETTE.len()])), 1.0),
        };
        let surface = self.number(&shape.geometry);
        Part { surface, body: shape.body, X_BG: shape.X_BG, color, opacity, texture: shape.texture.clone() }
    }

    fn number(&mut self, geometry: &Geometry) -> usize {
        let key = match geometry {
            Geometry::ConvexMesh(mesh) => format!("hull {:p}", Arc::as_ptr(mesh)),
            Geometry::TriangleMesh(mesh) => format!("mesh {:p}", Arc::as_ptr(mesh)),
            Geometry::HeightField(field) => format!("terrain {:p}", Arc::as_ptr(field)),
            simple => format!("{simple:?}"),
        };
        let next = self.all.len();
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            self.all.push(Arc::new(Triangles::of(geometry, self.round)));
        }
        at
    }
}

/// sRGB to linear light.
pub(crate) fn linear(c: f32) -> f32 {
    let c = c.clamp(0.0, 1.0);
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

pub(crate) fn of_hex(rgb: u32) -> V {
    let part = |shift: u32| linear((rgb >> shift & 255) as f32 / 255.0);
    V::new(part(16), part(8), part(0))
}
