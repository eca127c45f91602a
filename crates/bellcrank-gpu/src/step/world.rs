//! All numbers of a world that a step reads or writes, and where they stand in a device's memory.

use bellcrank_math::{Numbers, Pose, Real, Sym3, Twist, Vec3};
use bellcrank_model::{Model, Parameters};
use bellcrank_solve::BlockFactor;
use bellcrank_step::constants::Constants;
use bellcrank_step::layout::Layout;
use bellcrank_step::state::{Control, State};
use bellcrank_step::workspace::Workspace;

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
        }
    }

    /// Calls `visit` on every number, those of one thing one after the other, always in the same order.
    pub fn each(&mut self, visit: &mut dyn FnMut(Object, &mut R)) {
        self.gravity_and_time(visit);
        self.bodies(visit);
        self.joints(visit);
        self.positions(visit);
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
        let World { state, control, constants, ws, .. } = self;
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
        for (d, dof) in constants.dofs.iter_mut().enumerate() {
            dof.each(&mut |x| visit((Kind::DofConstants, d), x));
        }
        for (d, row) in ws.dofs.iter_mut().enumerate() {
            let passive = [&mut row.rate, &mut row.passive_mass, &mut row.passive_impulse];
            passive.into_iter().for_each(|x| visit((Kind::DofRow, d), x));
            [&mut row.drive_mass, &mut row.drive_impulse]
                .into_iter()
                .for_each(|x| visit((Kind::DofRow, d), x));
        }
        for (a, actuator) in constants.actuators.iter_mut().enumerate() {
            actuator.each(&mut |x| visit((Kind::Actuator, a), x));
        }
        for a in 0..control.effort.len() {
            visit((Kind::Told, a), &mut control.target_position[a]);
            visit((Kind::Told, a), &mut control.target_velocity[a]);
            visit((Kind::Told, a), &mut control.effort[a]);
        }
        state.q.iter_mut().enumerate().for_each(|(c, x)| visit((Kind::Coordinate, c), x));
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
            // a truth value is kept as a number
            let mut fast = R::select(spin.fast, R::one(), R::zero());
            visit((Kind::Spin, k), &mut fast);
            spin.fast = R::zero().lt(fast);
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

/// A factor that has one diagonal block and nothing else.
pub fn lone_block<R: Real>(block: [[R; 6]; 6]) -> BlockFactor<R> {
    let mut factor = BlockFactor::new(&bellcrank_solve::BlockPattern::new(1, []));
    *factor.diagonal_mut(0) = block;
    factor
}
