//! All columns by solving with the factor at hand, as many at once as there are lanes.
//!
//! Held rows have a small compliance 1/w in the factor. Where a solution opens joints by more than [`ENOUGH`] of its
//! velocities, it is taken out by the method of multipliers: each refinement leaves a small share of what was left before.
//!
//! Numbers next to each other in the list belong to the same body: elimination forwards goes from there to the root and
//! nowhere else.

use super::Solved;
use super::columns::{Columns, Rows};
use bellcrank_math::{Inline, LaneJob, Mask, Real};
use bellcrank_step::layout::Layout;

/// Rounds of taking the joints' compliance out of a solution, at most.
pub(super) const REFINEMENTS: usize = 8;
/// A joint may open with this share of the largest velocity.
pub(super) const ENOUGH: f64 = 1e-9;

/// Solves for all columns.
pub(crate) struct SolveColumns<'a> {
    pub columns: &'a Columns,
    pub factored: Factored<'a>,
}

/// A solved step with its factor.
pub(crate) struct Factored<'a> {
    pub layout: &'a Layout,
    pub solved: &'a Solved,
}

impl LaneJob<f64> for SolveColumns<'_> {
    /// By row (12 per body: δx, δθ, δv, δω) and column.
    type Output = Vec<f64>;

    fn run<R: Real<Elem = f64>>(self) -> Vec<f64> {
        let count = self.columns.count();
        let (rows, bodies) = (Rows::of(self.factored.layout), self.factored.layout.position.len());
        let mut out = vec![0.0; 12 * bodies * count];
        let mut given = vec![0.0; rows.all * 6 * R::LANES];
        let mut work = Work::<R>::new(&rows);
        for first in (0..count).step_by(R::LANES) {
            self.scatter::<R>(first, &mut given, &mut work.some);
            R::run(Inline(
                #[inline(always)]
                || {
                    work.load(&rows, &mut given);
                    self.factored.solve(&mut work);
                    self.write(&work, (first, count), &mut out);
                },
            ));
        }
        out
    }
}

/// One right-hand side per lane.
pub(super) struct Work<R> {
    /// By elimination position: pushes, then velocities; what a refinement adds.
    pub u: Vec<[R; 6]>,
    more: Vec<[R; 6]>,
    joints: Vec<[R; 6]>,
    couplings: Vec<[R; 6]>,
    pub ends: Vec<[R; 6]>,
    /// By row: whether the columns at hand have anything there.
    some: Vec<bool>,
}

impl<R: Real<Elem = f64>> Work<R> {
    pub fn new(rows: &Rows) -> Self {
        let room = |count: usize| vec![[R::zero(); 6]; count];
        Work {
            u: room(rows.joints),
            more: room(rows.joints),
            joints: room(rows.couplings - rows.joints),
            couplings: room(rows.ends - rows.couplings),
            ends: room(rows.joints),
            some: vec![false; rows.all],
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

    /// One row, to be added to.
    #[inline(always)]
    pub fn at(&mut self, rows: &Rows, row: usize) -> &mut [R; 6] {
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
        &mut list[row - first]
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
            let (u, moved) = (&work.u[k], self.factored.end_pose(b, work));
            for i in 0..12 {
                let value = if i < 6 { moved[i] } else { u[i - 6] };
                value.store(&mut out[(12 * b + i) * count..][first..end]);
            }
        }
    }
}

impl Factored<'_> {
    /// H u = push − J₂ᵀ w rest, and rounds of rest ← rest + C u where joints open.
    #[inline(always)]
    pub fn solve<R: Real<Elem = f64>>(&self, work: &mut Work<R>) {
        let (own, Work { u, more, joints, couplings, some, .. }) = (&self.solved.own, work);
        self.push_rests(joints, couplings, u, some);
        own.lu.solve_many_from(&own.pattern, u, some);
        self.open(u, joints, couplings);
        for round in 0..REFINEMENTS {
            if !self.is_open(u, joints, couplings) {
                break;
            }
            more.fill([R::zero(); 6]);
            some.fill(true);
            self.push_rests(joints, couplings, more, some);
            own.lu.solve_many_from(&own.pattern, more, some);
            for (sum, x) in u.iter_mut().zip(&*more) {
                for i in 0..6 {
                    sum[i] += x[i];
                }
            }
            if round + 1 < REFINEMENTS {
                self.open(more, joints, couplings);
            }
        }
    }

    /// Whether some column opens a joint or a coupling faster than what is left to rounding.
    #[inline(always)]
    fn is_open<R: Real<Elem = f64>>(&self, u: &[[R; 6]], joints: &[[R; 6]], couplings: &[[R; 6]]) -> bool {
        let (mut fastest, mut widest) = (R::zero(), R::zero());
        for x in u {
            for i in 0..6 {
                fastest = fastest.max(x[i].abs());
            }
        }
        for (rest, joint) in joints.iter().zip(&self.layout.joints) {
            for i in 0..joint.kind.row_count() {
                widest = widest.max(rest[i].abs());
            }
        }
        for rest in couplings {
            widest = widest.max(rest[0].abs());
        }
        (fastest * R::splat(ENOUGH)).lt(widest).any()
    }

    /// x −= J₂ᵀ w rest; only for what `some` says is not zero, which then says what is reached.
    #[inline(always)]
    fn push_rests<R: Real<Elem = f64>>(
        &self,
        joints: &[[R; 6]],
        couplings: &[[R; 6]],
        x: &mut [[R; 6]],
        some: &mut [bool],
    ) {
        let (layout, ws, rows) = (self.layout, &self.solved.ws, Rows::of(self.layout));
        for (j, joint) in layout.joints.iter().enumerate() {
            let (start, rest) = (&ws.joints[j], &joints[j]);
            let (s, p) = (layout.position[joint.successor], joint.predecessor);
            if !some[rows.joints + j] {
                continue;
            }
            some[s] = true;
            if let Some(p) = p {
                some[layout.position[p]] = true;
            }
            for i in 0..joint.kind.row_count() {
                let amount = rest[i] * R::splat(start.weight[i]);
                subtract(&mut x[s], &start.s[i], amount);
                if let Some(p) = p {
                    subtract(&mut x[layout.position[p]], &start.p[i], amount);
                }
            }
        }
        for (c, coupling) in layout.couplings.iter().enumerate() {
            let amount = couplings[c][0] * R::splat(ws.coupling_weight[c]);
            for (row, &b) in ws.couplings[c].iter().zip(&coupling.bodies) {
                some[layout.position[b]] = true;
                subtract(&mut x[layout.position[b]], row, amount);
            }
        }
    }

    /// rest += C x
    #[inline(always)]
    fn open<R: Real<Elem = f64>>(&self, x: &[[R; 6]], joints: &mut [[R; 6]], couplings: &mut [[R; 6]]) {
        let (layout, own) = (self.layout, &self.solved.own);
        for (j, joint) in layout.joints.iter().enumerate() {
            let (end, rest) = (&own.joints[j], &mut joints[j]);
            let (s, p) = (layout.position[joint.successor], joint.predecessor);
            for i in 0..joint.kind.row_count() {
                let mut sum = along(&end.s[i], &x[s], rest[i]);
                if let Some(p) = p {
                    sum = along(&end.p[i], &x[layout.position[p]], sum);
                }
                rest[i] = sum;
            }
        }
        for (c, coupling) in layout.couplings.iter().enumerate() {
            for (row, &b) in own.couplings[c].row.iter().zip(&coupling.bodies) {
                couplings[c][0] = along(row, &x[layout.position[b]], couplings[c][0]);
            }
        }
    }

    /// Velocities move the end poses: δx = Δt δv, δθ = Δt D δω, and what moves by itself.
    #[inline(always)]
    pub fn end_pose<R: Real<Elem = f64>>(&self, body: usize, work: &Work<R>) -> [R; 6] {
        let (u, dt) = (&work.u[self.layout.position[body]], self.solved.inputs.dt);
        let (mut moved, turn) = (work.ends[body], self.solved.own.bodies[body].turn);
        for i in 0..3 {
            moved[i] = u[i].mul_add(R::splat(dt), moved[i]);
            for c in 0..3 {
                moved[3 + i] = R::splat(dt * turn.entry(i, c)).mul_add(u[3 + c], moved[3 + i]);
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

/// sum + row · x
#[inline(always)]
fn along<R: Real<Elem = f64>>(row: &[f64; 6], x: &[R; 6], mut sum: R) -> R {
    for i in 0..6 {
        sum = R::splat(row[i]).mul_add(x[i], sum);
    }
    sum
}
