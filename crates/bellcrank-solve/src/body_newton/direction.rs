//! Newton's direction through the bodies.

use super::point::Point;
use super::rows::{BodyRows, ConeRows, Law};
use crate::body_space::BodySpace;
use crate::cone::MOST_ROWS;
use crate::interior::BlockLu;
use crate::newton::{Piece, SOFTNESS, Small};
use bellcrank_math::Elem;

/// The factor of H + J̃ᵀ K J̃, with F⁻¹ and K of every cone where it was made, and the step that they give.
#[derive(Clone, Debug, Default)]
pub(super) struct Direction<E> {
    pub is_known: bool,
    /// The step in w.
    pub change: Vec<E>,
    matrix: BlockLu<E>,
    /// F⁻¹ and K, cone by cone.
    inverse: Vec<E>,
    slope: Vec<E>,
    /// Whether K is not zero, by cone.
    moves: Vec<bool>,
    /// K r, by row.
    push: Vec<E>,
    /// By elimination position of H, and the same in the order of the matrix.
    u: Vec<[E; 6]>,
    permuted: Vec<[E; 6]>,
}

impl<E: Elem> Direction<E> {
    /// Makes room for a problem; there is no factor yet.
    #[inline(always)]
    pub fn reset(&mut self, rows: &BodyRows<E>, space: &BodySpace<'_, E>) {
        let (count, nodes) = (rows.scale.len(), space.pattern.nodes());
        self.is_known = false;
        self.matrix.reset(space.coupled_pattern());
        for (list, length) in [
            (&mut self.change, count),
            (&mut self.push, count),
            (&mut self.inverse, rows.small_count()),
            (&mut self.slope, rows.small_count()),
        ] {
            list.resize(length, E::zero());
        }
        self.moves.resize(rows.cones.len(), false);
        for list in [&mut self.u, &mut self.permuted] {
            list.resize(nodes, [E::zero(); 6]);
        }
    }

    /// Factors H + J̃ᵀ K J̃ at a point.
    #[inline(always)]
    pub fn factor(&mut self, rows: &BodyRows<E>, at: &Point<E>, space: &BodySpace<'_, E>) {
        space.copy_matrix_into(&mut self.matrix);
        for (c, cone) in rows.cones.iter().enumerate() {
            self.moves[c] = match cone.count {
                1 => self.take_cone::<1>(rows, cone, at),
                3 => self.take_cone::<3>(rows, cone, at),
                4 => self.take_cone::<4>(rows, cone, at),
                _ => self.take_cone::<MOST_ROWS>(rows, cone, at),
            };
            if self.moves[c] {
                match cone.count {
                    1 => self.add_cone::<1>(rows, cone, space),
                    3 => self.add_cone::<3>(rows, cone, space),
                    4 => self.add_cone::<4>(rows, cone, space),
                    _ => self.add_cone::<MOST_ROWS>(rows, cone, space),
                }
            }
        }
        self.matrix.factor(space.coupled_pattern());
        self.is_known = true;
    }

    /// F⁻¹ and K of a cone; whether K is not zero.
    #[inline(always)]
    fn take_cone<const N: usize>(&mut self, rows: &BodyRows<E>, cone: &ConeRows<E>, at: &Point<E>) -> bool {
        let (zero, one, soft) = (E::zero(), E::one(), E::from_f64(SOFTNESS));
        let w = &at.w[cone.first..cone.first + N];
        let inverse = &mut self.inverse[cone.small..cone.small + N * N];
        let slope = &mut self.slope[cone.small..cone.small + N * N];
        inverse.fill(zero);
        slope.fill(zero);
        let piece = match cone.law {
            Law::Within { low, high } if low < w[0] && w[0] < high => Piece::Follows,
            Law::Within { .. } => Piece::Rests { slip: [zero; MOST_ROWS] },
            Law::Contact { mu } => Piece::of(mu, w),
        };
        match piece {
            Piece::Rests { slip } => {
                // E = 1 with the slip in its last row; so has its inverse, the other way round
                for k in 0..N {
                    inverse[k * N + k] = one;
                }
                for k in 0..N - 1 {
                    inverse[(N - 1) * N + k] = -slip[k];
                }
                return false;
            }
            Piece::Follows => {
                for k in 0..N {
                    let own = (soft + rows.compliance[cone.first + k]).recip();
                    (inverse[k * N + k], slope[k * N + k]) = (own, own);
                }
            }
            Piece::Slides { D, E } => {
                let mut F = E;
                for k in 0..N {
                    let compliance = rows.compliance[cone.first + k];
                    for l in 0..N {
                        F[k][l] = compliance.mul_add(D[k][l], F[k][l]);
                    }
                    F[k][k] += soft;
                }
                let F = inverted::<_, N>(F);
                for k in 0..N {
                    for l in 0..N {
                        inverse[k * N + l] = F[k][l];
                        let mut sum = zero;
                        for t in 0..N {
                            sum = D[k][t].mul_add(F[t][l], sum);
                        }
                        slope[k * N + l] = sum;
                    }
                }
            }
        }
        true
    }

    /// Adds J̃ᵀ K J̃ of a cone.
    #[inline(always)]
    fn add_cone<const N: usize>(&mut self, rows: &BodyRows<E>, cone: &ConeRows<E>, space: &BodySpace<'_, E>) {
        let (pattern, own) = (space.coupled_pattern(), &space.rows[cone.first..cone.first + N]);
        let weight = rows.scale[cone.first] * rows.scale[cone.first];
        let (a, b) = own[0].bodies;
        let slope = &self.slope[cone.small..cone.small + N * N];
        let mut pushed = [[[E::zero(); 6]; 2]; N]; // p² K J, on either body
        for k in 0..N {
            for l in 0..N {
                let entry = slope[k * N + l] * weight;
                for side in 0..2 {
                    for c in 0..6 {
                        pushed[k][side][c] = entry.mul_add(own[l].blocks[side][c], pushed[k][side][c]);
                    }
                }
            }
        }
        let sides = [(0, a), (1, Some(b))];
        for (r, row_body) in sides {
            let Some(row_body) = row_body else { continue };
            for c in (0..2).filter(|c| sides[*c].1.is_some()) {
                let block = if r == c {
                    self.matrix.diagonal_mut(pattern.position(row_body))
                } else {
                    let Some((block, b_is_row)) = space.block_of(cone.first) else { continue };
                    self.matrix.block_mut((block, b_is_row == (row_body == b)))
                };
                for k in 0..N {
                    for i in 0..6 {
                        let x = own[k].blocks[r][i];
                        for j in 0..6 {
                            block[i][j] = x.mul_add(pushed[k][c][j], block[i][j]);
                        }
                    }
                }
            }
        }
    }

    /// change ← the step c at a point, with the factor at hand.
    #[inline(always)]
    pub fn aim(&mut self, rows: &BodyRows<E>, at: &Point<E>, space: &BodySpace<'_, E>) {
        for (cone, moves) in rows.cones.iter().zip(&self.moves) {
            let own = cone.first..cone.first + cone.count;
            if *moves {
                times(&self.slope[cone.small..], &at.r[own.clone()], &mut self.push[own]);
            } else {
                self.push[own].fill(E::zero());
            }
        }
        for (push, scale) in self.push.iter_mut().zip(&rows.scale) {
            *push = -(*push * *scale);
        }
        space.gather_into(&self.push, &mut self.u); // −J̃ᵀ K r
        let pattern = space.coupled_pattern();
        for (k, u) in self.u.iter().enumerate() {
            self.permuted[pattern.position(k)] = *u;
        }
        self.matrix.solve(pattern, &mut self.permuted);
        for (k, u) in self.u.iter_mut().enumerate() {
            *u = self.permuted[pattern.position(k)];
        }
        for i in 0..at.r.len() {
            self.push[i] = -space.row_speed(i, &self.u).mul_add(rows.scale[i], at.r[i]);
        }
        for cone in &rows.cones {
            let own = cone.first..cone.first + cone.count;
            times(&self.inverse[cone.small..], &self.push[own.clone()], &mut self.change[own]);
        }
    }
}

/// out ← M x for a small matrix by rows.
#[inline(always)]
fn times<E: Elem>(matrix: &[E], x: &[E], out: &mut [E]) {
    let n = x.len();
    for k in 0..n {
        let mut sum = E::zero();
        for l in 0..n {
            sum = matrix[k * n + l].mul_add(x[l], sum);
        }
        out[k] = sum;
    }
}

/// The inverse of the first N rows and columns, by Gauss and Jordan without a choice of pivots: the matrix is 1 − D and more, whose
/// symmetric part has no negative eigenvalue, and ε.
#[inline(always)]
fn inverted<E: Elem, const N: usize>(mut a: Small<E>) -> Small<E> {
    for p in 0..N {
        let pivot = a[p][p].recip();
        a[p][p] = E::one();
        for c in 0..N {
            a[p][c] *= pivot;
        }
        for r in 0..N {
            if r != p {
                let share = a[r][p];
                a[r][p] = E::zero();
                for c in 0..N {
                    a[r][c] = share.neg_mul_add(a[p][c], a[r][c]);
                }
            }
        }
    }
    a
}
