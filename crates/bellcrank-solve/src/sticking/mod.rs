//! Reactions of a block of worlds in which nothing slides or gives way.
//!
//! A robot that stands goes on standing: each of its rows is either *active*, with a reaction inside its cone and no velocity
//! (a foot that sticks, a drive within its bounds, a limit that presses), or *inactive*, with no reaction and a velocity that takes it
//! away. Then Newton's equations ([`crate::newton`]) are linear, G_AA Δλ = −v_A, and are the same in all lanes but for which
//! rows are active: worlds are solved together, in lanes. A corner may lift off or come down on the way. What slides or gives way is seen at
//! the end, and that world is left to Newton's method alone.
//!
//! Rows that are inactive in a lane have zeros beside the diagonal there, which change no bits of the active ones: a world does not see
//! its neighbours.

mod triangle;

use crate::cone::Cone;
use crate::padmm::Outcome;
use bellcrank_math::{Elem, Mask, Real};
use triangle::{Triangle, padded};

/// ε keeps the matrix regular where reactions are not unique (a foot on four corners) and leaves them where the last step had them:
/// so large that rounding does not move them, so small that one step does, far below the tolerance in numbers of 64 bits.
#[inline(always)]
fn softness<R: Real>() -> R {
    R::splat(R::Elem::EPSILON.sqrt() * R::Elem::from_f64(0.3))
}

/// Steps with the one factor. Each leaves a share ε/(g + ε) of the error, g from the smallest eigenvalue that counts.
const STEPS: usize = 4;
/// Where the last reactions let a row move faster than this, the world is about to change and is solved alone [m/s or rad/s].
const SLOW: f64 = 0.01;
/// A corner of a foot may lift off or come down: so many times rows may change their kind before a world is solved alone.
const CHANGES: usize = 2;

/// G of a block of worlds, the active rows, and the factor of their equations.
#[derive(Clone, Debug)]
pub struct StickingRows<R: Real> {
    /// In the order of the rows.
    cones: Vec<ActingCone<R>>,
    /// As many as whole tiles have; what is behind the last one is inactive.
    rows: usize,
    /// G
    matrix: Triangle<R>,
    /// Of A G A + ε 1.
    factor: Triangle<R>,
    /// ε where a row is active, one elsewhere.
    diagonal: Vec<R>,
    /// A: 1/√(largest entry of the cone on the diagonal) where a row is active, zero elsewhere.
    scale: Vec<R>,
    /// Velocities with the reactions at hand, bias included [m/s or rad/s].
    velocity: Vec<R>,
    change: Vec<R>,
    /// Reactions before a solve.
    before: Vec<R>,
    /// Worlds in which every row is active or inactive, as far as is known; nothing slides.
    lanes: R::Mask,
}

/// A cone, where it acts, and where its rows are active.
#[derive(Clone, Copy, Debug)]
struct ActingCone<R: Real> {
    cone: Cone<R>,
    first: usize,
    acts: R::Mask,
    active: R::Mask,
}

impl<R: Real> StickingRows<R> {
    /// Room for so many rows, so that a step need not allocate.
    pub fn with_capacity(rows: usize) -> Self {
        let rows = padded(rows);
        StickingRows {
            cones: Vec::with_capacity(rows),
            rows: 0,
            matrix: Triangle::with_capacity(rows),
            factor: Triangle::with_capacity(rows),
            diagonal: Vec::with_capacity(rows),
            scale: Vec::with_capacity(rows),
            velocity: Vec::with_capacity(rows),
            change: Vec::with_capacity(rows),
            before: Vec::with_capacity(rows),
            lanes: R::Mask::splat(false),
        }
    }

    /// Starts a new problem of these worlds.
    #[inline(always)]
    pub fn clear(&mut self, lanes: R::Mask) {
        self.cones.clear();
        (self.rows, self.lanes) = (0, lanes);
    }

    /// Adds a group of rows with the reactions of the last step, which tell whether they are active or inactive, and the velocities with
    /// them, which tell whether that will last.
    #[inline(always)]
    pub fn add(&mut self, cone: Cone<R>, acts: R::Mask, [lambda, velocity]: [&[R]; 2]) {
        let (zero, slow) = (R::zero(), R::constant(SLOW));
        let (active, inactive) = match cone {
            Cone::Free => (acts, R::Mask::splat(false)),
            Cone::Nonnegative => (zero.lt(lambda[0]), lambda[0].le(zero)),
            Cone::Box { low, high } => (low.lt(lambda[0]) & lambda[0].lt(high), R::Mask::splat(false)),
            Cone::Coulomb { mu, rows } => {
                let normal = lambda[rows - 1];
                let most = mu * normal;
                let sticks = tangent_square(&lambda[..rows - 1]).lt(most * most);
                (zero.lt(normal) & sticks, normal.le(zero))
            }
        };
        let mut fastest = velocity[cone.rows() - 1].abs();
        for v in &velocity[..cone.rows() - 1] {
            fastest = fastest.max(v.abs());
        }
        let lasts = (active & fastest.le(slow)) | (inactive & velocity[cone.rows() - 1].ge(-slow));
        self.lanes = self.lanes & (!acts | lasts);
        self.cones.push(ActingCone { cone, first: self.rows, acts, active: acts & active });
        self.rows += cone.rows();
    }

    /// Worlds in which every row is active or inactive: nothing slides.
    #[inline(always)]
    pub fn lanes(&self) -> R::Mask {
        self.lanes
    }

    /// All rows are known: makes room for G, of which every entry is to be set.
    #[inline(always)]
    pub fn finish(&mut self) {
        self.matrix.resize(self.rows);
        self.rows = padded(self.rows);
        for list in [&mut self.scale, &mut self.diagonal, &mut self.velocity, &mut self.change] {
            list.clear();
            list.resize(self.rows, R::zero());
        }
    }

    /// Sets G at (i, j), j ≤ i.
    #[inline(always)]
    pub fn set(&mut self, i: usize, j: usize, value: R) {
        self.matrix.set(i, j, value);
    }

    /// G at (i, j), j ≤ i.
    #[inline(always)]
    pub fn get(&self, i: usize, j: usize) -> R {
        self.matrix.get(i, j)
    }

    /// Velocities of the rows with the reactions that a solve starts from, to be written.
    #[inline(always)]
    pub fn velocity_mut(&mut self) -> &mut [R] {
        &mut self.velocity
    }

    /// Takes the matrix: once, before any number of solves.
    #[inline(always)]
    pub fn factor(&mut self) {
        self.diagonal.fill(R::one());
        for at in &self.cones {
            let mut largest = R::zero();
            for i in at.first..at.first + at.cone.rows() {
                largest = largest.max(self.matrix.get(i, i));
            }
            let moves = R::zero().lt(largest);
            let own = R::select(moves, largest, R::one()).sqrt().recip();
            for i in at.first..at.first + at.cone.rows() {
                self.scale[i] = R::select(at.active, own, R::zero());
                self.diagonal[i] = R::select(at.active, softness(), R::one());
            }
        }
        // no pivot is below ε but by rounding
        let least = softness::<R>() * R::constant(0.1);
        self.factor.factor(&self.matrix, &self.scale, &self.diagonal, least);
    }

    /// The largest velocity of a row that active [m/s or rad/s]; infinite where one is not finite.
    #[inline(always)]
    fn error(&self) -> R {
        let (mut worst, mut finite) = (R::zero(), R::Mask::splat(true));
        for (v, f) in self.velocity.iter().zip(&self.scale) {
            worst = worst.max(R::select(R::zero().lt(*f), v.abs(), R::zero()));
            finite = finite & v.is_finite();
        }
        R::select(finite, worst, R::constant(f64::INFINITY))
    }

    /// Reactions and velocities after steps with the factor at hand; gives their number and the error that is left.
    #[inline(always)]
    fn settle(&mut self, tolerance: R, lanes: R::Mask, lambda: &mut [R]) -> (R, R) {
        let (mut iterations, mut error) = (R::zero(), self.error());
        for _ in 0..STEPS {
            let open = lanes & tolerance.lt(error);
            if !open.any() {
                break;
            }
            for i in 0..self.rows {
                self.change[i] = -(self.scale[i] * self.velocity[i]);
            }
            self.factor.divide(&mut self.change);
            for i in 0..self.rows {
                self.change[i] = R::select(open, self.change[i] * self.scale[i], R::zero());
            }
            self.push(lambda);
            iterations += R::select(open, R::one(), R::zero());
            error = self.error();
        }
        (iterations, error)
    }

    /// λ += change, and the velocities with it.
    #[inline(always)]
    fn push(&mut self, lambda: &mut [R]) {
        self.matrix.add_times(&self.change, &mut self.velocity);
        for (own, change) in lambda.iter_mut().zip(&self.change) {
            *own += *change;
        }
    }

    /// Where all reactions are within their cones, and how fast at most an inactive row comes nearer.
    #[inline(always)]
    fn check(&self, lambda: &[R]) -> (R::Mask, R) {
        let (mut inside, mut nearing) = (R::Mask::splat(true), R::zero());
        for at in &self.cones {
            let last = at.first + at.cone.rows() - 1;
            inside = inside & (at.holds(lambda) | !at.active);
            let inactive = at.acts & !at.active;
            nearing = nearing.max(R::select(inactive, -self.velocity[last], R::zero()));
        }
        (inside, nearing)
    }

    /// In these lanes, what has left its cone is inactive from now on, and what comes nearer is active. Gives the lanes where that will
    /// do: a drive beyond its bounds does neither.
    #[inline(always)]
    fn change_kinds(&mut self, tolerance: R, lanes: R::Mask, lambda: &mut [R]) -> R::Mask {
        let mut will_do = lanes;
        self.change.fill(R::zero());
        for at in &mut self.cones {
            let rows = at.first..at.first + at.cone.rows();
            let leaves = lanes & at.active & !at.holds(lambda);
            let comes = lanes & at.acts & !at.active & self.velocity[rows.end - 1].lt(-tolerance);
            if let Cone::Box { .. } = at.cone {
                will_do = will_do & !leaves;
            }
            at.active = (at.active & !leaves) | comes;
            for i in rows {
                self.change[i] = R::select(leaves, -lambda[i], R::zero());
            }
        }
        self.push(lambda);
        will_do
    }

    /// From the reactions in `lambda` and the velocities with them; replaces the reactions in the worlds where that is the
    /// answer, which `converged` tells. The others are not looked at again.
    #[inline(always)]
    pub fn solve(&mut self, tolerance: R, going: R::Mask, lambda: &mut [R]) -> Outcome<R> {
        let none = R::Mask::splat(false);
        let (mut iterations, mut dual, mut converged) = (R::zero(), R::zero(), none);
        let mut tries = going & self.lanes;
        self.before.clear();
        self.before.extend_from_slice(lambda);
        for change in 0..=CHANGES {
            let (steps, error) = self.settle(tolerance, tries, lambda);
            let (inside, nearing) = self.check(lambda);
            iterations += steps;
            dual = R::select(tries, error.max(nearing), dual);
            let done = tries & inside & dual.le(tolerance);
            (converged, tries) = (converged | done, tries & !done & error.le(tolerance));
            if change == CHANGES || !tries.any() {
                break;
            }
            tries = self.change_kinds(tolerance, tries, lambda);
            self.factor();
        }
        for (own, before) in lambda.iter_mut().zip(&self.before) {
            *own = R::select(converged, *own, *before);
        }
        self.lanes = self.lanes & (converged | !going);
        Outcome { iterations, primal: R::zero(), dual, complementarity: R::zero(), converged }
    }
}

impl<R: Real> ActingCone<R> {
    /// Where its reactions are within it.
    #[inline(always)]
    fn holds(&self, lambda: &[R]) -> R::Mask {
        let last = self.first + self.cone.rows() - 1;
        match self.cone {
            Cone::Free => R::Mask::splat(true),
            Cone::Nonnegative => lambda[last].ge(R::zero()),
            Cone::Box { low, high } => lambda[last].ge(low) & lambda[last].le(high),
            Cone::Coulomb { mu, .. } => {
                let most = mu * lambda[last];
                tangent_square(&lambda[self.first..last]).le(most * most) & lambda[last].ge(R::zero())
            }
        }
    }
}

/// ‖λ_t‖²
#[inline(always)]
fn tangent_square<R: Real>(tangents: &[R]) -> R {
    let mut square = R::zero();
    for x in tangents {
        square = x.mul_add(*x, square);
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_math::LaneJob;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// A limit, a drive and three contacts; G of rank eight, as it is for feet on four corners.
    struct Case {
        cones: Vec<Cone<f64>>,
        acts: Vec<bool>,
        G: Vec<Vec<f64>>,
        lambda: Vec<f64>,
        velocity: Vec<f64>,
    }

    const ROWS: usize = 11;

    fn case(seed: &mut u64) -> Case {
        let contact = Cone::Coulomb { mu: 0.7, rows: 3 };
        let cones = vec![Cone::Nonnegative, Cone::Box { low: -2.0, high: 2.0 }, contact, contact, contact];
        let acts: Vec<bool> = (0..cones.len()).map(|_| random(seed) < 0.25).collect();
        let of_row = [0, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4];
        let a: Vec<Vec<f64>> = (0..ROWS).map(|_| (0..8).map(|_| random(seed)).collect()).collect();
        let entry = |i: usize, j: usize| {
            let both = acts[of_row[i]] && acts[of_row[j]];
            if both { (0..8).map(|k| a[i][k] * a[j][k]).sum() } else { 0.0 }
        };
        let G: Vec<Vec<f64>> = (0..ROWS).map(|i| (0..ROWS).map(|j| entry(i, j)).collect()).collect();
        // presses: limit, and contacts with friction well within; the last one may be away
        let mut lambda = vec![1.0, 0.3, 0.1, -0.1, 1.5, 0.2, 0.0, 1.0, -0.1, 0.1, 2.0];
        if random(seed) < 0.0 {
            lambda[8..].fill(0.0);
        }
        // velocities in the range of G, so that reactions can undo them
        let mut push: Vec<f64> = (0..ROWS).map(|_| 0.002 * random(seed)).collect();
        let lands = random(seed) < 0.0;
        if lands {
            push[10] = -0.003;
        }
        let mut velocity: Vec<f64> = (0..ROWS).map(|i| (0..ROWS).map(|j| G[i][j] * push[j]).sum()).collect();
        if lambda[10] == 0.0 && !lands {
            velocity[10] += 0.5;
        }
        for i in 0..ROWS {
            if !acts[of_row[i]] {
                (lambda[i], velocity[i]) = (0.0, 0.0);
            }
        }
        Case { cones, acts, G, lambda, velocity }
    }

    /// Solves the cases one per lane, listing what acts in at least one; the lanes' reactions and whether they converged.
    struct Solve<'a>(&'a [Case]);

    impl<E: Elem> LaneJob<E> for Solve<'_> {
        type Output = Vec<(bool, Vec<f64>)>;
        fn run<R: Real<Elem = E>>(self) -> Self::Output {
            let number = |f: &dyn Fn(&Case) -> f64| {
                R::from_lanes(|lane| E::from_f64(f(&self.0[lane.min(self.0.len() - 1)])))
            };
            let mut still = StickingRows::<R>::with_capacity(ROWS);
            let (mut listed, mut first) = (Vec::new(), 0);
            for (k, cone) in self.0[0].cones.iter().enumerate() {
                if self.0.iter().any(|case| case.acts[k]) {
                    listed.extend(first..first + cone.rows());
                }
                first += cone.rows();
            }
            let mut lambda: Vec<R> = listed.iter().map(|i| number(&|c| c.lambda[*i])).collect();
            let velocity: Vec<R> = listed.iter().map(|i| number(&|c| c.velocity[*i])).collect();
            still.clear(R::Mask::splat(true));
            let mut first = 0;
            for (k, cone) in self.0[0].cones.iter().enumerate() {
                if !self.0.iter().any(|case| case.acts[k]) {
                    continue;
                }
                let acts = number(&|c| f64::from(u8::from(c.acts[k]))).ge(R::one());
                let cone: Cone<R> = match *cone {
                    Cone::Box { low, high } => Cone::Box { low: R::constant(low), high: R::constant(high) },
                    Cone::Coulomb { mu, rows } => Cone::Coulomb { mu: R::constant(mu), rows },
                    _ => Cone::Nonnegative,
                };
                let rows = first..first + cone.rows();
                still.add(cone, acts, [&lambda[rows.clone()], &velocity[rows]]);
                first += cone.rows();
            }
            still.finish();
            for (i, row) in listed.iter().enumerate() {
                for (j, column) in listed[..=i].iter().enumerate() {
                    still.set(i, j, number(&|c| c.G[*row][*column]));
                }
            }
            still.factor();
            still.velocity_mut()[..velocity.len()].copy_from_slice(&velocity);
            let outcome = still.solve(R::constant(1e-9), R::Mask::splat(true), &mut lambda);
            let lane = |lane: usize| {
                let mut own = vec![0.0; ROWS];
                for (x, row) in lambda.iter().zip(&listed) {
                    own[*row] = x.lane(lane).to_f64();
                }
                (outcome.converged.bits() >> lane & 1 == 1, own)
            };
            (0..R::LANES.min(self.0.len())).map(lane).collect()
        }
    }

    /// What it calls an answer is one: λ ∈ K, v ∈ K*, λ ⟂ v, with contacts that lift off and that come down among them.
    #[test]
    fn answers_are_answers() {
        let (mut seed, mut solved, mut lifted, mut landed) = (3, 0, 0, 0);
        for size in [1.0, 400.0, 800.0] {
            for _ in 0..300 {
                let mut case = case(&mut seed);
                case.lambda.iter_mut().for_each(|lambda| *lambda /= size);
                let Some((true, lambda)) = Solve(std::slice::from_ref(&case)).run::<f64>().pop() else {
                    continue;
                };
                let after = |i: usize| {
                    let change = |j: usize| case.G[i][j] * (lambda[j] - case.lambda[j]);
                    case.velocity[i] + (0..ROWS).map(change).sum::<f64>()
                };
                let velocity: Vec<f64> = (0..ROWS).map(after).collect();
                let mut first = 0;
                for (cone, acts) in case.cones.iter().zip(&case.acts) {
                    let rows = first..first + cone.rows();
                    first = rows.end;
                    if !acts {
                        continue;
                    }
                    let check = cone.check(&lambda[rows.clone()], &velocity[rows.clone()], 1.0);
                    assert!(check.natural_map < 4e-9, "{rows:?}: {check:?}"); // 1e-9, rounded, and its length in three rows
                    let [before, now] = [&case.lambda, &lambda].map(|list| list[rows.end - 1] > 0.0);
                    (lifted, landed) =
                        (lifted + u32::from(before && !now), landed + u32::from(!before && now));
                }
                solved += 1;
            }
        }
        println!("{solved} of 900, {lifted} lifted, {landed} landed");
        assert!(solved > 450 && lifted > 20 && landed > 20, "{solved} {lifted} {landed}");
    }

    /// Rows that act in other lanes only do not change a bit.
    #[test]
    fn a_world_does_not_see_its_neighbours() {
        let mut seed = 5;
        for _ in 0..40 {
            let cases: Vec<Case> = (0..4).map(|_| case(&mut seed)).collect();
            let together = f64::with_lanes(Solve(&cases));
            for (case, (converged, lambda)) in cases.iter().zip(together) {
                let (alone, own) = Solve(std::slice::from_ref(case)).run::<f64>().pop().unwrap();
                assert_eq!(alone, converged);
                for (a, b) in own.iter().zip(&lambda) {
                    assert_eq!(a.to_bits(), b.to_bits());
                }
            }
        }
    }

    /// A drive at its bound or beyond, a contact that slides, a number that is none: not for this, and nothing is touched.
    #[test]
    fn what_slides_or_gives_way_is_left_alone() {
        let mut seed = 1;
        let mut plain = case(&mut seed);
        while !plain.acts.iter().all(|acts| *acts) {
            plain = case(&mut seed);
        }
        let solve = |case: Case| {
            let (converged, lambda) = Solve(std::slice::from_ref(&case)).run::<f64>().pop().unwrap();
            assert!(!converged);
            assert_eq!(lambda, case.lambda);
        };
        let copy = |change: &dyn Fn(&mut Case)| {
            let Case { cones, acts, G, lambda, velocity } = &plain;
            let mut own = Case {
                cones: cones.clone(),
                acts: acts.clone(),
                G: G.clone(),
                lambda: lambda.clone(),
                velocity: velocity.clone(),
            };
            change(&mut own);
            own
        };
        solve(copy(&|c| c.lambda[1] = 2.0));
        solve(copy(&|c| c.lambda[2] = 1.5));
        for sign in [1.0, -1.0] {
            solve(copy(&|c| {
                c.lambda[1] = sign * (2.0 - 1e-5);
                for i in 0..ROWS {
                    c.velocity[i] -= sign * 0.004 * c.G[i][1]; // the drive would have to give more than its bound
                }
            }));
        }
        solve(copy(&|c| {
            for i in 0..ROWS {
                c.velocity[i] += 0.5 * c.G[i][4]; // too fast to last
            }
        }));
        solve(copy(&|c| c.velocity[0] = f64::NAN));
    }
}
