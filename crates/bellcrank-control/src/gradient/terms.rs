//! Slopes of the terms that ship.

use super::smooth::{Along, At, Slopes, SmoothCost};
use crate::{CostError, Sum, Term};
use bellcrank_math::{Quat, Vec3};

/// Absolute values are rounded off within this distance of zero [m]; costs keep their corner.
const ROUND: f64 = 1e-3;

impl SmoothCost for Sum {
    fn slopes(&self, at: &At<'_>, slopes: &mut dyn Slopes) -> Result<(), CostError> {
        self.running.iter().try_for_each(|term| term.slopes(at, slopes))?;
        let end = if at.last() { &self.terminal[..] } else { &[] };
        end.iter().try_for_each(|term| term.slopes(at, slopes))
    }
}

fn axes(body: usize, along: fn(usize, usize) -> Along, row: Vec3) -> [(Along, f64); 3] {
    let row = row.to_array();
    core::array::from_fn(|k| (along(body, k), row[k]))
}

fn axis(k: usize) -> Vec3 {
    Vec3::from_array(core::array::from_fn(|i| if i == k { 1.0 } else { 0.0 }))
}

impl Term {
    fn slopes(&self, at: &At<'_>, slopes: &mut dyn Slopes) -> Result<(), CostError> {
        match self {
            Term::Position { body, target, weight } => {
                let p = at.position(*body).to_array();
                (0..3).try_for_each(|k| {
                    // w (√(r² + ε²) − ε)
                    let (r, w) = (p[k] - target[k], weight[k]);
                    let size = r.hypot(ROUND);
                    slopes.add(w * r / size, w / size, &[(Along::Position(*body, k), 1.0)])
                })
            }
            Term::PositionSquared { body, target, weight } => {
                let p = at.position(*body).to_array();
                (0..3).try_for_each(|k| {
                    slopes.square(*weight, p[k] - target[k], &[(Along::Position(*body, k), 1.0)])
                })
            }
            Term::Orientation { body, target_wxyz, weight } => {
                // 1 − (q*·q)² = |v|², v the vector part of q q*⁻¹, δv = ½ (w δθ + δθ × v)
                let left = at.rotation(*body) * Quat::from_wxyz(*target_wxyz).inverse();
                let v = left.vector();
                (0..3).try_for_each(|k| {
                    let row = (axis(k) * left.w + v.cross(axis(k))) * 0.5;
                    slopes.square(*weight, v.to_array()[k], &axes(*body, Along::Rotation, row))
                })
            }
            Term::Velocity { body, target, weight } => {
                let V = at.velocity(*body);
                (0..6).try_for_each(|k| {
                    let along = if k < 3 { Along::Velocity(*body, k) } else { Along::Spin(*body, k - 3) };
                    slopes.square(weight[k], V[k] - target[k], &[(along, 1.0)])
                })
            }
            Term::Posture { coordinates, target, weight } => {
                coordinates.iter().zip(target).try_for_each(|(k, target)| {
                    slopes.square(*weight, at.coordinates[*k] - target, &[(Along::Coordinate(*k), 1.0)])
                })
            }
            Term::JointRate { dofs, weight } => {
                dofs.iter().try_for_each(|k| slopes.square(*weight, at.rates[*k], &[(Along::Rate(*k), 1.0)]))
            }
            Term::Control { rest, weight } => rest.iter().enumerate().try_for_each(|(a, rest)| {
                slopes.square(*weight, at.control[a] - rest, &[(Along::Control(a), 1.0)])
            }),
            Term::Contact { body, points, weight } => points.iter().try_for_each(|near| {
                let arm = at.rotation(near.body).rotate(near.point);
                let r = at.position(near.body) + arm - at.position(*body);
                (0..3).try_for_each(|k| {
                    // δ(R p) = δθ × R p
                    let turned = axes(near.body, Along::Rotation, arm.cross(axis(k)));
                    let row = [(Along::Position(near.body, k), 1.0), (Along::Position(*body, k), -1.0)];
                    slopes.square(*weight, r.to_array()[k], &[&row[..], &turned[..]].concat())
                })
            }),
            Term::Fallen { .. } => Ok(()), // a step has no slope
        }
    }
}
