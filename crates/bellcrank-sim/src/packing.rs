//! Packs the rows that act in each lane to the front of the solver's problem.
//!
//! Worlds of a block touch at different places. Were every row that acts in *some* lane a row of the problem of *all*
//! lanes, sixteen tumbling robots would share one problem sixteen times too large. So each lane's rows move up: row
//! k of the problem is another contact in each lane. Only the kind of cone has to be the same, therefore every
//! kind has a section of its own. A lane's rows keep their order, and what lies behind them is zero, so that a
//! world's bits do not depend on its neighbours.

use crate::workspace::ConeGroup;
use bellcrank_math::{Mask, Real};
use bellcrank_solve::{Cone, DualProblem};

/// Lanes at most.
const LANES: usize = 16;
/// Kinds of cones: push only, box, and contacts of 3, 4 and 6 rows.
const KINDS: usize = 5;

/// Where the groups are in the problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packing {
    /// By group and lane: its first row.
    first: Vec<[u16; LANES]>,
    /// By group: that row where it is the same in all lanes in which the group acts.
    shared: Vec<Option<u16>>,
}

fn kind_of<R>(cone: &Cone<R>) -> usize {
    match cone {
        Cone::Free | Cone::Nonnegative => 0,
        Cone::Box { .. } => 1,
        Cone::Coulomb { rows: 3, .. } => 2,
        Cone::Coulomb { rows: 4, .. } => 3,
        Cone::Coulomb { .. } => 4,
    }
}

impl Packing {
    pub fn with_capacity(groups: usize) -> Self {
        Packing { first: Vec::with_capacity(groups), shared: Vec::with_capacity(groups) }
    }

    /// Gives every group its rows, and the problem its cones, with a matrix or without.
    #[inline(always)]
    pub fn arrange<R: Real>(&mut self, groups: &[ConeGroup<R>], dense: bool, problem: &mut DualProblem<R>) {
        let mut count = [[0_u16; LANES]; KINDS];
        self.first.clear();
        self.shared.clear();
        for group in groups {
            let (kind, bits) = (kind_of(&group.cone), group.acts.bits());
            let mut first = [0; LANES];
            for lane in 0..R::LANES {
                if bits >> lane & 1 == 1 {
                    first[lane] = count[kind][lane];
                    count[kind][lane] += 1;
                }
            }
            self.first.push(first);
        }
        let blank = [
            Cone::Nonnegative,
            Cone::Box { low: R::zero(), high: R::zero() },
            Cone::Coulomb { mu: R::zero(), rows: 3 },
            Cone::Coulomb { mu: R::zero(), rows: 4 },
            Cone::Coulomb { mu: R::zero(), rows: 6 },
        ];
        let (mut base, mut first_cone) = ([0_u16; KINDS], [0_usize; KINDS]);
        problem.clear();
        for kind in 0..KINDS {
            (base[kind], first_cone[kind]) = (problem.rows() as u16, problem.cones().len());
            let most = count[kind].iter().max().copied().unwrap_or(0);
            for _ in 0..most {
                problem.push(blank[kind]);
            }
        }
        if dense {
            problem.finish();
        } else {
            problem.finish_without_matrix();
        }
        for (g, group) in groups.iter().enumerate() {
            let kind = kind_of(&group.cone);
            let (first, bits) = (&mut self.first[g], group.acts.bits());
            let (mut shared, mut same) = (None, true);
            for lane in 0..R::LANES {
                if bits >> lane & 1 == 1 {
                    let here = R::Mask::from_bits(1 << lane);
                    problem.cones_mut()[first_cone[kind] + first[lane] as usize].take(here, &group.cone);
                    first[lane] = base[kind] + first[lane] * group.rows as u16;
                    same = same && shared.is_none_or(|row| row == first[lane]);
                    shared = Some(first[lane]);
                }
            }
            self.shared.push(if same { shared } else { None });
        }
    }

    /// The first row of a group where there is one lane only.
    pub fn first_row(&self, g: usize) -> usize {
        self.first[g][0] as usize
    }

    /// Puts the values of a group's row where its lanes have it.
    #[inline(always)]
    pub fn put<R: Real>(&self, (g, group): (usize, &ConeGroup<R>), row: usize, value: R, to: &mut [R]) {
        if let Some(first) = self.shared[g] {
            let place = &mut to[first as usize + row];
            *place = R::select(group.acts, value, *place);
            return;
        }
        let bits = group.acts.bits();
        for lane in 0..R::LANES {
            if bits >> lane & 1 == 1 {
                let place = &mut to[self.first[g][lane] as usize + row];
                *place = place.with_lane(lane, value.lane(lane));
            }
        }
    }

    /// The reverse; zero in lanes in which the group does not act.
    #[inline(always)]
    pub fn get<R: Real>(&self, (g, group): (usize, &ConeGroup<R>), row: usize, from: &[R]) -> R {
        if let Some(first) = self.shared[g] {
            return R::select(group.acts, from[first as usize + row], R::zero());
        }
        let (bits, mut value) = (group.acts.bits(), R::zero());
        for lane in 0..R::LANES {
            if bits >> lane & 1 == 1 {
                value = value.with_lane(lane, from[self.first[g][lane] as usize + row].lane(lane));
            }
        }
        value
    }

    /// Sets the entry of G between rows of two groups, in the lanes in which both act.
    #[inline(always)]
    pub fn put_entry<R: Real>(
        &self,
        both: R::Mask,
        (g, r): (usize, usize),
        (h, s): (usize, usize),
        value: R,
        problem: &mut DualProblem<R>,
    ) {
        if let (Some(i), Some(j)) = (self.shared[g], self.shared[h]) {
            let (i, j) = (i as usize + r, j as usize + s);
            let entry = R::select(both, value, problem.get(i, j));
            return problem.set(i, j, entry);
        }
        let bits = both.bits();
        for lane in 0..R::LANES {
            if bits >> lane & 1 == 1 {
                let (i, j) = (self.first[g][lane] as usize + r, self.first[h][lane] as usize + s);
                problem.set(i, j, problem.get(i, j).with_lane(lane, value.lane(lane)));
            }
        }
    }
}
