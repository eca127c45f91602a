//! All columns by solving with the factor at hand, as many at once as there are lanes.
//!
//! Held rows have a small compliance 1/w in the factor. Where a solution opens joints by more than [`ENOUGH`] of its
//! velocities, it is taken out by the method of multipliers: each refinement leaves a small share of what was left before.
//!
//! Numbers next to each other in the list belong to the same body: elimination forwards goes from there to the root and
//! nowhere else.

use super::Solved;
use super::columns::{Columns, Rows};
use super::spread::{ColumnLanes, Spread};
use crate::layout::Layout;
use bellcrank_math::{Inline, LaneJob, Mask, Real};

/// Rounds of taking the joints' compliance out of a solution, at most.
pub(super) const REFINEMENTS: usize = 3;
/// A joint may open with this share of the largest velocity.
pub(super) const ENOUGH: f64 = 1e-7;

/// Solves for all columns.
pub(crate) struct SolveColumns<'a> {
    pub columns: &'a Columns,
    pub factored: Factored<'a, f64>,
}

/// A solved step with its factor.
pub(crate) struct Factored<'a, N: Real> {
    pub layout: &'a Layout,
    pub solved: &'a Solved<N>,
}

impl LaneJob<f64> for SolveColumns<'_> {
    /// By row (12 per body: δx, δθ, δv, δω) and column.
    type Output = Vec<f64>;

    fn run<R: Real<Elem = f64>>(self) -> Vec<f64> {
        let count = self.columns.count();
        let (rows, bodies) = (Rows::of(self.factored.layout), self.factored.layout.position.len());
        let mut out = vec![0.0; 12 * bodies * count];
        let mut given = vec![0.0; rows.all * 6 * R::LANES];
        let mut work = Work::<R>::new(&rows, 1);
        for first in (0..count).step_by(R::LANES) {
            self.scatter::<R>(first, &mut given, &mut work.some);
            R::run(Inline(
                #[inline(always)]
                || {
                    work.load(&rows, &mut given);
                    self.factored.solve::<ColumnLanes<R>>(&mut work);
                    self.write(&work, (first, count), &mut out);
                },
            ));
        }
        out
    }
}

/// One right-hand side per lane, in as many packs as are solved for together; these are next to each other in every row.
pub(super) struct Work<R> {
    /// By elimination position: pushes, then velocities; what a refinement adds.
    pub u: Vec<[R; 6]>,
    more: Vec<[R; 6]>,
    joints: Vec<[R; 6]>,
    couplings: Vec<[R; 6]>,
    pub ends: Vec<[R; 6]>,
    /// By row: whether the columns at hand have anything there.
    some: Vec<bool>,
    packs: usize,
}

impl<R: Real<Elem = f64>> Work<R> {
    pub fn new(rows: &Rows, packs: usize) -> Self {
        let room = |count: usize| vec![[R::zero(); 6]; count * packs];
        Work {
            u: room(rows.joints),
            more: room(rows.joints),
            joints: room(rows.couplings - rows.joints),
            couplings: room(rows.ends - rows.couplings),
            ends: room(rows.joints),
            some: vec![false; rows.all],
            packs,
        }
    }

    /// No column has anything.
    #[inline(always)]
    pub fn clear(&mut self) {
        let zero = [R::zero(); 6];
        self.u.fill(zero);
        self.joints.fill(zero);
        self.couplings.fill(zero);
        self.ends.fill(zero);
        self.some.fill(false);
    }

    /// One row of one pack, to be added to.
    #[inline(always)]
    pub fn at(&mut self, rows: &Rows, row: usize, pack: usize) -> &mut [R; 6] {
        self.some[row] = true;
        let (list, first) = if row < rows.joints {
            (&mut self.u, 0)
        } else if row < rows.couplings {
            (&mut self.joints, rows.joints)
        } else if row < rows.ends {
            (&mut self.couplings, rows.couplings)
        } else {
            (&mut self.ends, rows.ends)
        };
        &mut list[(row - first) * self.packs + pack]
    }

    #[inline(always)]
    fn load(&mut self, rows: &Rows, given: &mut [f64]) {
        load(&mut self.u, &self.some, given, 0);
        load(&mut self.joints, &self.some, given, rows.joints);
        load(&mut self.couplings, &self.some, given, rows.couplings);
        load(&mut self.ends, &self.some, given, rows.ends);
    }
}

/// Rows from `first` on; what is taken is zero afterwards.
#[inline(always)]
fn load<R: Real<Elem = f64>>(to: &mut [[R; 6]], some: &[bool], given: &mut [f64], first: usize) {
    for (k, six) in to.iter_mut().enumerate() {
        *six = [R::zero(); 6];
        if some[first + k] {
            for i in 0..6 {
                let place = &mut given[((first + k) * 6 + i) * R::LANES..][..R::LANES];
                six[i] = R::load(place);
                R::zero().store(place);
            }
        }
    }
}

impl SolveColumns<'_> {
    /// Columns next to each other, one per lane.
    fn scatter<R: Real<Elem = f64>>(&self, first: usize, given: &mut [f64], some: &mut [bool]) {
        some.fill(false);
        let last = self.columns.count().min(first + R::LANES);
        for column in first..last {
            for entry in self.columns.of(column) {
                some[entry.row as usize] = true;
                let at = entry.row as usize * 6 * R::LANES + column - first;
                for i in 0..6 {
                    given[at + i * R::LANES] += entry.value[i];
                }
            }
        }
    }

    /// Rows of all bodies, for the columns at hand.
    #[inline(always)]
    fn write<R: Real<Elem = f64>>(&self, work: &Work<R>, (first, count): (usize, usize), out: &mut [f64]) {
        let end = count.min(first + R::LANES);
        for (b, &k) in self.factored.layout.position.iter().enumerate() {
            let (u, moved) = (&work.u[k], self.factored.end_pose::<ColumnLanes<R>>(b, work, 0));
            for i in 0..12 {
                let value = if i < 6 { moved[i] } else { u[i - 6] };
                value.store(&mut out[(12 * b + i) * count..][first..end]);
            }
        }
    }
}

impl<N: Real<Elem = f64>> Factored<'_, N> {
    /// H u = push − J₂ᵀ w rest, and rounds of rest ← rest + C u where joints open.
    #[inline(always)]
    pub fn solve<S: Spread<Number = N>>(&self, work: &mut Work<S::Many>) {
        let (own, Work { u, more, joints, couplings, some, .. }) = (&self.solved.own, work);
        self.push_rests::<S>(joints, couplings, u, some);
        S::solve(&own.lu, &own.pattern, u, some);
        self.open::<S>(u, joints, couplings);
        for round in 0..REFINEMENTS {
            let mut open = <S::Many as Real>::Mask::splat(false);
            for pack in 0..S::PACKS {
                open = open | self.is_open::<S>(u, joints, couplings, pack);
            }
            if !open.any() {
                break;
            }
            let open = S::of_one_world(open);
            more.fill([S::Many::zero(); 6]);
            some.fill(true);
            self.push_rests::<S>(joints, couplings, more, some);
            S::solve(&own.lu, &own.pattern, more, some);
            for k in 0..u.len() {
                for i in 0..6 {
                    // a world that is closed stays as it is, whatever its neighbours need
                    more[k][i] = S::Many::select(open, more[k][i], S::Many::zero());
                    u[k][i] += more[k][i];
                }
            }
            if round + 1 < REFINEMENTS {
                self.open::<S>(more, joints, couplings);
            }
        }
    }

    /// Which columns of a pack open a joint or a coupling faster than what is left to rounding.
    #[inline(always)]
    fn is_open<S: Spread<Number = N>>(
        &self,
        u: &[[S::Many; 6]],
        joints: &[[S::Many; 6]],
        couplings: &[[S::Many; 6]],
        pack: usize,
    ) -> <S::Many as Real>::Mask {
        let (mut fastest, mut widest) = (S::Many::zero(), S::Many::zero());
        for k in 0..self.layout.position.len() {
            for i in 0..6 {
                fastest = fastest.max(u[k * S::PACKS + pack][i].abs());
            }
        }
        for (j, joint) in self.layout.joints.iter().enumerate() {
            for i in 0..joint.kind.row_count() {
                widest = widest.max(joints[j * S::PACKS + pack][i].abs());
            }
        }
        for c in 0..self.layout.couplings.len() {
            widest = widest.max(couplings[c * S::PACKS + pack][0].abs());
        }
        (fastest * S::Many::splat(ENOUGH)).lt(widest)
    }

    /// x −= J₂ᵀ w rest; only for what `some` says is not zero, which then says what is reached.
    #[inline(always)]
    fn push_rests<S: Spread<Number = N>>(
        &self,
        joints: &[[S::Many; 6]],
        couplings: &[[S::Many; 6]],
        x: &mut [[S::Many; 6]],
        some: &mut [bool],
    ) {
        let (layout, ws, rows) = (self.layout, &self.solved.ws, Rows::of(self.layout));
        for (j, joint) in layout.joints.iter().enumerate() {
            let (start, s) = (&ws.joints[j], layout.position[joint.successor]);
            if !some[rows.joints + j] {
                continue;
            }
            some[s] = true;
            if let Some(p) = joint.predecessor {
                some[layout.position[p]] = true;
            }
            for i in 0..joint.kind.row_count() {
                for pack in 0..S::PACKS {
                    let amount = joints[j * S::PACKS + pack][i] * S::lift(start.weight[i]);
                    subtract_lifted::<S>(&mut x[s * S::PACKS + pack], &start.s[i], amount);
                    if let Some(p) = joint.predecessor {
                        let p = layout.position[p];
                        subtract_lifted::<S>(&mut x[p * S::PACKS + pack], &start.p[i], amount);
                    }
                }
            }
        }
        for (c, coupling) in layout.couplings.iter().enumerate() {
            for (row, &b) in ws.couplings[c].iter().zip(&coupling.bodies) {
                let k = layout.position[b];
                some[k] = true;
                for pack in 0..S::PACKS {
                    let amount = couplings[c * S::PACKS + pack][0] * S::lift(ws.coupling_weight[c]);
                    subtract_lifted::<S>(&mut x[k * S::PACKS + pack], row, amount);
                }
            }
        }
    }

    /// rest += C x
    #[inline(always)]
    fn open<S: Spread<Number = N>>(
        &self,
        x: &[[S::Many; 6]],
        joints: &mut [[S::Many; 6]],
        couplings: &mut [[S::Many; 6]],
    ) {
        let (layout, own) = (self.layout, &self.solved.own);
        for (j, joint) in layout.joints.iter().enumerate() {
            let (end, s) = (&own.joints[j], layout.position[joint.successor]);
            for i in 0..joint.kind.row_count() {
                for pack in 0..S::PACKS {
                    let rest = &mut joints[j * S::PACKS + pack][i];
                    let mut sum = along::<S>(&end.s[i], &x[s * S::PACKS + pack], *rest);
                    if let Some(p) = joint.predecessor {
                        let p = layout.position[p];
                        sum = along::<S>(&end.p[i], &x[p * S::PACKS + pack], sum);
                    }
                    *rest = sum;
                }
            }
        }
        for (c, coupling) in layout.couplings.iter().enumerate() {
            for (row, &b) in own.couplings[c].row.iter().zip(&coupling.bodies) {
                for pack in 0..S::PACKS {
                    let rest = &mut couplings[c * S::PACKS + pack][0];
                    *rest = along::<S>(row, &x[layout.position[b] * S::PACKS + pack], *rest);
                }
            }
        }
    }

    /// Velocities move the end poses: δx = Δt δv, δθ = Δt D δω, and what moves by itself.
    #[inline(always)]
    pub fn end_pose<S: Spread<Number = N>>(
        &self,
        body: usize,
        work: &Work<S::Many>,
        pack: usize,
    ) -> [S::Many; 6] {
        let (k, dt) = (self.layout.position[body], self.solved.inputs.dt);
        let (u, turn) = (&work.u[k * S::PACKS + pack], self.solved.own.bodies[body].turn);
        let mut moved = work.ends[body * S::PACKS + pack];
        for i in 0..3 {
            moved[i] = u[i].mul_add(S::lift(dt), moved[i]);
            for c in 0..3 {
                moved[3 + i] = S::lift(dt * turn.entry(i, c)).mul_add(u[3 + c], moved[3 + i]);
            }
        }
        moved
    }
}

/// x −= amount · row
#[inline(always)]
pub(super) fn subtract<R: Real<Elem = f64>>(x: &mut [R; 6], row: &[f64; 6], amount: R) {
    for i in 0..6 {
        x[i] = R::splat(row[i]).neg_mul_add(amount, x[i]);
    }
}

/// x −= amount · row
#[inline(always)]
fn subtract_lifted<S: Spread>(x: &mut [S::Many; 6], row: &[S::Number; 6], amount: S::Many) {
    for i in 0..6 {
        x[i] = S::lift(row[i]).neg_mul_add(amount, x[i]);
    }
}

/// sum + row · x
#[inline(always)]
fn along<S: Spread>(row: &[S::Number; 6], x: &[S::Many; 6], mut sum: S::Many) -> S::Many {
    for i in 0..6 {
        sum = S::lift(row[i]).mul_add(x[i], sum);
    }
    sum
}
