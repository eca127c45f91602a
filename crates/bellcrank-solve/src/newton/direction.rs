//! Newton's direction: what moves by an inverse, what rests from that.

use super::pieces::Piece;
use super::point::Point;
use super::{ContactRows, ScaledRows};
use crate::cone::MOST_ROWS;
use crate::simd_rows::{Unit, add_rows, invert, padded, part, put_part, row};
use bellcrank_math::{Elem, Real};

/// ε. On recorded steps of bipeds, quadrupeds and piles 1e-4 needs the fewest steps and fails the least, in both precisions;
/// 1e-6 and 1e-2 both fail more often.
pub(crate) const SOFTNESS: f64 = 1e-4;

/// Aᵀ⁻¹ where it moves, and the step that it gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Direction<E> {
    /// Whether there is an inverse for this G.
    pub known: bool,
    /// The step in w.
    pub change: Vec<E>,
    /// By contact, where the inverse was made.
    pieces: Vec<Piece<E>>,
    /// Rows that move there.
    moving: Vec<u16>,
    /// One by row that rests there.
    rests: Vec<E>,
    /// By rows; only those that move.
    inverse: Vec<E>,
    unit: Unit<E>,
    /// D times the step.
    pushed: Vec<E>,
    scratch: Vec<E>,
}

impl<E: Elem> Direction<E> {
    pub fn with_capacity(rows: usize) -> Self {
        let length = padded::<E>(rows);
        let room = || Vec::with_capacity(length);
        Direction {
            known: false,
            change: room(),
            pieces: Vec::with_capacity(rows),
            moving: Vec::with_capacity(rows),
            rests: room(),
            inverse: Vec::with_capacity(rows * length),
            unit: Unit::with_capacity(length),
            pushed: room(),
            scratch: room(),
        }
    }

    /// Forgets the inverse; makes room for `n` rows of this length.
    #[inline(always)]
    pub fn reset(&mut self, n: usize, length: usize) {
        self.known = false;
        self.inverse.resize(n * length, E::zero());
        for list in [&mut self.change, &mut self.rests, &mut self.pushed, &mut self.scratch] {
            list.resize(length, E::zero());
        }
        self.unit.reach(length);
    }

    /// The inverse of A where it moves, at a point.
    #[inline(always)]
    pub fn invert<V: Real<Elem = E>>(&mut self, rows: &ScaledRows<E>, at: &Point<E>) {
        self.moving.clear();
        self.pieces.clear();
        self.rests.fill(E::one());
        for i in &rows.single {
            let i = *i as usize;
            if rows.low[i] < at.w[i] && at.w[i] < rows.high[i] {
                self.put_row::<V>(rows, i);
            }
        }
        for contact in &rows.contacts {
            let here = contact.first..contact.first + contact.count;
            let piece = Piece::of(contact.mu, &at.w[here.clone()]);
            match &piece {
                Piece::Rests { .. } => {}
                Piece::Follows => {
                    for i in here {
                        self.put_row::<V>(rows, i);
                    }
                }
                Piece::Slides { D, E } => {
                    for c in 0..contact.count {
                        self.put_mixed_row::<V>(rows, contact, (c, D, E));
                    }
                }
            }
            self.pieces.push(piece);
        }
        invert::<V>(&mut self.inverse, &self.moving, &self.unit, &mut self.scratch);
        self.known = true;
    }

    /// Multiplications of the last inverse.
    #[inline(always)]
    pub fn work(&self) -> f64 {
        (self.moving.len() * self.moving.len() * self.rests.len()) as f64
    }

    /// Adds the number of contacts at rest, within their cones and sliding.
    #[cfg(test)]
    pub fn count_kinds(&self, kinds: &mut [usize; 3]) {
        for piece in &self.pieces {
            match piece {
                Piece::Rests { .. } => kinds[0] += 1,
                Piece::Follows => kinds[1] += 1,
                Piece::Slides { .. } => kinds[2] += 1,
            }
        }
    }

    /// Column `i` of A as a row, where D is 1.
    #[inline(always)]
    fn put_row<V: Real<Elem = E>>(&mut self, rows: &ScaledRows<E>, i: usize) {
        let length = self.rests.len();
        let (soft, e) = (V::constant(SOFTNESS), self.unit.row(i, length));
        let (from, to) = (row(&rows.matrix, i, length), &mut self.inverse[i * length..][..length]);
        for c in 0..length / V::LANES {
            put_part(soft.mul_add(part(e, c), part(from, c)), to, c);
        }
        self.moving.push(i as u16);
        self.rests[i] = E::zero();
    }

    /// Column `c` of a contact that slides, as a row: Σ D_kc G̃ₖ + E_kc eₖ.
    #[inline(always)]
    fn put_mixed_row<V: Real<Elem = E>>(
        &mut self,
        rows: &ScaledRows<E>,
        contact: &ContactRows<E>,
        (c, D, E): (usize, &[[E; MOST_ROWS]; MOST_ROWS], &[[E; MOST_ROWS]; MOST_ROWS]),
    ) {
        let (length, i) = (self.rests.len(), contact.first + c);
        for v in 0..length / V::LANES {
            let mut sum = V::constant(SOFTNESS) * part(self.unit.row(i, length), v);
            for k in 0..contact.count {
                let from = contact.first + k;
                sum = V::splat(E[k][c]).mul_add(part(self.unit.row(from, length), v), sum);
                sum = V::splat(D[k][c]).mul_add(part(row(&rows.matrix, from, length), v), sum);
            }
            put_part(sum, &mut self.inverse[i * length..][..length], v);
        }
        self.moving.push(i as u16);
        self.rests[i] = E::zero();
    }

    /// change ← −A⁻¹ r: what moves first, then what rests.
    #[inline(always)]
    pub fn aim<V: Real<Elem = E>>(&mut self, rows: &ScaledRows<E>, at: &Point<E>) {
        let vectors = self.change.len() / V::LANES;
        for c in 0..vectors {
            put_part(-part::<V>(&at.r, c), &mut self.scratch, c);
            put_part(V::zero(), &mut self.change, c);
        }
        add_rows::<V>(&mut self.change, &self.scratch, &self.moving, &self.inverse);
        if self.moving.len() == rows.every.len() {
            return;
        }
        for c in 0..vectors {
            put_part(part::<V>(&self.change, c), &mut self.pushed, c);
            put_part(part::<V>(&at.r, c), &mut self.scratch, c);
        }
        for (contact, piece) in rows.contacts.iter().zip(&self.pieces) {
            if let Piece::Slides { D, .. } = piece {
                for k in 0..contact.count {
                    let mut sum = E::zero();
                    for c in 0..contact.count {
                        sum = D[k][c].mul_add(self.change[contact.first + c], sum);
                    }
                    self.pushed[contact.first + k] = sum;
                }
            }
        }
        // what rests sees G̃ D times what moves
        add_rows::<V>(&mut self.scratch, &self.pushed, &self.moving, &rows.matrix);
        for c in 0..vectors {
            let rests = V::zero().lt(part(&self.rests, c));
            let change = V::select(rests, -part::<V>(&self.scratch, c), part(&self.change, c));
            put_part(change, &mut self.change, c);
        }
        for (contact, piece) in rows.contacts.iter().zip(&self.pieces) {
            if let Piece::Rests { slip } = piece {
                let own = &mut self.change[contact.first..contact.first + contact.count];
                let mut slipped = E::zero();
                for k in 0..contact.count - 1 {
                    slipped = slip[k].mul_add(own[k], slipped);
                }
                own[contact.count - 1] -= slipped;
            }
        }
    }
}
