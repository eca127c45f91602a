//! The interior point on a brick that slides on a plane without turning: every answer has a closed form.

use bellcrank_solve::{
    Aim, BlockLu, BlockPattern, InteriorPoint, MOST_DIRECTIONS, Newton, RoundFriction, SlackPair, Start,
    Violation, none_acts,
};

/// Mass 2 kg, step 0.01 s, gravity 10 m/s², at height z above the plane, thrown along x and y.
struct Brick {
    before: [f64; 3],
    height: f64,
    friction: f64,
    u: [f64; 3],
    du: [f64; 3],
    from: [f64; 3],
    residual: [f64; 3],
    push: SlackPair<f64>,
    rub: RoundFriction<f64>,
}

const MASS: f64 = 2.0;
const DT: f64 = 0.01;
const GRAVITY: f64 = 10.0;

impl Brick {
    fn new(before: [f64; 3], height: f64, friction: f64) -> Self {
        let zero = [0.0; 3];
        Brick {
            before,
            height,
            friction,
            u: zero,
            du: zero,
            from: zero,
            residual: zero,
            push: SlackPair::new(true),
            rub: RoundFriction::new(2, friction > 0.0),
        }
    }

    fn solve(&mut self, settings: InteriorPoint) -> usize {
        let solution = settings.solve(self, true);
        assert!(solution.converged, "{solution:?}");
        solution.iterations as usize
    }
}

impl Newton<f64> for Brick {
    fn has_cones(&self) -> bool {
        !none_acts(&[self.push], &[self.rub])
    }
    fn start(&mut self, _: bool, _: Start) {
        self.u = self.before;
        (self.push, self.rub) = (SlackPair::new(true), RoundFriction::new(2, self.friction > 0.0));
    }
    fn evaluate(&mut self, kappa: f64) -> Violation<f64> {
        let mut worst = 0.0_f64;
        let force = [self.rub.b[0], self.rub.b[1], self.push.gamma];
        for i in 0..3 {
            let weight = if i == 2 { -MASS * GRAVITY * DT } else { 0.0 };
            self.residual[i] = MASS * (self.u[i] - self.before[i]) - weight - force[i];
            worst = worst.max(self.residual[i].abs());
        }
        worst = worst.max(self.push.evaluate(self.height + DT * self.u[2]));
        let mut v = [0.0; MOST_DIRECTIONS];
        v[..2].copy_from_slice(&self.u[..2]);
        worst = worst.max(self.rub.evaluate(self.friction * self.push.gamma, &v));
        let motion: f64 = self.residual.iter().map(|r| r * r / MASS).sum();
        Violation {
            equations: worst,
            products: self.push.off_centre(kappa).max(self.rub.off_centre(kappa)),
            merit: motion + self.push.merit() / DT + self.rub.merit(),
            slack: self.push.off_slack(),
        }
    }
    fn factor(&mut self) {}
    fn solve_direction(&mut self, aim: Aim<f64>) {
        // δγ first, then δb: the normal does not hear of friction here
        let k = self.push.stiffness();
        let (k0, line) = (self.push.aim(aim), self.rub.linearize());
        self.du[2] = (k0 - self.residual[2]) / (MASS + k * DT);
        let dgamma = self.push.follow(DT * self.du[2]);
        let b0 = self.rub.aim(aim, &line);
        // (m 1 + A) δu = b₀ + a μ δγ − r, two by two
        let a = [[MASS + line.along[0][0], line.along[0][1]], [line.along[1][0], MASS + line.along[1][1]]];
        let right = [0, 1].map(|i| b0[i] + line.across[i] * self.friction * dgamma - self.residual[i]);
        let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        self.du[0] = (right[0] * a[1][1] - right[1] * a[0][1]) / det;
        self.du[1] = (right[1] * a[0][0] - right[0] * a[1][0]) / det;
        let (mut db, mut dv) = ([0.0; MOST_DIRECTIONS], [0.0; MOST_DIRECTIONS]);
        for i in 0..2 {
            dv[i] = self.du[i];
            db[i] = MASS * self.du[i] + self.residual[i];
        }
        self.rub.follow(&db, self.friction * dgamma, &dv);
    }
    fn max_step_length(&self, [push, rub]: [f64; 2]) -> f64 {
        self.push.max_step_length(push).min(self.rub.max_step_length(rub))
    }
    fn mean_product(&self, alpha: f64) -> f64 {
        let ((p, i), (q, j)) = (self.push.product(alpha), self.rub.product(alpha));
        (p + q) / (i + j)
    }
    fn weigh_slacks(&mut self, _: bool) {} // one μ for all
    fn save_iterate(&mut self) {
        self.from = self.u;
        self.push.save_iterate();
        self.rub.save_iterate();
    }
    fn project_to_path(&mut self, _: bool, share: f64, mu: f64) {
        for i in 0..3 {
            self.u[i] = self.from[i] + share * self.du[i];
        }
        self.push.project_to_path(true, share, mu);
        self.rub.project_to_path(true, share, mu, self.friction * self.push.gamma);
    }
    fn centre(&mut self, lanes: bool, mean: f64) {
        self.push.centre(lanes, mean);
        self.rub.centre(lanes, mean);
    }
    fn advance(&mut self, going: bool, alpha: f64) {
        for i in 0..3 {
            self.u[i] += if going { alpha * self.du[i] } else { 0.0 };
        }
        self.push.advance(going, alpha);
        self.rub.advance(going, alpha);
    }
}

/// Sliding at 3 m/s with μ = 0.5 the brick loses μ g Δt = 0.05 m/s along its way, in any direction of the plane; with
/// κ = 1e-10 the brick hovers κ/γ = 5e-10 m high, for which it rose with 5e-8 m/s and pushed 1e-7 N s more than its
/// weight: 2.5e-8 m/s more friction. The cone is round: no facet pulls it aside.
#[test]
fn a_sliding_brick_slows_by_mu_g_dt() {
    for angle in [0.0_f64, 0.3, 0.785, 2.0, 4.0] {
        let mut brick = Brick::new([3.0 * angle.cos(), 3.0 * angle.sin(), 0.0], 0.0, 0.5);
        let iterations =
            brick.solve(InteriorPoint { kappa: 1e-10, tolerance: 1e-10, ..InteriorPoint::default() });
        assert!(iterations <= 15, "{iterations}");
        let speed = brick.u[0].hypot(brick.u[1]);
        assert!((speed - 2.95).abs() < 3e-8, "{speed}");
        assert!((brick.u[1].atan2(brick.u[0]) - angle).sin().abs() < 1e-8);
        assert!((brick.push.gamma - MASS * GRAVITY * DT).abs() < 1.1e-7);
    }
}

/// At 0.04 m/s the cone holds it: friction is the momentum, m v = 0.08 < μ m g Δt = 0.1 N s, and sliding is κ-small.
#[test]
fn a_slow_brick_stops_within_the_cone() {
    let mut brick = Brick::new([0.04, 0.0, 0.0], 0.0, 0.5);
    brick.solve(InteriorPoint { kappa: 1e-10, tolerance: 1e-11, ..InteriorPoint::default() });
    assert!(brick.u[0].abs() < 1e-6, "{}", brick.u[0]);
    assert!((brick.rub.b[0] + 0.08).abs() < 1e-6);
}

/// κ is exact: without friction m (v⁺ − v) = −m g Δt + κ/φ, φ = z + Δt v⁺: a quadratic in φ,
/// m/Δt φ² − (m z/Δt + m v − m g Δt) φ − κ = 0, whose positive root is the answer, at any κ.
#[test]
fn kappa_is_what_was_asked_for() {
    for kappa in [1e-3, 1e-5, 1e-8] {
        for v in [-1.0, 0.0, 1.0] {
            let mut brick = Brick::new([0.0, 0.0, v], 0.002, 0.0);
            let settings = InteriorPoint { kappa, tolerance: 1e-12, ..InteriorPoint::default() }.exact();
            brick.solve(settings);
            let (a, b) = (MASS / DT, MASS * 0.002 / DT + MASS * v - MASS * GRAVITY * DT);
            let root = (b * b + 4.0 * a * kappa).sqrt();
            let phi = if b > 0.0 { (b + root) / (2.0 * a) } else { 2.0 * kappa / (root - b) };
            let found = 0.002 + DT * brick.u[2];
            assert!((found / phi - 1.0).abs() < 1e-6, "κ {kappa}, v {v}: {found} against {phi}");
            assert!((brick.push.s * brick.push.gamma / kappa - 1.0).abs() < 1e-6);
        }
    }
}

/// A = B C with known x: the factor solves A x = b and Aᵀ y = b on a ring with one more edge that is sometimes away.
#[test]
fn the_unsymmetric_factor_solves_both_ways() {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let pattern = BlockPattern::new(5, edges).with_edges([(4, 1)]);
    for far_edge in [false, true] {
        let mut lu = BlockLu::<f64>::new(&pattern);
        let all: Vec<(usize, usize)> = edges.into_iter().chain(far_edge.then_some((4, 1))).collect();
        lu.use_blocks(&pattern, all.iter().map(|(a, b)| pattern.block(*a, *b).unwrap().0));
        lu.clear();
        let mut dense = vec![vec![0.0; 30]; 30];
        let entry = |i: usize, j: usize| ((i * 31 + j * 17) as f64 * 0.7).sin();
        let mut put = |lu: &mut BlockLu<f64>, a: usize, b: usize| {
            for r in 0..6 {
                for c in 0..6 {
                    let value = entry(6 * a + r, 6 * b + c) + if a == b && r == c { 12.0 } else { 0.0 };
                    let (i, j) = (6 * pattern.position(a) + r, 6 * pattern.position(b) + c);
                    dense[i][j] = value;
                    match pattern.block(a, b) {
                        Some(place) if a != b => lu.block_mut(place)[r][c] = value,
                        _ => lu.diagonal_mut(pattern.position(a))[r][c] = value,
                    }
                }
            }
        };
        for node in 0..5 {
            put(&mut lu, node, node);
        }
        for (a, b) in all {
            put(&mut lu, a, b);
            put(&mut lu, b, a);
        }
        lu.factor(&pattern);
        let expected: Vec<[f64; 6]> =
            (0..5).map(|k| core::array::from_fn(|i| ((k * 6 + i) as f64).cos())).collect();
        let flat: Vec<f64> = expected.iter().flatten().copied().collect();
        let times = |transposed: bool| -> Vec<[f64; 6]> {
            let at = |i: usize, j: usize| if transposed { dense[j][i] } else { dense[i][j] };
            let sum = |i: usize| (0..30).map(|j| at(i, j) * flat[j]).sum::<f64>();
            (0..5).map(|k| core::array::from_fn(|i| sum(6 * k + i))).collect()
        };
        let mut x = times(false);
        lu.solve(&pattern, &mut x);
        let mut y = times(true);
        lu.solve_transposed(&pattern, &mut y);
        for (found, flat) in [(x, &flat), (y, &flat)] {
            for (a, b) in found.iter().flatten().zip(flat) {
                assert!((a - b).abs() < 1e-12, "{a} against {b}");
            }
        }
    }
}
