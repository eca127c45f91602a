//! Minimal and maximal coordinates, and how each changes with the other.
//!
//! The maximal state has poses and velocities of all bodies; velocities are those of the interval that ends at the poses:
//! X = X⁻ ⊕ Δt V, and joints are closed at both ends of it. So the minimal state is (q, q̇) with q⁻ = q ⊖ Δt q̇, and both
//! maps are exact for every state that a step has left: X from q, X⁻ from q⁻, V from the two.
//!
//! | file | what |
//! |---|---|
//! | `mod` | states and the tangents of both maps |
//! | `tree` | poses from coordinates of the spanning tree, and ∂X/∂q |
//! | `chain` `columns` | the same for several columns at once, and the columns of a step |
//! | `loops` | which coordinates are independent where loops close |
//! | `step` | the Jacobian of a step from minimal to minimal state |
//! | `reduced` | the same from equations in minimal coordinates, for one world or several at once |

mod chain;
mod columns;
mod loops;
mod reduced;
mod step;
mod tree;

pub(super) use reduced::Reduced;
pub use step::MinimalStep;
pub use tree::{Dense, Freedom};

use crate::{Solved, Wrt};
use bellcrank_math::enter;
use bellcrank_math::{Mat3, Pose, Real, Twist, Vec3, so3};
use bellcrank_model::JointKind;
use bellcrank_sim::BatchError;
use bellcrank_step::interior::BodyStep;
use bellcrank_step::rows::{joint_pose, unwrap};
use bellcrank_step::settings::Integrator;
use bellcrank_step::state::State;
use loops::{SMALL, closure_rows, eliminate, reduce, reluctance};
pub(crate) use tree::Tree;

/// Coordinates of the spanning tree, node after node.
#[derive(Clone, Debug, PartialEq)]
pub struct MinimalState {
    /// Of each floating base position and quaternion wxyz of its centre-of-mass frame, of each joint its own coordinates.
    pub coordinates: Vec<f64>,
    /// Rates over the last interval: of a base its velocity (linear, angular, world axes), of scalar coordinates (q − q⁻)/Δt,
    /// of ball joints the angular velocity that turns the last pose into this one, in F.
    pub rates: Vec<f64>,
}

/// Tangents of the two maps, at one state.
#[derive(Clone, Debug)]
pub struct MinimalJacobian {
    /// The independent freedoms: all of the tree, or where loops close as many as may be chosen.
    pub freedoms: Vec<Freedom>,
    /// Twelve rows per body (δx, δθ, δv, δω); columns are δq of all freedoms, then δq̇.
    pub to_maximal: Dense,
    /// Rows δq, then δq̇; twelve columns per body.
    pub to_minimal: Dense,
}

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Lists<'a> {
    /// The independent freedoms, as positions among those of the tree and as such.
    pub list: &'a [usize],
    pub freedoms: &'a [Freedom],
    /// Controls.
    pub besides: &'a [Wrt],
}

/// A spanning tree that moves.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a, N: Real = f64> {
    pub tree: Tree<'a, N>,
    pub integrator: Integrator,
    pub dt: f64,
}

/// The interval that ends at a state.
struct Interval<N: Real = f64> {
    before: Vec<Pose<N>>,
    /// By body: the turn Q of the interval, and D with δφ = Δt D δω.
    turns: Vec<(Mat3<N>, Mat3<N>)>,
}

/// How q⁻ follows in a group of three rotations: δq⁻ = A δq − Δt B δq̇.
#[derive(Clone, Copy)]
struct Turned<N = f64> {
    /// Position of the first of the three among the independent freedoms.
    first: usize,
    A: Mat3<N>,
    B: Mat3<N>,
}

/// Where such a group is.
#[derive(Clone, Copy)]
struct TurnedAt {
    first: usize,
    /// The first of the three.
    freedom: Freedom,
}

impl<N: Real> Interval<N> {
    /// The interval of a solved step.
    #[inline(always)]
    fn of_step(state: &State<N>, solved: &Solved<N>) -> Self {
        let mut interval = Interval { before: state.X_WB.clone(), turns: Vec::new() };
        for (b, X) in solved.ws.X_next.iter().enumerate() {
            let turn = (X.R * state.X_WB[b].R.inverse()).to_mat3();
            interval.turns.push((turn, solved.own.bodies[b].turn));
        }
        interval
    }
}

impl<N: Real> Moving<'_, N> {
    #[inline(always)]
    fn interval(&self, X: &[Pose<N>], V: &[Twist<N>]) -> Interval<N> {
        let (mut step, dt) = (BodyStep::blank(), N::constant(self.dt));
        let mut interval =
            Interval { before: Vec::with_capacity(X.len()), turns: Vec::with_capacity(X.len()) };
        for (X, V) in X.iter().zip(V) {
            step.advance(self.integrator, *X, *V, dt);
            let back = Twist::new(-V.linear, -V.angular);
            let D = step.turn;
            let before = step.advance(self.integrator, *X, back, dt);
            interval.before.push(before);
            interval.turns.push(((X.R * before.R.inverse()).to_mat3(), D));
        }
        interval
    }

    /// Groups of rotations whose last coordinates do not follow by subtraction alone.
    fn turned_at(&self, list: &[Freedom]) -> Vec<TurnedAt> {
        let mut all = Vec::new();
        for (first, freedom) in list.iter().enumerate() {
            let next = match *freedom {
                Freedom::Base { body, axis: 3 } => [4, 5].map(|axis| Freedom::Base { body, axis }),
                Freedom::Joint { joint, dof } => {
                    let skip = match self.tree.layout.joints[joint].kind {
                        JointKind::Spherical => 0,
                        JointKind::Free => 3,
                        _ => continue,
                    };
                    if dof != skip {
                        continue;
                    }
                    [1, 2].map(|k| Freedom::Joint { joint, dof: skip + k })
                }
                Freedom::Base { .. } => continue,
            };
            if list.get(first + 1..first + 3) == Some(&next) {
                all.push(TurnedAt { first, freedom: *freedom });
            }
        }
        all
    }

    /// The same with numbers.
    #[inline(always)]
    fn turned(&self, X: &[Pose<N>], interval: &Interval<N>, places: &[TurnedAt]) -> Vec<Turned<N>> {
        let mut all = Vec::with_capacity(places.len());
        for &TurnedAt { first, freedom } in places {
            all.push(match freedom {
                Freedom::Base { body, .. } => {
                    let (Q, D) = interval.turns[body];
                    Turned { first, A: Q.transpose(), B: Q.transpose() * D }
                }
                Freedom::Joint { joint, .. } => {
                    let (layout, c) = (&self.tree.layout.joints[joint], &self.tree.constants.joints[joint]);
                    let now = joint_pose(layout, c, X).2.R;
                    let then = joint_pose(layout, c, &interval.before).2.R;
                    let turn = so3::log((now * then.inverse()).short_way());
                    let A = (then * now.inverse()).to_mat3();
                    Turned { first, A, B: so3::left_jacobian(-turn) }
                }
            });
        }
        all
    }
}

impl Moving<'_> {
    /// The velocity that takes one pose to another.
    fn velocity(&self, before: Pose, now: Pose) -> Twist {
        let turn = (now.R * before.R.inverse()).short_way();
        let angular = match self.integrator {
            Integrator::Variational => turn.vector() * (2.0 / self.dt),
            _ => so3::log(turn) * (1.0 / self.dt),
        };
        Twist::new((now.p - before.p) * (1.0 / self.dt), angular)
    }

    /// Minimal from maximal.
    pub fn state(&self, X: &[Pose], V: &[Twist]) -> MinimalState {
        let before = self.interval(X, V).before;
        let mut rates = Vec::new();
        for node in self.tree.model.graph().tree() {
            let Some(joint) = node.joint else {
                rates.extend(V[node.body.index()].to_array());
                continue;
            };
            let (layout, c) =
                (&self.tree.layout.joints[joint.index()], &self.tree.constants.joints[joint.index()]);
            let [now, then] = [X, &before].map(|X| joint_pose(layout, c, X).2);
            let kind = layout.kind;
            let [q, last] = [now, then].map(|X_FM| bellcrank_model::kinematics::coordinates(kind, X_FM));
            let turn = so3::log((now.R * then.R.inverse()).short_way()) * (1.0 / self.dt);
            let scalar = |k: usize| {
                let last = if kind.is_angle(k) { unwrap(last[k], q[k]) } else { last[k] };
                (q[k] - last) / self.dt
            };
            match kind {
                JointKind::Spherical => rates.extend(turn.to_array()),
                JointKind::Free => {
                    rates.extend(((now.p - then.p) * (1.0 / self.dt)).to_array());
                    rates.extend(turn.to_array());
                }
                _ => rates.extend((0..kind.dof_count()).map(scalar)),
            }
        }
        MinimalState { coordinates: self.tree.coordinates(X), rates }
    }

    /// Maximal from minimal.
    ///
    /// # Errors
    /// When there are not as many numbers as the tree has.
    pub fn maximal(&self, state: &MinimalState) -> Result<(Vec<Pose>, Vec<Twist>), BatchError> {
        let kinds: Vec<JointKind> = self.kinds().collect();
        let counts = [
            ("coordinates", state.coordinates.len(), kinds.iter().map(|k| k.coordinate_count()).sum()),
            ("rates", state.rates.len(), kinds.iter().map(|k| k.dof_count()).sum::<usize>()),
        ];
        for (what, found, expected) in counts {
            if found != expected {
                return Err(BatchError::WrongCount { what, found, expected });
            }
        }
        let (mut q, mut rates) = (&state.coordinates[..], &state.rates[..]);
        let mut before = Vec::new();
        for (node, kind) in self.tree.model.graph().tree().iter().zip(&kinds) {
            let (own, rate);
            (own, q) = q.split_at(kind.coordinate_count());
            (rate, rates) = rates.split_at(kind.dof_count());
            before.extend(self.step_back(*kind, node.joint.is_none(), own, rate));
        }
        let (now, then) = (self.tree.poses(&state.coordinates), self.tree.poses(&before));
        let velocities = then.iter().zip(&now).map(|(then, now)| self.velocity(*then, *now)).collect();
        Ok((now, velocities))
    }

    /// Joint kinds along the tree; a floating base is free.
    fn kinds(&self) -> impl Iterator<Item = JointKind> + '_ {
        let kind = |joint: bellcrank_model::JointId| self.tree.layout.joints[joint.index()].kind;
        self.tree.model.graph().tree().iter().map(move |node| node.joint.map_or(JointKind::Free, kind))
    }

    /// q ⊖ Δt q̇ of one node.
    fn step_back(&self, kind: JointKind, base: bool, q: &[f64], rate: &[f64]) -> Vec<f64> {
        let moved = |k: usize| (-self.dt).mul_add(rate[k], q[k]);
        let turned = |q: &[f64], w: &[f64]| {
            let (R, w) =
                (bellcrank_math::Quat::from_wxyz([q[0], q[1], q[2], q[3]]), Vec3::new(w[0], w[1], w[2]));
            if base {
                let X = Pose::new(R, Vec3::zero());
                let back = Twist::new(Vec3::zero(), -w);
                BodyStep::blank().advance(self.integrator, X, back, self.dt).R.to_wxyz()
            } else {
                (so3::exp(w * -self.dt) * R).to_wxyz()
            }
        };
        match kind {
            JointKind::Spherical => turned(q, rate).to_vec(),
            JointKind::Free => (0..3).map(moved).chain(turned(&q[3..], &rate[3..])).collect(),
            _ => (0..q.len()).map(moved).collect(),
        }
    }

    /// The independent freedoms at these poses, as positions among those of the tree.
    pub fn independent(&self, X: &[Pose]) -> Vec<usize> {
        let freedoms = self.tree.freedoms();
        let T = self.tree.tangent(X, freedoms.len());
        let L = closure_rows(&self.tree, X, &T);
        let (dependent, _) = eliminate(L, &reluctance(&self.tree, &freedoms));
        (0..freedoms.len()).filter(|f| dependent.iter().all(|(d, _)| d != f)).collect()
    }

    /// ∂X/∂q of the independent freedoms.
    fn reduced(&self, X: &[Pose], count: usize, independent: &[usize]) -> Result<Dense, BatchError> {
        let T = self.tree.tangent(X, count);
        let dependent = self.dependent(X, count, independent)?;
        if dependent.is_empty() { Ok(T) } else { Ok(reduce(&T, &dependent, independent)) }
    }

    /// The freedoms that follow the independent ones at these poses, and how.
    fn dependent(
        &self,
        X: &[Pose],
        count: usize,
        independent: &[usize],
    ) -> Result<Vec<(usize, Vec<f64>)>, BatchError> {
        if !self.tree.is_closed() && independent.len() == count {
            return Ok(Vec::new());
        }
        let L = closure_rows(&self.tree, X, &self.tree.tangent(X, count));
        // what is chosen must not be taken, and the others must do for all rows
        let mut weight = vec![1.0; count];
        independent.iter().for_each(|k| weight[*k] = 0.0);
        let (dependent, left) = eliminate(L, &weight);
        if left > 1e3 * SMALL || dependent.len() + independent.len() != count {
            return Err(BatchError::NotIndependent);
        }
        Ok(dependent)
    }

    /// Tangents of both maps, for these freedoms.
    pub fn jacobian(&self, X: &[Pose], V: &[Twist], list: &[usize]) -> Result<MinimalJacobian, BatchError> {
        let freedoms = self.tree.freedoms();
        let own: Vec<Freedom> = list.iter().map(|k| freedoms[*k]).collect();
        let interval = self.interval(X, V);
        let turned = self.turned(X, &interval, &self.turned_at(&own));
        let T = self.reduced(X, freedoms.len(), list)?;
        let T_before = self.reduced(&interval.before, freedoms.len(), list)?;
        let (to_maximal, to_minimal) = enter!(f64, {
            let to_maximal = self.to_maximal(&interval, &turned, &T, &T_before);
            (to_maximal, self.to_minimal(X, &interval, &turned, &own))
        });
        Ok(MinimalJacobian { freedoms: own, to_maximal, to_minimal })
    }

    #[inline(always)]
    fn to_maximal(self, interval: &Interval, turned: &[Turned], T: &Dense, last: &Dense) -> Dense {
        let (count, inverse_dt) = (T.columns, 1.0 / self.dt);
        // δX⁻ = T⁻ (A δq − Δt B δq̇)
        let (mut by_q, mut by_rate) = (last.clone(), last.clone());
        for row in 0..last.rows() {
            for group in turned {
                let at = group.first;
                let t = Vec3::new(last.get(row, at), last.get(row, at + 1), last.get(row, at + 2));
                by_q.row_mut(row)[at..at + 3].copy_from_slice(&group.A.transpose_mul(t).to_array());
                by_rate.row_mut(row)[at..at + 3].copy_from_slice(&group.B.transpose_mul(t).to_array());
            }
        }
        let mut N = Dense::zero(2 * T.rows(), 2 * count);
        for (b, (Q, D)) in interval.turns.iter().enumerate() {
            let inverse = D.inverse();
            for k in 0..count {
                let six = |M: &Dense| -> [f64; 6] { core::array::from_fn(|i| M.get(6 * b + i, k)) };
                let (now, then, rate) =
                    (tree::twist(six(T)), tree::twist(six(&by_q)), tree::twist(six(&by_rate)));
                let linear = (now.linear - then.linear) * inverse_dt;
                // δφ = δθ − Q δθ⁻ = Δt D δω
                let angular = inverse * (now.angular - *Q * then.angular) * inverse_dt;
                let put = |N: &mut Dense, i: usize, v: Vec3, column: usize| {
                    v.to_array()
                        .into_iter()
                        .enumerate()
                        .for_each(|(c, x)| N.row_mut(12 * b + i + c)[column] = x)
                };
                put(&mut N, 0, now.linear, k);
                put(&mut N, 3, now.angular, k);
                put(&mut N, 6, linear, k);
                put(&mut N, 9, angular, k);
                put(&mut N, 6, rate.linear, count + k);
                put(&mut N, 9, inverse * (*Q * rate.angular), count + k);
            }
        }
        N
    }

    #[inline(always)]
    fn to_minimal(self, X: &[Pose], interval: &Interval, turned: &[Turned], list: &[Freedom]) -> Dense {
        let (count, dt) = (list.len(), self.dt);
        let mut M = Dense::zero(2 * count, 12 * X.len());
        let rows_at = |X: &[Pose], freedom: Freedom| -> Vec<(usize, [f64; 6])> {
            match freedom {
                Freedom::Base { body, axis } => {
                    let mut row = [0.0; 6];
                    row[axis] = 1.0;
                    vec![(body, row)]
                }
                Freedom::Joint { joint, dof } => {
                    let layout = &self.tree.layout.joints[joint];
                    let row = self.tree.joint_rows(layout, joint, X)[layout.kind.row_count() + dof];
                    let on_p = layout.predecessor.map(|p| (p, row.1));
                    [Some((layout.successor, row.0)), on_p].into_iter().flatten().collect()
                }
            }
        };
        for (k, freedom) in list.iter().enumerate() {
            for (b, row) in rows_at(X, *freedom) {
                (0..6).for_each(|i| M.row_mut(k)[12 * b + i] += row[i]);
            }
            // δq⁻ = rows⁻ δX⁻, δx⁻ = δx − Δt δv, δθ⁻ = Qᵀ (δθ − Δt D δω)
            for (b, row) in rows_at(&interval.before, *freedom) {
                let (Q, D) = interval.turns[b];
                let by_angle = Q * Vec3::new(row[3], row[4], row[5]);
                let by_rate = D.transpose_mul(by_angle).to_array();
                let by_angle = by_angle.to_array();
                let own = M.row_mut(count + k);
                for i in 0..3 {
                    own[12 * b + i] += row[i];
                    own[12 * b + 3 + i] += by_angle[i];
                    own[12 * b + 6 + i] -= dt * row[i];
                    own[12 * b + 9 + i] -= dt * by_rate[i];
                }
            }
        }
        self.rates_of(turned, count, &mut M);
        M
    }

    /// δq̇ = B⁻¹ (A δq − δq⁻)/Δt, in place of δq⁻.
    #[inline(always)]
    fn rates_of(&self, turned: &[Turned], count: usize, M: &mut Dense) {
        let inverse_dt = 1.0 / self.dt;
        let (columns, in_group) =
            (M.columns, |k: usize| turned.iter().any(|g| (g.first..g.first + 3).contains(&k)));
        for k in (0..count).filter(|k| !in_group(*k)) {
            let (now, last) = M.values.split_at_mut((count + k) * columns);
            let each = last[..columns].iter_mut().zip(&now[k * columns..][..columns]);
            each.for_each(|(last, now)| *last = (now - *last) * inverse_dt);
        }
        for column in 0..columns {
            for group in turned {
                let read = |M: &Dense, row: usize| {
                    Vec3::new(M.get(row, column), M.get(row + 1, column), M.get(row + 2, column))
                };
                let open = group.A * read(M, group.first) - read(M, count + group.first);
                let rate = group.B.inverse() * open * inverse_dt;
                let each = rate.to_array().into_iter().enumerate();
                each.for_each(|(i, x)| M.row_mut(count + group.first + i)[column] = x);
            }
        }
    }
}
