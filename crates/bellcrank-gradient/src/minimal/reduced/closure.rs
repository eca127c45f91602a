//! Loops and couplings: which freedoms follow the independent ones, and how, at each of the three times.
//!
//! Closing rows ask L δq = 0. Those that share no freedom, directly or through others, are solved apart: with the dependent
//! freedoms first, L = [A B], A = Q R by Householder's reflections, so that δq_dependent = −R⁻¹ (Qᵀ B) δq. Rows that repeat others
//! do no harm: what is left of them below R must be zero.

use super::branches::{Branch, Branches};
use super::project::carry_up;
use crate::minimal::chain::Chain;
use crate::minimal::loops::SMALL;
use crate::minimal::tree::Tree;
use bellcrank_math::{Pose, Real};
use bellcrank_model::kinematics;
use bellcrank_step::rows::drives::row_velocity as dot;
use bellcrank_step::rows::joint_pose;

/// A row that closes something.
#[derive(Clone, Copy, Debug)]
enum Closing {
    /// Of a joint that the tree leaves out.
    Joint {
        joint: usize,
        row: usize,
    },
    Coupling(usize),
}

/// Rows and freedoms that depend on each other.
#[derive(Clone, Debug)]
pub(super) struct Closed<R> {
    rows: Vec<Closing>,
    /// Freedoms that follow, and those that lead: positions in the tree, positions in the list.
    pub follow: Vec<usize>,
    pub lead: Vec<usize>,
    leaders: Vec<usize>,
    /// By time: how each follows, leader after leader.
    pub F: [Vec<R>; 3],
    L: Vec<R>,
}

/// The freedoms that a row asks something of.
fn freedoms_of<N: Real>(tree: &Tree<'_, N>, branches: &Branches, row: Closing) -> Vec<usize> {
    let of_joint = |joint: usize| {
        let (on_s, on_p) = sides(tree, branches, joint);
        let top = on_p.and_then(|p| branches.common(on_s, p));
        let mut all = Vec::new();
        for side in [Some(on_s), on_p] {
            let mut at = side;
            while at != top {
                let Some(l) = at else { break };
                let Branch { first, count, up, .. } = branches.links[l];
                all.extend(first..first + count);
                at = up;
            }
        }
        all
    };
    match row {
        Closing::Joint { joint, .. } => of_joint(joint),
        Closing::Coupling(c) => {
            let term = |at: &bellcrank_step::layout::DofLayout| match branches.link_of_joint[at.joint] {
                Some(l) => vec![branches.links[l].first + at.dof],
                None => of_joint(at.joint),
            };
            tree.layout.couplings[c].terms.iter().flat_map(|(at, _)| term(at)).collect()
        }
    }
}

/// The links of a joint's two bodies.
fn sides<N: Real>(tree: &Tree<'_, N>, branches: &Branches, joint: usize) -> (usize, Option<usize>) {
    let layout = &tree.layout.joints[joint];
    (branches.link_of[layout.successor], layout.predecessor.map(|p| branches.link_of[p]))
}

/// All that close something, by groups that share no freedom; none where the listed freedoms cannot tell the others.
pub(super) fn closures<R: Real, N: Real>(
    tree: &Tree<'_, N>,
    branches: &Branches,
    list: &[usize],
) -> Option<Vec<Closed<R>>> {
    let mut rows: Vec<Closing> = Vec::new();
    for (joint, link) in branches.link_of_joint.iter().enumerate() {
        if link.is_none() {
            let count = tree.layout.joints[joint].kind.row_count();
            rows.extend((0..count).map(|row| Closing::Joint { joint, row }));
        }
    }
    rows.extend((0..tree.layout.couplings.len()).map(Closing::Coupling));
    // each freedom is in one group: groups that share some become one
    let mut groups: Vec<(Vec<Closing>, Vec<usize>)> = Vec::new();
    for row in rows {
        let mut all = (vec![row], freedoms_of(tree, branches, row));
        let (joined, apart) = groups.into_iter().partition(|g| g.1.iter().any(|k| all.1.contains(k)));
        groups = apart;
        for (mut rows, mut freedoms) in Vec::<(Vec<Closing>, Vec<usize>)>::from_iter(joined) {
            rows.append(&mut all.0);
            freedoms.append(&mut all.1);
            all = (rows, freedoms);
        }
        all.1.sort_unstable();
        all.1.dedup();
        groups.push(all);
    }
    let told = |k: &usize| list.contains(k) || groups.iter().any(|g| g.1.contains(k));
    if !(0..branches.freedoms()).all(|k| told(&k)) {
        return None;
    }
    groups.into_iter().map(|(rows, freedoms)| Closed::new(rows, &freedoms, list)).collect()
}

impl<R: Real> Closed<R> {
    fn new(rows: Vec<Closing>, freedoms: &[usize], list: &[usize]) -> Option<Self> {
        let (leaders, follow): (Vec<usize>, Vec<usize>) = freedoms.iter().partition(|k| list.contains(k));
        let lead = leaders.iter().filter_map(|k| list.iter().position(|x| x == k)).collect();
        let blank = || vec![R::zero(); follow.len() * leaders.len()];
        let (F, L) = ([blank(), blank(), blank()], vec![R::zero(); rows.len() * freedoms.len()]);
        (follow.len() <= rows.len()).then_some(Closed { rows, follow, lead, leaders, F, L })
    }

    fn width(&self) -> usize {
        self.follow.len() + self.leaders.len()
    }

    /// The column of a freedom.
    #[inline(always)]
    fn column(&self, freedom: usize) -> usize {
        let mut at = 0;
        for k in self.follow.iter().chain(&self.leaders) {
            if *k == freedom {
                break;
            }
            at += 1;
        }
        at
    }

    /// How freedoms follow at these poses; false where they do not.
    #[inline(always)]
    pub fn solve(
        &mut self,
        tree: &Tree<'_, R>,
        branches: &Branches,
        (chain, X_WB): (&Chain<R>, &[Pose<R>]),
        time: usize,
    ) -> R::Mask {
        self.fill(tree, branches, (chain, X_WB));
        let mut largest = R::zero();
        for x in &self.L {
            largest = largest.max(x.abs());
        }
        let mut good = R::zero().lt(largest);
        let (width, height, count) = (self.width(), self.rows.len(), self.follow.len());
        for c in 0..count {
            let left = reflect(&mut self.L, (width, height), c);
            good = good & (largest * R::constant(SMALL)).lt(left);
        }
        let enough = largest * R::constant(1e3 * SMALL);
        for r in count..height {
            for c in count..width {
                good = good & self.L[r * width + c].abs().le(enough);
            }
        }
        let leaders = width - count;
        for p in 0..leaders {
            for r in 0..count {
                let r = count - 1 - r;
                let mut sum = -self.L[r * width + count + p];
                for c in r + 1..count {
                    sum = self.L[r * width + c].neg_mul_add(self.F[time][c * leaders + p], sum);
                }
                self.F[time][r * leaders + p] = sum / self.L[r * width + r];
            }
        }
        good
    }

    #[inline(always)]
    fn fill(&mut self, tree: &Tree<'_, R>, branches: &Branches, (chain, X_WB): (&Chain<R>, &[Pose<R>])) {
        for x in &mut self.L {
            *x = R::zero();
        }
        for r in 0..self.rows.len() {
            match self.rows[r] {
                Closing::Joint { joint, row } => {
                    self.add_joint_row((tree, branches), (chain, X_WB), (r, joint, row), R::one());
                }
                Closing::Coupling(c) => {
                    for (at, coefficient) in &tree.layout.couplings[c].terms {
                        let amount = R::constant(*coefficient);
                        match branches.link_of_joint[at.joint] {
                            Some(l) => {
                                let k = self.column(branches.links[l].first + at.dof);
                                let width = self.width();
                                self.L[r * width + k] += amount;
                            }
                            None => {
                                let row = tree.layout.joints[at.joint].kind.row_count() + at.dof;
                                let place = (r, at.joint, row);
                                self.add_joint_row((tree, branches), (chain, X_WB), place, amount);
                            }
                        }
                    }
                }
            }
        }
    }

    /// A row of a joint that the tree leaves out, on the freedoms that move one of its bodies and not both.
    #[inline(always)]
    fn add_joint_row(
        &mut self,
        (tree, branches): (&Tree<'_, R>, &Branches),
        (chain, X_WB): (&Chain<R>, &[Pose<R>]),
        (r, joint, row): (usize, usize, usize),
        amount: R,
    ) {
        let (layout, width) = (&tree.layout.joints[joint], self.width());
        let (X_WF, X_WM, X_FM) = joint_pose(layout, &tree.constants.joints[joint], X_WB);
        let count = layout.kind.row_count();
        let wrench = if row < count {
            kinematics::constraint_axes(layout.kind, X_FM)[row]
        } else {
            kinematics::rate_axes(layout.kind, X_FM)[row - count]
        }
        .rotated(X_WF.R);
        let (on_s, on_p) = sides(tree, branches, joint);
        let top = match on_p {
            Some(p) => branches.common(on_s, p),
            None => None,
        };
        for side in 0..2 {
            let Some(link) = (if side == 0 { Some(on_s) } else { on_p }) else { continue };
            let body = branches.links[link].body;
            let mut six = wrench.at_point(X_WB[body].p - X_WM.p).to_array();
            let sign = if side == 0 { amount } else { -amount };
            let mut at = Some(link);
            while at != top {
                let Some(l) = at else { break };
                let Branch { first, count, up, .. } = branches.links[l];
                for k in first..first + count {
                    let c = self.column(k);
                    let x = &mut self.L[r * width + c];
                    *x = sign.mul_add(dot(&chain.axes[k], &six), *x);
                }
                carry_up(&mut six, chain.links[l].arm);
                at = up;
            }
        }
    }
}

/// Householder's reflection of the rows from `c` on that leaves nothing of column `c` below its diagonal; gives the size of that.
#[inline(always)]
fn reflect<R: Real>(L: &mut [R], (width, height): (usize, usize), c: usize) -> R {
    let mut square = R::zero();
    for r in c..height {
        let x = L[r * width + c];
        square = x.mul_add(x, square);
    }
    let (size, first) = (square.sqrt(), L[c * width + c]);
    // v = x ∓ ‖x‖ e, v·v/2 = ‖x‖² ∓ ‖x‖ x₀ = −(−sign ‖x‖)·v₀
    let to = -(size * first.signum_or_one());
    let lead = first - to;
    let half = -(to * lead);
    let some = R::zero().lt(half);
    let inverse = R::select(some, R::select(some, half, R::one()).recip(), R::zero());
    L[c * width + c] = lead;
    for k in c + 1..width {
        let mut sum = R::zero();
        for r in c..height {
            sum = L[r * width + c].mul_add(L[r * width + k], sum);
        }
        let share = sum * inverse;
        for r in c..height {
            let v = L[r * width + c];
            L[r * width + k] = v.neg_mul_add(share, L[r * width + k]);
        }
    }
    L[c * width + c] = to;
    size
}
