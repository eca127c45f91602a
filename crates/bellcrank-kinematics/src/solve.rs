//! Many goals at once: starts, searches in lanes, and searches again from elsewhere for those that failed.

use crate::descent::{CLOSING, FIGURES, LAST_STAGE, Stop};
use crate::error::KinematicsError;
use crate::goal::Goal;
use crate::precision::Number;
use crate::robot::Kinematics;
use crate::task::{Scope, Task};
use bellcrank_math::{Elem, Quat, Random, Vec3, so3};
use bellcrank_tree::layout::Layout;
use bellcrank_tree::{Motion, WORLD};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Steps per search at most.
    pub iterations: usize,
    /// Further descents from the same start, for goals that the first one does not reach: places are met before directions, or the other way
    /// round, and joints may pass their limits on the way (see `detour.rs`). There are three kinds.
    pub detours: usize,
    /// Further searches from random starts, for goals that are still not reached.
    pub restarts: usize,
    /// Bases of floating robots may move.
    pub free_base: bool,
    /// A goal of a position is reached to this \[m\].
    pub position_tolerance: f64,
    /// And one of an orientation \[rad\].
    pub angle_tolerance: f64,
    /// Loops are closed to this \[m and rad\]; zero for what the precision allows: 1e-9 in `f64`, 1e-5 in `f32`.
    pub loop_tolerance: f64,
    /// Files round their numbers, and loops with more rows than freedoms then contradict each other a little: no pose closes all of them. Where
    /// no motion closes them further and they are open by no more than this \[m and rad\], they count as closed; zero for never.
    pub loop_floor: f64,
    /// Largest change of a coordinate in a step \[rad or m\]: small steps seldom leave the way the mechanism is assembled.
    pub largest_step: f64,
    /// Random starts follow from this, the number of the goal and that of the search.
    pub seed: u64,
    /// Threads; 0 for one per processor core.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            iterations: 60,
            detours: 3,
            restarts: 24,
            free_base: false,
            position_tolerance: 1e-6,
            angle_tolerance: 1e-6,
            loop_tolerance: 0.0,
            loop_floor: 0.0,
            largest_step: 0.7,
            seed: 0,
            threads: 1,
        }
    }
}

impl Settings {
    fn gap<E: Elem>(&self) -> f64 {
        match self.loop_tolerance {
            asked if asked > 0.0 => asked,
            _ if E::EPSILON.to_f64() > 1e-10 => 1e-5,
            _ => 1e-9,
        }
    }
}

/// Poses that were found, one per row of targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution<E = f64> {
    /// Configurations of the tree, (n, coordinates).
    pub q: Vec<E>,
    /// All goals of first priority are met, loops are closed, limits are kept. Where not, the pose is the nearest found.
    pub solved: Vec<bool>,
    /// How far each goal is missed, (n, goals) \[m or rad\].
    pub error: Vec<E>,
    /// How far loops are open \[m or rad\].
    pub loop_gap: Vec<E>,
    /// Steps of the search that found it.
    pub iterations: Vec<u32>,
    /// Which search found it; 0 for the first.
    pub search: Vec<u32>,
}

/// A question: a mechanism, goals and settings; targets come with each call.
#[derive(Clone, Debug)]
pub struct Problem<'a, E: Elem = f64> {
    pub(crate) robot: &'a Kinematics<E>,
    task: Task<E>,
    /// With all loops, for starts that are open where no goal would close them.
    whole: Task<E>,
    settings: Settings,
    goals: usize,
}

impl<E: Number> Kinematics<E> {
    /// Prepares a question.
    ///
    /// # Errors
    /// When a goal names what is not there, or a weight is no weight.
    pub fn problem(&self, goals: &[Goal], settings: Settings) -> Result<Problem<'_, E>, KinematicsError> {
        let mut held = vec![false; self.tree().dof_count()];
        if !settings.free_base {
            self.floating.iter().for_each(|v| held[*v] = true);
        }
        let tolerances = [settings.position_tolerance, settings.angle_tolerance];
        let scope = |all_loops| Scope { held: &held, all_loops, tolerances };
        Ok(Problem {
            robot: self,
            task: Task::new(self, goals, scope(false))?,
            whole: Task::new(self, goals, scope(true))?,
            settings,
            goals: goals.len(),
        })
    }
}

/// Where searches begin.
#[derive(Clone, Copy)]
struct Beginning<'a, E> {
    start: &'a [E],
    /// What stays, stays here.
    home: &'a [E],
    /// The stage to begin with (see `descent.rs`).
    stage: usize,
    /// The stage to end with.
    last: usize,
    detours: usize,
}

impl<'a, E> Beginning<'a, E> {
    /// One descent through all stages.
    fn here(start: &'a [E]) -> Self {
        Beginning { start, home: start, stage: 0, last: LAST_STAGE, detours: 0 }
    }
}

/// What one search of some goals gives.
struct Found<E> {
    q: Vec<E>,
    figures: Vec<E>,
}

impl<E: Number> Problem<'_, E> {
    /// Numbers of a row of targets: those of all goals, side by side.
    pub fn target_width(&self) -> usize {
        self.task.target_width
    }

    /// Unknowns, and products that one factorisation takes: what a step costs.
    pub fn size(&self) -> (usize, usize) {
        (self.task.velocities.len(), self.task.pattern.products())
    }

    /// Finds a pose for every row of targets, (n, [`Problem::target_width`]). `start` is (n, coordinates), or one pose for all;
    /// the reference pose where it is empty.
    ///
    /// # Errors
    /// When the arrays' sizes do not agree.
    pub fn solve(&self, targets: &[E], start: &[E]) -> Result<Solution<E>, KinematicsError> {
        let (width, nq) = (self.task.target_width, self.robot.tree().coordinate_count());
        let n = targets.len().checked_div(width).unwrap_or(start.len() / nq.max(1));
        if targets.len() != n * width {
            let found = targets.len();
            return Err(KinematicsError::WrongSize { what: "targets", found, rows: n, width });
        }
        let given = if start.is_empty() { self.robot.rest() } else { start };
        if given.len() != nq && given.len() != n * nq {
            return Err(KinematicsError::WrongSize { what: "start", found: given.len(), rows: n, width: nq });
        }
        let task = if self.opens_elsewhere(given)? { &self.whole } else { &self.task };
        self.solve_with(task, targets, if given.len() == n * nq { given } else { &[] }, given)
    }

    /// One descent from starts whose loops are known to be closed where no goal moves them. Goals that cannot be met are approached with loops
    /// that open a little, and these are left so: see [`Problem::close`]. (Not where goals are of two priorities.)
    pub(crate) fn approach(&self, targets: &[E], start: &[E]) -> Result<Solution<E>, KinematicsError> {
        let last = if self.task.has_second { LAST_STAGE } else { 0 };
        let from = Beginning { last, ..Beginning::here(start) };
        Ok(self.first(self.search(&self.task, from, targets, [&[], &[]])?).0)
    }

    /// Likewise for one goal, without restarts.
    pub(crate) fn solve_near(&self, target: &[E], start: &[E]) -> Result<Solution<E>, KinematicsError> {
        let found = self.search(&self.task, Beginning::here(start), target, [&[], &[]])?;
        Ok(self.first(found).0)
    }

    /// Closes loops alone, and what else has to hold of goals of the first priority (feet), from poses that are nearly there; none where that
    /// fails.
    pub(crate) fn close(&self, targets: &[E], start: &[E]) -> Result<Vec<Option<Vec<E>>>, KinematicsError> {
        let nq = self.robot.tree().coordinate_count().max(1);
        let stage = if self.task.has_second { 1 } else { 3 };
        let found =
            self.search(&self.task, Beginning { stage, ..Beginning::here(start) }, targets, [&[], &[]])?;
        let solution = self.first(found).0;
        let tolerance = E::from_f64(self.settings.gap::<E>().max(self.settings.loop_floor));
        let is_closed =
            |i: usize| if stage == 1 { solution.solved[i] } else { solution.loop_gap[i] <= tolerance };
        let rows = solution.q.chunks_exact(nq).enumerate();
        Ok(rows.map(|(i, q)| (is_closed(i) && q.iter().all(|x| x.is_finite())).then(|| q.to_vec())).collect())
    }

    /// Within bounds by velocity. What does not close stays at its start.
    pub(crate) fn solve_boxed(
        &self,
        targets: &[E],
        start: &[E],
        bounds: [&[E]; 2],
    ) -> Result<Solution<E>, KinematicsError> {
        let nq = self.robot.tree().coordinate_count();
        let found = self.search(&self.task, Beginning::here(start), targets, bounds)?;
        let (mut solution, _) = self.first(found);
        let tolerance = E::from_f64(self.settings.gap::<E>().max(self.settings.loop_floor));
        for (i, _) in solution.loop_gap.iter().enumerate().filter(|(_, gap)| **gap > tolerance) {
            solution.q[i * nq..(i + 1) * nq].copy_from_slice(&start[i * nq..(i + 1) * nq]);
        }
        Ok(solution)
    }

    /// Figures of first searches.
    fn first(&self, found: Found<E>) -> (Solution<E>, Vec<E>) {
        let n = found.figures.len() / (self.goals + FIGURES);
        let mut solution = Solution {
            q: found.q,
            solved: vec![false; n],
            error: vec![E::zero(); n * self.goals],
            loop_gap: vec![E::zero(); n],
            iterations: vec![0; n],
            search: vec![0; n],
        };
        let mut costs = vec![E::zero(); n];
        for i in 0..n {
            self.note(&mut solution, &mut costs, (i, 0), &found.figures[i * (self.goals + FIGURES)..]);
        }
        (solution, costs)
    }

    /// From one start for each goal, or from the same one for all.
    fn solve_with(
        &self,
        task: &Task<E>,
        targets: &[E],
        each: &[E],
        same: &[E],
    ) -> Result<Solution<E>, KinematicsError> {
        let n = match self.task.target_width {
            0 => each.len() / self.robot.tree().coordinate_count().max(1),
            width => targets.len() / width,
        };
        let repeated = if each.is_empty() { same.repeat(n) } else { Vec::new() };
        let start = if each.is_empty() { &repeated[..] } else { each };
        let from = Beginning { detours: self.settings.detours, ..Beginning::here(start) };
        let found = self.search(task, from, targets, [&[], &[]])?;
        let (mut solution, mut costs) = self.first(found);
        self.search_again(task, (start, targets), &mut solution, &mut costs)?;
        Ok(solution)
    }

    /// Goals that were not reached, from random starts, all that are left at a time.
    fn search_again(
        &self,
        task: &Task<E>,
        (start, targets): (&[E], &[E]),
        solution: &mut Solution<E>,
        costs: &mut [E],
    ) -> Result<(), KinematicsError> {
        let (width, nq) = (task.target_width, self.robot.tree().coordinate_count());
        let row = self.goals + FIGURES;
        for search in 1..=self.settings.restarts {
            let is_number = |i: &usize| targets[i * width..(i + 1) * width].iter().all(|x| x.is_finite());
            let left: Vec<usize> = (0..solution.solved.len()).filter(|i| !solution.solved[*i]).collect();
            let left: Vec<usize> = left.into_iter().filter(is_number).collect();
            if left.is_empty() {
                break;
            }
            let mut starts = Vec::with_capacity(left.len() * nq);
            let mut homes = Vec::with_capacity(left.len() * nq);
            let mut asked = Vec::with_capacity(left.len() * width);
            for &i in &left {
                starts.extend(self.random_start(task, &start[i * nq..(i + 1) * nq], (i, search)));
                homes.extend_from_slice(&start[i * nq..(i + 1) * nq]);
                asked.extend_from_slice(&targets[i * width..(i + 1) * width]);
            }
            let from = Beginning { home: &homes, ..Beginning::here(&starts) };
            let found = self.search(task, from, &asked, [&[], &[]])?;
            for (k, &i) in left.iter().enumerate() {
                let figures = &found.figures[k * row..(k + 1) * row];
                if self.is_better(solution, costs, i, figures) {
                    solution.q[i * nq..(i + 1) * nq].copy_from_slice(&found.q[k * nq..(k + 1) * nq]);
                    self.note(solution, costs, (i, search), figures);
                }
            }
        }
        Ok(())
    }

    /// Solved before unsolved, closed before open, then by what goals miss.
    fn is_better(&self, solution: &Solution<E>, costs: &[E], i: usize, figures: &[E]) -> bool {
        let [gap, _, solved, cost] = tail(figures, self.goals);
        let tolerance = E::from_f64(self.settings.gap::<E>().max(self.settings.loop_floor));
        let was_closed = solution.loop_gap[i] <= tolerance;
        let is_closed = gap <= tolerance;
        solved > E::zero() || (is_closed && (!was_closed || cost < costs[i]))
    }

    fn note(&self, solution: &mut Solution<E>, costs: &mut [E], (i, search): (usize, usize), figures: &[E]) {
        let [gap, iterations, solved, cost] = tail(figures, self.goals);
        solution.error[i * self.goals..(i + 1) * self.goals].copy_from_slice(&figures[..self.goals]);
        solution.loop_gap[i] = gap;
        solution.iterations[i] = iterations.to_f64() as u32;
        solution.solved[i] = solved > E::zero();
        solution.search[i] = search as u32;
        costs[i] = cost;
    }

    /// Bounds are by velocity, where they are not empty.
    fn search(
        &self,
        task: &Task<E>,
        from: Beginning<'_, E>,
        targets: &[E],
        [low, high]: [&[E]; 2],
    ) -> Result<Found<E>, KinematicsError> {
        let Beginning { start, home, stage, last, detours } = from;
        let (tree, nq) = (self.robot.tree(), self.robot.tree().coordinate_count());
        let (n, row) = (start.len() / nq.max(1), self.goals + FIGURES);
        let mut found = Found { q: vec![E::zero(); start.len()], figures: vec![E::zero(); n * row] };
        let mut inputs = vec![
            ("start", Layout::Configuration, start),
            ("home", Layout::Configuration, home),
            ("targets", Layout::Plain(task.target_width), targets),
        ];
        if !low.is_empty() {
            inputs.extend([("low", Layout::Tangent, low), ("high", Layout::Tangent, high)]);
        }
        let outputs = &mut [
            ("q", Layout::Configuration, &mut found.q[..]),
            ("figures", Layout::Plain(row), &mut found.figures[..]),
        ];
        let Settings { iterations, largest_step, .. } = self.settings;
        let (gap, floor) = (self.settings.gap::<E>(), self.settings.loop_floor);
        let iterations = if last < LAST_STAGE { iterations.saturating_sub(CLOSING) } else { iterations };
        let stop =
            Stop { iterations, gap, floor, largest_step, boxed: !low.is_empty(), stage, last, detours };
        E::descend(tree, self.settings.threads, (task, stop), (&inputs, outputs))?;
        Ok(found)
    }

    /// Whether a loop that no goal moves is open at the start.
    fn opens_elsewhere(&self, start: &[E]) -> Result<bool, KinematicsError> {
        let (tree, nq) = (self.robot.tree(), self.robot.tree().coordinate_count());
        let rows = tree.loops.rows;
        if self.task.closings.iter().all(|closing| closing.acts) || rows == 0 {
            return Ok(false);
        }
        let n = start.len() / nq.max(1);
        let (mut c, mut G) = (vec![E::zero(); n * rows], vec![E::zero(); n * rows * tree.dof_count()]);
        tree.batch().loop_closure(start, &mut c, &mut G)?;
        let tolerance = E::from_f64(self.settings.gap::<E>().max(self.settings.loop_floor));
        Ok(!c.iter().all(|x| x.abs() <= tolerance))
    }

    /// A start somewhere between the given one and anywhere, the further off the later.
    fn random_start(&self, task: &Task<E>, start: &[E], (goal, search): (usize, usize)) -> Vec<E> {
        let tree = self.robot.tree();
        let mut random = Random::new(self.settings.seed, goal, search as u64);
        let share = (0.35 * search as f64).min(1.0);
        let mut q = start.to_vec();
        for (column, &v) in task.velocities.iter().enumerate() {
            let node = &tree.nodes[tree.v_node[v]];
            let place = |k: usize| tree.q_order.place[k];
            match node.motion {
                Motion::Turn(_) | Motion::Slide(_) | Motion::Screw(..) => {
                    let (at, sign) = (place(node.q), tree.q_order.sign[node.q].to_f64());
                    let now = q[at].to_f64() * sign;
                    let reach = if let Motion::Slide(_) = node.motion { 0.3 } else { core::f64::consts::PI };
                    let [low, high] = task.limits[column].map(E::to_f64);
                    let low = if low.is_finite() { low } else { now - reach };
                    let high = if high.is_finite() { high } else { now + reach };
                    let there = random.between(low, high);
                    q[at] = E::from_f64((now + share * (there - now)) * sign);
                }
                Motion::Ball if v == node.v => {
                    let at: Vec<usize> = (0..4).map(|k| place(node.q + k)).collect();
                    turn_somehow(&mut random, share, &mut q, &at);
                }
                // a base that hangs from the world is turned by what it has to do; its place is as good as any
                Motion::Free if v == node.v && node.parent != WORLD => {
                    let at: Vec<usize> = (3..7).map(|k| place(node.q + k)).collect();
                    turn_somehow(&mut random, share, &mut q, &at);
                }
                _ => {}
            }
        }
        q
    }
}

/// Turns a quaternion by up to 1.2 rad about any axis.
pub(crate) fn turn_somehow<E: Elem>(random: &mut Random, share: f64, q: &mut [E], at: &[usize]) {
    let mut x = || 1.2 * share * random.between(-1.0, 1.0);
    let turn = so3::exp(Vec3::new(x(), x(), x()));
    let now = Quat::from_wxyz([q[at[0]], q[at[1]], q[at[2]], q[at[3]]].map(E::to_f64));
    for (k, x) in (now * turn).normalized().to_wxyz().into_iter().enumerate() {
        q[at[k]] = E::from_f64(x);
    }
}

fn tail<E: Elem>(figures: &[E], goals: usize) -> [E; FIGURES] {
    core::array::from_fn(|k| figures[goals + k])
}
