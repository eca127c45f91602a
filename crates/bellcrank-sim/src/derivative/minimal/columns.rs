//! The columns of a step in minimal coordinates, as many at once as there are lanes: how the start moves with a freedom,
//! what the equations are short of then, the solve, and how the freedoms move at the end.
//!
//! The rates at the end need no map of their own: the step is the interval that ends there, its start is the start of
//! the step, and so δq̇⁺ = B⁻¹ (A δq⁺ − δq)/Δt.

use super::chain::{Chain, Motion};
use super::{Interval, Turned};
use crate::derivative::columns::{Columns, Rows};
use crate::derivative::formulas::{Formulas, Slot};
use crate::derivative::solve_columns::{SolveColumns, Work};
use bellcrank_math::{Inline, LaneJob, Mat3, Real, Vec3};

/// One end of an interval.
pub(super) struct Side {
    pub chain: Chain,
    /// Where loops close: freedoms of the tree that follow, and how.
    pub dependent: Vec<(usize, Vec<f64>)>,
}

/// A row of a freedom at the end of the step: bodies and what their motion counts.
pub(super) type EndRow = [Option<(usize, [f64; 6])>; 2];

/// All that columns are made from.
pub(super) struct MinimalColumns<'a> {
    pub solve: SolveColumns<'a>,
    /// Slopes by states; where there are none, columns begin with those of states.
    pub formulas: Option<&'a Formulas<f64>>,
    /// The independent freedoms, among those of the tree.
    pub list: &'a [usize],
    /// The interval that ends at the start of the step, both its ends, and groups of rotations.
    pub interval: &'a Interval,
    pub sides: &'a [Side; 2],
    pub turned: &'a [Turned],
    /// At the end of the step.
    pub end_rows: &'a [EndRow],
    pub end_turned: &'a [Turned],
    pub dt: f64,
}

/// Memory of one group of columns.
struct Group<R> {
    /// Changes of all freedoms of the tree at the ends of the interval, by freedom and lane.
    changes: [Vec<f64>; 2],
    any: [Vec<bool>; 2],
    dq: Vec<R>,
    now: Motion<R>,
    before: Motion<R>,
    rates: Vec<[R; 6]>,
}

impl LaneJob<f64> for MinimalColumns<'_> {
    /// By row (δq⁺, δq̇⁺) and column (δq, δq̇, what is asked for besides).
    type Output = Vec<f64>;

    fn run<R: Real<Elem = f64>>(self) -> Vec<f64> {
        let (own, bodies) = (2 * self.list.len(), self.solve.layout.position.len());
        let states = if self.formulas.is_some() { 0 } else { 12 * bodies };
        let count = own + self.solve.columns.count() - states;
        let rows = Rows::of(self.solve.layout);
        let mut out = vec![0.0; own * count];
        let mut work = Work::<R>::new(&rows);
        let freedoms = self.sides[0].chain.freedoms;
        let mut group = Group {
            changes: [(); 2].map(|()| vec![0.0; freedoms * R::LANES]),
            any: [(); 2].map(|()| vec![false; freedoms]),
            dq: vec![R::zero(); freedoms],
            now: Motion::new(bodies),
            before: Motion::new(bodies),
            rates: vec![[R::zero(); 6]; bodies],
        };
        let inverses: Vec<Mat3> = self.interval.turns.iter().map(|(_, D)| D.inverse()).collect();
        for first in (0..count).step_by(R::LANES) {
            R::run(Inline(
                #[inline(always)]
                || {
                    work.clear();
                    if first < own {
                        self.start(first, &mut group);
                        self.follow(&inverses, &mut group);
                        match self.formulas {
                            Some(formulas) => self.push(formulas, &rows, &group, &mut work),
                            None => self.push_columns(&rows, &group, &mut work),
                        }
                    }
                    self.besides((first, own, states), &rows, &mut work);
                    self.solve.solve(&mut work);
                    self.read((first, count), &work, &mut out);
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
        let (count, lanes) = (self.list.len(), R::LANES);
        for side in 0..2 {
            group.changes[side].fill(0.0);
            group.any[side].fill(false);
        }
        for lane in 0..lanes.min((2 * count).saturating_sub(first)) {
            let (column, is_rate) = ((first + lane) % count, first + lane >= count);
            if !is_rate {
                self.change(0, column, 1.0, lane, group);
            }
            let turned = self.turned.iter().find(|t| (t.first..t.first + 3).contains(&column));
            match turned {
                None => self.change(1, column, if is_rate { -self.dt } else { 1.0 }, lane, group),
                Some(t) => {
                    for i in 0..3 {
                        let k = column - t.first;
                        let amount = if is_rate { -self.dt * t.B.entry(i, k) } else { t.A.entry(i, k) };
                        self.change(1, t.first + i, amount, lane, group);
                    }
                }
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
        changes[k * R::LANES + lane] += amount;
        any[k] = true;
        for (d, follows) in &self.sides[side].dependent {
            if follows[k] != 0.0 {
                changes[d * R::LANES + lane] += amount * follows[k];
                any[*d] = true;
            }
        }
    }

    /// δX and δV of all bodies: δv = (δx − δx⁻)/Δt, δω = D⁻¹ (δθ − Q δθ⁻)/Δt.
    #[inline(always)]
    fn follow<R: Real<Elem = f64>>(&self, inverses: &[Mat3], group: &mut Group<R>) {
        let Group { changes, any, dq, now, before, rates } = group;
        for (side, motion) in [(0, &mut *now), (1, &mut *before)] {
            for (k, x) in dq.iter_mut().enumerate() {
                *x = R::load(&changes[side][k * R::LANES..][..R::LANES]);
            }
            motion.follow(&self.sides[side].chain, dq, &any[side]);
        }
        let inverse_dt = R::splat(1.0 / self.dt);
        for (b, rate) in rates.iter_mut().enumerate() {
            let (X, last) = (&now.bodies[b], &before.bodies[b]);
            for i in 0..3 {
                rate[i] = (X[i] - last[i]) * inverse_dt;
            }
            let Q = self.interval.turns[b].0;
            let mut open = [R::zero(); 3];
            for i in 0..3 {
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
    fn push_columns<R: Real<Elem = f64>>(&self, rows: &Rows, group: &Group<R>, work: &mut Work<R>) {
        for b in 0..group.rates.len() {
            if !(group.now.some[b] || group.before.some[b]) {
                continue;
            }
            for i in 0..12 {
                let weight = if i < 6 { group.now.bodies[b][i] } else { group.rates[b][i - 6] };
                for entry in self.solve.columns.of(12 * b + i) {
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
    fn besides<R: Real<Elem = f64>>(
        &self,
        (first, own, states): (usize, usize, usize),
        rows: &Rows,
        work: &mut Work<R>,
    ) {
        let columns: &Columns = self.solve.columns;
        for lane in 0..R::LANES {
            if first + lane < own || first + lane - own + states >= columns.count() {
                continue;
            }
            for entry in columns.of(first + lane - own + states) {
                let six = work.at(rows, entry.row as usize);
                for r in 0..6 {
                    six[r] = six[r].with_lane(lane, six[r].lane(lane) + entry.value[r]);
                }
            }
        }
    }

    /// δq⁺ and δq̇⁺ of all freedoms.
    #[inline(always)]
    fn read<R: Real<Elem = f64>>(&self, (first, count): (usize, usize), work: &Work<R>, out: &mut [f64]) {
        let (freedoms, end) = (self.list.len(), count.min(first + R::LANES));
        let inverse_dt = 1.0 / self.dt;
        for (k, terms) in self.end_rows.iter().enumerate() {
            let mut sum = R::zero();
            for term in terms {
                let Some((b, row)) = term else { continue };
                let moved = self.solve.end_pose(*b, work);
                for i in 0..6 {
                    sum = R::splat(row[i]).mul_add(moved[i], sum);
                }
            }
            sum.store(&mut out[k * count..][first..end]);
        }
        for k in 0..freedoms {
            for column in first..end {
                let last = if column == k { 1.0 } else { 0.0 };
                out[(freedoms + k) * count + column] = (out[k * count + column] - last) * inverse_dt;
            }
        }
        for group in self.end_turned {
            for column in first..end {
                let at = |i: usize| out[(group.first + i) * count + column];
                let last = |i: usize| if column == group.first + i { 1.0 } else { 0.0 };
                let open = group.A * Vec3::new(at(0), at(1), at(2)) - Vec3::new(last(0), last(1), last(2));
                let rate = (group.B.inverse() * open * inverse_dt).to_array();
                for i in 0..3 {
                    out[(freedoms + group.first + i) * count + column] = rate[i];
                }
            }
        }
    }
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
