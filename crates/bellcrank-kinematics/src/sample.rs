//! Random poses that are safe to start from: loops closed, limits kept with room to spare, nothing overlapping, motors in hold, assembled as at
//! rest.
//!
//! Each pose asks some joints (the motors', unless told otherwise) for values drawn evenly from their ranges. Where loops and limits do not let
//! them get there, they go a share, drawn evenly, of the way from the rest to the nearest pose, and loops are closed there: so poses lie inside what can be reached,
//! not heaped on its border, and are the denser the nearer they are to the rest. (Drawing again until values fit would spread them evenly,
//! but of the biped's six motors per leg one draw in some hundred fits.) Where feet shall stand on the ground, joints come as near as that allows.

use crate::analysis::{Analysis, Holds};
use crate::descent::CLOSING;
use crate::error::KinematicsError;
use crate::goal::Goal;
use crate::overlap::Overlap;
use crate::precision::Number;
use crate::robot::Kinematics;
use crate::solve::{Problem, Settings};
use bellcrank_math::Random;
use bellcrank_model::Model;

/// What a safe pose is.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Joints with one coordinate to draw values for; empty for those that motors drive, or for all that have limits where there is no motor.
    pub joints: Vec<String>,
    /// Share of every range that is kept free at both ends.
    pub limits_margin: f64,
    /// Least distance of parts of the robot that could touch each other \[m\].
    pub clearance: f64,
    /// Least singular value of the actuated Jacobian, see [`crate::Holds::smallest`].
    pub singular_margin: f64,
    /// How far loops may be open that no motion closes further, as [`Settings::loop_floor`] \[m and rad\]; zero for none.
    pub loop_floor: f64,
    /// Frames of a floating robot that stand flat on the ground: as high and as level as at rest.
    pub feet: Vec<String>,
    /// Draws per pose at most.
    pub attempts: usize,
    /// Poses follow from this and their number alone.
    pub seed: u64,
    /// Threads; 0 for one per processor core.
    pub threads: usize,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            joints: Vec::new(),
            limits_margin: 0.02,
            clearance: 0.0,
            singular_margin: 0.0,
            loop_floor: 0.0,
            feet: Vec::new(),
            attempts: 200,
            seed: 0,
            threads: 1,
        }
    }
}

/// Poses that were drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples<E = f64> {
    /// Configurations of the tree, (n, coordinates); the rest pose where none was found.
    pub q: Vec<E>,
    /// Whether one was found.
    pub found: Vec<bool>,
    /// Draws that it took.
    pub draws: Vec<u32>,
}

/// Draws poses of one mechanism.
pub struct Sampler<'a, E: Number = f64> {
    robot: Kinematics<E>,
    model: &'a Model,
    sampling: Sampling,
    joints: Vec<Drawn>,
}

/// A joint whose value is drawn.
#[derive(Clone, Debug)]
struct Drawn {
    name: String,
    range: [f64; 2],
    /// Where its coordinate stands in a configuration of the tree; none for a joint that closes a loop.
    place: Option<usize>,
    /// Where it stands among the coordinates of all joints.
    coordinate: usize,
}

/// Joints that are drawn together.
struct Limb<'a, E: Number> {
    joints: Vec<usize>,
    /// Number of the part that they belong to; all parts for the largest number.
    part: usize,
    problem: Problem<'a, E>,
    /// Of that part.
    analysis: Analysis<'a, E>,
    /// How it is assembled at rest.
    at_rest: Vec<i8>,
}

/// Poses that are drawn at a time.
struct Block<E> {
    /// Their places among all that are asked for.
    own: Vec<usize>,
    q: Vec<E>,
    /// By limb: whether it stands in a pose that is safe; at rest where not.
    met: Vec<Vec<bool>>,
}

impl<E: Copy> Block<E> {
    /// Drops poses by their places.
    fn keep(&mut self, nq: usize, keeps: impl Fn(usize) -> bool) {
        let left: Vec<usize> = (0..self.own.len()).filter(|k| keeps(self.own[*k])).collect();
        self.q = left.iter().flat_map(|k| &self.q[k * nq..(k + 1) * nq]).copied().collect();
        self.met.iter_mut().for_each(|met| *met = left.iter().map(|k| met[*k]).collect());
        self.own = left.iter().map(|k| self.own[*k]).collect();
    }
}

impl<'a, E: Number> Sampler<'a, E> {
    /// For a model.
    ///
    /// # Errors
    /// When a joint or a foot is not there.
    pub fn new(model: &'a Model, sampling: Sampling) -> Result<Self, KinematicsError> {
        let robot = Kinematics::<E>::new(model).with_margin(sampling.limits_margin);
        let mut joints = drawn(model, &sampling)?;
        for joint in &mut joints {
            joint.place = robot.tree().slot(&joint.name).map(|slot| slot.q.start);
        }
        for foot in &sampling.feet {
            robot.tree().frame(foot).map_err(|_| KinematicsError::NoSuchFrame(foot.clone()))?;
        }
        Ok(Sampler { robot, model, sampling, joints })
    }

    /// The mechanism, with its limits drawn in.
    pub fn robot(&self) -> &Kinematics<E> {
        &self.robot
    }

    /// Names of the joints whose values are drawn, and from where to where \[rad or m\].
    pub fn ranges(&self) -> Vec<(String, [f64; 2])> {
        self.joints.iter().map(|joint| (joint.name.clone(), joint.range)).collect()
    }

    /// Draws `n` poses. The i-th is the same for every n.
    ///
    /// # Errors
    /// When goals cannot be made of what was asked.
    pub fn draw(&self, n: usize) -> Result<Samples<E>, KinematicsError> {
        self.draw_numbers(&(0..n).collect::<Vec<usize>>())
    }

    /// Draws the poses of these numbers, as [`Sampler::draw`] numbers them.
    ///
    /// # Errors
    /// When goals cannot be made of what was asked.
    pub fn draw_numbers(&self, numbers: &[usize]) -> Result<Samples<E>, KinematicsError> {
        let n = numbers.len();
        let mut samples =
            Samples { q: self.robot.rest().repeat(n), found: vec![false; n], draws: vec![0; n] };
        let analysis = self.robot.analysis(self.sampling.threads)?;
        let limbs = self.limbs(&analysis)?;
        if !self.others_hold(&analysis, &limbs)? {
            return Ok(samples);
        }
        let mut overlap = Overlap::new(self.model, self.sampling.clearance);
        for first in (0..n).step_by(AT_ONCE) {
            let own: Vec<usize> = (first..n.min(first + AT_ONCE)).collect();
            let mut block = Block {
                q: self.robot.rest().repeat(own.len()),
                met: vec![vec![false; own.len()]; limbs.len()],
                own,
            };
            for round in 0..self.sampling.attempts {
                if block.own.is_empty() {
                    break;
                }
                for (l, limb) in limbs.iter().enumerate() {
                    let stream = (round * limbs.len() + l) as u64;
                    self.propose(limb, (l, stream), numbers, &mut block)?;
                }
                self.accept(&mut overlap, &mut block, &mut samples)?;
            }
        }
        Ok(samples)
    }

    /// Limbs that share no loop are drawn apart, each until it is safe by itself. All in one where feet tie limbs together.
    fn limbs<'b>(&'b self, analysis: &Analysis<'b, E>) -> Result<Vec<Limb<'b, E>>, KinematicsError> {
        let mut joints: Vec<(usize, Vec<usize>)> = Vec::new();
        for (j, joint) in self.joints.iter().enumerate() {
            let together = !self.sampling.feet.is_empty();
            let part = if together { None } else { analysis.part_of(&joint.name) };
            let part = part.unwrap_or(usize::MAX);
            match joints.iter_mut().find(|(known, _)| *known == part) {
                Some((_, joints)) => joints.push(j),
                None => joints.push((part, vec![j])),
            }
        }
        let mut limbs = Vec::new();
        for (part, joints) in joints {
            let analysis = analysis.of_parts(|p| part == usize::MAX || p == part);
            let (problem, at_rest) = (self.problem(&joints, SPARE)?, analysis.branch(self.robot.rest())?);
            limbs.push(Limb { joints, part, problem, analysis, at_rest });
        }
        Ok(limbs)
    }

    /// Whether limbs of which no joint is drawn, and which therefore stay at rest, are held well enough there.
    fn others_hold(
        &self,
        analysis: &Analysis<'_, E>,
        limbs: &[Limb<'_, E>],
    ) -> Result<bool, KinematicsError> {
        let drawn = |p: usize| limbs.iter().any(|limb| limb.part == p || limb.part == usize::MAX);
        let others = analysis.of_parts(|p| !drawn(p));
        Ok(others.holds(self.robot.rest())?.iter().all(|pose| self.is_held(pose)))
    }

    fn is_held(&self, pose: &Holds) -> bool {
        pose.smallest >= self.sampling.singular_margin
    }

    /// Draws a limb in those poses of a block that have none yet: closed, held by its motors, and assembled as at rest. Where that fails it
    /// stays at rest.
    fn propose(
        &self,
        limb: &Limb<'_, E>,
        (l, stream): (usize, u64),
        numbers: &[usize],
        block: &mut Block<E>,
    ) -> Result<(), KinematicsError> {
        let nq = self.robot.tree().coordinate_count();
        let left: Vec<usize> = (0..block.own.len()).filter(|k| !block.met[l][*k]).collect();
        let start: Vec<E> = left.iter().flat_map(|k| &block.q[k * nq..(k + 1) * nq]).copied().collect();
        let random = |k: &usize| Random::new(self.sampling.seed, numbers[block.own[*k]], stream);
        let mut randoms: Vec<Random> = left.iter().map(random).collect();
        let q = self.closed(limb, &start, &mut randoms)?;
        let held = limb.analysis.holds_and_branches(&q)?;
        for ((k, row), (holds, branch)) in left.iter().zip(q.chunks_exact(nq.max(1))).zip(&held) {
            let closes = row.iter().all(|x| x.is_finite());
            if closes && self.is_held(holds) && *branch == limb.at_rest {
                block.q[k * nq..(k + 1) * nq].copy_from_slice(row);
                block.met[l][*k] = true;
            }
        }
        Ok(())
    }

    /// Closed poses with drawn values of one limb, from poses with that limb at rest; not a number where none was found.
    fn closed(
        &self,
        limb: &Limb<'_, E>,
        start: &[E],
        randoms: &mut [Random],
    ) -> Result<Vec<E>, KinematicsError> {
        let nq = self.robot.tree().coordinate_count();
        let feet = self.foot_targets()?;
        let mut targets = Vec::new();
        for random in randoms.iter_mut() {
            for &j in &limb.joints {
                let [low, high] = self.joints[j].range;
                targets.push(E::from_f64(random.between(low, high)));
            }
            targets.extend_from_slice(&feet);
        }
        let width = limb.problem.target_width();
        let first = limb.problem.approach(&targets, start)?;
        let mut q = first.q.clone();
        let again: Vec<usize> = (0..randoms.len()).filter(|k| !first.solved[*k]).collect();
        let rows = |of: &[E], width: usize| -> Vec<E> {
            again.iter().flat_map(|k| &of[k * width..(k + 1) * width]).copied().collect()
        };
        let shares: Vec<E> = again.iter().map(|k| E::from_f64(randoms[*k].unit())).collect();
        let between = self.between(&rows(start, nq), &rows(&first.q, nq), &shares)?;
        let closed = limb.problem.close(&rows(&targets, width), &between)?;
        for (k, closed) in again.iter().zip(closed) {
            let own = &mut q[k * nq..(k + 1) * nq];
            match closed {
                Some(closed) => own.copy_from_slice(&closed),
                None => own.fill(E::from_f64(f64::NAN)),
            }
        }
        Ok(q)
    }

    /// Shares of the ways from poses to others; loops and feet are off a little.
    fn between(&self, from: &[E], to: &[E], shares: &[E]) -> Result<Vec<E>, KinematicsError> {
        let (tree, nv) = (self.robot.tree(), self.robot.tree().dof_count());
        let (mut delta, mut q) = (vec![E::zero(); shares.len() * nv], from.to_vec());
        tree.batch().difference(from, to, &mut delta)?;
        for (row, share) in delta.chunks_exact_mut(nv.max(1)).zip(shares) {
            row.iter_mut().for_each(|x| *x *= *share);
        }
        tree.batch().integrate(from, &delta, &mut q)?;
        Ok(q)
    }

    /// Values of a limb's joints in one pose \[rad or m\].
    fn values(&self, limb: &[usize], q: &[E]) -> Result<Vec<f64>, KinematicsError> {
        let of_closing = limb.iter().any(|j| self.joints[*j].place.is_none());
        let all = if of_closing { self.robot.joint_positions(q)? } else { Vec::new() };
        let value = |j: &usize| match self.joints[*j].place {
            Some(place) => q[place],
            None => all[self.joints[*j].coordinate],
        };
        Ok(limb.iter().map(|j| value(j).to_f64()).collect())
    }

    fn problem(&self, limb: &[usize], spare: usize) -> Result<Problem<'_, E>, KinematicsError> {
        let at_rest = self.values(limb, self.robot.rest())?;
        let ways = limb.iter().zip(at_rest).map(|(j, x)| {
            let [low, high] = self.joints[*j].range;
            (x - low).abs().max((high - x).abs())
        });
        let way = (ways.fold(0.0, f64::max) / LARGEST_STEP).ceil() as usize;
        let feet = &self.sampling.feet;
        let mut goals = Vec::new();
        for &j in limb {
            let goal = Goal::joint(&*self.joints[j].name);
            goals.push(if feet.is_empty() { goal } else { goal.weight(1e-2).second() });
        }
        for foot in feet {
            goals.push(Goal::position(&**foot).axes([0.0, 0.0, 1.0]));
            goals.push(Goal::orientation(&**foot).axes([1.0, 1.0, 0.0]));
        }
        let settings = Settings {
            detours: 0,
            restarts: 0,
            iterations: way + 1 + CLOSING + spare,
            free_base: !feet.is_empty(),
            largest_step: LARGEST_STEP,
            loop_floor: self.sampling.loop_floor,
            threads: self.sampling.threads,
            ..Settings::default()
        };
        self.robot.problem(&goals, settings)
    }

    fn foot_targets(&self) -> Result<Vec<E>, KinematicsError> {
        let tree = self.robot.tree();
        let mut targets = Vec::new();
        for foot in &self.sampling.feet {
            let X = self.robot.frame_pose(self.robot.rest(), tree.frame(foot)?)?;
            targets.extend(X.p.to_array().into_iter().chain(X.R.to_wxyz()).map(E::from_f64));
        }
        Ok(targets)
    }

    /// Takes the poses all of whose limbs are safe and apart; those with limbs in each other's way begin again.
    fn accept(
        &self,
        overlap: &mut Overlap,
        block: &mut Block<E>,
        samples: &mut Samples<E>,
    ) -> Result<(), KinematicsError> {
        let nq = self.robot.tree().coordinate_count();
        let whole: Vec<usize> =
            (0..block.own.len()).filter(|k| block.met.iter().all(|met| met[*k])).collect();
        let q: Vec<E> = whole.iter().flat_map(|k| &block.q[k * nq..(k + 1) * nq]).copied().collect();
        let bodies = self.robot.body_poses(&q)?;
        block.own.iter().for_each(|i| samples.draws[*i] += 1);
        for (&k, bodies) in whole.iter().zip(&bodies) {
            let (i, row) = (block.own[k], &mut block.q[k * nq..(k + 1) * nq]);
            if overlap.any(self.model, bodies) {
                row.copy_from_slice(self.robot.rest());
                block.met.iter_mut().for_each(|met| met[k] = false);
            } else {
                samples.found[i] = true;
                samples.q[i * nq..(i + 1) * nq].copy_from_slice(row);
            }
        }
        block.keep(nq, |i| !samples.found[i]);
        Ok(())
    }
}

/// Largest change of a coordinate in a step \[rad or m\]: small, so that limbs stay assembled as they are.
const LARGEST_STEP: f64 = 0.3;
/// Poses that are drawn together: as many as a core's cache has room for.
const AT_ONCE: usize = 1024;
/// Steps beyond those that the way needs.
const SPARE: usize = 2;

fn drawn(model: &Model, sampling: &Sampling) -> Result<Vec<Drawn>, KinematicsError> {
    let motors = || model.actuators().iter().filter_map(|actuator| actuator.coordinate());
    let limited = |joint: &bellcrank_model::Joint| {
        joint.dofs.len() == 1 && joint.dofs[0].limits.iter().all(|limit| limit.is_finite())
    };
    let mut numbers: Vec<usize> = if !sampling.joints.is_empty() {
        let find = |name: &String| model.joints().iter().position(|joint| joint.name == *name);
        let missing = |name: &String| KinematicsError::NoSuchJoint(name.clone());
        sampling
            .joints
            .iter()
            .map(|name| find(name).ok_or_else(|| missing(name)))
            .collect::<Result<_, _>>()?
    } else if motors().next().is_some() {
        motors().map(|(joint, _)| joint.index()).collect()
    } else {
        (0..model.joints().len()).filter(|j| limited(&model.joints()[*j])).collect()
    };
    numbers.dedup();
    let share = sampling.limits_margin.clamp(0.0, 0.5);
    let mut all = Vec::new();
    for j in numbers {
        let joint = &model.joints()[j];
        if joint.dofs.len() != 1 || !joint.kind.has_scalar_coordinates() {
            return Err(KinematicsError::NoSuchCoordinate { joint: joint.name.clone(), dof: 0 });
        }
        let [low, high] = joint.dofs[0].limits;
        let reach = if joint.kind.is_angle(0) { core::f64::consts::PI } else { 0.1 };
        let (low, high) =
            (if low.is_finite() { low } else { -reach }, if high.is_finite() { high } else { reach });
        let room = share * (high - low);
        let before = model.joints()[..j].iter().map(|joint| joint.kind.coordinate_count());
        let (name, range) = (joint.name.clone(), [low + room, high - room]);
        all.push(Drawn { name, range, place: None, coordinate: before.sum() });
    }
    Ok(all)
}
