//! The columns of a step in minimal coordinates, as many at once as there are lanes: how the start moves with a freedom,
//! what the equations are short of then, the solve, and how the freedoms move at the end.
//!
//! The rates at the end need no map of their own: the step is the interval that ends there, its start is the start of
//! the step, and so δq̇⁺ = B⁻¹ (A δq⁺ − δq)/Δt.

use super::chain::Motion;
use super::step::Ends;
use crate::columns::{Columns, Rows};
use crate::formulas::{Formulas, Slot};
use crate::solve_columns::{Factored, Work};
use bellcrank_math::{Inline, LaneJob, Mat3, Real};

/// Where loops close: freedoms of the tree that follow the independent ones, and how.
pub(super) type Dependent = Vec<(usize, Vec<f64>)>;

/// A row of a freedom at the end of the step: bodies and what their motion counts.
pub(super) type EndRow = [Option<(usize, [f64; 6])>; 2];

/// Where slopes come from.
pub(super) enum Slopes<'a> {
    /// States by formulas, all else in columns.
    Both(&'a Formulas<f64>, &'a Columns),
    /// Everything in columns, states first.
    Columns(&'a Columns),
}

/// All that columns are made from.
pub(super) struct MinimalColumns<'a> {
    pub factored: Factored<'a>,
    pub slopes: Slopes<'a>,
    /// Number of columns besides those of states.
    pub besides: usize,
    /// The independent freedoms, among those of the tree.
    pub list: &'a [usize],
    /// Where the step starts and ends.
    pub ends: &'a Ends,
    /// At both ends of the interval that ends at the start of the step.
    pub dependent: [Dependent; 2],
    pub dt: f64,
}

/// Memory of one group of columns.
struct Group<R> {
    /// Changes of all freedoms of the tree at the ends of the interval.
    changes: [Vec<R>; 2],
    any: [Vec<bool>; 2],
    now: Motion<R>,
    before: Motion<R>,
    rates: Vec<[R; 6]>,
    /// By freedom: δq⁺.
    ends: Vec<R>,
}

impl LaneJob<f64> for MinimalColumns<'_> {
    /// By row (δq⁺, δq̇⁺) and column (δq, δq̇, what is asked for besides).
    type Output = Vec<f64>;

    fn run<R: Real<Elem = f64>>(self) -> Vec<f64> {
        let (own, layout) = (2 * self.list.len(), self.factored.layout);
        let (count, bodies) = (own + self.besides, layout.position.len());
        let rows = Rows::of(layout);
        let mut out = vec![0.0; own * count];
        let mut work = Work::<R>::new(&rows);
        let (freedoms, zero) = (self.ends.chains[0].axes.len(), R::zero());
        let mut group = Group {
            changes: [(); 2].map(|()| vec![zero; freedoms]),
            any: [(); 2].map(|()| vec![false; freedoms]),
            now: Motion::new(bodies),
            before: Motion::new(bodies),
            rates: vec![[zero; 6]; bodies],
            ends: vec![zero; self.list.len()],
        };
        let inverses: Vec<Mat3> = self.ends.interval.turns.iter().map(|(_, D)| D.inverse()).collect();
        for first in (0..count).step_by(R::LANES) {
            R::run(Inline(
                #[inline(always)]
                || {
                    work.clear();
                    if first < own {
                        self.start(first, &mut group);
                        self.follow(&inverses, &mut group);
                        match self.slopes {
                            Slopes::Both(formulas, _) => self.push(formulas, &rows, &group, &mut work),
                            Slopes::Columns(columns) => self.push_columns(columns, &rows, &group, &mut work),
                        }
                    }
                    self.push_besides(first, &rows, &mut work);
                    self.factored.solve(&mut work);
                    self.read((first, count), &work, &mut group, &mut out);
                },
            ));
        }
        out
    }
}

impl MinimalColumns<'_> {
    /// The changes of all freedoms at both ends of the interval: δq, and δq⁻ = A δq − Δt B δq̇.
    #[inline(always)]
    fn start<R: Real<Elem = f64>>(&self, first: usize, group: &mut Group<R>) {
        let count = self.list.len();
        let (one, back) = (1.0, -self.dt);
        for side in 0..2 {
            group.changes[side].fill(R::zero());
            group.any[side].fill(false);
        }
        for lane in 0..R::LANES.min((2 * count).saturating_sub(first)) {
            let is_rate = first + lane >= count;
            let column = if is_rate { first + lane - count } else { first + lane };
            if !is_rate {
                self.change(0, column, one, lane, group);
            }
            let mut alone = true;
            for t in &self.ends.turned {
                if column >= t.first && column < t.first + 3 {
                    alone = false;
                    for i in 0..3 {
                        let k = column - t.first;
                        let amount = if is_rate { back * t.B.entry(i, k) } else { t.A.entry(i, k) };
                        self.change(1, t.first + i, amount, lane, group);
                    }
                }
            }
            if alone {
                self.change(1, column, if is_rate { back } else { one }, lane, group);
            }
        }
    }

    /// One independent freedom at one end of the interval, with all that follow it.
    #[inline(always)]
    fn change<R: Real<Elem = f64>>(
        &self,
        side: usize,
        column: usize,
        amount: f64,
        lane: usize,
        group: &mut Group<R>,
    ) {
        let (k, changes, any) = (self.list[column], &mut group.changes[side], &mut group.any[side]);
        add(&mut changes[k], lane, amount);
        any[k] = true;
        for (d, follows) in &self.dependent[side] {
            if follows[k] != 0.0 {
                add(&mut changes[*d], lane, amount * follows[k]);
                any[*d] = true;
            }
        }
    }

    /// δX and δV of all bodies: δv = (δx − δx⁻)/Δt, δω = D⁻¹ (δθ − Q δθ⁻)/Δt.
    #[inline(always)]
    fn follow<R: Real<Elem = f64>>(&self, inverses: &[Mat3], group: &mut Group<R>) {
        let Group { changes, any, now, before, rates, .. } = group;
        now.follow(&self.ends.chains[0], &changes[0], &any[0]);
        before.follow(&self.ends.chains[1], &changes[1], &any[1]);
        let inverse_dt = R::splat(1.0 / self.dt);
        for (b, rate) in rates.iter_mut().enumerate() {
            if !now.some[b] && !before.some[b] {
                continue;
            }
            let (X, last, Q) = (&now.bodies[b], &before.bodies[b], self.ends.interval.turns[b].0);
            let mut open = [R::zero(); 3];
            for i in 0..3 {
                rate[i] = (X[i] - last[i]) * inverse_dt;
                let mut sum = X[3 + i];
                for k in 0..3 {
                    sum = R::splat(Q.entry(i, k)).neg_mul_add(last[3 + k], sum);
                }
                open[i] = sum * inverse_dt;
            }
            for i in 0..3 {
                let mut sum = R::zero();
                for k in 0..3 {
                    sum = R::splat(inverses[b].entry(i, k)).mul_add(open[k], sum);
                }
                rate[3 + i] = sum;
            }
        }
    }

    /// What the equations are short of when the start moves so.
    #[inline(always)]
    fn push<R: Real<Elem = f64>>(
        &self,
        formulas: &Formulas<f64>,
        rows: &Rows,
        group: &Group<R>,
        work: &mut Work<R>,
    ) {
        for b in 0..group.rates.len() {
            if group.now.some[b] {
                for slot in &formulas.slots.pose[b] {
                    add_slot(slot, &group.now.bodies[b], rows, work);
                }
                let (X, end, E) = (&group.now.bodies[b], &mut work.ends[b], formulas.bodies[b].turn);
                for i in 0..3 {
                    end[i] = X[i];
                    let mut sum = R::zero();
                    for k in 0..3 {
                        sum = R::splat(E.entry(i, k)).mul_add(X[3 + k], sum);
                    }
                    end[3 + i] = sum;
                }
            }
            if group.now.some[b] || group.before.some[b] {
                for slot in &formulas.slots.velocity[b] {
                    add_slot(slot, &group.rates[b], rows, work);
                }
            }
        }
    }

    /// The same from columns of all states.
    #[inline(always)]
    fn push_columns<R: Real<Elem = f64>>(
        &self,
        columns: &Columns,
        rows: &Rows,
        group: &Group<R>,
        work: &mut Work<R>,
    ) {
        for b in 0..group.rates.len() {
            if !(group.now.some[b] || group.before.some[b]) {
                continue;
            }
            for i in 0..12 {
                let weight = if i < 6 { group.now.bodies[b][i] } else { group.rates[b][i - 6] };
                for entry in columns.of(12 * b + i) {
                    let six = work.at(rows, entry.row as usize);
                    for r in 0..6 {
                        six[r] = R::splat(entry.value[r]).mul_add(weight, six[r]);
                    }
                }
            }
        }
    }

    /// What is asked for besides, each in its own lane.
    #[inline(always)]
    fn push_besides<R: Real<Elem = f64>>(&self, first: usize, rows: &Rows, work: &mut Work<R>) {
        let own = 2 * self.list.len();
        for lane in 0..R::LANES {
            if first + lane < own || first + lane - own >= self.besides {
                continue;
            }
            let k = first + lane - own;
            let (columns, column) = match self.slopes {
                Slopes::Both(_, columns) => (columns, k),
                Slopes::Columns(columns) => (columns, columns.count() - self.besides + k),
            };
            for entry in columns.of(column) {
                let six = work.at(rows, entry.row as usize);
                for r in 0..6 {
                    add(&mut six[r], lane, entry.value[r]);
                }
            }
        }
    }

    /// δq⁺ and δq̇⁺ of all freedoms.
    #[inline(always)]
    fn read<R: Real<Elem = f64>>(
        &self,
        (first, count): (usize, usize),
        work: &Work<R>,
        group: &mut Group<R>,
        out: &mut [f64],
    ) {
        let (freedoms, wide) = (self.list.len(), R::LANES.min(count - first));
        let inverse_dt = R::splat(1.0 / self.dt);
        for (k, terms) in self.ends.end_rows.iter().enumerate() {
            let mut sum = R::zero();
            for term in terms {
                let Some((b, row)) = term else { continue };
                let moved = self.factored.end_pose(*b, work);
                for i in 0..6 {
                    sum = R::splat(row[i]).mul_add(moved[i], sum);
                }
            }
            group.ends[k] = sum;
            sum.store(&mut out[k * count + first..][..wide]);
            let rate = (sum - last::<R>(k, first)) * inverse_dt;
            rate.store(&mut out[(freedoms + k) * count + first..][..wide]);
        }
        for t in &self.ends.end_turned {
            let (inverse, mut open) = (t.B.inverse(), [R::zero(); 3]);
            for i in 0..3 {
                let mut sum = -last::<R>(t.first + i, first);
                for k in 0..3 {
                    sum = R::splat(t.A.entry(i, k)).mul_add(group.ends[t.first + k], sum);
                }
                open[i] = sum * inverse_dt;
            }
            for i in 0..3 {
                let mut sum = R::zero();
                for k in 0..3 {
                    sum = R::splat(inverse.entry(i, k)).mul_add(open[k], sum);
                }
                sum.store(&mut out[(freedoms + t.first + i) * count + first..][..wide]);
            }
        }
    }
}

/// δq of freedom `k` at the start of the step, in the columns at hand: one in its own, zero elsewhere.
#[inline(always)]
fn last<R: Real<Elem = f64>>(k: usize, first: usize) -> R {
    let mut x = R::zero();
    if k >= first && k < first + R::LANES {
        add(&mut x, k - first, 1.0);
    }
    x
}

/// Adds a number in one lane.
#[inline(always)]
fn add<R: Real<Elem = f64>>(x: &mut R, lane: usize, amount: f64) {
    let sum = x.lane(lane) + amount;
    x.set_lane(lane, sum);
}

/// rows += block · six
#[inline(always)]
fn add_slot<R: Real<Elem = f64>>(slot: &Slot<f64>, six: &[R; 6], rows: &Rows, work: &mut Work<R>) {
    let sum = work.at(rows, slot.row);
    for r in 0..6 {
        let mut x = sum[r];
        for c in 0..6 {
            x = R::splat(slot.block[c][r]).mul_add(six[c], x);
        }
        sum[r] = x;
    }
}
