//! A hand with something in it.

use super::object::{OBJECT, Object};
use super::trial::TrialOptions;
use super::weights::Weights;
use crate::{ControlError, Near, Sum};
use bellcrank_math::Vec3;
use bellcrank_model::{Body, Faults, Model, ModelBuilder, library};
use std::sync::Arc;

/// A hand, palm up, and how it waits for an object.
#[derive(Clone, Debug)]
pub struct Hand {
    /// As reports name it.
    pub name: String,
    /// The hand alone.
    pub builder: ModelBuilder,
    /// Joints at the start and at home [rad]; those that are not named follow from them or stay.
    pub home: Vec<(String, f64)>,
    /// Bodies of the fingertips, and the tip in each link frame [m].
    pub tips: Vec<(String, Vec3)>,
    /// Where the lowest point of an object is put [m].
    pub rest: Vec3,
    /// An object whose centre is lower has fallen [m].
    pub fallen: f64,
    /// What turning an object costs with this hand.
    pub weights: Weights,
}

impl Hand {
    /// Ours, with fingers that bend through four-bars.
    pub fn linkage() -> Self {
        let tips =
            ["first", "middle", "ring", "thumb"].map(|f| (format!("{f}_far"), Vec3::new(0.0, 0.0, 0.04)));
        Hand {
            name: "linkage_hand".into(),
            builder: library::linkage_hand(),
            home: Vec::new(),
            tips: tips.to_vec(),
            rest: Vec3::new(0.0, 0.0, 0.001),
            fallen: 0.0,
            weights: Weights::default(),
        }
    }

    /// The Allegro hand as MJCF files of its right hand have it: joints `ffj0` to `thj3`, palm up, fingers along +x. Fingers do not touch
    /// one another, which keeps the plans quick.
    pub fn allegro(mut builder: ModelBuilder) -> Self {
        let fingers = ["ff", "mf", "rf", "th"];
        let links = ["base", "proximal", "medial", "distal"];
        let mut bodies = vec!["palm".to_owned()];
        bodies.extend(fingers.iter().flat_map(|f| links.map(|link| format!("{f}_{link}"))));
        for (k, a) in bodies.iter().enumerate() {
            bodies[..k].iter().for_each(|b| {
                builder.exclude(a.as_str(), b.as_str());
            });
        }
        let flexed = [0.0, 0.25, 1.6, 1.1];
        let thumb = [0.6, 0.55, 1.0, 1.15];
        let home = fingers.iter().flat_map(|f| {
            let angles = if *f == "th" { thumb } else { flexed };
            angles.into_iter().enumerate().map(move |(k, q)| (format!("{f}j{k}"), q))
        });
        let tip = |f: &&str| Vec3::new(0.0, 0.0, if *f == "th" { 0.043 } else { 0.029 });
        Hand {
            name: "allegro".into(),
            home: home.collect(),
            tips: fingers.iter().map(|f| (format!("{f}_distal"), tip(f))).collect(),
            builder,
            rest: Vec3::new(-0.022, 0.0, 0.0115),
            fallen: 0.0,
            weights: Weights::default(),
        }
    }

    /// The hand with an object, centre of mass over [`Hand::rest`].
    ///
    /// # Errors
    /// The faults of the model.
    pub fn holding(&self, object: Object) -> Result<Arc<Model>, Faults> {
        let mut b = self.builder.clone();
        object.add(&mut b, self.rest + Vec3::new(0.0, 0.0, object.height()));
        b.build().map(Arc::new)
    }

    /// The same as a planner sees it ([`Object::add_planned`]): other shapes, the same bodies, joints and motors.
    ///
    /// # Errors
    /// The faults of the model.
    pub fn planned(&self, object: Object) -> Result<Arc<Model>, Faults> {
        let mut b = self.builder.clone();
        object.add_planned(&mut b, self.rest + Vec3::new(0.0, 0.0, object.height()));
        b.build().map(Arc::new)
    }

    /// How trials with this hand go unless told otherwise.
    pub fn options(&self) -> TrialOptions {
        TrialOptions { weights: self.weights, ..TrialOptions::default() }
    }

    /// The fingertips as points of bodies.
    ///
    /// # Errors
    /// When the model lacks one of the bodies.
    pub fn points(&self, model: &Model) -> Result<Vec<Near>, ControlError> {
        let point = |(name, p_L): &(String, Vec3)| {
            let body = Sum::body(model, name)?;
            let com = |body: &Body| body.X_LB().p;
            Ok(Near { body, point: *p_L - com(&model.bodies()[body]) })
        };
        self.tips.iter().map(point).collect()
    }

    /// The number of the object's body.
    ///
    /// # Errors
    /// When there is none.
    pub fn object(model: &Model) -> Result<usize, ControlError> {
        Sum::body(model, OBJECT)
    }
}
