//! Goals from the whole reachable set, found without the solver under test.
//!
//! Freedoms of the limb that ends in the frame have as many *independent* coordinates: motors first, then whatever else the loops leave
//! free; or passive joints first, where the box of the motors' ranges holds few poses that close.
//! Their values are drawn evenly from their ranges, independently of each other and of earlier draws, and the mechanism goes there in
//! small steps: from the rest pose, or from known poses nearby where that way is barred. The tree's own Newton iteration closes the loops after
//! every step with the independent coordinates held. A draw counts where it is arrived at with all limits kept; on the way nothing may
//! jump, and the sign by which [`bellcrank_kinematics::Analysis::branch`] tells ways of assembly may not change. So poses are spread
//! evenly over all that motors can ask for on the branch of the rest pose; there is no stride to choose.

use crate::support::{frames, within_limits};
use bellcrank_kinematics::{Analysis, Kinematics};
use bellcrank_math::Random;
use bellcrank_model::{JointKind, Model};
use bellcrank_tree::{Consistency, Reference, TreeModel};
use std::cell::Cell;

/// Steps of a way, and how far a coordinate may go in one of them \[rad or m\] before that counts as a jump.
const STEPS: usize = 64;
const JUMP: f64 = 0.6;
/// Ways tried besides the straight one from the rest pose.
const DETOURS: usize = 2;
const MOST_ROUNDS: usize = 200;

/// What was drawn: poses, and out of how many draws.
#[derive(Clone, Debug)]
pub struct Reachable {
    pub poses: Vec<Vec<f64>>,
    pub drawn: usize,
    /// Number of coordinates that are drawn.
    pub independent: usize,
}

/// `count` poses that close to `loops`.
pub fn reachable(
    model: &Model,
    robot: &Kinematics<f64>,
    (frame, passive_first): (&str, bool),
    count: usize,
    loops: f64,
) -> Reachable {
    let analysis = robot.analysis(1).expect("a model");
    let moves = movers(robot, frame);
    let drawn = independent(model, robot, &moves, passive_first);
    let walk = Walk {
        model,
        robot,
        analysis: &analysis,
        moves: &moves,
        drawn: &drawn,
        loops,
        tried: Cell::new(0),
        helped: Cell::new(0),
    };
    let mut found = Reachable { poses: Vec::new(), drawn: 0, independent: drawn.len() };
    for round in 0..MOST_ROUNDS {
        if found.poses.len() >= count {
            break;
        }
        let block = count.max(64);
        let wanted: Vec<Vec<f64>> =
            (0..block).map(|i| values(robot, &drawn, &mut Random::new(17, i, round as u64))).collect();
        found.drawn += block;
        walk.visit(wanted, &mut found.poses);
    }
    found.poses.truncate(count);
    assert_eq!(found.poses.len(), count, "{}: too few of {} draws can be had", model.name(), found.drawn);
    found
}

/// A coordinate that is drawn: its places in q and v, and its range.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    q: usize,
    v: usize,
    range: [f64; 2],
}

/// Velocities, in the user's order, that move the frame or share a loop with those that do; bases stay.
fn movers(robot: &Kinematics<f64>, frame: &str) -> Vec<bool> {
    let tree = robot.tree();
    let (nv, rows) = (tree.dof_count(), tree.loops.rows);
    // at some odd pose nothing vanishes by chance
    let mut odd = robot.rest().to_vec();
    let delta: Vec<f64> = (0..nv).map(|k| 0.1 * (1.0 + k as f64).sin()).collect();
    tree.batch().integrate(robot.rest(), &delta, &mut odd).expect("sizes");
    let (mut J, mut c, mut G) = (vec![0.0; 6 * nv], vec![0.0; rows], vec![0.0; rows * nv]);
    let id = tree.frame(frame).expect("there");
    tree.batch().jacobian(&odd, id, Reference::LocalWorldAligned, &mut J).expect("sizes");
    tree.batch().loop_closure(&odd, &mut c, &mut G).expect("sizes");
    let base: Vec<usize> =
        tree.slots().iter().filter(|s| s.kind == JointKind::Free).flat_map(|s| s.v.clone()).collect();
    let free = |v: usize| !base.contains(&v);
    let mut moves: Vec<bool> =
        (0..nv).map(|v| free(v) && (0..6).any(|r| J[r * nv + v].abs() > 1e-12)).collect();
    loop {
        let before = moves.clone();
        for row in G.chunks_exact(nv.max(1)) {
            if (0..nv).any(|v| moves[v] && row[v].abs() > 1e-12) {
                (0..nv).filter(|v| free(*v) && row[*v].abs() > 1e-12).for_each(|v| moves[v] = true);
            }
        }
        if moves == before {
            return moves;
        }
    }
}

/// Scalar coordinates that, held, leave the loops no freedom: motors before others, in the order of elimination at an odd closed pose.
fn independent(model: &Model, robot: &Kinematics<f64>, moves: &[bool], passive_first: bool) -> Vec<Drawn> {
    let tree = robot.tree();
    let (nv, rows) = (tree.dof_count(), tree.loops.rows);
    let delta: Vec<f64> =
        (0..nv).map(|k| if moves[k] { 0.02 * (1.0 + k as f64).sin() } else { 0.0 }).collect();
    let mut odd = robot.rest().to_vec();
    tree.batch().integrate(robot.rest(), &delta, &mut odd).expect("sizes");
    let (odd, _) = close(tree, &odd, &(0..nv).filter(|v| !moves[*v]).collect::<Vec<_>>(), 30);
    let (mut c, mut G) = (vec![0.0; rows], vec![0.0; rows * nv]);
    tree.batch().loop_closure(&odd, &mut c, &mut G).expect("sizes");
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut stands_out = |mut row: Vec<f64>| {
        (0..nv).filter(|v| !moves[*v]).for_each(|v| row[v] = 0.0);
        for _ in 0..2 {
            for other in &basis {
                let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 1e-5 {
            basis.push(row.iter().map(|x| x / length).collect());
        }
        length > 1e-5
    };
    G.chunks_exact(nv.max(1)).for_each(|row| {
        stands_out(row.to_vec());
    });
    let motors: Vec<usize> =
        model.actuators().iter().filter_map(|a| a.coordinate()).map(|(joint, _)| joint.index()).collect();
    let mut slots: Vec<_> = tree.slots().iter().filter(|slot| slot.kind.has_scalar_coordinates()).collect();
    slots
        .sort_by_key(|slot| slot.joint.is_some_and(|joint| motors.contains(&joint.index())) == passive_first);
    let (limits, mut drawn) = (robot.limits(), Vec::new());
    for slot in slots {
        for (d, (q, v)) in slot.q.clone().zip(slot.v.clone()).enumerate() {
            let unit = (0..nv).map(|k| f64::from(u8::from(k == v))).collect();
            if moves[v] && stands_out(unit) {
                let reach = if slot.kind.is_angle(d) { core::f64::consts::PI } else { 0.1 };
                let now = robot.rest()[q];
                let low = if limits[v][0].is_finite() { limits[v][0] } else { now - reach };
                let high = if limits[v][1].is_finite() { limits[v][1] } else { now + reach };
                drawn.push(Drawn { q, v, range: [low, high] });
            }
        }
    }
    drawn
}

fn values(robot: &Kinematics<f64>, drawn: &[Drawn], random: &mut Random) -> Vec<f64> {
    let mut q = robot.rest().to_vec();
    drawn.iter().for_each(|one| q[one.q] = random.between(one.range[0], one.range[1]));
    drawn.iter().map(|one| q[one.q]).collect()
}

/// Nearest poses whose loops close, and their gaps.
fn close(tree: &TreeModel<f64>, open: &[f64], held: &[usize], iterations: usize) -> (Vec<f64>, Vec<f64>) {
    let count = open.len() / tree.coordinate_count().max(1);
    let (mut q, mut gaps) = (open.to_vec(), vec![0.0; count]);
    let options = Consistency { held: held.to_vec(), iterations };
    tree.batch().constraint_consistent(open, &options, [&mut q, &mut gaps]).expect("sizes");
    (q, gaps)
}

struct Walk<'a> {
    model: &'a Model,
    robot: &'a Kinematics<f64>,
    analysis: &'a Analysis<'a, f64>,
    moves: &'a [bool],
    drawn: &'a [Drawn],
    loops: f64,
    /// Detours tried, and those that helped.
    tried: Cell<usize>,
    helped: Cell<usize>,
}

impl Walk<'_> {
    /// Adds the poses with these values that can be walked to.
    fn visit(&self, mut left: Vec<Vec<f64>>, known: &mut Vec<Vec<f64>>) {
        for attempt in 0..=DETOURS {
            // where detours hardly ever lead there, further draws are cheaper
            if attempt > 0 && self.tried.get() > 200 && 30 * self.helped.get() < self.tried.get() {
                return;
            }
            let start = |wanted: &Vec<f64>| match attempt {
                0 => self.robot.rest().to_vec(),
                _ => self.near(wanted, known, attempt - 1),
            };
            let starts: Vec<Vec<f64>> = left.iter().map(start).collect();
            let arrived = self.walk(&starts, &left);
            if attempt > 0 {
                self.tried.set(self.tried.get() + left.len());
                self.helped.set(self.helped.get() + arrived.iter().flatten().count());
            }
            let mut rest = Vec::new();
            for (wanted, found) in left.into_iter().zip(arrived) {
                match found {
                    Some(q) if within_limits(self.model, self.robot.tree(), &q, 0.0) => known.push(q),
                    Some(_) => {}
                    None => rest.push(wanted),
                }
            }
            left = rest;
            if known.is_empty() || self.robot.tree().loops.rows == 0 {
                return;
            }
        }
    }

    /// The known pose whose values are the nearest but `rank`.
    fn near(&self, wanted: &[f64], known: &[Vec<f64>], rank: usize) -> Vec<f64> {
        let far = |q: &Vec<f64>| -> f64 {
            let parts = self.drawn.iter().zip(wanted);
            parts.map(|(one, x)| ((q[one.q] - x) / (one.range[1] - one.range[0])).powi(2)).sum()
        };
        let mut order: Vec<(f64, usize)> = known.iter().enumerate().map(|(i, q)| (far(q), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        known[order[rank.min(order.len() - 1)].1].clone()
    }

    /// Goes from each start to its values in small steps.
    fn walk(&self, starts: &[Vec<f64>], wanted: &[Vec<f64>]) -> Vec<Option<Vec<f64>>> {
        let tree = self.robot.tree();
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        if tree.loops.rows == 0 {
            let put = |(q, x): (&Vec<f64>, &Vec<f64>)| {
                let mut q = q.clone();
                self.drawn.iter().zip(x).for_each(|(one, x)| q[one.q] = *x);
                Some(q)
            };
            return starts.iter().zip(wanted).map(put).collect();
        }
        let sign = self.analysis.branch(self.robot.rest()).expect("sizes");
        let held: Vec<usize> =
            (0..nv).filter(|v| !self.moves[*v] || self.drawn.iter().any(|one| one.v == *v)).collect();
        let mut now = starts.to_vec();
        let mut alive: Vec<usize> = (0..starts.len()).collect();
        for step in 1..=STEPS {
            let from: Vec<f64> = alive.iter().flat_map(|i| now[*i].clone()).collect();
            let mut open = from.clone();
            for (row, i) in open.chunks_exact_mut(nq).zip(&alive) {
                for (one, x) in self.drawn.iter().zip(&wanted[*i]) {
                    let start = starts[*i][one.q];
                    row[one.q] = start + (x - start) * step as f64 / STEPS as f64;
                }
            }
            let (next, gaps) = close(tree, &open, &held, 15);
            let mut went = vec![0.0; alive.len() * nv];
            tree.batch().difference(&from, &next, &mut went).expect("sizes");
            let mut still = Vec::new();
            for (k, i) in alive.into_iter().enumerate() {
                let q = &next[k * nq..(k + 1) * nq];
                let smooth = went[k * nv..(k + 1) * nv].iter().all(|x| x.abs() < JUMP);
                if gaps[k] < self.loops && smooth && self.analysis.branch(q).expect("sizes") == sign {
                    now[i].copy_from_slice(q);
                    still.push(i);
                }
            }
            alive = still;
        }
        (0..starts.len()).map(|i| alive.contains(&i).then(|| now[i].clone())).collect()
    }
}

/// The frame in each pose, as a row of targets: position, and orientation where asked.
pub fn targets(tree: &TreeModel<f64>, poses: &[Vec<f64>], frame: &str, with_orientation: bool) -> Vec<f64> {
    let mut all = Vec::new();
    for q in poses {
        let X = frames(tree, q, &[frame])[0];
        all.extend(X.p.to_array());
        if with_orientation {
            all.extend(X.R.to_wxyz());
        }
    }
    all
}
