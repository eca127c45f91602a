//! Columns of ∂r/∂θ, few numbers each, and what follows from them by solving with the factor at hand, as many at once as
//! there are lanes.
//!
//! Held rows have a small compliance 1/w in the factor. It is taken out by the method of multipliers: each
//! refinement leaves a small share of what was left before: about `Settings::softness` of a row's own compliance, and with loops
//! more, a few thousandths on the biped.

use super::passes::{Equation, Incidence, Passes};
use super::slopes::{Six, Slopes};
use super::{Solved, Wrt};
use crate::layout::Layout;
use bellcrank_math::{Inline, LaneJob, Real};

/// Rounds of taking the joints' compliance out of a solution.
pub(super) const REFINEMENTS: usize = 2;

/// Six numbers of a column: a push on a body, what a joint is short of, or how an end pose moves by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub row: u32,
    pub value: [f64; 6],
}

/// Sparse columns. Rows are those of bodies (by elimination position), joints, couplings, end poses; six numbers each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    entries: Vec<Entry>,
    /// Where each column begins and ends.
    ranges: Vec<(usize, usize)>,
}

/// Where the four kinds of rows begin.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub joints: usize,
    pub couplings: usize,
    pub ends: usize,
    pub all: usize,
}

impl Rows {
    pub fn of(layout: &Layout) -> Self {
        let bodies = layout.position.len();
        let couplings = bodies + layout.joints.len();
        let ends = couplings + layout.couplings.len();
        Rows { joints: bodies, couplings, ends, all: ends + bodies }
    }
}

impl Columns {
    pub fn clear(&mut self, count: usize) {
        self.entries.clear();
        self.ranges.clear();
        self.ranges.resize(count, (0, 0));
    }

    /// Takes the columns that rode in an evaluation.
    pub fn gather(
        &mut self,
        layout: &Layout,
        (passes, pass): (&Passes, usize),
        (incidence, wrt): (&Incidence, &[Wrt]),
        slopes: &Slopes,
    ) {
        let rows = Rows::of(layout);
        for &(column, k) in &passes.list[pass].riders {
            let first = self.entries.len();
            let list = &mut self.entries;
            incidence.each(layout, wrt[column], |equation| match equation {
                Equation::Body(b) => {
                    put(list, layout.position[b], &slopes.bodies[b], k);
                    put(list, rows.ends + b, &slopes.ends[b], k);
                }
                Equation::Joint(j) => {
                    let joint = &layout.joints[j];
                    put(list, layout.position[joint.successor], &slopes.joints[j].s, k);
                    if let Some(p) = joint.predecessor {
                        put(list, layout.position[p], &slopes.joints[j].p, k);
                    }
                    put(list, rows.joints + j, &slopes.joints[j].rest, k);
                }
                Equation::Coupling(c) => {
                    let (pushes, rest) = &slopes.couplings[c];
                    for (push, b) in pushes.iter().zip(&layout.couplings[c].bodies) {
                        put(list, layout.position[*b], push, k);
                    }
                    let mut value = [0.0; 6];
                    value[0] = rest[k];
                    list.push(Entry { row: (rows.couplings + c) as u32, value });
                }
                Equation::Line(l) => {
                    for (push, b) in slopes.lines[l].iter().zip(&layout.lines[l].bodies) {
                        put(list, layout.position[*b], push, k);
                    }
                }
                Equation::Touch(t) => {
                    let (touch, pushes) = (incidence.slot(t), &slopes.touches[t]);
                    let contact = &layout.contacts[touch];
                    put(list, layout.position[contact.b], &pushes[1], k);
                    if let Some(a) = contact.a {
                        put(list, layout.position[a], &pushes[0], k);
                    }
                }
            });
            self.ranges[column] = (first, self.entries.len());
        }
    }

    /// Number of columns.
    pub fn count(&self) -> usize {
        self.ranges.len()
    }

    pub(super) fn of(&self, column: usize) -> &[Entry] {
        let (first, end) = self.ranges[column];
        &self.entries[first..end]
    }
}

/// Keeps six numbers, unless all are zero.
fn put(list: &mut Vec<Entry>, row: usize, six: &Six, k: usize) {
    let value = [six[0][k], six[1][k], six[2][k], six[3][k], six[4][k], six[5][k]];
    if value != [0.0; 6] {
        list.push(Entry { row: row as u32, value });
    }
}

/// Solves for all columns.
pub(crate) struct SolveColumns<'a> {
    pub layout: &'a Layout,
    pub columns: &'a Columns,
    pub solved: &'a Solved,
    /// Combinations of columns to be solved for, row by row of the columns; none for the columns as they are.
    pub mix: Option<&'a Mix>,
}

/// Σ over columns of weight · column, for several combinations: `weights` is by column, then by combination.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    pub count: usize,
    pub weights: Vec<f64>,
}

impl LaneJob<f64> for SolveColumns<'_> {
    /// By row (12 per body: δx, δθ, δv, δω) and column.
    type Output = Vec<f64>;

    fn run<R: Real<Elem = f64>>(self) -> Vec<f64> {
        let count = self.mix.map_or(self.columns.ranges.len(), |mix| mix.count);
        let (rows, bodies) = (Rows::of(self.layout), self.layout.position.len());
        let mut out = vec![0.0; 12 * bodies * count];
        let mut given = vec![0.0; rows.all * 6 * R::LANES];
        let mut work = Work::<R>::new(&rows);
        for first in (0..count).step_by(R::LANES) {
            given.fill(0.0);
            match self.mix {
                None => self.scatter::<R>(first, &mut given),
                Some(mix) => R::run(Inline(
                    #[inline(always)]
                    || self.combine::<R>(mix, first, &mut given),
                )),
            }
            R::run(Inline(
                #[inline(always)]
                || {
                    work.load(&rows, &given);
                    self.solve(&mut work);
                    self.write(&work, (first, count), &mut out);
                },
            ));
        }
        out
    }
}

/// One right-hand side per lane.
struct Work<R> {
    /// By elimination position: pushes, then velocities; what a refinement adds.
    u: Vec<[R; 6]>,
    more: Vec<[R; 6]>,
    joints: Vec<[R; 6]>,
    couplings: Vec<[R; 6]>,
    ends: Vec<[R; 6]>,
}

impl<R: Real<Elem = f64>> Work<R> {
    fn new(rows: &Rows) -> Self {
        let room = |count: usize| vec![[R::zero(); 6]; count];
        Work {
            u: room(rows.joints),
            more: room(rows.joints),
            joints: room(rows.couplings - rows.joints),
            couplings: room(rows.ends - rows.couplings),
            ends: room(rows.joints),
        }
    }

    #[inline(always)]
    fn load(&mut self, rows: &Rows, given: &[f64]) {
        load(&mut self.u, given, 0);
        load(&mut self.joints, given, rows.joints);
        load(&mut self.couplings, given, rows.couplings);
        load(&mut self.ends, given, rows.ends);
    }
}

/// Rows from `first` on.
#[inline(always)]
fn load<R: Real<Elem = f64>>(to: &mut [[R; 6]], given: &[f64], first: usize) {
    for (k, six) in to.iter_mut().enumerate() {
        for i in 0..6 {
            six[i] = R::load(&given[((first + k) * 6 + i) * R::LANES..][..R::LANES]);
        }
    }
}

impl SolveColumns<'_> {
    /// Columns next to each other, one per lane.
    fn scatter<R: Real<Elem = f64>>(&self, first: usize, given: &mut [f64]) {
        let last = self.columns.ranges.len().min(first + R::LANES);
        for column in first..last {
            for entry in self.columns.of(column) {
                let at = entry.row as usize * 6 * R::LANES + column - first;
                for i in 0..6 {
                    given[at + i * R::LANES] += entry.value[i];
                }
            }
        }
    }

    /// Combinations next to each other, one per lane.
    #[inline(always)]
    fn combine<R: Real<Elem = f64>>(&self, mix: &Mix, first: usize, given: &mut [f64]) {
        let wide = mix.count.min(first + R::LANES) - first;
        for column in 0..self.columns.ranges.len() {
            let own = &mix.weights[column * mix.count + first..][..wide];
            let mut some = false;
            for w in own {
                some |= *w != 0.0;
            }
            if !some {
                continue;
            }
            let weight = R::load(own);
            for entry in self.columns.of(column) {
                let at = entry.row as usize * 6 * R::LANES;
                for i in 0..6 {
                    let place = &mut given[at + i * R::LANES..][..R::LANES];
                    weight.mul_add(R::splat(entry.value[i]), R::load(place)).store(place);
                }
            }
        }
    }

    /// H u = push − J₂ᵀ w rest, and rounds of rest ← rest + C u.
    #[inline(always)]
    fn solve<R: Real<Elem = f64>>(&self, work: &mut Work<R>) {
        let (own, Work { u, more, joints, couplings, .. }) = (&self.solved.own, work);
        self.push_rests(joints, couplings, u);
        own.lu.solve_many(&own.pattern, u);
        self.open(u, joints, couplings);
        for round in 0..REFINEMENTS {
            more.fill([R::zero(); 6]);
            self.push_rests(joints, couplings, more);
            own.lu.solve_many(&own.pattern, more);
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

    /// x −= J₂ᵀ w rest
    #[inline(always)]
    fn push_rests<R: Real<Elem = f64>>(&self, joints: &[[R; 6]], couplings: &[[R; 6]], x: &mut [[R; 6]]) {
        let (layout, ws) = (self.layout, &self.solved.ws);
        for (j, joint) in layout.joints.iter().enumerate() {
            let (start, rest) = (&ws.joints[j], &joints[j]);
            let (s, p) = (layout.position[joint.successor], joint.predecessor);
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
    fn write<R: Real<Elem = f64>>(&self, work: &Work<R>, (first, count): (usize, usize), out: &mut [f64]) {
        let (layout, dt) = (self.layout, self.solved.inputs.dt);
        let end = count.min(first + R::LANES);
        for (b, &k) in layout.position.iter().enumerate() {
            let (u, moved) = (&work.u[k], &work.ends[b]);
            let turn = self.solved.own.bodies[b].turn;
            for i in 0..12 {
                let value = if i < 3 {
                    u[i].mul_add(R::splat(dt), moved[i])
                } else if i < 6 {
                    let mut sum = moved[i];
                    for c in 0..3 {
                        sum = R::splat(dt * turn.entry(i - 3, c)).mul_add(u[3 + c], sum);
                    }
                    sum
                } else {
                    u[i - 6]
                };
                value.store(&mut out[(12 * b + i) * count..][first..end]);
            }
        }
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
