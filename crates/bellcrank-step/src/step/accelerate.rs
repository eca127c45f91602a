//! Closing joints faster: Anderson's method with one step of memory.
//!
//! Rounds correct the end of a step with the rows of its start, so that what is open shrinks by about the angle that
//! joints turn in the step: slowly, or not at all, where a chain whips. Two rounds tell how the gap follows the
//! correction: with x = (Δu, λ) and f = S⁻¹ c(q⁺)/Δt, the point x − γ (x − x′) with
//! γ = ⟨f, f − f′⟩/⟨f − f′, f − f′⟩ has the smallest gap on the line through both, and the next correction starts there
//! ([Walker & Ni 2011], m = 1). Newton's law is linear in (Δu, λ), so every point of the line obeys it.

use crate::layout::Layout;
use crate::workspace::Workspace;
use bellcrank_math::{Real, kernel};

/// The last round: Δu, what of it was fresh, reactions of held rows, and what would have closed them.
#[derive(Clone, Debug)]
pub struct LastRound<R> {
    pub du: Vec<[R; 6]>,
    pub fresh: Vec<[R; 6]>,
    pub reaction: Vec<[R; 6]>,
    pub closing: Vec<[R; 6]>,
    coupling_reaction: Vec<R>,
    coupling_closing: Vec<R>,
}

impl<R: Real> LastRound<R> {
    pub fn new(layout: &Layout) -> Self {
        let (zero, bodies, joints) = ([R::zero(); 6], layout.position.len(), layout.joints.len());
        LastRound {
            du: vec![zero; bodies],
            fresh: vec![zero; bodies],
            reaction: vec![zero; joints],
            closing: vec![zero; joints],
            coupling_reaction: vec![R::zero(); layout.couplings.len()],
            coupling_closing: vec![R::zero(); layout.couplings.len()],
        }
    }
}

/// Extrapolation is no further than this: beyond, the two rounds say nothing.
const FARTHEST: f64 = 5.0;

/// Moves the lanes to the best point between this round and the last, if there was one, and remembers this round.
#[kernel]
pub fn accelerate<R: Real>(layout: &Layout, has_last: bool, lanes: R::Mask, ws: &mut Workspace<R>) {
    // what earlier steps left here is nobody's business
    let gamma = if has_last { Some(R::select(lanes, weight(layout, ws), R::zero())) } else { None };
    move_by(gamma, ws);
}

/// Moves Δu and reactions by γ, if there is one, and remembers them.
#[inline(always)]
pub fn move_by<R: Real>(gamma: Option<R>, ws: &mut Workspace<R>) {
    let last = &mut ws.last_round;
    blend(gamma, ws.du.iter_mut().flatten().zip(last.du.iter_mut().flatten()));
    blend(gamma, ws.fresh.iter_mut().flatten().zip(last.fresh.iter_mut().flatten()));
    blend(gamma, ws.reaction.iter_mut().flatten().zip(last.reaction.iter_mut().flatten()));
    blend(gamma, ws.closing.iter_mut().flatten().zip(last.closing.iter_mut().flatten()));
    blend(gamma, ws.coupling_reaction.iter_mut().zip(&mut last.coupling_reaction));
    blend(gamma, ws.coupling_closing.iter_mut().zip(&mut last.coupling_closing));
    for (u, (start, du)) in ws.u.iter_mut().zip(ws.u_start.iter().zip(&ws.du)) {
        for k in 0..6 {
            u[k] = start[k] + du[k];
        }
    }
}

/// x ← x − γ (x − x′), x′ ← x.
#[inline(always)]
fn blend<'a, R: Real>(gamma: Option<R>, pairs: impl Iterator<Item = (&'a mut R, &'a mut R)>) {
    for (now, last) in pairs {
        let own = *now;
        if let Some(gamma) = gamma {
            *now = gamma.neg_mul_add(own - *last, own);
        }
        *last = own;
    }
}

/// γ, in the metric S of the rows.
#[inline(always)]
fn weight<R: Real>(layout: &Layout, ws: &Workspace<R>) -> R {
    weight_of(add_weights(layout, [R::zero(); 2], ws))
}

/// ⟨f, f − f′⟩ and ⟨f − f′, f − f′⟩ of some joints, added to those of others.
#[inline(always)]
pub fn add_weights<R: Real>(layout: &Layout, [mut along, mut length]: [R; 2], ws: &Workspace<R>) -> [R; 2] {
    for (j, joint) in layout.joints.iter().enumerate() {
        for i in 0..joint.kind.row_count() {
            let (f, weight) = (ws.closing[j][i], ws.joints[j].weight[i]);
            let some = R::zero().lt(weight);
            let change = (f - ws.last_round.closing[j][i]) * R::select(some, R::one(), R::zero())
                / R::select(some, weight, R::one());
            along = f.mul_add(change, along);
            length = (f - ws.last_round.closing[j][i]).mul_add(change, length);
        }
    }
    [along, length]
}

/// γ from both.
#[inline(always)]
pub fn weight_of<R: Real>([along, length]: [R; 2]) -> R {
    let some = R::zero().lt(length);
    let gamma = along / R::select(some, length, R::one());
    let far = R::constant(FARTHEST);
    R::select(some, gamma.clamp(-far, far), R::zero())
}
