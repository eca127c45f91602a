//! All numbers of a world that a step reads or writes, and where they stand in a device's memory.

use super::float::Floating;
use bellcrank_collide::{Contact, Placed};
use bellcrank_math::{Numbers, Pose, Real, Sym3, Twist, Vec3};
use bellcrank_model::{JointKind, Model, Parameters};
use bellcrank_solve::BlockFactor;
use bellcrank_step::constants::Constants;
use bellcrank_step::layout::{Layout, ScalarKind};
use bellcrank_step::settings::{Settings, Times};
use bellcrank_step::state::{Control, State};
use bellcrank_step::workspace::{ConeSource, Workspace};

/// A world: what is told, what is remembered, what is worked out on the way.
pub struct World<R: Real> {
    pub state: State<R>,
    pub control: Control<R>,
    pub constants: Constants<R>,
    pub ws: Workspace<R>,
    /// Step [s].
    pub dt: R,
    /// How far joints are open at the end of the step [m, rad].
    pub gap: [R; 2],
    /// What a step remembers of itself on the way, by [`Value`].
    pub values: [R; VALUES],
    /// Shapes in the world, and what touches by slot.
    pub placed: Vec<Placed<R>>,
    pub contacts: Vec<Contact<R>>,
    /// The rows of every limit, box and contact.
    pub groups: Vec<Group<R>>,
    /// Parts of several bodies that float.
    pub wholes: Vec<Floating<R>>,
    /// The joint of each degree of freedom, and of each coordinate.
    dof_joint: Vec<usize>,
    coordinate_joint: Vec<usize>,
}

/// A thing that has numbers: its kind, and which of them.
pub type Object = (Kind, usize);

/// Kinds of things, with the order in which operations name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Gravity,
    Time,
    Gap,
    BodyConstants,
    Pose,
    Twist,
    Rest,
    Wrench,
    NextPose,
    NextRest,
    JointConstants,
    Rows,
    Force,
    Reaction,
    Closing,
    DofConstants,
    DofRow,
    Actuator,
    Told,
    Coordinate,
    Diagonal,
    Block,
    Impulse,
    Spin,
    Before,
    Change,
    Velocity,
    FirstChange,
    Fresh,
    Rhs,
    /// See [`Value`].
    Value,
    Shape,
    Placed,
    Surface,
    Contact,
    /// Reactions of the last step, of limits and boxes and of contacts.
    ScalarReaction,
    ContactReaction,
    /// Lanes in which a group acts.
    Acts,
    Cone,
    Jacobian,
    Bias,
    Compliance,
    Lambda,
    /// λ before the sweeps, then what they changed.
    LambdaChange,
    RowVelocity,
    Mobility,
    OwnBlock,
    /// Of the round before.
    LastChange,
    LastFresh,
    LastReaction,
    LastClosing,
    /// L⁻¹ Jᵀ of a group at a position of its path.
    White,
    /// y = W Δλ of the sweeps, by position.
    Pushed,
    /// Velocities and changes of the group that is visited.
    Visited,
    Moved,
    /// See [`bellcrank_step::reactions::way::Way`].
    WayStart,
    WayStep,
    WayEnd,
    WayBest,
    PastStep,
    PastEnd,
    Gram,
    GramRow,
    Right,
    Share,
    /// Mass and moment, centre and inertia, momenta, velocities of a part that floats.
    Whole,
}

/// Numbers and truth values (1 and 0) that a step keeps of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The world runs.
    Alive,
    /// It has not come to the end of this step.
    Lanes,
    /// What is left of the step, what is tried next, and what that is of the step.
    Left,
    Part,
    Share,
    /// It takes this part, and it is the first.
    Accepted,
    Fresh,
    /// It takes part in this round.
    Going,
    /// Some limit, box or contact acts.
    Acting,
    /// Nothing touches it.
    Free,
    /// It takes part in this round and nothing touches it.
    Settles,
    /// Its sweeps go on.
    Open,
    /// A motor is beyond its bounds.
    Beyond,
    /// Two shapes are near each other.
    Near,
    /// All of its numbers are numbers.
    Finite,
    Moves,
    Lost,
    /// The square of the largest speed, then how far ahead contacts are looked for.
    Reach,
    /// The square of the largest distance, then how far joints may be open.
    Tolerance,
    /// How far joints were open before the step.
    GapBefore,
    /// The largest change of a velocity in a sweep, and in the last one.
    Most,
    Residual,
    /// Sweeps of the step.
    Iterations,
    /// Joints are closed, or open by more than rounding.
    Closed,
    Torn,
    /// The gap has grown; so the world went back to its first round.
    Worse,
    Undone,
    /// Joints are closed slowly.
    Slow,
    /// Rounds and sweeps, counted.
    Rounds,
    Laps,
    /// Whether there is one more.
    More,
    /// f B f of the way, now, before and at best.
    Square,
    SquareBefore,
    Least,
    Better,
    Forgets,
    /// Gaps of the round before [m, rad].
    LastMetres,
    LastRadians,
    /// Sums and weight of the acceleration.
    Along,
    Length,
    Gamma,
    /// Twice the work of joints and of others, and the energy; the share that says whether the step is too long.
    JointWork,
    OtherWork,
    Kinetic,
    SeemingWork,
    /// Over the steps of a call: how many the world has survived, how many closed its joints, and the largest gap [m, rad].
    Survived,
    Converged,
    MostMetres,
    MostRadians,
    /// The deepest penetration \[m\].
    Deepest,
}

/// How many there are.
pub const VALUES: usize = Value::Deepest as usize + 1;

impl Value {
    /// As a thing of the memory.
    pub fn object(self) -> Object {
        (Kind::Value, self as usize)
    }
}

/// What reactions of a group may be; see [`bellcrank_solve::Cone`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    Push,
    Box,
    Coulomb,
}

/// The rows of a limit, a box or a contact.
#[derive(Clone, Debug)]
pub struct Group<R> {
    pub source: ConeSource,
    pub law: Law,
    /// 1 where it acts.
    pub acts: R,
    /// μ, or the bounds.
    pub cone: [R; 2],
    pub jacobian: Vec<[[R; 6]; 2]>,
    pub bias: Vec<R>,
    pub compliance: Vec<R>,
    pub lambda: Vec<R>,
    pub change: Vec<R>,
    pub velocity: Vec<R>,
}

impl<R: Real> Group<R> {
    fn new((source, law, rows): (ConeSource, Law, usize)) -> Self {
        let blank = vec![R::zero(); rows];
        Group {
            source,
            law,
            acts: R::zero(),
            cone: [R::zero(); 2],
            jacobian: vec![[[R::zero(); 6]; 2]; rows],
            bias: blank.clone(),
            compliance: blank.clone(),
            lambda: blank.clone(),
            change: blank.clone(),
            velocity: blank,
        }
    }
}

/// All groups of a layout, limits and boxes first.
pub fn sources(layout: &Layout) -> Vec<(ConeSource, Law, usize)> {
    let law = |kind: ScalarKind| match kind {
        ScalarKind::Friction | ScalarKind::Effort => Law::Box,
        _ => Law::Push,
    };
    let scalars = layout.scalars.iter().enumerate().map(|(i, at)| (ConeSource::Scalar(i), law(at.kind), 1));
    let contacts = layout.contacts.iter().enumerate();
    scalars.chain(contacts.map(|(c, at)| (ConeSource::Contact(c), Law::Coulomb, at.rows))).collect()
}

impl<R: Real> World<R> {
    /// The reference pose at rest, motors holding it.
    pub fn new(model: &Model, layout: &Layout, dt: f64) -> Self {
        let state = State::reference(model, layout);
        World {
            control: Control::rest(model, layout, &state),
            constants: Constants::of(model, layout, &Parameters::of(model), |_| 0),
            ws: Workspace::new(layout),
            state,
            dt: R::constant(dt),
            gap: [R::zero(); 2],
            values: std::array::from_fn(|k| if k == Value::Alive as usize { R::one() } else { R::zero() }),
            placed: vec![Placed::origin(); layout.plan.shapes().len()],
            contacts: vec![Contact::none(); layout.contacts.len()],
            dof_joint: by_joint(layout, JointKind::dof_count),
            coordinate_joint: by_joint(layout, JointKind::coordinate_count),
            wholes: vec![Floating::zero(); layout.afloat.len()],
            groups: sources(layout).into_iter().map(Group::new).collect(),
        }
    }

    pub fn get(&self, value: Value) -> R {
        self.values[value as usize]
    }

    pub fn set(&mut self, value: Value, number: R) {
        self.values[value as usize] = number;
    }

    /// Of the part of the step that is tried.
    pub fn times(&self, settings: &Settings) -> Times<R> {
        settings.integrator.times(self.dt * self.get(Value::Share), self.dt * self.state.interval)
    }

    /// Whether a value is true.
    pub fn is(&self, value: Value) -> R::Mask {
        R::zero().lt(self.values[value as usize])
    }

    /// Calls `visit` on every number, those of one thing one after the other, always in the same order.
    pub fn each(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        self.gravity_and_time(visit);
        self.bodies(visit);
        self.joints(visit);
        self.positions(visit);
        self.shapes(visit);
        self.cones(visit);
    }

    fn shapes(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        let shapes = &mut self.constants.shapes;
        for s in 0..shapes.size.len() {
            shapes.X_BG[s].each(&mut |x| visit((Kind::Shape, s), x));
            shapes.size[s].each(&mut |x| visit((Kind::Shape, s), x));
            visit((Kind::Shape, s), &mut shapes.bound[s]);
        }
        for (p, surface) in shapes.surfaces.iter_mut().enumerate() {
            surface.each(&mut |x| visit((Kind::Surface, p), x));
        }
        for (s, placed) in self.placed.iter_mut().enumerate() {
            [&mut placed.R.x, &mut placed.R.y, &mut placed.R.z, &mut placed.p, &mut placed.size]
                .into_iter()
                .for_each(|v| v.each(&mut |x| visit((Kind::Placed, s), x)));
            visit((Kind::Placed, s), &mut placed.bound);
        }
        for (c, contact) in self.contacts.iter_mut().enumerate() {
            as_number(&mut contact.active, |x| visit((Kind::Contact, c), x));
            [&mut contact.point_a, &mut contact.point_b, &mut contact.normal]
                .into_iter()
                .for_each(|v| v.each(&mut |x| visit((Kind::Contact, c), x)));
            visit((Kind::Contact, c), &mut contact.distance);
        }
    }

    fn cones(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        let World { state, ws, values, groups, wholes, .. } = self;
        values.iter_mut().enumerate().for_each(|(k, x)| visit((Kind::Value, k), x));
        state.scalar_impulse.iter_mut().enumerate().for_each(|(i, x)| visit((Kind::ScalarReaction, i), x));
        for (c, six) in state.contact_impulse.iter_mut().enumerate() {
            six.iter_mut().for_each(|x| visit((Kind::ContactReaction, c), x));
        }
        for (g, group) in groups.iter_mut().enumerate() {
            visit((Kind::Acts, g), &mut group.acts);
            group.cone.iter_mut().for_each(|x| visit((Kind::Cone, g), x));
            group.jacobian.iter_mut().flatten().flatten().for_each(|x| visit((Kind::Jacobian, g), x));
            let lists = [
                (Kind::Bias, &mut group.bias),
                (Kind::Compliance, &mut group.compliance),
                (Kind::Lambda, &mut group.lambda),
                (Kind::LambdaChange, &mut group.change),
                (Kind::RowVelocity, &mut group.velocity),
            ];
            lists.into_iter().for_each(|(kind, list)| list.iter_mut().for_each(|x| visit((kind, g), x)));
        }
        wholes.iter_mut().enumerate().for_each(|(c, whole)| whole.each(&mut |x| visit((Kind::Whole, c), x)));
        let last = &mut ws.last_round;
        let lists: [(Kind, &mut Vec<[R; 6]>); 4] = [
            (Kind::LastChange, &mut last.du),
            (Kind::LastFresh, &mut last.fresh),
            (Kind::LastReaction, &mut last.reaction),
            (Kind::LastClosing, &mut last.closing),
        ];
        for (kind, list) in lists {
            for (k, six) in list.iter_mut().enumerate() {
                six.iter_mut().for_each(|x| visit((kind, k), x));
            }
        }
    }

    fn gravity_and_time(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        self.constants.gravity.each(&mut |x| visit((Kind::Gravity, 0), x));
        visit((Kind::Time, 0), &mut self.dt);
        visit((Kind::Time, 0), &mut self.state.interval);
        self.gap.iter_mut().for_each(|x| visit((Kind::Gap, 0), x));
    }

    fn bodies(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        let World { state, control, constants, ws, .. } = self;
        let poses = |kind: Kind, poses: &mut [Pose<R>], visit: &mut dyn FnMut(Object, &mut R)| {
            poses.iter_mut().enumerate().for_each(|(b, X)| X.each(&mut |x| visit((kind, b), x)));
        };
        let vectors = |kind: Kind, all: &mut [Vec3<R>], visit: &mut dyn FnMut(Object, &mut R)| {
            all.iter_mut().enumerate().for_each(|(b, v)| v.each(&mut |x| visit((kind, b), x)));
        };
        for (b, body) in constants.bodies.iter_mut().enumerate() {
            body.each(&mut |x| visit((Kind::BodyConstants, b), x));
        }
        poses(Kind::Pose, &mut state.X_WB, visit);
        for (b, V) in state.V_WB.iter_mut().enumerate() {
            let mut numbers = V.to_array();
            numbers.iter_mut().for_each(|x| visit((Kind::Twist, b), x));
            *V = Twist::from_array(numbers);
        }
        vectors(Kind::Rest, &mut state.p_rest, visit);
        for (b, wrench) in control.wrench.iter_mut().enumerate() {
            wrench.iter_mut().for_each(|x| visit((Kind::Wrench, b), x));
        }
        poses(Kind::NextPose, &mut ws.X_next, visit);
        vectors(Kind::NextRest, &mut ws.p_rest, visit);
    }

    fn joints(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        let World { state, control, constants, ws, dof_joint, coordinate_joint, .. } = self;
        for (j, joint) in constants.joints.iter_mut().enumerate() {
            joint.each(&mut |x| visit((Kind::JointConstants, j), x));
        }
        for (j, rows) in ws.joints.iter_mut().enumerate() {
            let sides = rows.s.iter_mut().flatten().chain(rows.p.iter_mut().flatten());
            let rest = rows.weight.iter_mut().chain(&mut rows.rate).chain(&mut rows.target);
            sides.chain(rest).for_each(|x| visit((Kind::Rows, j), x));
        }
        let by_joint = |kind: Kind, all: &mut [[R; 6]], visit: &mut dyn FnMut(Object, &mut R)| {
            all.iter_mut().enumerate().for_each(|(j, six)| six.iter_mut().for_each(|x| visit((kind, j), x)));
        };
        by_joint(Kind::Force, &mut state.joint_impulse, visit);
        by_joint(Kind::Reaction, &mut ws.reaction, visit);
        by_joint(Kind::Closing, &mut ws.closing, visit);
        // a joint's freedoms are one thing: lines have room for fifteen
        for (d, dof) in constants.dofs.iter_mut().enumerate() {
            dof.each(&mut |x| visit((Kind::DofConstants, dof_joint[d]), x));
        }
        for (d, row) in ws.dofs.iter_mut().enumerate() {
            let passive = [&mut row.rate, &mut row.passive_mass, &mut row.passive_impulse];
            passive.into_iter().for_each(|x| visit((Kind::DofRow, dof_joint[d]), x));
            [&mut row.drive_mass, &mut row.drive_impulse]
                .into_iter()
                .for_each(|x| visit((Kind::DofRow, dof_joint[d]), x));
            as_number(&mut row.boxed, |x| visit((Kind::DofRow, dof_joint[d]), x));
        }
        for (a, actuator) in constants.actuators.iter_mut().enumerate() {
            actuator.each(&mut |x| visit((Kind::Actuator, a), x));
        }
        for a in 0..control.effort.len() {
            visit((Kind::Told, a), &mut control.target_position[a]);
            visit((Kind::Told, a), &mut control.target_velocity[a]);
            visit((Kind::Told, a), &mut control.effort[a]);
        }
        let coordinates = state.q.iter_mut().zip(coordinate_joint.iter());
        coordinates.for_each(|(x, j)| visit((Kind::Coordinate, *j), x));
    }

    fn positions(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        let ws = &mut self.ws;
        for k in 0..ws.x.len() {
            let block = ws.factor.diagonal_mut(k);
            for i in 0..6 {
                block[i][..=i].iter_mut().for_each(|x| visit((Kind::Diagonal, k), x));
            }
        }
        for (k, spin) in ws.spin.iter_mut().enumerate() {
            let Sym3 { xx, xy, xz, yy, yz, zz } = &mut spin.inertia;
            [xx, xy, xz, yy, yz, zz].into_iter().for_each(|x| visit((Kind::Spin, k), x));
            spin.leaving.each(&mut |x| visit((Kind::Spin, k), x));
            as_number(&mut spin.fast, |x| visit((Kind::Spin, k), x));
        }
        let lists: [(Kind, &mut Vec<[R; 6]>); 7] = [
            (Kind::Impulse, &mut ws.impulse),
            (Kind::Before, &mut ws.u_start),
            (Kind::Change, &mut ws.du),
            (Kind::Velocity, &mut ws.u),
            (Kind::FirstChange, &mut ws.du_first),
            (Kind::Fresh, &mut ws.fresh),
            (Kind::Rhs, &mut ws.x),
        ];
        for (kind, list) in lists {
            for (k, six) in list.iter_mut().enumerate() {
                six.iter_mut().for_each(|x| visit((kind, k), x));
            }
        }
    }

    /// Calls `visit` on the blocks beside the diagonal.
    pub fn each_block(&mut self, blocks: usize, visit: &mut dyn FnMut(Object, &mut R)) {
        for q in 0..blocks {
            self.ws.factor.off_diagonal_mut(q).iter_mut().flatten().for_each(|x| visit((Kind::Block, q), x));
        }
    }
}

/// The joint of each of its so many things.
fn by_joint(layout: &Layout, count: fn(JointKind) -> usize) -> Vec<usize> {
    let joints = layout.joints.iter().enumerate();
    joints.flat_map(|(j, joint)| std::iter::repeat_n(j, count(joint.kind))).collect()
}

/// A truth value is kept as a number.
fn as_number<R: Real>(truth: &mut R::Mask, visit: impl FnOnce(&mut R)) {
    let mut number = R::select(*truth, R::one(), R::zero());
    visit(&mut number);
    *truth = R::zero().lt(number);
}

/// A factor that has one diagonal block and nothing else.
pub fn lone_block<R: Real>(block: [[R; 6]; 6]) -> BlockFactor<R> {
    let mut factor = BlockFactor::new(&bellcrank_solve::BlockPattern::new(1, []));
    *factor.diagonal_mut(0) = block;
    factor
}
