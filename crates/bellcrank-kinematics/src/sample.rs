//! Random poses that are safe to start from: loops closed, limits kept with room to spare, nothing overlapping, motors in hold, assembled as at
//! rest.
//!
//! Each pose asks some joints (the motors', unless told otherwise) for values drawn evenly from their ranges. Where loops and limits do not let
//! them get there, they go a share, drawn evenly, of the way from the rest to the nearest pose, and loops are closed there: so poses lie inside what can be reached,
//! not heaped on its border, and are the denser the nearer they are to the rest. (Drawing again until values fit would spread them evenly,
//! but of the biped's six motors per leg one draw in some hundred fits.) Where feet shall stand on the ground, joints come as near as that allows.

use crate::analysis::Analysis;
use crate::descent::CLOSING;
use crate::error::KinematicsError;
use crate::goal::Goal;
use crate::precision::Number;
use crate::robot::Kinematics;
use crate::solve::{Problem, Settings};
use bellcrank_collide::{ContactPlan, Contacts, Queries, ShapeData, collide};
use bellcrank_kernel::kernel;
use bellcrank_math::{Pose, Random};
use bellcrank_model::{BodyId, Model, Parameters};

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
        let mut overlap = Overlap::new(self.model, &self.sampling);
        let limbs = self.limbs(&analysis);
        let problems: Vec<Problem<'_, E>> =
            limbs.iter().map(|limb| self.problem(limb, SPARE)).collect::<Result<_, _>>()?;
        let limbs: Vec<(&[usize], &Problem<'_, E>)> =
            limbs.iter().map(Vec::as_slice).zip(&problems).collect();
        for first in (0..n).step_by(AT_ONCE) {
            let mut open: Vec<usize> = (first..n.min(first + AT_ONCE)).collect();
            for round in 0..self.sampling.attempts {
                if open.is_empty() {
                    break;
                }
                let drawn: Vec<usize> = open.iter().map(|i| numbers[*i]).collect();
                let q = self.propose(&limbs, &drawn, round)?;
                open = self.accept((&analysis, &mut overlap), (&open, &q), &mut samples)?;
            }
        }
        Ok(samples)
    }

    /// Joints to draw, by limb: limbs that share no loop are drawn apart. All in one where feet tie limbs together.
    fn limbs(&self, analysis: &Analysis<'_, E>) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.joints.len()).collect();
        if !self.sampling.feet.is_empty() {
            return vec![all];
        }
        let mut limbs: Vec<(usize, Vec<usize>)> = Vec::new();
        for (j, joint) in self.joints.iter().enumerate() {
            let part = analysis.part_of(&joint.name).unwrap_or(usize::MAX);
            match limbs.iter_mut().find(|(known, _)| *known == part) {
                Some((_, joints)) => joints.push(j),
                None => limbs.push((part, vec![j])),
            }
        }
        limbs.into_iter().map(|(_, joints)| joints).collect()
    }

    /// A closed pose with drawn values for each open number; not a number where some limb found none.
    fn propose(
        &self,
        limbs: &[(&[usize], &Problem<'_, E>)],
        open: &[usize],
        round: usize,
    ) -> Result<Vec<E>, KinematicsError> {
        let nq = self.robot.tree().coordinate_count();
        let mut q = self.robot.rest().repeat(open.len());
        for (l, (limb, problem)) in limbs.iter().enumerate() {
            let feet = self.foot_targets()?;
            let mut randoms: Vec<Random> = (open.iter())
                .map(|i| Random::new(self.sampling.seed, *i, (round * limbs.len() + l) as u64))
                .collect();
            let mut targets = Vec::new();
            for random in &mut randoms {
                for &j in *limb {
                    let [low, high] = self.joints[j].range;
                    targets.push(E::from_f64(random.between(low, high)));
                }
                targets.extend_from_slice(&feet);
            }
            let width = problem.target_width();
            let first = problem.solve_closed(&targets, &q)?;
            let mut next = first.q.clone();
            let again: Vec<usize> = (0..open.len()).filter(|k| !first.solved[*k]).collect();
            let rows = |of: &[E], width: usize| -> Vec<E> {
                again.iter().flat_map(|k| &of[k * width..(k + 1) * width]).copied().collect()
            };
            let shares: Vec<E> = again.iter().map(|k| E::from_f64(randoms[*k].unit())).collect();
            let between = self.between(&rows(&q, nq), &rows(&first.q, nq), &shares)?;
            let closed = problem.close(&rows(&targets, width), &between)?;
            for (k, closed) in again.iter().zip(closed) {
                let own = &mut next[k * nq..(k + 1) * nq];
                match closed {
                    Some(closed) => own.copy_from_slice(&closed),
                    None => own.fill(E::from_f64(f64::NAN)),
                }
            }
            q = next;
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

    /// Takes the poses that are safe; gives the numbers that are left.
    fn accept(
        &self,
        (analysis, overlap): (&Analysis<'_, E>, &mut Overlap),
        (open, q): (&[usize], &[E]),
        samples: &mut Samples<E>,
    ) -> Result<Vec<usize>, KinematicsError> {
        let nq = self.robot.tree().coordinate_count();
        let found = analysis.holds_and_branches(q)?;
        let bodies = self.robot.body_poses(q)?;
        let at_rest = analysis.branch(self.robot.rest())?;
        let mut left = Vec::new();
        for (k, &i) in open.iter().enumerate() {
            let row = &q[k * nq..(k + 1) * nq];
            samples.draws[i] += 1;
            let safe = row.iter().all(|x| x.is_finite())
                && found[k].0.smallest >= self.sampling.singular_margin
                && found[k].1 == at_rest
                && !overlap.any(self.model, &bodies[k]);
            if safe {
                samples.found[i] = true;
                samples.q[i * nq..(i + 1) * nq].copy_from_slice(row);
            } else {
                left.push(i);
            }
        }
        Ok(left)
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

/// Whether parts of the robot come too near to each other. What stands still in the world is left out: a floating robot is put down elsewhere.
///
/// Contact routines see overlap at once, but tell the distance of what is apart only as exactly as contacts need it. So they come first, and
/// poses that pass are measured.
struct Overlap {
    plan: ContactPlan,
    shapes: ShapeData<f64>,
    contacts: Contacts<f64>,
    queries: Queries,
    /// Bodies that could touch.
    pairs: Vec<[BodyId; 2]>,
    clearance: f64,
    X_WB: Vec<Pose>,
}

impl Overlap {
    fn new(model: &Model, sampling: &Sampling) -> Self {
        let plan = ContactPlan::of(model);
        let shapes = ShapeData::of(&plan, &Parameters::of(model), 0);
        let contacts = Contacts::new(&plan);
        let mut pairs: Vec<[BodyId; 2]> = Vec::new();
        for slot in plan.slots() {
            let pair = slot.body_a.map(|a| [a, slot.body_b]);
            pairs.extend(pair.filter(|pair| !pairs.contains(pair)));
        }
        let queries = Queries::of(model);
        Overlap { plan, shapes, contacts, queries, pairs, clearance: sampling.clearance, X_WB: Vec::new() }
    }

    fn any(&mut self, model: &Model, bodies: &[Pose]) -> bool {
        self.X_WB.clear();
        self.X_WB.extend(bodies.iter().zip(model.bodies()).map(|(X_WL, body)| *X_WL * body.X_LB()));
        let X_WB = &self.X_WB;
        touch(&self.plan, &self.shapes, (X_WB, self.clearance), &mut self.contacts);
        let mut found = self.plan.slots().iter().zip(self.contacts.slots());
        let touches = found.any(|(slot, contact)| {
            slot.body_a.is_some() && contact.active && contact.distance < self.clearance
        });
        touches
            || self
                .pairs
                .iter()
                .any(|[a, b]| self.queries.closest(X_WB, Some(*a), Some(*b), self.clearance).is_some())
    }
}

/// [`collide`] inside the instruction set of its numbers.
#[kernel(f64)]
fn touch(
    plan: &ContactPlan,
    shapes: &ShapeData<f64>,
    (X_WB, reach): (&[Pose], f64),
    contacts: &mut Contacts<f64>,
) {
    collide(plan, shapes, X_WB, reach, contacts);
}
