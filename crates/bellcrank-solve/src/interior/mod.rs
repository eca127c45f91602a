//! The interior point: Newton on equations of motion, joints, contacts and friction together, all at the end of the
//! step, with products relaxed to κ. Contacts are eliminated in closed form, so that six unknowns per body remain.
//!
//! | file | what |
//! |---|---|
//! | `slack_pair` `cone` | slack and multiplier of what pushes and of what rubs: their part of a Newton step in closed form |
//! | `scaling` | Nesterov and Todd's scaling of what rubs |
//! | `pyramid` `friction` | the linear law of friction, and either law |
//! | `iteration` | predictor, corrector, line search, centring |
//! | `centre` | Newton on the central path, where cones are not in the way |
//! | `lu` | the unsymmetric factor on the pattern of the joint graph |

mod centre;
mod cone;
mod friction;
mod iteration;
mod lu;
mod pyramid;
mod scaling;
mod slack_pair;

pub use cone::{Aim, Directions, FrictionLinearization, MOST_DIRECTIONS, RoundFriction, none_acts};
pub use friction::Friction;
pub use iteration::{FrictionCone, InteriorPoint, Newton, Smoothing, Solution, Start, Violation};
pub use lu::BlockLu;
pub use pyramid::Pyramid;
pub use slack_pair::SlackPair;
