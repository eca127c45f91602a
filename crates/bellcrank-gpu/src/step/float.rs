//! Newton's third law for parts that float, one body at a time: see [`bellcrank_step::step::third_law`], whose functions these are.

use super::world::{Value, World};
use bellcrank_math::{Real, Sym3, Vec3, numbers};
use bellcrank_step::layout::Layout;
use bellcrank_step::step::third_law::{self, Whole};

/// What is summed over the bodies of a part.
#[derive(Clone, Copy, Debug)]
pub struct Floating<R> {
    mass: R,
    moment: Vec3<R>,
    center: Vec3<R>,
    inertia: Sym3<R>,
    momentum: Vec3<R>,
    spin: Vec3<R>,
    velocity: Vec3<R>,
    turn: Vec3<R>,
}

numbers!(Floating { mass, moment, center, inertia, momentum, spin, velocity, turn });

/// What is done, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Balance {
    Clear,
    /// One body's share.
    Mass(usize),
    Center,
    Inertia(usize),
    Missing(usize),
    Velocity,
    Move(usize),
}

/// All of it, for a part of these bodies.
pub fn all(bodies: &[usize]) -> Vec<Balance> {
    let each = |what: fn(usize) -> Balance| bodies.iter().map(move |b| what(*b));
    let mut list = vec![Balance::Clear];
    list.extend(each(Balance::Mass));
    list.push(Balance::Center);
    list.extend(each(Balance::Inertia));
    list.extend(each(Balance::Missing));
    list.push(Balance::Velocity);
    list.extend(each(Balance::Move));
    list
}

/// Does one of them for part `c`, in worlds that settle.
pub fn run<R: Real>(what: Balance, layout: &Layout, c: usize, world: &mut World<R>) {
    let lanes = world.is(Value::Settles);
    let origin = layout.afloat[c].first().map_or(Vec3::zero(), |b| world.state.X_WB[*b].p);
    let (whole, constants, state, ws) = (&mut world.wholes[c], &world.constants, &world.state, &mut world.ws);
    let arm = |b: usize, whole: &Floating<R>| state.X_WB[b].p - whole.center;
    match what {
        Balance::Clear => {
            let zero = Vec3::zero();
            (whole.mass, whole.moment, whole.inertia) = (R::zero(), zero, Sym3::zero());
            (whole.momentum, whole.spin) = (zero, zero);
        }
        Balance::Mass(b) => {
            let sums = (&mut whole.mass, &mut whole.moment);
            third_law::add_mass(&constants.bodies[b], state.X_WB[b].p, origin, sums);
        }
        Balance::Center => whole.center = third_law::center(whole.mass, whole.moment, origin),
        Balance::Inertia(b) => {
            let body = &constants.bodies[b];
            whole.inertia = third_law::add_inertia(body, state.X_WB[b], whole.center, whole.inertia);
        }
        Balance::Missing(b) => {
            let (x, arm) = (&ws.x[layout.position[b]], arm(b, whole));
            third_law::add_missing(x, arm, (&mut whole.momentum, &mut whole.spin));
        }
        Balance::Velocity => {
            let all = Whole { mass: whole.mass, center: whole.center, inertia: whole.inertia };
            (whole.velocity, whole.turn) = all.motion(whole.momentum, whole.spin);
        }
        Balance::Move(b) => {
            let (k, arm) = (layout.position[b], arm(b, whole));
            let own = [&mut ws.u_start[k], &mut ws.du[k], &mut ws.u[k]];
            third_law::add_motion((whole.velocity, whole.turn), arm, lanes, own);
        }
    }
}
