//! One sweep over all contacts, and how far reactions are from what they should be.

use super::patches::{Group, Numbers, Patches};
use bellcrank_math::{Elem, Mask, Real};

/// Numbers of a body in a row: its six, and as many more as whole vectors take.
#[inline(always)]
pub(super) fn stride<E: Elem>() -> usize {
    E::LANE_COUNT.max(8)
}

/// Reactions by lane, and L⁻¹ of the impulses on bodies that they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Point<E> {
    pub lambda: Vec<E>,
    /// By body, each with a stride; zeros behind the last.
    pub u: Vec<E>,
}

/// Who goes without momentum, by contact and lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds<E> {
    /// For so many sweeps more.
    pub left: Vec<E>,
    /// And for so many the next time.
    pub length: Vec<E>,
}

/// Momentum leads a contact astray where what a sweep does to it goes against nine tenths of what momentum did.
const AGAINST: f64 = 0.9;
/// Each time it stays without for so many times longer, up to a number of sweeps.
const LONGER: f64 = std::f64::consts::SQRT_2;
const LONGEST: f64 = 256.0;

/// What a sweep tells, by lane.
pub(super) struct Tally<E> {
    /// Largest change as a velocity [m/s].
    pub change: [E; 16],
    /// Σ G (λ⁺ − y)(0.9 (λ⁺ − y) − (λ⁺ − λ)) over the start y, the new and the last reactions: positive where momentum leads astray.
    pub astray: [E; 16],
}

/// What stays the same in all sweeps of a solve.
pub(super) struct Given<'a, E> {
    pub patches: &'a Patches<E>,
    /// g − C λ₀ by lane.
    pub g: &'a [E],
    /// Changes that are not looked at [m/s].
    pub noise: E,
}

/// The twelve velocities of a patch's bodies, lane by lane.
#[inline(always)]
fn gather<V: Real>(u: &[V::Elem], bodies: &[u32], lanes: usize, part: usize) -> [V; 12] {
    let (stride, mut out) = (stride::<V::Elem>(), [V::zero(); 12]);
    for side in 0..2 {
        let own = &bodies[side * lanes + part * V::LANES..][..V::LANES];
        let mut first = 0;
        while first < 6 {
            let mut square = [V::zero(); 16];
            for (row, body) in square.iter_mut().zip(own) {
                *row = V::load(&u[*body as usize * stride + first..][..V::LANES]);
            }
            V::transpose(&mut square[..V::LANES]);
            for k in first..(first + V::LANES).min(6) {
                out[6 * side + k] = square[k - first];
            }
            first += V::LANES;
        }
    }
    out
}

/// The reverse.
#[inline(always)]
fn scatter<V: Real>(values: &[V; 12], u: &mut [V::Elem], bodies: &[u32], lanes: usize, part: usize) {
    let stride = stride::<V::Elem>();
    for side in 0..2 {
        let own = &bodies[side * lanes + part * V::LANES..][..V::LANES];
        let mut first = 0;
        while first < 6 {
            let mut square = [V::zero(); 16];
            for k in first..(first + V::LANES).min(6) {
                square[k - first] = values[6 * side + k];
            }
            V::transpose(&mut square[..V::LANES]);
            for (row, body) in square.iter().zip(own) {
                row.store(&mut u[*body as usize * stride + first..][..V::LANES]);
            }
            first += V::LANES;
        }
    }
}

/// Contacts that one vector takes together: a group's, of one part of its lanes, and the two bodies of each.
#[derive(Clone, Copy)]
struct Place<'a> {
    group: &'a Group,
    bodies: &'a [u32],
    part: usize,
}

/// The numbers of one contact, a vector at a time.
struct Contact<'a, E> {
    constants: &'a [E],
    offset: usize,
}

impl<E: Elem> Contact<'_, E> {
    #[inline(always)]
    fn get<V: Real<Elem = E>>(&self, k: usize) -> V {
        V::load(&self.constants[k * E::LANE_COUNT + self.offset..][..V::LANES])
    }

    /// g + C (λ − λ₀) + L⁻¹J u of all rows; g holds −C λ₀.
    #[inline(always)]
    fn velocities<V: Real<Elem = E>, const N: usize>(&self, g: &[E], lambda: &[V; N], u: &[V; 12]) -> [V; N] {
        let (at, mut v) = (Numbers::of(N), [V::zero(); N]);
        for k in 0..N {
            let g = V::load(&g[k * E::LANE_COUNT + self.offset..][..V::LANES]);
            let mut sums = [self.get::<V>(at.compliance + k).mul_add(lambda[k], g), V::zero()];
            for c in 0..6 {
                for side in 0..2 {
                    sums[side] =
                        self.get::<V>(at.reach + 12 * k + 6 * side + c).mul_add(u[6 * side + c], sums[side]);
                }
            }
            v[k] = sums[0] + sums[1];
        }
        v
    }
}

/// Looks at every contact once, group by group, and takes its reactions to where they would be if no other moved.
#[inline(always)]
pub(super) fn sweep<V: Real>(
    given: &Given<'_, V::Elem>,
    last: &[V::Elem],
    at: &mut Point<V::Elem>,
    holds: &mut Holds<V::Elem>,
) -> Tally<V::Elem> {
    let zero = V::Elem::zero();
    let mut tally = Tally { change: [zero; 16], astray: [zero; 16] };
    let lanes = V::Elem::LANE_COUNT;
    for (group, bodies) in given.patches.groups.iter().zip(given.patches.bodies.chunks_exact(2 * lanes)) {
        for part in 0..lanes / V::LANES {
            let place = Place { group, bodies, part };
            match group.rows {
                3 => sweep_group::<V, 3>(given, place, last, (at, holds), &mut tally),
                4 => sweep_group::<V, 4>(given, place, last, (at, holds), &mut tally),
                _ => sweep_group::<V, 6>(given, place, last, (at, holds), &mut tally),
            }
        }
    }
    tally
}

#[inline(always)]
fn sweep_group<V: Real, const N: usize>(
    given: &Given<'_, V::Elem>,
    Place { group, bodies, part }: Place,
    last: &[V::Elem],
    (point, holds): (&mut Point<V::Elem>, &mut Holds<V::Elem>),
    tally: &mut Tally<V::Elem>,
) {
    let (lanes, at, n) = (V::Elem::LANE_COUNT, Numbers::of(N), N - 1);
    let (offset, zero, against) = (part * V::LANES, V::zero(), V::constant(AGAINST));
    let mut u = gather::<V>(&point.u, bodies, lanes, part);
    let mut change = V::load(&tally.change[offset..][..V::LANES]);
    let mut astray = V::load(&tally.astray[offset..][..V::LANES]);
    for contact in 0..group.depth {
        let constants =
            &given.patches.constants[group.constant + contact * at.len * lanes..][..at.len * lanes];
        let own = Contact { constants, offset };
        let values = group.value + contact * N * lanes..group.value + (contact + 1) * N * lanes;
        let mut old = [zero; N];
        for k in 0..N {
            old[k] = V::load(&point.lambda[values.start + k * lanes + offset..][..V::LANES]);
        }
        let v = own.velocities::<V, N>(&given.g[values.clone()], &old, &u);
        let mut new = old;
        new[n] = v[n].neg_mul_add(own.get(at.inverse[0]), old[n]).max(zero);
        let pressed = new[n] - old[n];
        let (inverse, mut square) = (own.get::<V>(at.inverse[1]), zero);
        for k in 0..n {
            let v = own.get::<V>(at.couple + k).mul_add(pressed, v[k]);
            new[k] = v.neg_mul_add(inverse, old[k]);
            square = new[k].mul_add(new[k], square);
        }
        let (length, most) = (square.sqrt(), own.get::<V>(at.mu) * new[n]);
        let share = V::select(length.le(most), V::one(), most / length);
        let stiff = [own.get::<V>(at.stiff[1]), own.get::<V>(at.stiff[0])];
        let (mut own_change, mut own_astray) = (zero, zero);
        for k in 0..N {
            if k < n {
                new[k] *= share;
            }
            let (moved, stiff) = (new[k] - old[k], stiff[(k == n) as usize]);
            let place = values.start + k * lanes + offset;
            let since = new[k] - V::load(&last[place..][..V::LANES]);
            new[k].store(&mut point.lambda[place..][..V::LANES]);
            own_change = own_change.max((moved * stiff).abs());
            own_astray = (moved * stiff).mul_add(against.mul_add(moved, -since), own_astray);
            for c in 0..12 {
                u[c] = own.get::<V>(at.reach + 12 * k + c).mul_add(moved, u[c]);
            }
        }
        (change, astray) = (change.max(own_change), astray + own_astray);
        let stumbles = zero.lt(own_astray) & V::splat(given.noise).lt(own_change);
        hold::<V>(stumbles, group.contact + contact * lanes + offset, holds);
    }
    scatter::<V>(&u, &mut point.u, bodies, lanes, part);
    change.store(&mut tally.change[offset..][..V::LANES]);
    astray.store(&mut tally.astray[offset..][..V::LANES]);
}

/// ‖λ − Π_K(λ − v̂/G)‖∞ G over all contacts [m/s], with De Saxcé's v̂ = v + μ‖v_t‖ e_n and the largest diagonal entry of each contact's G.
#[inline(always)]
pub(super) fn residual<V: Real>(given: &Given<'_, V::Elem>, at: &Point<V::Elem>) -> V::Elem {
    let (lanes, mut worst) = (V::Elem::LANE_COUNT, V::zero());
    for (group, bodies) in given.patches.groups.iter().zip(given.patches.bodies.chunks_exact(2 * lanes)) {
        for part in 0..lanes / V::LANES {
            let place = Place { group, bodies, part };
            let own = match group.rows {
                3 => residual_of_group::<V, 3>(given, place, at),
                4 => residual_of_group::<V, 4>(given, place, at),
                _ => residual_of_group::<V, 6>(given, place, at),
            };
            worst = worst.max(own);
        }
    }
    let mut largest = V::Elem::zero();
    for lane in 0..V::LANES {
        largest = largest.max(worst.lane(lane));
    }
    largest
}

#[inline(always)]
fn residual_of_group<V: Real, const N: usize>(
    given: &Given<'_, V::Elem>,
    Place { group, bodies, part }: Place,
    point: &Point<V::Elem>,
) -> V {
    let (lanes, at, n) = (V::Elem::LANE_COUNT, Numbers::of(N), N - 1);
    let (offset, zero) = (part * V::LANES, V::zero());
    let u = gather::<V>(&point.u, bodies, lanes, part);
    let mut worst = zero;
    for contact in 0..group.depth {
        let constants =
            &given.patches.constants[group.constant + contact * at.len * lanes..][..at.len * lanes];
        let own = Contact { constants, offset };
        let first = group.value + contact * N * lanes;
        let mut lambda = [zero; N];
        for k in 0..N {
            lambda[k] = V::load(&point.lambda[first + k * lanes + offset..][..V::LANES]);
        }
        let mut v = own.velocities::<V, N>(&given.g[first..first + N * lanes], &lambda, &u);
        let stiff = own.get::<V>(at.stiff[0]).max(own.get(at.stiff[1]));
        let none = stiff.le(zero);
        let inverse = V::select(none, zero, V::select(none, V::one(), stiff).recip());
        let (mu, mut slip) = (own.get::<V>(at.mu), zero);
        for k in 0..n {
            slip = v[k].mul_add(v[k], slip);
        }
        v[n] = mu.mul_add(slip.sqrt(), v[n]);
        let mut to = [zero; N];
        for k in 0..N {
            to[k] = v[k].neg_mul_add(inverse, lambda[k]);
        }
        let to = crate::cone::project::<V, N>(mu, to);
        for k in 0..N {
            let off = (lambda[k] - to[k]).abs() * stiff;
            // what is not a number counts as far off
            worst = V::select(off.le(worst), worst, off);
        }
    }
    worst
}

/// Notes whether momentum has led a contact astray.
#[inline(always)]
fn hold<V: Real>(stumbles: V::Mask, at: usize, holds: &mut Holds<V::Elem>) {
    let (left, length) = (&mut holds.left[at..][..V::LANES], &mut holds.length[at..][..V::LANES]);
    let (now, next) = (V::load(left), V::load(length));
    V::select(stumbles, next, (now - V::one()).max(V::zero())).store(left);
    if stumbles.any() {
        let longer = (next * V::constant(LONGER)).min(V::constant(LONGEST));
        V::select(stumbles, longer, next).store(length);
    }
}

/// y ← λ + f (λ − λ′), λ′ ← λ, and the same of bodies; contacts that go without momentum stay at λ.
#[inline(always)]
pub(super) fn extrapolate<V: Real>(
    f: V,
    patches: &Patches<V::Elem>,
    holds: &Holds<V::Elem>,
    [now, last]: [&mut Point<V::Elem>; 2],
) {
    for (now, last) in now.u.chunks_exact_mut(V::LANES).zip(last.u.chunks_exact_mut(V::LANES)) {
        let (own, before) = (V::load(now), V::load(last));
        own.store(last);
        f.mul_add(own - before, own).store(now);
    }
    let lanes = V::Elem::LANE_COUNT;
    for (group, bodies) in patches.groups.iter().zip(patches.bodies.chunks_exact(2 * lanes)) {
        for part in 0..lanes / V::LANES {
            let place = Place { group, bodies, part };
            match group.rows {
                3 => extrapolate_group::<V, 3>(f, patches, place, holds, [now, last]),
                4 => extrapolate_group::<V, 4>(f, patches, place, holds, [now, last]),
                _ => extrapolate_group::<V, 6>(f, patches, place, holds, [now, last]),
            }
        }
    }
}

#[inline(always)]
fn extrapolate_group<V: Real, const N: usize>(
    f: V,
    patches: &Patches<V::Elem>,
    Place { group, bodies, part }: Place,
    holds: &Holds<V::Elem>,
    [now, last]: [&mut Point<V::Elem>; 2],
) {
    let (lanes, at, offset, zero) = (V::Elem::LANE_COUNT, Numbers::of(N), part * V::LANES, V::zero());
    let mut u = None; // of the bodies, where some contact is held back
    for contact in 0..group.depth {
        let free = V::load(&holds.left[group.contact + contact * lanes + offset..][..V::LANES]).le(zero);
        let own = V::select(free, f, zero);
        let held = !free.all();
        for k in 0..N {
            let place = group.value + (contact * N + k) * lanes + offset;
            let (x, before) =
                (V::load(&now.lambda[place..][..V::LANES]), V::load(&last.lambda[place..][..V::LANES]));
            x.store(&mut last.lambda[place..][..V::LANES]);
            own.mul_add(x - before, x).store(&mut now.lambda[place..][..V::LANES]);
            if held {
                let mut own_u = match u {
                    Some(u) => u,
                    None => gather::<V>(&now.u, bodies, lanes, part),
                };
                let back = (x - before) * (own - f);
                let first = group.constant + contact * at.len * lanes;
                let constants = Contact { constants: &patches.constants[first..][..at.len * lanes], offset };
                for c in 0..12 {
                    own_u[c] = constants.get::<V>(at.reach + 12 * k + c).mul_add(back, own_u[c]);
                }
                u = Some(own_u);
            }
        }
    }
    if let Some(u) = u {
        scatter::<V>(&u, &mut now.u, bodies, lanes, part);
    }
}
