//! The Jacobian of a step in minimal coordinates from equations in minimal coordinates.
//!
//! A step ties three points of the same kinematics together: X⁻ before it, X at its start, X⁺ at its end. At each of them joints are
//! closed, so that bodies move with the freedoms alone, δX = T δq. The equations of motion r(X⁻, X, X⁺, λ) = 0 have joint forces along rows
//! at the start, J₂ᵀ λ, and J₂ T⁰ = 0: with K = −∂r/∂X at each of the three times
//!
//!   T⁰ᵀ (K⁺ T⁺ δq⁺ + K⁰ T⁰ δq + K⁻ T⁻ δq⁻) + c = 0,
//!
//! as many equations as there are freedoms, and no compliance of joints to be taken out. K has six by six numbers per body; joints
//! of the tree add rows to the equations of their own freedoms only. Where loops close, independent freedoms lead the others, δq = Fδq_i
//! at each time, and F⁰ᵀ takes out the forces of closing joints.
//!
//! | file | what |
//! |---|---|
//! | `branches` | who is above whom |
//! | `bodies` `joints` | K, and the rows of joints |
//! | `project` | G = T⁰ᵀ K T, by sums over branches |
//! | `closure` | F |
//! | `solve` | δq⁺ and δq̇⁺ |

mod bodies;
mod branches;
mod closure;
mod joints;
mod project;
mod solve;

use super::chain::Chain;
use super::tree::Tree;
use super::{Interval, Lists, Moving, Turned};
use crate::Solved;
use crate::formulas::{Answer, DofSlopes, control_push, read_dofs};
use bellcrank_math::enter;
use bellcrank_math::{Mask, Pose, Real};
use bellcrank_step::rows::drives::row_velocity as dot;
use bodies::{Turns, read_bodies, read_touches};
use branches::{Branches, Order};
use closure::{Closed, closures};
use joints::{FreedomRow, read_closing_joint, read_tree_joint};
use project::{Project, carry_up};
use solve::{Control, Equations, TILE, factor};

/// The three times.
const BEFORE: usize = 0;
const START: usize = 1;
const END: usize = 2;

/// Six equations of a body, by six numbers of a motion.
type Block<R> = [[R; 6]; 6];

/// What one body is pushed when another moves.
#[derive(Clone, Copy, Debug)]
struct Push<R> {
    time: usize,
    on: usize,
    by: usize,
    block: Block<R>,
}

/// Adds to the equations of a body, when the same or another is moved.
#[inline(always)]
fn add_block<R: Real>(
    (time, on, by): (usize, usize, usize),
    block: &Block<R>,
    blocks: &mut [Vec<Block<R>>; 3],
    pushes: &mut Vec<Push<R>>,
) {
    if on == by {
        let sum = &mut blocks[time][on];
        for r in 0..6 {
            for c in 0..6 {
                sum[r][c] += block[r][c];
            }
        }
    } else {
        pushes.push(Push { time, on, by, block: *block });
    }
}

/// What depends on the list of freedoms that is asked for.
struct Asked<R> {
    list: Vec<usize>,
    /// Where loops close.
    closed: Vec<Closed<R>>,
    /// The equations of independent freedoms are dense.
    order: Order,
    /// G of the independent freedoms, and on the way there.
    G: [Vec<R>; 3],
    half: Vec<R>,
    controls: Vec<Control<R>>,
}

/// Memory for the steps of one model.
pub(crate) struct Reduced<R> {
    branches: Branches,
    chains: [Chain<R>; 3],
    turns: Vec<Turns<R>>,
    dofs: Vec<DofSlopes<R>>,
    rows: Vec<FreedomRow<R>>,
    blocks: [Vec<Block<R>>; 3],
    pushes: Vec<Push<R>>,
    /// By freedom and freedom; zero between branches, unless `tied`.
    G: [Vec<R>; 3],
    tied: bool,
    dense: Order,
    controls: Vec<Control<R>>,
    asked: Option<Asked<R>>,
    x: Vec<[R; TILE]>,
    some: Vec<bool>,
}

impl<R: Real<Elem = f64>> Reduced<R> {
    pub fn new(tree: &Tree<'_, R>) -> Self {
        let branches = Branches::of(tree);
        let (n, bodies) = (branches.freedoms(), tree.layout.position.len());
        let square = || vec![R::zero(); n * n];
        let blocks = || vec![[[R::zero(); 6]; 6]; bodies];
        Reduced {
            chains: [(); 3].map(|()| Chain::new()),
            turns: vec![Turns::blank(); bodies],
            dofs: vec![DofSlopes::default(); tree.layout.dof_count],
            rows: vec![FreedomRow::blank(); n],
            blocks: [blocks(), blocks(), blocks()],
            pushes: Vec::new(),
            G: [square(), square(), square()],
            tied: false,
            dense: Order::dense(n),
            controls: Vec::new(),
            asked: None,
            x: vec![[R::zero(); TILE]; n],
            some: vec![false; n],
            branches,
        }
    }

    /// The Jacobians of the worlds in the first lanes, by row and column; where it says so.
    pub fn jacobians(
        &mut self,
        moving: &Moving<'_, R>,
        solved: &Solved<R>,
        answer: &Answer<'_, R>,
        lists: Lists<'_>,
        worlds: usize,
    ) -> (R::Mask, Vec<Vec<f64>>) {
        if !self.ask(&moving.tree, lists.list) {
            return (R::Mask::splat(false), vec![Vec::new(); worlds]);
        }
        let (interval, turned) = find_turned(moving, solved, lists);
        self.read(&moving.tree, answer, &interval);
        enter!(R, self.read_controls(answer, lists));
        enter!(R, self.project());
        let (mut good, n, is_tied) = (R::Mask::splat(true), self.branches.freedoms(), self.tied);
        let Reduced { branches, chains, G, dense, controls, asked, x, some, .. } = self;
        let order = if is_tied { &*dense } else { &branches.order };
        let (mut G, mut order, mut controls) = (G, order, &*controls);
        if let Some(asked) = asked
            && !asked.closed.is_empty()
        {
            let poses = [&interval.before[..], &answer.state.X_WB[..], &answer.ws.X_next[..]];
            good = enter!(R, asked.close(&moving.tree, branches, chains, poses));
            enter!(R, asked.reduce(G, n));
            enter!(R, asked.reduce_controls(controls));
            (G, order, controls) = (&mut asked.G, &asked.order, &asked.controls);
        }
        enter!(R, factor(&mut G[END], &order.above));
        let (count, columns) = (lists.list.len(), 2 * lists.list.len() + lists.besides.len());
        let turned: [&[Turned<R>]; 2] = [&turned[0], &turned[1]];
        let equations = Equations { G, order, turned, controls, columns, dt: answer.dt };
        let (x, some) = (&mut x[..count], &mut some[..count]);
        let mut out = vec![vec![0.0; 2 * count * columns]; worlds];
        for first in (0..columns).step_by(TILE) {
            enter!(R, equations.write(first, x, some, &mut out));
        }
        (good, out)
    }

    /// Prepares for these freedoms; false where they cannot tell where the mechanism is.
    fn ask(&mut self, tree: &Tree<'_, R>, list: &[usize]) -> bool {
        if self.asked.as_ref().is_some_and(|asked| asked.list == list) {
            return true;
        }
        let Some(closed) = closures(tree, &self.branches, list) else { return false };
        let (count, n) = (list.len(), self.branches.freedoms());
        let room = |count: usize| vec![R::zero(); if closed.is_empty() { 0 } else { count }];
        self.asked = Some(Asked {
            G: [room(count * count), room(count * count), room(count * count)],
            half: room(n * count),
            controls: Vec::new(),
            list: list.to_vec(),
            order: Order::dense(count),
            closed,
        });
        true
    }

    /// All that the equations are made from.
    fn read(&mut self, tree: &Tree<'_, R>, answer: &Answer<'_, R>, interval: &Interval<R>) {
        let Reduced { branches, chains, turns, dofs, rows, blocks, pushes, .. } = self;
        let poses = [&interval.before[..], &answer.state.X_WB[..], &answer.ws.X_next[..]];
        pushes.clear();
        enter!(R, {
            for time in 0..3 {
                tree.lay(poses[time], &mut chains[time]);
            }
        });
        enter!(R, read_dofs(answer, dofs));
        enter!(R, read_bodies(answer, interval, turns, blocks));
        enter!(R, read_touches(answer, turns, blocks, pushes));
        enter!(R, {
            for (j, joint) in answer.layout.joints.iter().enumerate() {
                match branches.link_of_joint[j] {
                    Some(l) => {
                        let link = &branches.links[l];
                        let (reversed, to) = (link.body != joint.successor, link.first + link.count);
                        let (axes, rows) = (&chains[START].axes[link.first..to], &mut rows[link.first..to]);
                        read_tree_joint(answer, (j, reversed), (turns, dofs), axes, (rows, blocks));
                    }
                    None => read_closing_joint(answer, j, (turns, dofs), (blocks, pushes)),
                }
            }
        });
    }

    /// G at the three times.
    #[inline(always)]
    fn project(&mut self) {
        let Reduced { branches, chains, rows, blocks, pushes, G, tied, .. } = self;
        for time in [BEFORE, START, END] {
            if *tied || !pushes.is_empty() {
                G[time].fill(R::zero());
            }
            let (start, moved) = (&chains[START], &chains[time]);
            let project = Project { branches, start, moved, rows, time };
            project.sum_up(&mut blocks[time]);
            project.fill(&blocks[time], &mut G[time]);
            for push in &*pushes {
                if push.time == time {
                    project.add_push(push, &mut G[time]);
                }
            }
        }
        *tied = !pushes.is_empty();
    }

    /// What controls push along freedoms.
    #[inline(always)]
    fn read_controls(&mut self, answer: &Answer<'_, R>, lists: Lists<'_>) {
        let Reduced { branches, chains, dofs, controls, .. } = self;
        controls.clear();
        for (column, wrt) in lists.besides.iter().enumerate() {
            let Some((j, k, push)) = control_push(answer, dofs, *wrt) else { continue };
            if let Some(l) = branches.link_of_joint[j] {
                controls.push((branches.links[l].first + k, column, push));
                continue;
            }
            let (joint, start) = (&answer.layout.joints[j], &answer.ws.joints[j]);
            let i = joint.kind.row_count() + k;
            for side in 0..2 {
                let Some(body) = (if side == 0 { Some(joint.successor) } else { joint.predecessor }) else {
                    continue;
                };
                let mut six = if side == 0 { start.s[i] } else { start.p[i] };
                let mut at = Some(branches.link_of[body]);
                while let Some(l) = at {
                    let link = &branches.links[l];
                    for k in link.first..link.first + link.count {
                        controls.push((k, column, dot(&chains[START].axes[k], &six) * push));
                    }
                    carry_up(&mut six, chains[START].links[l].arm);
                    at = link.up;
                }
            }
        }
    }
}

/// The interval that ends at the start of the step, and groups of rotations at the start and at the end.
fn find_turned<R: Real>(
    moving: &Moving<'_, R>,
    solved: &Solved<R>,
    lists: Lists<'_>,
) -> (Interval<R>, [Vec<Turned<R>>; 2]) {
    let (state, places) = (&solved.inputs.state, moving.turned_at(lists.freedoms));
    enter!(R, {
        let interval = moving.interval(&state.X_WB, &state.V_WB);
        let before = moving.turned(&state.X_WB, &interval, &places);
        let after = moving.turned(&solved.ws.X_next, &Interval::of_step(state, solved), &places);
        (interval, [before, after])
    })
}

impl<R: Real> Asked<R> {
    /// How freedoms follow at the three times; where they do.
    #[inline(always)]
    fn close(
        &mut self,
        tree: &Tree<'_, R>,
        branches: &Branches,
        chains: &[Chain<R>; 3],
        poses: [&[Pose<R>]; 3],
    ) -> R::Mask {
        let mut good = R::Mask::splat(true);
        for closed in &mut self.closed {
            for time in 0..3 {
                good = good & closed.solve(tree, branches, (&chains[time], poses[time]), time);
            }
        }
        good
    }

    /// F⁰ᵀ G F at the three times.
    #[inline(always)]
    fn reduce(&mut self, G: &[Vec<R>; 3], n: usize) {
        let Asked { list, closed, G: out, half, .. } = self;
        let count = list.len();
        for time in 0..3 {
            for r in 0..n {
                let (from, to) = (&G[time][r * n..][..n], &mut half[r * count..][..count]);
                for p in 0..count {
                    to[p] = from[list[p]];
                }
                for Closed { follow, lead, F, .. } in &*closed {
                    for (d, k) in follow.iter().enumerate() {
                        for (at, p) in lead.iter().enumerate() {
                            to[*p] = from[*k].mul_add(F[time][d * lead.len() + at], to[*p]);
                        }
                    }
                }
            }
            for p in 0..count {
                for c in 0..count {
                    out[time][p * count + c] = half[list[p] * count + c];
                }
            }
            for Closed { follow, lead, F, .. } in &*closed {
                for (d, k) in follow.iter().enumerate() {
                    for (at, p) in lead.iter().enumerate() {
                        let share = F[START][d * lead.len() + at];
                        for c in 0..count {
                            let x = &mut out[time][p * count + c];
                            *x = share.mul_add(half[k * count + c], *x);
                        }
                    }
                }
            }
        }
    }

    /// What is pushed along freedoms that follow goes to those that lead.
    #[inline(always)]
    fn reduce_controls(&mut self, controls: &[Control<R>]) {
        self.controls.clear();
        for &(k, column, push) in controls {
            for (p, own) in self.list.iter().enumerate() {
                if *own == k {
                    self.controls.push((p, column, push));
                }
            }
            for Closed { follow, lead, F, .. } in &self.closed {
                for (d, own) in follow.iter().enumerate() {
                    if *own == k {
                        for (i, p) in lead.iter().enumerate() {
                            self.controls.push((*p, column, F[START][d * lead.len() + i] * push));
                        }
                    }
                }
            }
        }
    }
}
