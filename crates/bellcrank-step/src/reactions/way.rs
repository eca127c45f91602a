//! The way that reactions in closed form take from sweep to sweep: Anderson's acceleration.
//!
//! A sweep there and back takes the reactions from λ to λ′ = λ + f. Where that is slow (a stack of n boxes bends in modes
//! that need n⁴ sweeps, a box of 100 kg on one of 1 kg some hundreds), the last few changes Δf between sweeps tell how f
//! depends on λ: γ = argmin ‖f − Σ γⱼ Δfⱼ‖ in the metric of the contacts' own mobilities B, and the next sweep starts from
//! λ′ − Σ γⱼ Δλ′ⱼ ([Anderson 1965]; for linear f that is GMRES with so many vectors, [Walker & Ni 2011]).

use bellcrank_math::{Elem, Mask, Real};

/// Changes that are remembered. Measured on stacks of 10 and 20 boxes and on mass ratios of 100 and 1000: two need up to
/// three times as many sweeps, eight save no more than a fifth.
pub const MEMORY: usize = 5;
/// Where f² grows by more than this, the past is forgotten: other contacts act now.
const FORGET: f64 = 4.0;
/// Roundings of the sums of squares, as a share of which their diagonal is made larger.
const ROUNDINGS: f64 = 100.0;

/// Where the sweeps are and whence they came, by row.
#[derive(Clone, Debug)]
pub struct Way<R> {
    /// B's diagonal.
    pub mobility: Vec<R>,
    /// λ at the start of the sweep.
    pub start: Vec<R>,
    /// f and λ′ of the last sweep.
    pub step: Vec<R>,
    pub end: Vec<R>,
    pub past: [Change<R>; MEMORY],
    /// Δfᵢ B Δfⱼ.
    pub gram: [[R; MEMORY]; MEMORY],
    /// f B f of the last sweep.
    square: R,
    /// λ′ with the smallest of them so far.
    pub best: Vec<R>,
    least: R,
    sweeps: usize,
}

/// What changed from one sweep to the next.
#[derive(Clone, Debug)]
pub struct Change<R> {
    pub step: Vec<R>,
    pub end: Vec<R>,
}

impl<R: Real> Way<R> {
    pub fn with_capacity(rows: usize) -> Self {
        let row = || Vec::with_capacity(rows);
        Way {
            mobility: row(),
            start: row(),
            step: row(),
            end: row(),
            past: std::array::from_fn(|_| Change { step: row(), end: row() }),
            gram: [[R::zero(); MEMORY]; MEMORY],
            square: R::zero(),
            best: row(),
            least: R::zero(),
            sweeps: 0,
        }
    }

    /// There is no past.
    #[inline(always)]
    pub fn begin(&mut self, lambda: &[R]) {
        self.start.clear();
        self.start.extend_from_slice(lambda);
        self.sweeps = 0;
    }

    /// λ has come to the end of a sweep there and back; in the lanes that go on it is moved to where the next one starts.
    #[inline(always)]
    pub fn go_on(&mut self, open: R::Mask, lambda: &mut [R]) {
        self.sweeps += 1;
        let square = self.add_square(lambda, R::zero());
        if self.sweeps == 1 {
            self.make_room(lambda.len());
            self.best.copy_from_slice(lambda);
            self.least = square;
        } else {
            let better = square.lt(self.least);
            self.least = R::select(better, square, self.least);
            self.keep_best(better, lambda);
            self.remember(lambda);
            let forgets = Self::forgets(self.square, square);
            if (forgets & open).any() {
                self.forget(forgets);
            }
        }
        self.square = square;
        self.note(lambda);
        self.extrapolate(open, lambda);
        self.start.copy_from_slice(lambda);
    }

    /// λ′ ← λ where it is better.
    #[inline(always)]
    pub fn keep_best(&mut self, better: R::Mask, lambda: &[R]) {
        for (best, now) in self.best.iter_mut().zip(lambda) {
            *best = R::select(better, *now, *best);
        }
    }

    /// f and λ′ of the sweep that has ended.
    #[inline(always)]
    pub fn note(&mut self, lambda: &[R]) {
        for (i, now) in lambda.iter().enumerate() {
            (self.step[i], self.end[i]) = (*now - self.start[i], *now);
        }
    }

    /// Whether f² has grown by so much that the past says nothing.
    #[inline(always)]
    pub fn forgets(before: R, square: R) -> R::Mask {
        (before * R::constant(FORGET)).lt(square)
    }

    /// Where the sweeps end for want of more, λ goes back to the best of them: the last may have started far off.
    #[inline(always)]
    pub fn give_up(&self, open: R::Mask, lambda: &mut [R]) {
        if self.sweeps == 0 {
            return;
        }
        let worse = open & self.least.lt(self.add_square(lambda, R::zero()));
        self.go_back(worse, lambda);
    }

    /// λ ← the best of them, where the last is worse.
    #[inline(always)]
    pub fn go_back(&self, worse: R::Mask, lambda: &mut [R]) {
        for (best, now) in self.best.iter().zip(lambda) {
            *now = R::select(worse, *best, *now);
        }
    }

    /// square + f B f of a sweep that ends at λ.
    #[inline(always)]
    pub fn add_square(&self, lambda: &[R], mut square: R) -> R {
        for (i, now) in lambda.iter().enumerate() {
            let step = *now - self.start[i];
            square = (self.mobility[i] * step).mul_add(step, square);
        }
        square
    }

    #[inline(always)]
    fn make_room(&mut self, rows: usize) {
        for own in [&mut self.step, &mut self.end, &mut self.best] {
            own.clear();
            own.resize(rows, R::zero());
        }
        for change in &mut self.past {
            change.step.clear();
            change.step.resize(rows, R::zero());
            change.end.clear();
            change.end.resize(rows, R::zero());
        }
    }

    /// How many changes are remembered.
    #[inline(always)]
    fn known(&self) -> usize {
        (self.sweeps - 1).min(MEMORY)
    }

    /// Writes the last change over the oldest, and its products with the others.
    #[inline(always)]
    fn remember(&mut self, lambda: &[R]) {
        let slot = (self.sweeps - 2) % MEMORY;
        self.write(slot, lambda);
        for j in 0..self.known() {
            let product = self.add_past_product(slot, j, R::zero());
            (self.gram[slot][j], self.gram[j][slot]) = (product, product);
        }
    }

    /// Writes the last change.
    #[inline(always)]
    pub fn write(&mut self, slot: usize, lambda: &[R]) {
        let change = &mut self.past[slot];
        for (i, now) in lambda.iter().enumerate() {
            change.step[i] = *now - self.start[i] - self.step[i];
            change.end[i] = *now - self.end[i];
        }
    }

    /// sum + Δfᵢ B Δfⱼ
    #[inline(always)]
    pub fn add_past_product(&self, i: usize, j: usize, sum: R) -> R {
        product(&self.mobility, &self.past[i].step, &self.past[j].step, sum)
    }

    /// sum + Δfⱼ B f
    #[inline(always)]
    pub fn add_product(&self, j: usize, sum: R) -> R {
        product(&self.mobility, &self.past[j].step, &self.step, sum)
    }

    #[inline(always)]
    fn forget(&mut self, lanes: R::Mask) {
        let zero = R::zero();
        for j in 0..self.known() {
            self.forget_step(j, lanes);
            for i in 0..self.known() {
                self.gram[i][j] = R::select(lanes, zero, self.gram[i][j]);
            }
        }
    }

    /// Δfⱼ ← 0 in some lanes.
    #[inline(always)]
    pub fn forget_step(&mut self, j: usize, lanes: R::Mask) {
        for x in &mut self.past[j].step {
            *x = R::select(lanes, R::zero(), *x);
        }
    }

    #[inline(always)]
    fn extrapolate(&mut self, open: R::Mask, lambda: &mut [R]) {
        let known = self.known();
        let mut right = [R::zero(); MEMORY];
        for j in 0..known {
            right[j] = self.add_product(j, R::zero());
        }
        let share = solve(&self.gram, right, known);
        self.move_on(&share[..known], open, lambda);
    }

    /// λ ← λ′ − Σ γⱼ Δλ′ⱼ.
    #[inline(always)]
    pub fn move_on(&self, share: &[R], open: R::Mask, lambda: &mut [R]) {
        for j in 0..share.len() {
            for (i, now) in lambda.iter_mut().enumerate() {
                *now = R::select(open, share[j].neg_mul_add(self.past[j].end[i], *now), *now);
            }
        }
    }
}

/// sum + a B b
#[inline(always)]
fn product<R: Real>(mobility: &[R], a: &[R], b: &[R], mut sum: R) -> R {
    for i in 0..mobility.len() {
        sum = (mobility[i] * a[i]).mul_add(b[i], sum);
    }
    sum
}

/// γ from the normal equations of the first `known` changes, by Cholesky. A change that is nothing (or forgotten) has no
/// share; those that repeat each other share by the roundings on the diagonal.
#[inline(always)]
pub fn solve<R: Real>(gram: &[[R; MEMORY]; MEMORY], right: [R; MEMORY], known: usize) -> [R; MEMORY] {
    let rounding = R::constant(ROUNDINGS * R::Elem::EPSILON.to_f64());
    let mut factor = [[R::zero(); MEMORY]; MEMORY];
    let mut x = right;
    for j in 0..known {
        let own = gram[j][j];
        let is_something = R::zero().lt(own);
        let least = R::select(is_something, own * rounding, R::one());
        let mut pivot = own + least;
        for k in 0..j {
            pivot = factor[j][k].neg_mul_add(factor[j][k], pivot);
        }
        factor[j][j] = pivot.max(least).sqrt();
        for i in j + 1..known {
            let mut sum = gram[i][j];
            for k in 0..j {
                sum = factor[i][k].neg_mul_add(factor[j][k], sum);
            }
            factor[i][j] = sum / factor[j][j];
        }
        for k in 0..j {
            x[j] = factor[j][k].neg_mul_add(x[k], x[j]);
        }
        x[j] = x[j] / factor[j][j];
    }
    for j in (0..known).rev() {
        for k in j + 1..known {
            x[j] = factor[k][j].neg_mul_add(x[k], x[j]);
        }
        x[j] = x[j] / factor[j][j];
    }
    x
}
