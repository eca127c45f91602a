//! Which world is which: the different models, and each world's place among those of its own.

use crate::fields::different;
use bellcrank::model::Model;
use bellcrank::sim::{Batch, Parameter};
use std::sync::Arc;

/// Which world is which of its model's.
pub struct Worlds {
    models: Vec<Arc<Model>>,
    /// By world: number of the model, and of the world among that model's.
    place: Vec<(usize, usize)>,
}

impl Worlds {
    pub fn of(worlds: &[Arc<Model>]) -> Self {
        let models = different(worlds);
        let mut count = vec![0; models.len()];
        let find =
            |model: &Arc<Model>| models.iter().position(|known| Arc::ptr_eq(known, model)).unwrap_or(0);
        let place = worlds.iter().map(|model| {
            let m = find(model);
            count[m] += 1;
            (m, count[m] - 1)
        });
        Worlds { place: place.collect(), models: models.clone() }
    }

    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// Number of a world's model, and of the world among that model's.
    pub fn place(&self, world: usize) -> (usize, usize) {
        self.place[world]
    }

    /// Whether shapes or centres of mass may differ between worlds of a model.
    pub fn solids_differ(&self, batch: &Batch, m: usize) -> bool {
        [Parameter::BodyCom, Parameter::Friction]
            .into_iter()
            .any(|parameter| batch.worlds_differ(m, parameter))
    }
}
