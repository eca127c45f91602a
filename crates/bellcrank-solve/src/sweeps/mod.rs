//! Sweeps over the contacts of many loose bodies, one after the other, with momentum.
//!
//! Each contact in turn takes the reactions that it would have if no other changed: its normal first, λ_n ← max(0, λ_n − v_n/G_nn),
//! then its tangents, λ_t ← the nearest to λ_t − v_t/G_tt within ‖λ_t‖ ≤ μ λ_n. What stays where it is then meets Signorini's and
//! Coulomb's laws. Velocities of bodies are kept as û = Lᵀ u with L Lᵀ = H, so that one list of numbers, L⁻¹Jᵀ, tells both what a contact
//! feels and what it does.
//!
//! Between two sweeps Nesterov's momentum carries reactions on the way they went, y = λ + f (λ − λ′). It begins anew where it leads astray as a whole,
//! and each contact for which it does goes without it for some sweeps: friction is no gradient of anything, and a few contacts that slide would
//! swing for ever. On piles of 125 solids from the last step's reactions that takes thirty-five sweeps to 10⁻⁴ m/s and seventy-five to
//! 2·10⁻⁵, where sweeps without it take three times as many.
//!
//! Contacts between the same two bodies follow each other; such patches are coloured, and those of one colour are worked out in
//! lanes: they move different bodies. Bits do not depend on how many lanes a vector has.

mod patches;
mod sweep;

use crate::cone::Cone;
use crate::problem::DualProblem;
use crate::sparse::SparseRow;
use bellcrank_math::{Elem, Inline, LaneJob, Real};
use patches::Patches;
use sweep::{Given, Holds, Point, extrapolate, residual, stride, sweep};

/// Memory of solves by sweeps; may be thrown away at any time.
#[derive(Clone, Debug, Default)]
pub struct Sweeps<E> {
    patches: Patches<E>,
    bodies: usize,
    is_ready: bool,
    /// g − C λ₀ by lane.
    g: Vec<E>,
    now: Point<E>,
    last: Point<E>,
    start: Vec<E>,
    holds: Holds<E>,
}

/// Sweeps where the last step's reactions are the answer already.
const LEAST: usize = 2;
/// Changes of less than this share of the tolerance say nothing about momentum.
const NOISE: f64 = 0.05;

/// How sweeps ended.
#[derive(Clone, Copy, Debug)]
pub struct Swept<E> {
    /// Sweeps made.
    pub sweeps: usize,
    /// ‖r‖∞ [m/s], worked out anew at the end.
    pub residual: E,
}

impl<E: Elem> Sweeps<E> {
    /// Takes the cones of a problem and its rows, whose blocks are L⁻¹Jᵀ: once, before any number of solves. Only contacts will do, and
    /// bodies that nothing else connects.
    pub fn prepare(&mut self, bodies: usize, problem: &DualProblem<E>, rows: &[SparseRow<E>]) {
        self.is_ready = problem.cones().iter().all(|cone| matches!(cone, Cone::Coulomb { .. }));
        if self.is_ready {
            self.bodies = bodies;
            self.patches.take(bodies, problem.cones(), rows);
        }
    }

    /// Sweeps at most `most` times from the reactions in `lambda` until the residual is within `tolerance`. Reactions change only where
    /// that brought them nearer. `None` where sweeps cannot be made.
    pub fn solve(&mut self, tolerance: E, most: usize, g: &[E], lambda: &mut [E]) -> Option<Swept<E>> {
        if !self.is_ready {
            return None;
        }
        self.take(g, lambda);
        let swept = E::with_lanes(Solve { sweeps: self, tolerance, most });
        for (own, place) in lambda.iter_mut().zip(&self.patches.places) {
            *own = self.now.lambda[*place as usize];
        }
        Some(swept)
    }

    /// Bytes of memory taken.
    pub fn size_of(&self) -> usize {
        let lists = [&self.g, &self.start, &self.now.lambda, &self.now.u, &self.last.lambda, &self.last.u];
        let numbers =
            lists.iter().map(|list| list.capacity()).sum::<usize>() + self.patches.constants.capacity();
        (numbers + 2 * self.holds.left.capacity()) * size_of::<E>()
            + self.patches.places.capacity() * size_of::<u32>()
    }

    /// The work of one sweep, in multiplications.
    pub fn work(&self) -> f64 {
        2.0 * self.patches.constants.len() as f64
    }

    /// Lays reactions and velocities out in lanes.
    fn take(&mut self, g: &[E], lambda: &[E]) {
        for list in [&mut self.g, &mut self.now.lambda] {
            list.clear();
            list.resize(self.patches.len, E::zero());
        }
        self.now.u.clear();
        self.now.u.resize((self.bodies + 1) * stride::<E>(), E::zero());
        for ((place, g), lambda) in self.patches.places.iter().zip(g).zip(lambda) {
            self.g[*place as usize] = *g;
            self.now.lambda[*place as usize] = *lambda;
        }
        self.start.clone_from(&self.now.lambda);
        self.last.lambda.clone_from(&self.now.lambda);
        self.last.u.clone_from(&self.now.u);
        for (list, value) in [(&mut self.holds.left, E::zero()), (&mut self.holds.length, E::one())] {
            list.clear();
            list.resize(self.patches.contacts, value);
        }
        let lanes = E::LANE_COUNT;
        for group in &self.patches.groups {
            let at = patches::Numbers::of(group.rows);
            for contact in 0..group.depth {
                for k in 0..group.rows * lanes {
                    let i = group.value + contact * group.rows * lanes + k;
                    let soft = self.patches.constants
                        [group.constant + (contact * at.len + at.compliance) * lanes + k];
                    self.g[i] = soft.neg_mul_add(self.now.lambda[i], self.g[i]);
                }
            }
        }
    }

    #[inline(always)]
    fn iterate<V: Real<Elem = E>>(&mut self, tolerance: E, most: usize) -> Swept<E> {
        let Sweeps { patches, g, now, last, start, holds, .. } = self;
        let given = Given { patches, g, noise: tolerance * E::from_f64(NOISE) };
        let before = residual::<V>(&given, now);
        let mut swept = Swept { sweeps: 0, residual: before };
        // what rests is swept all the same, so that it comes to rest
        let enough = if before <= tolerance { LEAST } else { 0 };
        if before <= E::zero() {
            return swept;
        }
        let mut a = 1.0_f64;
        while swept.sweeps < most {
            let tally = sweep::<V>(&given, &last.lambda, now, holds);
            swept.sweeps += 1;
            let (mut change, mut astray) = (E::zero(), E::zero());
            for lane in 0..E::LANE_COUNT {
                change = change.max(tally.change[lane]);
                astray += tally.astray[lane];
            }
            if (change <= tolerance * E::from_f64(4.0) && swept.sweeps % 2 == 0)
                || change <= tolerance
                || swept.sweeps == most
            {
                swept.residual = residual::<V>(&given, now);
                if swept.residual <= tolerance && swept.sweeps >= enough {
                    return swept;
                }
            }
            // Nesterov's momentum
            a = if astray > E::zero() { 1.0 } else { a };
            let next = 0.5 * (1.0 + (4.0 * a * a + 1.0).sqrt());
            let f = V::splat(E::from_f64((a - 1.0) / next));
            a = next;
            if swept.sweeps < most {
                extrapolate::<V>(f, patches, holds, [now, last]);
            }
        }
        let better = swept.residual < before; // never so of a number that is none
        if !better {
            swept.residual = before;
            now.lambda.clone_from(start);
        }
        swept
    }
}

struct Solve<'a, E> {
    sweeps: &'a mut Sweeps<E>,
    tolerance: E,
    most: usize,
}

impl<E: Elem> LaneJob<E> for Solve<'_, E> {
    type Output = Swept<E>;
    fn run<R: Real<Elem = E>>(self) -> Swept<E> {
        let Solve { sweeps, tolerance, most } = self;
        R::run(Inline(
            #[inline(always)]
            || sweeps.iterate::<R>(tolerance, most),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_math::Level;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// Forty contacts of twelve bodies with each other and with the world, of three to six rows, some of them soft.
    fn problem() -> (DualProblem<f64>, Vec<SparseRow<f64>>, Vec<f64>) {
        let (mut problem, mut rows, mut seed) = (DualProblem::with_capacity(0), Vec::new(), 5);
        for k in 0..40 {
            let count = [3, 3, 4, 6][k % 4];
            problem.push(Cone::Coulomb { mu: 0.3 + 0.1 * (k % 5) as f64, rows: count });
            let b = k % 12;
            let a = (k % 3 > 0).then_some((b + 1 + k / 12) % 12);
            for i in 0..count {
                let mut blocks = [[0.0; 6]; 2];
                for side in if a.is_some() { 0..2 } else { 1..2 } {
                    blocks[side].iter_mut().for_each(|x| *x = random(&mut seed));
                }
                let compliance = if k % 7 == 0 { 0.05 } else { 1e-3 * i as f64 };
                rows.push(SparseRow { bodies: (a, b), blocks, compliance });
            }
        }
        problem.finish_without_matrix();
        let g = (0..rows.len()).map(|_| random(&mut seed)).collect();
        (problem, rows, g)
    }

    /// Velocities g + G (λ − λ₀) from the rows alone.
    fn velocities(rows: &[SparseRow<f64>], g: &[f64], change: &[f64]) -> Vec<f64> {
        let mut matrix = crate::sparse::SparseRows::default();
        matrix.clear(12);
        matrix.rows = rows.to_vec();
        let mut v = vec![0.0; g.len()];
        matrix.times(change, &mut v);
        v.iter().zip(g).map(|(v, g)| v + g).collect()
    }

    fn solve(tolerance: f64) -> (Vec<f64>, Swept<f64>) {
        let ((problem, rows, g), mut sweeps) = (problem(), Sweeps::default());
        let mut lambda = vec![0.01; g.len()];
        sweeps.prepare(12, &problem, &rows);
        let swept = sweeps.solve(tolerance, 4000, &g, &mut lambda).expect("contacts only");
        (lambda, swept)
    }

    /// The laws of every contact, checked outside of the solver: reactions in their cones, velocities in the dual ones, no work.
    #[test]
    fn sweeps_end_where_every_contact_keeps_its_law() {
        let (problem, rows, g) = problem();
        let (lambda, swept) = solve(1e-8);
        assert!(swept.residual <= 1e-8, "{swept:?}");
        let change: Vec<f64> = lambda.iter().map(|x| x - 0.01).collect();
        let (v, mut first) = (velocities(&rows, &g, &change), 0);
        for cone in problem.cones() {
            let own = first..first + cone.rows();
            let check = cone.check(&lambda[own.clone()], &v[own], 1.0);
            // the residual is in the metric of the contact's own G, which is of the size of one here
            assert!(check.primal < 1e-12 && check.natural_map < 1e-7, "{check:?}");
            first += cone.rows();
        }
    }

    #[test]
    fn bits_do_not_depend_on_the_lanes_of_a_vector() {
        let (problem, rows, g) = problem();
        let solve_at = |level: Level| {
            let mut sweeps = Sweeps::default();
            sweeps.prepare(12, &problem, &rows);
            sweeps.take(&g, &vec![0.01; g.len()]);
            level.f64(Solve { sweeps: &mut sweeps, tolerance: 1e-8, most: 50 });
            sweeps.now.lambda.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let plain = solve_at(Level::Scalar);
        for level in Level::ALL.into_iter().filter(|level| level.available()) {
            assert_eq!(plain, solve_at(level), "{level}");
        }
    }

    /// A row that is no contact: sweeps cannot be made.
    #[test]
    fn limits_and_bounds_are_left_to_others() {
        let (mut problem, mut rows, mut g) = problem();
        problem.push(Cone::Nonnegative);
        rows.push(rows[0]);
        g.push(0.0);
        let mut sweeps = Sweeps::default();
        sweeps.prepare(12, &problem, &rows);
        let mut lambda = vec![0.0; g.len()];
        assert!(sweeps.solve(1e-8, 10, &g, &mut lambda).is_none());
    }
}
