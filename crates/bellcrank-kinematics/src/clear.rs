//! Poses that keep their distance, from obstacles and from themselves, as an inequality.
//!
//! Distances bend too much to be followed by one linearisation. So poses are found without them first; where two bodies are then nearer than
//! they may be, a row asks their nearest points to be apart along the normal between them, n · (p_B − p_A) ≥ d, and the search goes on from
//! there; nearest points are looked for again after every search. Rows count only where they are passed, and are as heavy as loops.

use crate::error::KinematicsError;
use crate::goal::{Goal, What};
use crate::robot::Kinematics;
use crate::servo::{Pace, Stepped};
use crate::solve::{Settings, Solution};
use bellcrank_collide::{Closest, ContactPlan, Queries};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{BodyId, Model};

/// What has to keep its distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Least distance \[m\].
    pub least: f64,
    /// Pairs of bodies, `None` for the world; empty for all that could touch each other, the world among them.
    pub pairs: Vec<(Option<String>, String)>,
    /// Searches at most after the first.
    pub rounds: usize,
}

impl Default for Clearance {
    fn default() -> Self {
        Clearance { least: 0.005, pairs: Vec::new(), rounds: 12 }
    }
}

/// Poses that keep their distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Clear {
    /// Poses; `solved` where distances are kept too. Errors are those of the goals alone.
    pub pose: Solution<f64>,
    /// Least distance of each \[m\]; infinite where everything is farther apart than a metre.
    pub distance: Vec<f64>,
}

/// One period with distances kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SteppedClear {
    /// Poses and velocities; errors are those of the goals alone.
    pub stepped: Stepped<f64>,
    /// Least distance of each \[m\]; infinite where everything is farther apart than a metre.
    pub distance: Vec<f64>,
}

/// Distances are kept to this \[m\], and asked for so much more.
const SLACK: f64 = 1e-6;
/// Bodies farther apart than this are not looked at \[m\].
const FAR: f64 = 1.0;

type Pair = (Option<BodyId>, BodyId);

impl Kinematics<f64> {
    /// Solves goals with distances kept: arguments as [`Kinematics::problem`] and [`crate::Problem::solve`].
    ///
    /// # Errors
    /// As those, and when a body is not there or the distance is no number.
    pub fn solve_clear(
        &self,
        model: &Model,
        (goals, settings): (&[Goal], Settings),
        clearance: &Clearance,
        (targets, start): (&[f64], &[f64]),
    ) -> Result<Clear, KinematicsError> {
        let look = Looking::new(model, clearance)?;
        let mut found = self.problem(goals, settings)?.solve(targets, start)?;
        let width: usize = goals.iter().map(Goal::target_width).sum();
        let (mut near, count): (Vec<usize>, usize) = (Vec::new(), found.solved.len());
        for _ in 0..clearance.rounds {
            let closest = look.at(&self.body_poses(&found.q)?);
            let too_near = |c: &Closest| c.distance < clearance.least - SLACK;
            let passes = |k: usize| closest.iter().any(|row| row[k].as_ref().is_some_and(too_near));
            let now: Vec<usize> = (0..look.pairs.len()).filter(|k| passes(*k)).collect();
            if now.is_empty() {
                break;
            }
            near.extend(now.into_iter().filter(|k| !near.contains(k)).collect::<Vec<_>>());
            let mut asked = goals.to_vec();
            asked.extend(near.iter().map(|k| look.goal(*k)));
            let mut rows = Vec::new();
            for i in 0..count {
                rows.extend_from_slice(&targets[i * width..(i + 1) * width]);
                let bodies = self.body_poses(self.row(&found.q, i))?.remove(0);
                near.iter()
                    .for_each(|k| rows.extend(look.target(*k, closest[i][*k], &bodies, clearance.least)));
            }
            let again = Settings { restarts: 0, ..settings };
            let next = self.problem(&asked, again)?.solve(&rows, &found.q)?;
            found = without_rows(next, goals.len(), asked.len());
        }
        self.judge(&look, clearance, found)
    }

    /// One period of robots led by hand, as [`crate::Problem::step`], with distances kept as far as speeds allow. Where they would be passed all the
    /// same the robot stays where it is, unless it stood nearer already.
    ///
    /// # Errors
    /// As that, and when a body is not there or the distance is no number.
    pub fn step_clear(
        &self,
        model: &Model,
        (goals, settings): (&[Goal], Settings),
        clearance: &Clearance,
        (targets, q, pace): (&[f64], &[f64], &Pace),
    ) -> Result<SteppedClear, KinematicsError> {
        let look = Looking::new(model, clearance)?;
        let (width, count) = (goals.iter().map(Goal::target_width).sum::<usize>(), look.pairs.len());
        let mut stepped = self.problem(goals, settings)?.step(targets, q, pace)?;
        // rows are not as heavy as they would have to be: what they leave open is asked for on top (Hestenes 1969, Powell 1969)
        let mut more = vec![vec![0.0_f64; count]; stepped.pose.solved.len()];
        let mut near: Vec<usize> = Vec::new();
        for _ in 0..clearance.rounds {
            let bodies = self.body_poses(&stepped.pose.q)?;
            let closest = look.at(&bodies);
            let lacks = |found: &Option<Closest>| found.map_or(0.0, |c| clearance.least - c.distance);
            let passes = |k: &usize| closest.iter().any(|row| lacks(&row[*k]) > SLACK);
            if !(0..count).any(|k| passes(&k)) {
                break;
            }
            let known = near.len();
            near.extend((0..count).filter(passes).filter(|k| !near.contains(k)).collect::<Vec<_>>());
            let mut asked = goals.to_vec();
            asked.extend(near.iter().map(|k| look.goal(*k)));
            let mut rows = Vec::new();
            for (i, more) in more.iter_mut().enumerate() {
                rows.extend_from_slice(&targets[i * width..(i + 1) * width]);
                for (place, &k) in near.iter().enumerate() {
                    if place < known {
                        more[k] = (more[k] + lacks(&closest[i][k])).max(0.0);
                    }
                    let mut row = look.target(k, closest[i][k], &bodies[i], clearance.least + more[k]);
                    // what would be passed in this period is just met: the row must count before that
                    row[10] = 1.0;
                    rows.extend(row);
                }
            }
            stepped = self.problem(&asked, settings)?.step(&rows, q, pace)?;
            stepped.pose = without_rows(stepped.pose, goals.len(), asked.len());
        }
        self.stay_clear(&look, clearance, q, stepped)
    }

    /// Poses that have come too near stay where they were.
    fn stay_clear(
        &self,
        look: &Looking<'_>,
        clearance: &Clearance,
        q: &[f64],
        mut stepped: Stepped<f64>,
    ) -> Result<SteppedClear, KinematicsError> {
        let (nq, nv) = (self.tree().coordinate_count(), self.tree().dof_count());
        let before = look.least(&self.body_poses(q)?);
        let mut distance = look.least(&self.body_poses(&stepped.pose.q)?);
        for i in 0..distance.len() {
            if distance[i] < clearance.least - SLACK && distance[i] < before[i] {
                stepped.pose.q[i * nq..(i + 1) * nq].copy_from_slice(&q[i * nq..(i + 1) * nq]);
                stepped.v[i * nv..(i + 1) * nv].fill(0.0);
                stepped.pose.solved[i] = false;
                distance[i] = before[i];
            }
        }
        Ok(SteppedClear { stepped, distance })
    }

    fn row<'q>(&self, q: &'q [f64], i: usize) -> &'q [f64] {
        let nq = self.tree().coordinate_count();
        &q[i * nq..(i + 1) * nq]
    }

    fn judge(
        &self,
        look: &Looking<'_>,
        clearance: &Clearance,
        mut pose: Solution<f64>,
    ) -> Result<Clear, KinematicsError> {
        let distance = look.least(&self.body_poses(&pose.q)?);
        for (solved, distance) in pose.solved.iter_mut().zip(&distance) {
            *solved &= *distance >= clearance.least - SLACK;
        }
        Ok(Clear { pose, distance })
    }
}

/// Errors of the goals alone.
fn without_rows(mut found: Solution<f64>, goals: usize, asked: usize) -> Solution<f64> {
    found.error = found.error.chunks_exact(asked).flat_map(|row| row[..goals].to_vec()).collect();
    found
}

struct Looking<'a> {
    model: &'a Model,
    queries: Queries,
    pairs: Vec<Pair>,
}

impl<'a> Looking<'a> {
    fn new(model: &'a Model, clearance: &Clearance) -> Result<Self, KinematicsError> {
        if !clearance.least.is_finite() {
            return Err(KinematicsError::BadBound { what: "least distance", value: clearance.least });
        }
        Ok(Looking { model, queries: Queries::of(model), pairs: pairs(model, clearance)? })
    }

    /// Least distance of each pose.
    fn least(&self, poses: &[Vec<Pose>]) -> Vec<f64> {
        let least = |row: &Vec<Option<Closest>>| {
            row.iter().flatten().map(|c| c.distance).fold(f64::INFINITY, f64::min)
        };
        self.at(poses).iter().map(least).collect()
    }

    /// Nearest points of all pairs in all poses.
    fn at(&self, poses: &[Vec<Pose>]) -> Vec<Vec<Option<Closest>>> {
        let row = |bodies: &Vec<Pose>| {
            let X_WB: Vec<Pose> =
                bodies.iter().zip(self.model.bodies()).map(|(X, body)| *X * body.X_LB()).collect();
            let closest = |(a, b): &Pair| match X_WB.iter().all(|X| X.p.norm().is_finite()) {
                true => self.queries.closest(&X_WB, *a, Some(*b), FAR),
                false => None,
            };
            self.pairs.iter().map(closest).collect()
        };
        poses.iter().map(row).collect()
    }

    fn goal(&self, k: usize) -> Goal {
        let name = |body: BodyId| self.model.bodies()[body.index()].name.clone();
        let (a, b) = self.pairs[k];
        Goal::new(What::Apart { from: a.map(name), body: name(b) })
    }

    /// Points in the bodies' frames, normal, distance, and zero for a distance that is a least one; nothing where they are far apart.
    fn target(&self, k: usize, closest: Option<Closest>, bodies: &[Pose], least: f64) -> [f64; 11] {
        let (Some(c), (a, b)) = (closest, self.pairs[k]) else { return [0.0; 11] };
        let X = |body: Option<BodyId>| body.map_or(Pose::identity(), |body| bodies[body.index()]);
        let (p_A, p_B) = (X(a).inverse() * c.point_a, X(Some(b)).inverse() * c.point_b);
        let mut row = [0.0; 11];
        for (k, v) in [p_A, p_B, c.normal].into_iter().enumerate() {
            row[3 * k..3 * k + 3].copy_from_slice(&Vec3::to_array(v));
        }
        row[9] = least + SLACK;
        row
    }
}

fn pairs(model: &Model, clearance: &Clearance) -> Result<Vec<Pair>, KinematicsError> {
    let find = |name: &String| {
        let found = model.bodies().iter().position(|body| body.name == *name);
        found.map(BodyId::new).ok_or_else(|| KinematicsError::NoSuchFrame(name.clone()))
    };
    let mut found: Vec<Pair> = Vec::new();
    for (a, b) in &clearance.pairs {
        found.push((a.as_ref().map(find).transpose()?, find(b)?));
    }
    if clearance.pairs.is_empty() {
        for slot in ContactPlan::of(model).slots() {
            let pair = (slot.body_a, slot.body_b);
            if !found.contains(&pair) {
                found.push(pair);
            }
        }
    }
    Ok(found)
}
