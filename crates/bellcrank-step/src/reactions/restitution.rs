//! Who is hit hits the next: bounces that follow each other within one step.
//!
//! A contact that comes together within the step leaves with e times its approach. In a row of balls with gaps of a tenth of a
//! millimetre only the first pair approaches when the step begins, but the second one will as soon as that has bounced. If it
//! merely held then, the momentum would be shared out over all of them as in one soft lump.
//!
//! So impacts come in waves. All contacts that approach now and meet within the step bounce together, v⁺ ≥ −e v⁻ ⟂ impulse ≥ 0;
//! those that approach by that are the next wave, and so on until none is left. What each contact that was hit ends with is
//! the velocity that the step's reactions must give it: v ≥ v_end instead of v ≥ −e v⁻. Only normals take part here; friction,
//! gravity and whatever rests come with the reactions. Where one wave is all there is, nothing changes.

use crate::reactions::per_world::{WorldRows, lanes_of};
use crate::settings::Settings;
use crate::workspace::{ConeRows, ConeSource};
use bellcrank_math::{Elem, Mask, Real, kernel};

/// Waves at most: light balls between heavy ones rattle. What is not over by then is left as one wave.
const WAVES: usize = 256;
/// Sweeps over the contacts of a wave at most: one that stands alone needs one, corners of a box some ten.
const SWEEPS: usize = 200;

/// A contact that can bounce.
#[derive(Clone, Copy, Debug)]
pub struct Impact<E> {
    group: usize,
    /// Its normal among the rows of its world.
    row: usize,
    restitution: E,
    /// Slower than this it does not meet within the step [m/s]; nothing once it has met.
    room: E,
    velocity: E,
    /// What the wave makes of it, where it is part of one, and with which impulse [N·s].
    target: E,
    push: E,
    is_hit: bool,
    was_hit: bool,
}

/// Tells contacts that are hit in later waves how to leave.
#[kernel]
pub fn pass_on<R: Real>(settings: &Settings, drift: R, cones: &mut ConeRows<R>) {
    let none = R::Mask::splat(false);
    let (mut one, mut several, mut bounces) = (none, none, none);
    for (g, demand) in cones.demands.iter().enumerate() {
        let can = R::zero().lt(demand.restitution);
        several = several | (one & can);
        one = one | can;
        bounces = bounces
            | (can
                & demand.before.lt(R::constant(-settings.bounce_speed))
                & demand.before.mul_add(drift, cones.gap[g]).lt(R::zero()));
    }
    let lanes = several & bounces & cones.lanes & !cones.sticking.lanes();
    for lane in lanes_of(lanes) {
        list(lane, drift.lane(lane), cones);
        let WorldRows { problem, impacts, .. } = &mut cones.worlds[lane];
        let speed = R::Elem::from_f64(settings.bounce_speed);
        let waves = rattle(speed, |i, j| problem.get(i, j), impacts);
        if waves.is_some_and(|waves| waves > 1) {
            tell(lane, cones);
        }
    }
}

/// Lists the contacts of a world that can bounce.
#[inline(always)]
fn list<R: Real>(lane: usize, drift: R::Elem, cones: &mut ConeRows<R>) {
    let ConeRows { groups, demands, gap, worlds, places, .. } = cones;
    let (impacts, zero) = (&mut worlds[lane].impacts, R::Elem::zero());
    impacts.clear();
    for (g, group) in groups.iter().enumerate() {
        let restitution = demands[g].restitution.lane(lane);
        if let ConeSource::Contact(_) = group.source
            && restitution > zero
        {
            impacts.push(Impact {
                group: g,
                row: places[g][lane] as usize + group.rows - 1,
                restitution,
                room: gap[g].lane(lane).max(zero) / drift,
                velocity: demands[g].before.lane(lane),
                target: zero,
                push: zero,
                is_hit: false,
                was_hit: false,
            });
        }
    }
}

/// Runs through the waves; says how many there were, if they came to an end.
#[inline(always)]
fn rattle<E: Elem>(slow: E, matrix: impl Fn(usize, usize) -> E, impacts: &mut [Impact<E>]) -> Option<usize> {
    let zero = E::zero();
    for wave in 0..WAVES {
        let mut any = false;
        for own in impacts.iter_mut() {
            own.is_hit = -own.velocity > slow && -own.velocity > own.room && matrix(own.row, own.row) > zero;
            if own.is_hit {
                (own.target, own.push, own.room) = (-(own.restitution * own.velocity), zero, zero);
                own.was_hit = true;
                any = true;
            }
        }
        if !any {
            return Some(wave);
        }
        bounce(&matrix, impacts);
    }
    None
}

/// One wave: v ≥ target ⟂ push ≥ 0 for all that are hit, contact after contact.
#[inline(always)]
fn bounce<E: Elem>(matrix: &impl Fn(usize, usize) -> E, impacts: &mut [Impact<E>]) {
    for _ in 0..SWEEPS {
        let (mut change, mut fastest) = (E::zero(), E::zero());
        for i in 0..impacts.len() {
            let own = impacts[i];
            if !own.is_hit {
                continue;
            }
            let mobility = matrix(own.row, own.row);
            let push = (own.push + (own.target - own.velocity) / mobility).max(E::zero());
            let more = push - own.push;
            impacts[i].push = push;
            for other in impacts.iter_mut() {
                other.velocity = matrix(other.row, own.row).mul_add(more, other.velocity);
            }
            change = change.max((more * mobility).abs());
            fastest = fastest.max(own.target);
        }
        if change <= E::EPSILON * E::from_f64(4.0) * fastest {
            break;
        }
    }
}

/// Writes what contacts that were hit end with into their bias.
#[inline(always)]
fn tell<R: Real>(lane: usize, cones: &mut ConeRows<R>) {
    let ConeRows { groups, demands, bias, velocity, worlds, .. } = cones;
    for own in worlds[lane].impacts.iter().filter(|own| own.was_hit) {
        let normal = groups[own.group].first_row + groups[own.group].rows - 1;
        let (old, new) = (bias[normal].lane(lane), -own.velocity.max(R::Elem::zero()));
        bias[normal].set_lane(lane, new);
        let recovery = &mut demands[own.group].recovery; // who bounces does not also ask to get out
        recovery.set_lane(lane, R::Elem::zero());
        let sum = velocity[normal].lane(lane) + (new - old);
        velocity[normal].set_lane(lane, sum);
    }
}
