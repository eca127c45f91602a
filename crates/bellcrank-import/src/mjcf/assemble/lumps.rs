//! Which bodies of the file become bodies of the model, and which are part of another.
//!
//! A body without joints is welded to its parent. It becomes part of it when it has no mass of its own, when the
//! parent would have none, or when the caller wants welded bodies merged ([`FixedJoints::Merge`]). What is welded to
//! the world and has a mass stays a body on a fixed joint, so that no mass is lost. What is placed from outside (mocap) does so, too, and
//! gets a mass if it has none.

use crate::FixedJoints;
use crate::mjcf::bodies::spec::Spec;
use crate::solid::Solid;
use bellcrank_math::{Pose, Sym3, Vec3};

/// For each body of the file, the body that it is part of (itself, or one above it; 0 is the world).
pub(in crate::mjcf) struct Lumps {
    pub head: Vec<usize>,
    /// The body's frame in its head's.
    pub X_HL: Vec<Pose>,
    /// Each head with all its parts, in the head's frame.
    pub solid: Vec<Solid>,
    /// Of each head with all its parts: weight that is carried from outside, in units of mass [kg].
    pub carried: Vec<f64>,
}

impl Lumps {
    pub fn of(spec: &Spec, fixed_joints: FixedJoints) -> Self {
        let count = spec.bodies.len();
        let mut lumps = Lumps {
            head: (0..count).collect(),
            X_HL: vec![Pose::identity(); count],
            solid: spec.bodies.iter().map(|body| body.solid).collect(),
            carried: spec.bodies.iter().map(|body| body.solid.mass * body.gravity_compensation).collect(),
        };
        for (b, body) in spec.bodies.iter().enumerate().skip(1) {
            if body.mocap {
                // it is where it is told to be, whatever it weighs, but something must be there to be held
                if !is_rigid(lumps.solid[b]) {
                    lumps.solid[b] =
                        Solid { mass: 1.0, com: Vec3::zero(), inertia: Sym3::diagonal(0.1, 0.1, 0.1) };
                }
            } else if body.joints.is_empty() {
                lumps.weld(b, body.parent, body.X_PL, fixed_joints);
            }
        }
        lumps
    }

    fn weld(&mut self, b: usize, parent: usize, X_PL: Pose, fixed_joints: FixedJoints) {
        let head = self.head[parent];
        let needed = head != 0 && !is_rigid(self.solid[head]);
        let wanted = head != 0 && fixed_joints == FixedJoints::Merge;
        if !is_rigid(self.solid[b]) || needed || wanted {
            let X_HL = self.X_HL[parent] * X_PL;
            (self.head[b], self.X_HL[b]) = (head, X_HL);
            if head != 0 {
                self.carried[head] += self.carried[b];
                self.solid[head] = self.solid[head].joined(self.solid[b].transformed(X_HL));
            }
        }
    }

    /// Share of a head's weight that is carried from outside.
    pub fn gravity_compensation(&self, head: usize) -> f64 {
        let share = self.carried[head] / self.solid[head].mass;
        if share.is_finite() { share } else { 0.0 }
    }

    /// Whether it is a body of its own.
    pub fn is_head(&self, b: usize) -> bool {
        self.head[b] == b && b != 0
    }
}

/// Has a mass and resists turning about every axis.
fn is_rigid(solid: Solid) -> bool {
    solid.mass > 0.0 && solid.inertia.eigen().0[0] > 0.0
}
