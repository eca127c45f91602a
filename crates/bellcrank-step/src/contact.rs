//! Contacts as a user sees them.

use bellcrank_collide::tangents;
use bellcrank_math::Vec3;
use bellcrank_model::{BodyId, ShapeId};

/// Where two shapes touch or nearly do, and how hard they pushed in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// The shape that does not move, if there is such.
    pub shape_a: ShapeId,
    /// The other.
    pub shape_b: ShapeId,
    /// `None` for the world.
    pub body_a: Option<BodyId>,
    /// The body that `force` acts on.
    pub body_b: BodyId,
    /// In the world [m], on the surface of b.
    pub point: Vec3,
    /// Unit vector from a to b.
    pub normal: Vec3,
    /// Penetration [m]; negative where there is still a gap.
    pub depth: f64,
    /// On b, world axes [N]: the mean over the last step.
    pub force: Vec3,
    /// Of torsional and rolling friction, on b, world axes [N·m].
    pub moment: Vec3,
}

/// The world-axes force and moment of impulses (t, o, n; about n, t, o).
pub fn impulse_vectors(normal: Vec3, impulse: [f64; 6]) -> (Vec3, Vec3) {
    let (t, o) = tangents(normal);
    let force = t * impulse[0] + o * impulse[1] + normal * impulse[2];
    (force, normal * impulse[3] + t * impulse[4] + o * impulse[5])
}
