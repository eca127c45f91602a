//! The step of a mechanism that only joints, springs, dampers and motors act on, stage by stage.
//!
//! Every stage is a function of `bellcrank-step` that goes over all bodies and all joints. [`run`] calls it; whether for the whole
//! mechanism, to know what is right, or for one body or joint of it, to record what is done to one, is up to what it is given. The order is
//! that of `bellcrank_step::step::step` with two rounds of closing joints.

use super::world::World;
use bellcrank_math::{Mask, Real};
use bellcrank_step::layout::Layout;
use bellcrank_step::rows;
use bellcrank_step::settings::Settings;
use bellcrank_step::step::{self, balance, motion, scene::Scene};

/// A part of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// J, c(q)/Δt
    JointRows,
    /// λ = h − m q̇⁺
    DriveRows,
    /// M, Δt f
    Impulses,
    /// H = M + Jᵀ S⁻¹ J
    AddRows,
    /// Δt f + Jᵀ (…)
    FirstImpulses,
    /// H = L Lᵀ, x ← H⁻¹ x
    FactorAndSolve,
    /// Δu ← x
    TakeFirst,
    /// No joint is open yet.
    ClearGap,
    /// c(q ⊕ Δt u)
    EndGap,
    /// What Newton's law misses.
    Missing,
    /// x ← H⁻¹ x
    Solve,
    /// Δu += x
    AddCorrection,
    /// λ of held rows.
    Follow,
    /// What Newton's law misses with all reactions.
    Unbalanced,
    /// Newton's law has the last word.
    AddMissing,
    /// The new state.
    Finish,
    /// q
    ReadCoordinates,
    /// The forces of joints, with which the next step begins.
    Store,
}

/// All of them, in order.
pub const STEP: [Stage; 22] = [
    Stage::JointRows,
    Stage::DriveRows,
    Stage::Impulses,
    Stage::AddRows,
    Stage::FirstImpulses,
    Stage::FactorAndSolve,
    Stage::TakeFirst,
    Stage::ClearGap,
    Stage::EndGap,
    Stage::Missing,
    Stage::Solve,
    Stage::AddCorrection,
    Stage::Follow,
    Stage::Unbalanced,
    Stage::AddMissing,
    Stage::ClearGap,
    Stage::EndGap,
    Stage::Follow,
    Stage::Store,
    Stage::Finish,
    Stage::ReadCoordinates,
    Stage::ClearGap,
];

/// Does a stage for what the layout and the world have.
pub fn run<R: Real>(stage: Stage, layout: &Layout, settings: &Settings, world: &mut World<R>) {
    let World { state, control, constants, ws, dt, gap } = world;
    let all = R::Mask::splat(true);
    let times = settings.integrator.times(*dt, *dt * state.interval);
    let scene = Scene { layout, constants, settings, times, lanes: all };
    match stage {
        Stage::JointRows => {
            rows::joint_rows(layout, constants, state, scene.held(), ws);
        }
        Stage::DriveRows => rows::drives::drive_rows(layout, constants, state, control, times, ws),
        Stage::Impulses => motion::impulses(&scene, state, control, ws),
        Stage::AddRows => rows::add_joints(layout, ws),
        Stage::FirstImpulses => balance::first_impulses(&scene, state, ws),
        Stage::FactorAndSolve => ws.factor.factor_and_solve(&layout.pattern, &mut ws.x),
        Stage::TakeFirst => balance::take_first(ws),
        Stage::ClearGap => *gap = [R::zero(); 2],
        Stage::EndGap => {
            motion::end_poses(layout, state, times.drift, ws);
            let (metres, radians) = rows::gaps(layout, constants, state, scene.held(), ws);
            *gap = [gap[0].max(metres), gap[1].max(radians)];
        }
        Stage::Missing => balance::missing_impulses(&scene, all, ws),
        Stage::Solve => ws.factor.solve(&layout.pattern, &mut ws.x),
        Stage::AddCorrection => balance::add_correction(true, all, ws),
        Stage::Follow => balance::follow(layout, all, ws),
        Stage::Unbalanced => {
            balance::unbalanced(layout, constants, times.turn(), ws);
        }
        Stage::AddMissing => {
            for b in 0..layout.position.len() {
                motion::add_missing(layout, constants, all, times.turn(), b, ws);
            }
        }
        Stage::Store => balance::store(&scene, all, all, state, ws),
        Stage::Finish => {
            let mut report = step::blank_report(ws);
            step::finish(&scene, false, all, state, ws, &mut report);
            state.interval = R::one();
        }
        Stage::ReadCoordinates => rows::read_coordinates(layout, constants, state),
    }
}

impl Stage {
    /// Whether something is done to each body.
    pub fn has_bodies(self) -> bool {
        use Stage::*;
        matches!(
            self,
            Impulses
                | FirstImpulses
                | TakeFirst
                | EndGap
                | Missing
                | AddCorrection
                | Follow
                | Unbalanced
                | AddMissing
                | Finish
        )
    }

    /// Whether something is done to each joint.
    pub fn has_joints(self) -> bool {
        use Stage::*;
        matches!(
            self,
            JointRows
                | DriveRows
                | Impulses
                | AddRows
                | FirstImpulses
                | EndGap
                | Missing
                | Follow
                | Unbalanced
                | ReadCoordinates
                | Store
        )
    }

    /// Whether joints come before bodies.
    pub fn joints_first(self) -> bool {
        matches!(self, Stage::Follow)
    }
}
