//! What there is to see, told once: models with their shapes, joints and motors, and where each world stands.
//!
//! The field names are those of the page (`web/src/`) and of docs/reference/recording.md.

mod camera;
mod drawn;
mod extent;
mod geometry;
mod model;
mod picture;
mod place;
mod stand_in;

pub use drawn::{Drawn, drawn, is_seen};
pub use model::ModelView;
pub use picture::png;

use crate::error::ViewError;
use crate::frame::TRACES;
use bellcrank_math::Pose;
use bellcrank_model::Model;
use bellcrank_sim::Batch;
use geometry::MeshTable;
use picture::PictureTable;
use serde::Serialize;
use std::sync::Arc;

/// A pose as the page reads it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct PoseView {
    /// Position [m].
    p: [f64; 3],
    /// Rotation.
    quat_wxyz: [f64; 4],
}

impl From<Pose> for PoseView {
    fn from(X: Pose) -> Self {
        PoseView { p: X.p.to_array(), quat_wxyz: X.R.to_wxyz() }
    }
}

/// A shown world.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WorldView {
    /// Number in the batch.
    pub index: usize,
    /// Number in [`Scene::models`].
    pub model: usize,
    /// Where the page puts its origin [m].
    pub offset: [f64; 3],
}

/// What there is to see.
#[derive(Clone, Debug, Serialize)]
pub struct Scene {
    /// Shown above the picture.
    pub title: String,
    /// Step [s].
    pub dt: f64,
    /// Height of the floor [m].
    pub floor: f64,
    /// Names of the figures per world in a frame.
    pub traces: [&'static str; TRACES.len()],
    /// All worlds of the batch, shown or not.
    pub world_count: usize,
    pub(crate) models: Vec<ModelView>,
    pub(crate) worlds: Vec<WorldView>,
    pub(crate) meshes: Vec<geometry::MeshView>,
    pub(crate) pictures: PictureTable,
}

impl Scene {
    /// The scene of these worlds of a batch.
    ///
    /// # Errors
    /// When no world is listed, or one does not exist.
    pub fn of(batch: &Batch, worlds: &[usize]) -> Result<Self, ViewError> {
        if worlds.is_empty() {
            return Err(ViewError::NothingToShow);
        }
        let mut models: Vec<Arc<Model>> = Vec::new();
        let mut which = Vec::with_capacity(worlds.len());
        for &world in worlds {
            let model = batch.model(world)?;
            let known = models.iter().position(|other| Arc::ptr_eq(other, model));
            which.push(known.unwrap_or_else(|| {
                models.push(model.clone());
                models.len() - 1
            }));
        }
        let (mut meshes, mut pictures) = (MeshTable::default(), PictureTable::default());
        let views: Vec<ModelView> =
            models.iter().map(|model| ModelView::of(model, &mut meshes, &mut pictures)).collect();
        let (floor, offsets) = place::place_worlds(&views, &which);
        let names: Vec<&str> = models.iter().map(|model| model.name()).collect();
        Ok(Scene {
            title: names.join(" · "),
            dt: batch.dt(),
            floor,
            traces: TRACES,
            world_count: batch.worlds(),
            models: views,
            worlds: worlds
                .iter()
                .zip(which)
                .zip(offsets)
                .map(|((&index, model), offset)| WorldView { index, model, offset })
                .collect(),
            meshes: meshes.finish(),
            pictures,
        })
    }

    /// The numbers of the shown worlds in the batch.
    pub fn worlds(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.worlds.iter().map(|world| world.index)
    }

    /// The box that holds a shown world's model at its reference pose, where it stands: its lowest and highest corner [m].
    pub fn bounds(&self, place: usize) -> [[f64; 3]; 2] {
        let world = &self.worlds[place];
        let extent = &self.models[world.model].extent;
        let moved = |corner: [f64; 3]| [0, 1, 2].map(|k| corner[k] + world.offset[k]);
        [moved(extent.low), moved(extent.high)]
    }

    /// Where a shown world's origin stands [m].
    pub fn offset(&self, place: usize) -> [f64; 3] {
        self.worlds[place].offset
    }

    /// The largest model's size [m], at least a millimetre.
    pub fn size(&self) -> f64 {
        self.models.iter().map(|model| model.extent.size()).fold(1e-3, f64::max)
    }

    /// The heaviest model's weight [N], at 9.81 m/s².
    pub fn weight(&self) -> f64 {
        self.models.iter().map(|model| model.mass * 9.81).fold(1e-6, f64::max)
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::library;
    use bellcrank_sim::BatchOptions;

    fn batch(names: &[&str]) -> Batch {
        let build = |name: &&str| Arc::new(library::by_name(name).expect("shipped").build().expect("sound"));
        let models: Vec<_> = names.iter().map(build).collect();
        Batch::of(&models, BatchOptions::default()).expect("a batch")
    }

    #[test]
    fn every_shipped_mechanism_has_a_scene_of_finite_numbers() {
        for name in library::names() {
            let scene = Scene::of(&batch(&[name]), &[0]).expect("a scene");
            let text = scene.to_json();
            // serde writes null for what is not finite; only limits may be open
            let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert!(value["floor"].is_number(), "{name}");
            for shape in value["models"][0]["shapes"].as_array().expect("a list") {
                assert!(
                    shape["pose"]["p"].as_array().expect("three").iter().all(|x| x.is_number()),
                    "{name}"
                );
            }
            assert!(scene.size() > 0.01 && scene.size() < 100.0, "{name}: {}", scene.size());
        }
    }

    #[test]
    fn worlds_of_several_models_share_what_is_equal() {
        let batch = batch(&["four_bar", "pendulum"]);
        let scene = Scene::of(&batch, &[1, 0, 1]).expect("a scene");
        assert_eq!(scene.models.len(), 2);
        assert_eq!(scene.worlds.iter().map(|w| w.model).collect::<Vec<_>>(), [0, 1, 0]);
    }

    #[test]
    fn nothing_to_show_is_an_error() {
        assert!(matches!(Scene::of(&batch(&["box"]), &[]), Err(ViewError::NothingToShow)));
        assert!(matches!(Scene::of(&batch(&["box"]), &[1]), Err(ViewError::Batch(_))));
    }
}
