//! What a task has to say, world by world.

use crate::env::EnvError;
use crate::episode::ReadOuts;
use bellcrank_math::Random;
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{Model, Parameters};
use bellcrank_sim::Quantity;
use std::sync::Arc;

/// The figures of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Step of the simulation [s].
    pub dt: f64,
    /// Simulation steps per action.
    pub decimation: usize,
    /// Actions until an episode is cut off.
    pub episode_steps: usize,
    /// Numbers per observation.
    pub observation_count: usize,
    /// Numbers per action, each between −1 and 1.
    pub action_count: usize,
    /// Numbers that a world remembers between actions (commands, phases, past actions).
    pub memory_count: usize,
}

/// One world after a step, as the task sees it: rows of the batch's arrays.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Joint coordinates [rad or m].
    pub q: &'a [f32],
    /// Joint velocities [rad/s or m/s].
    pub v: &'a [f32],
    /// Centres of mass [m], three numbers per body.
    pub positions: &'a [f32],
    /// Orientations wxyz, four numbers per body.
    pub quats: &'a [f32],
    /// Twists of the centres of mass, world axes, six numbers per body.
    pub twists: &'a [f32],
    /// What the task has asked for besides.
    pub(crate) read_outs: ReadOuts<'a>,
}

impl World<'_> {
    /// Where a body's centre of mass is [m].
    pub fn position(&self, body: usize) -> Vec3 {
        let p = &self.positions[3 * body..3 * body + 3];
        Vec3::new(p[0].into(), p[1].into(), p[2].into())
    }

    /// How a body is turned.
    pub fn quat(&self, body: usize) -> Quat {
        let q = &self.quats[4 * body..4 * body + 4];
        Quat::from_wxyz([q[0].into(), q[1].into(), q[2].into(), q[3].into()])
    }

    /// Where a body's centre of mass is, and how the body is turned.
    pub fn pose(&self, body: usize) -> Pose {
        Pose::new(self.quat(body), self.position(body))
    }

    /// Numbers of a quantity that [`Task::read_outs`] names: forces of contacts, reactions of joints, accelerations, … Empty for any other.
    pub fn read_out(&self, quantity: Quantity) -> &[f32] {
        self.read_outs.get(quantity)
    }

    /// Linear and angular velocity of a body, world axes [m/s, rad/s].
    pub fn twist(&self, body: usize) -> Twist {
        let mut V = [0.0; 6];
        for (k, x) in V.iter_mut().enumerate() {
            *x = self.twists[6 * body + k].into();
        }
        Twist::from_array(V)
    }
}

/// Where an action goes: rows of the batch's controls, by actuator.
#[derive(Debug)]
pub struct Controls<'a> {
    /// [rad or m]
    pub target_position: &'a mut [f32],
    /// [rad/s or m/s]
    pub target_velocity: &'a mut [f32],
    /// [N·m or N]
    pub effort: &'a mut [f32],
}

/// How an episode begins.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// One value per joint of [`Task::start_joints`] [rad or m]; the pose is assembled around them.
    pub coordinates: Vec<f64>,
    /// The whole robot moves so at first: velocity of the origin of the world as if fixed to it, world axes.
    pub twist: Twist,
    /// The robot is turned by this as a whole before it is settled: to lie on its side, say.
    pub turn: Quat,
    /// The settled robot is moved by this as a whole [m]: to another place on uneven ground, say.
    pub place: Vec3,
}

/// What a walking robot was told, what it does, and what that costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tracking {
    /// Commanded forward and sideways velocity [m/s] and turning rate [rad/s].
    pub command: [f32; 3],
    /// The same of the trunk, in the axes of its heading.
    pub velocity: [f32; 3],
    /// Mechanical power of all motors, both signs counted as spent [W].
    pub power: f32,
}

/// Left and right exchanged: numbers change places and, some, their sign. The image of `x` is `sign[k] · x[from[k]]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mirror {
    /// By number of the image: which number it comes from, and its sign.
    pub entries: Vec<(usize, f32)>,
}

impl Mirror {
    /// The image of a row.
    pub fn apply(&self, from: &[f32], to: &mut [f32]) {
        to.iter_mut().zip(&self.entries).for_each(|(y, &(k, sign))| *y = sign * from[k]);
    }
}

/// A learning task. `memory` is a row of [`Spec::memory_count`] numbers that belongs to the world, zero at the start.
pub trait Task: Send + Sync {
    /// Its figures.
    fn spec(&self) -> Spec;

    /// The robot.
    fn model(&self) -> &Arc<Model>;

    /// Joints whose coordinates a start chooses.
    fn start_joints(&self) -> &[&str];

    /// Chooses how an episode begins and fills the memory.
    fn start(&self, random: &mut Random, memory: &mut [f32]) -> Start;

    /// Moves the assembled robot as a whole before the episode begins (onto the ground, say).
    fn settle(&self, _poses: &mut [Pose]) {}

    /// What chance does before an action: may change commands in the memory, and gives the velocity by which the whole
    /// robot is pushed [m/s], zero for none.
    fn disturb(&self, _random: &mut Random, _memory: &mut [f32]) -> Vec3 {
        Vec3::zero()
    }

    /// Turns an action (already within −1 and 1) into controls, and remembers what it must.
    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>);

    /// What the policy sees.
    fn observe(&self, world: World<'_>, memory: &[f32], out: &mut [f32]);

    /// Names of the terms that a reward is the sum of.
    fn reward_terms(&self) -> &'static [&'static str] {
        &["reward"]
    }

    /// Rewards what has become of the world, term by term; true when the robot has failed or finished.
    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool;

    /// How well a walking robot follows its command; none for tasks without.
    fn tracking(&self, _world: World<'_>, _memory: &[f32]) -> Option<Tracking> {
        None
    }

    /// Writes a command into the memory: forward and sideways velocity [m/s], turning rate [rad/s]; false for tasks without.
    fn tell(&self, _memory: &mut [f32], _command: [f32; 3]) -> bool {
        false
    }

    /// The numbers of a task that may be changed before it begins, by name.
    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        Vec::new()
    }

    /// Called once, when the settings are known: for what follows from them.
    ///
    /// # Errors
    /// When the settings make no sense together.
    fn prepare(&mut self) -> Result<(), EnvError> {
        Ok(())
    }

    /// Quantities that rewards or observations need besides the state; each costs a pass over all worlds after every action.
    fn read_outs(&self) -> &'static [Quantity] {
        &[]
    }

    /// Gives each world its own masses, frictions and motors; `random` gives a world's numbers.
    fn randomise(&self, _worlds: usize, _random: &dyn Fn(usize) -> Random, _parameters: &mut Parameters) {}

    /// Steps of the simulation for which a world's motors still follow the last action.
    fn delay(&self, _random: &mut Random) -> usize {
        0
    }

    /// Exchanges left and right in observations and in actions; none where the robot has no such symmetry.
    fn mirrors(&self) -> Option<[Mirror; 2]> {
        None
    }
}
