//! The columns of a step in minimal coordinates, as many at once as there are lanes: how the start moves with a freedom,
//! what the equations are short of then, the solve, and how the freedoms move at the end.
//!
//! The rates at the end need no map of their own: the step is the interval that ends there, its start is the start of
//! the step, and so δq̇⁺ = B⁻¹ (A δq⁺ − δq)/Δt.

use super::chain::Motion;
use super::step::Ends;
use crate::derivative::columns::{Columns, Rows};
use crate::derivative::formulas::{Formulas, Slot};
use crate::derivative::solve_columns::{Factored, Work};
use crate::derivative::spread::{ColumnLanes, Spread};
use bellcrank_math::{Inline, LaneJob, Mask, Mat3, Real};

/// Where loops close: freedoms of the tree that follow the independent ones, and how.
pub(super) type Dependent<N> = Vec<(usize, Vec<N>)>;

/// A row of a freedom at the end of the step: bodies and what their motion counts.
pub(super) type EndRow<N> = [Option<(usize, [N; 6])>; 2];

/// Where slopes come from.
pub(super) enum Slopes<'a, N> {
    /// States by formulas, all else in columns.
    Both(&'a Formulas<N>, &'a Columns),
    /// Everything in columns, states first.
    Columns(&'a Columns),
}

/// All that columns are made from.
pub(super) struct MinimalColumns<'a, N: Real> {
    pub factored: Factored<'a, N>,
    pub slopes: Slopes<'a, N>,
    /// Number of columns besides those of states.
    pub besides: usize,
    /// The independent freedoms, among those of the tree.
    pub list: &'a [usize],
    /// Where the step starts and ends.
    pub ends: &'a Ends<N>,
    /// At both ends of the interval that ends at the start of the step.
    pub dependent: [Dependent<N>; 2],
    pub dt: f64,
}

/// Memory of one group of columns.
struct Group<S: Spread> {
    /// Changes of all freedoms of the tree at the ends of the interval.
    changes: [Vec<S::Many>; 2],
    any: [Vec<bool>; 2],
    now: Motion<S::Many>,
    before: Motion<S::Many>,
    rates: Vec<[S::Many; 6]>,
    /// By freedom: δq⁺.
    ends: Vec<S::Many>,
}

impl LaneJob<f64> for MinimalColumns<'_, f64> {
    /// By row (δq⁺, δq̇⁺) and column (δq, δq̇, what is asked for besides).
    type Output = Vec<f64>;

    fn run<R: Real<Elem = f64>>(self) -> Vec<f64> {
        self.solve::<ColumnLanes<R>>(1).swap_remove(0)
    }
}

impl<N: Real<Elem = f64>> MinimalColumns<'_, N> {
    /// The same for several worlds.
    pub fn solve<S: Spread<Number = N>>(&self, worlds: usize) -> Vec<Vec<f64>> {
        let (own, layout) = (2 * self.list.len(), self.factored.layout);
        let (count, bodies) = (own + self.besides, layout.position.len());
        let rows = Rows::of(layout);
        let mut out = vec![vec![0.0; own * count]; worlds];
        let mut work = Work::<S::Many>::new(&rows, S::PACKS);
        let (freedoms, zero) = (self.ends.chains[0].axes.len(), S::Many::zero());
        let mut groups = Vec::with_capacity(S::PACKS);
        groups.resize_with(S::PACKS, || Group::<S> {
            changes: [(); 2].map(|()| vec![zero; freedoms]),
            any: [(); 2].map(|()| vec![false; freedoms]),
            now: Motion::new(bodies),
            before: Motion::new(bodies),
            rates: vec![[zero; 6]; bodies],
            ends: vec![zero; self.list.len()],
        });
        let mut inverses = Vec::with_capacity(bodies);
        S::Many::run(Inline(
            #[inline(always)]
            || {
                for (_, D) in &self.ends.interval.turns {
                    inverses.push(D.inverse());
                }
            },
        ));
        for first in (0..count).step_by(S::COLUMNS * S::PACKS) {
            S::Many::run(Inline(
                #[inline(always)]
                || {
                    work.clear();
                    for (pack, group) in groups.iter_mut().enumerate() {
                        let first = first + pack * S::COLUMNS;
                        self.start(first, group);
                        self.follow(&inverses, group);
                        if first < count && first + S::COLUMNS > own {
                            self.push_besides::<S>((first, pack), &rows, &mut work);
                        }
                    }
                    match self.slopes {
                        Slopes::Both(formulas, _) => {
                            self.push(formulas, &rows, &groups, &mut work)
                        }
                        Slopes::Columns(columns) => self.push_columns(columns, &rows, &groups, &mut work),
                    }
                    self.factored.solve::<S>(&mut work);
                    for (pack, group) in groups.iter_mut().enumerate() {
                        let first = first + pack * S::COLUMNS;
                        if first < count {
                            self.read((first, count, pack), &work, group, &mut out);
                        }
                    }
                },
            ));
        }
        out
    }

    /// The changes of all freedoms at both ends of the interval: δq, and δq⁻ = A δq − Δt B δq̇.
    #[inline(always)]
    fn start<S: Spread<Number = N>>(&self, first: usize, group: &mut Group<S>) {
        let count = self.list.len();
        let (one, back) = (N::one(), N::constant(-self.dt));
        for side in 0..2 {
            group.changes[side].fill(S::Many::zero());
            group.any[side].fill(false);
        }
        for lane in 0..S::COLUMNS.min((2 * count).saturating_sub(first)) {
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
    fn change<S: Spread<Number = N>>(
        &self,
        side: usize,
        column: usize,
        amount: N,
        lane: usize,
        group: &mut Group<S>,
    ) {
        let (k, changes, any) = (self.list[column], &mut group.changes[side], &mut group.any[side]);
        S::add(&mut changes[k], lane, amount);
        any[k] = true;
        for (d, follows) in &self.dependent[side] {
            if N::zero().lt(follows[k].abs()).any() {
                S::add(&mut changes[*d], lane, amount * follows[k]);
                any[*d] = true;
            }
        }
    }

    /// δX and δV of all bodies: δv = (δx − δx⁻)/Δt, δω = D⁻¹ (δθ − Q δθ⁻)/Δt.
    #[inline(always)]
    fn follow<S: Spread<Number = N>>(&self, inverses: &[Mat3<N>], group: &mut Group<S>) {
        let Group { changes, any, now, before, rates, .. } = group;
        now.follow::<S>(&self.ends.chains[0], &changes[0], &any[0]);
        before.follow::<S>(&self.ends.chains[1], &changes[1], &any[1]);
        let inverse_dt = S::Many::splat(1.0 / self.dt);
        for (b, rate) in rates.iter_mut().enumerate() {
            if !now.some[b] && !before.some[b] {
                continue;
            }
            let (X, last, Q) = (&now.bodies[b], &before.bodies[b], self.ends.interval.turns[b].0);
            let mut open = [S::Many::zero(); 3];
            for i in 0..3 {
                rate[i] = (X[i] - last[i]) * inverse_dt;
                let mut sum = X[3 + i];
                for k in 0..3 {
                    sum = S::lift(Q.entry(i, k)).neg_mul_add(last[3 + k], sum);
                }
                open[i] = sum * inverse_dt;
            }
            for i in 0..3 {
                let mut sum = S::Many::zero();
                for k in 0..3 {
                    sum = S::lift(inverses[b].entry(i, k)).mul_add(open[k], sum);
                }
                rate[3 + i] = sum;
            }
        }
    }

    /// What the equations are short of when the start moves so.
    #[inline(always)]
    fn push<S: Spread<Number = N>>(
        &self,
        formulas: &Formulas<N>,
        rows: &Rows,
        groups: &[Group<S>],
        work: &mut Work<S::Many>,
    ) {
        for b in 0..self.factored.layout.position.len() {
            for slot in &formulas.slots.pose[b] {
                for (pack, group) in groups.iter().enumerate() {
                    if group.now.some[b] {
                        add_slot::<S>(slot, &group.now.bodies[b], work.at(rows, slot.row, pack));
                    }
                }
            }
            for slot in &formulas.slots.velocity[b] {
                for (pack, group) in groups.iter().enumerate() {
                    if group.now.some[b] || group.before.some[b] {
                        add_slot::<S>(slot, &group.rates[b], work.at(rows, slot.row, pack));
                    }
                }
            }
            let E = formulas.bodies[b].turn;
            for (pack, group) in groups.iter().enumerate() {
                if group.now.some[b] {
                    let (X, end) = (&group.now.bodies[b], &mut work.ends[b * S::PACKS + pack]);
                    for i in 0..3 {
                        end[i] = X[i];
                        let mut sum = S::Many::zero();
                        for k in 0..3 {
                            sum = S::lift(E.entry(i, k)).mul_add(X[3 + k], sum);
                        }
                        end[3 + i] = sum;
                    }
                }
            }
        }
    }

    /// The same from columns of all states.
    #[inline(always)]
    fn push_columns<S: Spread<Number = N>>(
        &self,
        columns: &Columns,
        rows: &Rows,
        groups: &[Group<S>],
        work: &mut Work<S::Many>,
    ) {
        for (pack, group) in groups.iter().enumerate() {
            for b in 0..group.rates.len() {
                if !(group.now.some[b] || group.before.some[b]) {
                    continue;
                }
                for i in 0..12 {
                    let weight = if i < 6 { group.now.bodies[b][i] } else { group.rates[b][i - 6] };
                    for entry in columns.of(12 * b + i) {
                        let six = work.at(rows, entry.row as usize, pack);
                        for r in 0..6 {
                            six[r] = S::Many::splat(entry.value[r]).mul_add(weight, six[r]);
                        }
                    }
                }
            }
        }
    }

    /// What is asked for besides, each in its own lane.
    #[inline(always)]
    fn push_besides<S: Spread<Number = N>>(
        &self,
        (first, pack): (usize, usize),
        rows: &Rows,
        work: &mut Work<S::Many>,
    ) {
        let own = 2 * self.list.len();
        for lane in 0..S::COLUMNS {
            if first + lane < own || first + lane - own >= self.besides {
                continue;
            }
            let k = first + lane - own;
            let (columns, column) = match self.slopes {
                Slopes::Both(_, columns) => (columns, k),
                Slopes::Columns(columns) => (columns, columns.count() - self.besides + k),
            };
            for entry in columns.of(column) {
                let six = work.at(rows, entry.row as usize, pack);
                for r in 0..6 {
                    S::add(&mut six[r], lane, N::constant(entry.value[r]));
                }
            }
        }
    }

    /// δq⁺ and δq̇⁺ of all freedoms.
    #[inline(always)]
    fn read<S: Spread<Number = N>>(
        &self,
        (first, count, pack): (usize, usize, usize),
        work: &Work<S::Many>,
        group: &mut Group<S>,
        out: &mut [Vec<f64>],
    ) {
        let (freedoms, wide) = (self.list.len(), S::COLUMNS.min(count - first));
        let inverse_dt = S::Many::splat(1.0 / self.dt);
        for (k, terms) in self.ends.end_rows.iter().enumerate() {
            let mut sum = S::Many::zero();
            for term in terms {
                let Some((b, row)) = term else { continue };
                let moved = self.factored.end_pose::<S>(*b, work, pack);
                for i in 0..6 {
                    sum = S::lift(row[i]).mul_add(moved[i], sum);
                }
            }
            group.ends[k] = sum;
            S::store(sum, out, k * count + first, wide);
            let rate = (sum - last::<S>(k, first)) * inverse_dt;
            S::store(rate, out, (freedoms + k) * count + first, wide);
        }
        for t in &self.ends.end_turned {
            let (inverse, mut open) = (t.B.inverse(), [S::Many::zero(); 3]);
            for i in 0..3 {
                let mut sum = -last::<S>(t.first + i, first);
                for k in 0..3 {
                    sum = S::lift(t.A.entry(i, k)).mul_add(group.ends[t.first + k], sum);
                }
                open[i] = sum * inverse_dt;
            }
            for i in 0..3 {
                let mut sum = S::Many::zero();
                for k in 0..3 {
                    sum = S::lift(inverse.entry(i, k)).mul_add(open[k], sum);
                }
                S::store(sum, out, (freedoms + t.first + i) * count + first, wide);
            }
        }
    }
}

/// δq of freedom `k` at the start of the step, in the columns at hand: one in its own, zero elsewhere.
#[inline(always)]
fn last<S: Spread>(k: usize, first: usize) -> S::Many {
    let mut x = S::Many::zero();
    if k >= first && k < first + S::COLUMNS {
        S::add(&mut x, k - first, S::Number::one());
    }
    x
}

/// sum += block · six
#[inline(always)]
fn add_slot<S: Spread>(slot: &Slot<S::Number>, six: &[S::Many; 6], sum: &mut [S::Many; 6]) {
    for r in 0..6 {
        let mut x = sum[r];
        for c in 0..6 {
            x = S::lift(slot.block[c][r]).mul_add(six[c], x);
        }
        sum[r] = x;
    }
}
