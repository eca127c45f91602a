//! The companion of a scene: the same mechanism in empty space, where Newton's laws say what must stay.
//!
//! Motors, contacts and the world push in most scenes, so that nobody knows what momentum and energy should be. The companion
//! starts in the same pose, without gravity, shapes, motors, springs, dampers, friction and limits, everything moving as one rigid body: momentum,
//! angular momentum and energy stay whatever its links then do.

use bellcrank::math::{Pose, Twist, Vec3};
use bellcrank::model::{Dof, Model, adrift_at};
use bellcrank::sim::Batch;
use bellcrank_cli::Error;
use std::sync::Arc;

/// Of the centre of mass [m/s], and about it [rad/s].
const THROW: (Vec3, Vec3) = (Vec3 { x: 0.8, y: -0.6, z: 0.0 }, Vec3 { x: 1.44, y: -1.8, z: 1.92 });
/// How long it is looked at [s].
pub const DURATION: f64 = 1.0;

/// The mechanism and the velocities with which it starts.
pub struct Companion {
    pub model: Arc<Model>,
    /// Of all bodies' centres of mass.
    pub twists: Vec<Twist>,
}

/// How fast a pile gathers: −k (p − c) [1/s]. Solids hit each other within half a second, slower than all of them rise.
const GATHER: f64 = 1.0;
/// Of a pile as a whole [m/s, rad/s]: away from the ground.
const RISE: (Vec3, Vec3) = (Vec3 { x: 0.0, y: 0.0, z: 1.0 }, Vec3 { x: 0.2, y: -0.3, z: 0.6 });

impl Companion {
    /// Of the first world of a scene, as it is now.
    pub fn of(scene: &Batch) -> Result<Companion, Error> {
        let model = scene.model(0).map_err(Error::Batch)?;
        let X_WB = (0..model.bodies().len()).map(|b| scene.body_pose(0, b).map_err(Error::Batch));
        let X_WL = X_WB
            .zip(model.bodies())
            .map(|(X_WB, body)| Ok(X_WB? * Pose::from_position(-body.com)))
            .collect::<Result<Vec<Pose>, Error>>()?;
        let free = |dof: &Dof| Dof { armature: dof.armature, turns: dof.turns, ..Dof::default() };
        let model = Arc::new(adrift_at(model, &X_WL, free).build().map_err(Error::Faults)?);
        let twists = twists(&model, THROW, 0.0);
        Ok(Companion { model, twists })
    }

    /// A pile whose solids rise from the ground and gather, to be computed without gravity: they hit each other and nothing else.
    pub fn of_pile(model: &Arc<Model>) -> Companion {
        Companion { model: model.clone(), twists: twists(model, RISE, GATHER) }
    }

    /// Gives the first world its velocities.
    pub fn throw(&self, batch: &mut Batch) -> Result<(), Error> {
        let mut each = self.twists.iter().enumerate();
        each.try_for_each(|(b, V)| batch.set_body_velocity(0, b, *V)).map_err(Error::Batch)
    }
}

/// v + ω × r − k r and ω for every body at its reference pose, where r is its place from the common centre of mass.
fn twists(model: &Model, (v, w): (Vec3, Vec3), gather: f64) -> Vec<Twist> {
    let places: Vec<Vec3> = model.bodies().iter().map(|body| body.X_WL * body.com).collect();
    let weighted = places.iter().zip(model.bodies()).map(|(p, body)| *p * (body.mass / model.mass()));
    let center = weighted.fold(Vec3::zero(), |sum, p| sum + p);
    let twist = |p: &Vec3| Twist::new(v + w.cross(*p - center) - (*p - center) * gather, w);
    places.iter().map(twist).collect()
}
