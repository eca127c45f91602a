//! The cost of [ComFree] Eq. (15).

use super::scene::Hand;
use crate::{ControlError, Sum, Term};
use bellcrank_model::Model;

/// ω and φ of [ComFree] Eq. (15). The paper tunes them by object and does not tell them; these are ours, one set for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// ω₁ of 1 − (q*·q)².
    pub orientation: f64,
    /// ω₂ to ω₄ of the absolute errors of position [1/m].
    pub position: [f64; 3],
    /// ω₅ of the squared distances of the fingertips from the centre [1/m²].
    pub contact: f64,
    /// ω₆ of the squared distance from the home posture [1/rad²].
    pub posture: f64,
    /// Ω
    pub fallen: f64,
    /// φ₁ of the squared error of position at the end [1/m²].
    pub final_position: f64,
    /// φ₂ of 1 − (q*·q)² at the end.
    pub final_orientation: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            orientation: 1.0,
            position: [10.0, 10.0, 10.0],
            contact: 2.0,
            posture: 0.01,
            fallen: 10.0,
            final_position: 1000.0,
            final_orientation: 40.0,
        }
    }
}

impl Weights {
    /// The cost of bringing the held object to a position [m] and orientation (w, x, y, z).
    ///
    /// # Errors
    /// When the model lacks a part that the hand names.
    pub fn cost(
        &self,
        hand: &Hand,
        model: &Model,
        (position, quat_wxyz): ([f64; 3], [f64; 4]),
    ) -> Result<Sum, ControlError> {
        let body = Hand::object(model)?;
        let (coordinates, target) = home(hand, model);
        let orientation = |weight| Term::Orientation { body, target_wxyz: quat_wxyz, weight };
        let cost = Sum {
            running: vec![
                orientation(self.orientation),
                Term::Position { body, target: position, weight: self.position },
                Term::Contact { body, points: hand.points(model)?, weight: self.contact },
                Term::Posture { coordinates, target, weight: self.posture },
                Term::Fallen { body, height: hand.fallen, weight: self.fallen },
            ],
            terminal: vec![
                Term::PositionSquared { body, target: position, weight: self.final_position },
                orientation(self.final_orientation),
            ],
        };
        cost.check(model)?;
        Ok(cost)
    }
}

/// The coordinates that motors move, and where they are at home.
fn home(hand: &Hand, model: &Model) -> (Vec<usize>, Vec<f64>) {
    let mut first = 0;
    let mut list = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        let driven = model.actuators().iter().any(|motor| motor.drives(j, 0));
        if driven {
            let named = hand.home.iter().find(|(name, _)| *name == joint.name);
            list.push((first, named.map_or(0.0, |(_, q)| *q)));
        }
        first += joint.kind.coordinate_count();
    }
    list.into_iter().unzip()
}
