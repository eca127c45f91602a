//! Memory of a step. It may be thrown away at any time; nothing is remembered in it.

use crate::constants::Constants;
use crate::interior::InteriorWorkspace;
use crate::layout::{ContactLayout, Layout};
use crate::reactions::{
    all_rows::AllRowsWorkspace,
    per_world::{Places, WorldRows},
    pile::{MakePile, PileWork},
    way::Way,
};
use crate::rows::tendons::TendonRow;
use crate::step::{accelerate::LastRound, motion::Spin};
use bellcrank_collide::{Contact, Contacts, Surface};
use bellcrank_math::{Mask, Pose, Real, Vec3};
use bellcrank_solve::{BlockFactor, Cone, StickingRows};

/// Room for a world's dense matrix: so many rows that act at once. A world that needs more makes the matrix grow, once.
const WORLD_ROWS: usize = 192;

/// Everything that a step computes on the way.
pub struct Workspace<R: Real> {
    pub contacts: Contacts<R>,
    /// The contacts of this step, sorted by slot.
    pub touching: Vec<Touching<R>>,
    /// For a pile only: its search and solver, what the search found, and a layout whose contacts are those of this step.
    pub pile: Option<Box<dyn PileWork<R>>>,
    pub found: Found<R>,
    pub own_layout: Option<Box<Layout>>,
    pub joints: Vec<JointRows<R>>,
    pub dofs: Vec<DofRow<R>>,
    pub lines: Vec<TendonRow<R>>,
    /// Σ coefficient · rate row of each coupling, by body of its layout.
    pub couplings: Vec<Vec<[R; 6]>>,
    /// H = M + Jᵀ S⁻¹ J and its factor.
    pub factor: BlockFactor<R>,
    /// M u⁻ + Δt f, by elimination position: for the implicit step.
    pub momentum: Vec<[R; 6]>,
    /// Δt f by elimination position, and how turning inertia changes the spin momentum.
    pub impulse: Vec<[R; 6]>,
    pub spin: Vec<Spin<R>>,
    /// The free motion of every thin rod, about its line.
    pub rods: Vec<[R; 6]>,
    /// Velocities before the step, by elimination position.
    pub u_start: Vec<[R; 6]>,
    /// Δu = u − u⁻, which is what is solved for, and u, by elimination position.
    pub du: Vec<[R; 6]>,
    pub u: Vec<[R; 6]>,
    /// Δu before the first correction.
    pub du_first: Vec<[R; 6]>,
    /// What of Δu the reactions of held rows have not followed yet.
    pub fresh: Vec<[R; 6]>,
    /// A right-hand side that becomes a solution.
    pub x: Vec<[R; 6]>,
    /// The round before, for steps whose joints close slowly.
    pub last_round: LastRound<R>,
    /// Poses at the start of the step, where rows are evaluated later than that (Moreau–Jean).
    pub X_start: Vec<Pose<R>>,
    /// Coordinates at the start of a part of a step.
    pub q_start: Vec<R>,
    /// Poses at the end of the step.
    pub X_next: Vec<Pose<R>>,
    /// What rounding cuts off their positions.
    pub p_rest: Vec<Vec3<R>>,
    /// Reactions along each joint's rows; while rounds go on, but for −S⁻¹ J of what is `fresh`.
    pub reaction: Vec<[R; 6]>,
    /// S⁻¹ c(q⁺)/Δt: what would close each joint.
    pub closing: Vec<[R; 6]>,
    /// The same of couplings, and their 1/S.
    pub coupling_reaction: Vec<R>,
    pub coupling_closing: Vec<R>,
    pub coupling_weight: Vec<R>,
    /// The gap that the step may leave.
    pub coupling_target: Vec<R>,
    pub cones: ConeRows<R>,
    /// For the published method only.
    pub all_rows: AllRowsWorkspace<R>,
    /// For the implicit step only; made by the first.
    pub interior: Option<Box<InteriorWorkspace<R>>>,
}

/// The contacts of a pile.
#[derive(Clone, Debug)]
pub struct Found<R: Real> {
    /// Slots are positions in the lists here.
    pub touching: Vec<Touching<R>>,
    pub contacts: Vec<ContactLayout>,
    /// See [`crate::state::State::contact_name`].
    pub names: Vec<[R; 2]>,
    /// By pair of shapes that are near.
    pub surfaces: Vec<Surface<R>>,
}

impl<R: Real> Default for Found<R> {
    fn default() -> Self {
        Found { touching: Vec::new(), contacts: Vec::new(), names: Vec::new(), surfaces: Vec::new() }
    }
}

/// A contact, and the reactions that the last step left there.
#[derive(Clone, Copy, Debug)]
pub struct Touching<R: Real> {
    /// Position in the plan.
    pub slot: usize,
    pub contact: Contact<R>,
    pub guess: [R; 6],
}

/// Six rows per joint: first what it holds together, then its degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub struct JointRows<R> {
    /// On the successor: force and moment about its centre of mass.
    pub s: [[R; 6]; 6],
    /// On the predecessor.
    pub p: [[R; 6]; 6],
    /// 1/S of each row in H.
    pub weight: [R; 6],
    /// What the rows are short of, as a velocity [m/s or rad/s].
    pub rate: [R; 6],
    /// The gap that the step may leave: none, unless the joint was torn open.
    pub target: [R; 6],
}

/// One degree of freedom: λ = h − m q̇.
#[derive(Clone, Copy, Debug)]
pub struct DofRow<R: Real> {
    /// q̇ before the step.
    pub rate: R,
    /// Armature, damping, spring.
    pub passive_mass: R,
    pub passive_impulse: R,
    /// Drives.
    pub drive_mass: R,
    pub drive_impulse: R,
    /// Lanes in which the drive is a row with bounds instead of part of H.
    pub boxed: R::Mask,
}

/// The rows with cones that act in at least one lane: listed for all lanes together, and handed to each world for the solver.
#[derive(Clone, Debug)]
pub struct ConeRows<R: Real> {
    pub groups: Vec<ConeGroup<R>>,
    /// Of the pairs of a pile that are near; nothing for others.
    pub surfaces: Vec<Surface<R>>,
    /// Lanes that are solved at all.
    pub lanes: R::Mask,
    /// L⁻¹ Jᵀ along each group's path: `rows` entries per position. What is behind `used_w` is left from earlier steps.
    pub w: Vec<[R; 6]>,
    pub used_w: usize,
    /// By row: on body a and on body b.
    pub jacobian: Vec<[[R; 6]; 2]>,
    pub bias: Vec<R>,
    /// By group: distance or angle that is left [m or rad].
    pub gap: Vec<R>,
    /// By group: what its normal asks for beyond not coming nearer.
    pub demands: Vec<Demand<R>>,
    /// Compliance on the diagonal.
    pub compliance: Vec<R>,
    pub lambda: Vec<R>,
    pub change: Vec<R>,
    /// With the reactions at hand, bias and compliance included [m/s or rad/s].
    pub velocity: Vec<R>,
    /// The worlds that are solved together.
    pub sticking: StickingRows<R>,
    /// The problem of each lane's world, and where it has its rows.
    pub worlds: Vec<WorldRows<R::Elem>>,
    pub places: Places,
    /// For reactions in closed form: B of each group, by rows; W of each group; the way of
    /// the sweeps.
    pub blocks: Vec<R>,
    pub inverse_mass: Vec<R>,
    pub way: Way<R>,
    /// W Δλ of the sweeps, by elimination position.
    pub pushed: Vec<[R; 6]>,
    pub scratch: Vec<[R; 6]>,
}

/// What a contact's normal asks for beyond not coming nearer; nothing where the group is no contact.
#[derive(Clone, Copy, Debug)]
pub struct Demand<R> {
    /// How fast it wants out [m/s], where it is inside and does not bounce.
    pub recovery: R,
    /// Coefficient of restitution.
    pub restitution: R,
    /// Its normal velocity before the step [m/s].
    pub before: R,
}

impl<R: Real> Demand<R> {
    /// Nothing.
    #[inline(always)]
    pub fn none() -> Self {
        Demand { recovery: R::zero(), restitution: R::zero(), before: R::zero() }
    }
}

/// Rows that share a path and a cone.
#[derive(Clone, Copy, Debug)]
pub struct ConeGroup<R: Real> {
    pub source: ConeSource,
    /// Lanes in which it acts.
    pub acts: R::Mask,
    pub cone: Cone<R>,
    pub first_row: usize,
    pub rows: usize,
    pub first_w: usize,
}

#[derive(Clone, Copy, Debug)]
pub enum ConeSource {
    Scalar(usize),
    Contact(usize),
}

impl<R: Real> Workspace<R> {
    /// Room for a model's step in lanes.
    pub fn new(layout: &Layout) -> Self {
        Self::with_pile(layout, None)
    }

    /// Room for a model's step, in lanes or as a pile.
    pub fn with_pile(layout: &Layout, pile: MakePile<R>) -> Self {
        let bodies = layout.position.len();
        let zero = [R::zero(); 6];
        let row = JointRows { s: [zero; 6], p: [zero; 6], weight: zero, rate: zero, target: zero };
        let dof = DofRow {
            rate: R::zero(),
            passive_mass: R::zero(),
            passive_impulse: R::zero(),
            drive_mass: R::zero(),
            drive_impulse: R::zero(),
            boxed: R::Mask::splat(false),
        };
        Workspace {
            contacts: Contacts::new(&layout.plan),
            touching: Vec::with_capacity(if pile.is_some() { 0 } else { layout.contact_room() }),
            pile: pile.map(|make| make(layout)),
            found: Found::default(),
            own_layout: pile.map(|_| Box::new(layout.clone())),
            joints: vec![row; layout.joints.len()],
            dofs: vec![dof; layout.dof_count],
            lines: layout.lines.iter().map(TendonRow::blank).collect(),
            couplings: layout.couplings.iter().map(|c| vec![zero; c.bodies.len()]).collect(),
            factor: BlockFactor::new(&layout.pattern),
            momentum: vec![zero; bodies],
            impulse: vec![zero; bodies],
            spin: vec![Spin::blank(); bodies],
            rods: vec![[R::zero(); 6]; layout.rods.len()],
            u_start: vec![zero; bodies],
            du: vec![zero; bodies],
            u: vec![zero; bodies],
            du_first: vec![zero; bodies],
            fresh: vec![zero; bodies],
            x: vec![zero; bodies],
            last_round: LastRound::new(layout),
            X_start: vec![Pose::identity(); bodies],
            q_start: vec![R::zero(); layout.coordinate_count],
            X_next: vec![Pose::identity(); bodies],
            p_rest: vec![Vec3::zero(); bodies],
            reaction: vec![zero; layout.joints.len()],
            closing: vec![zero; layout.joints.len()],
            coupling_reaction: vec![R::zero(); layout.couplings.len()],
            coupling_closing: vec![R::zero(); layout.couplings.len()],
            coupling_weight: vec![R::zero(); layout.couplings.len()],
            coupling_target: vec![R::zero(); layout.couplings.len()],
            cones: ConeRows::new(layout),
            all_rows: AllRowsWorkspace::default(),
            interior: None,
        }
    }
}

impl<R: Real> ConeRows<R> {
    /// The surface of a pair of shapes.
    #[inline(always)]
    pub fn surface<'a>(&'a self, constants: &'a Constants<R>, pair: usize) -> &'a Surface<R> {
        let all = if self.surfaces.is_empty() { &constants.shapes.surfaces } else { &self.surfaces };
        &all[pair]
    }

    fn new(layout: &Layout) -> Self {
        let rows = layout.cone_rows();
        let scalar_w: usize = layout.scalars.iter().map(|s| s.path.len()).sum();
        // a pile takes memory when a step needs more than any before
        let slots = if layout.pile.is_some() { 0 } else { layout.contacts.len() };
        let contact_w: usize = layout.contacts[..slots].iter().map(|c| c.rows * c.path.len()).sum();
        let block_room: usize =
            layout.scalars.len() + layout.contacts[..slots].iter().map(|c| c.rows * c.rows).sum::<usize>();
        let groups = layout.scalars.len() + layout.contact_room();
        ConeRows {
            groups: Vec::with_capacity(groups),
            surfaces: Vec::new(),
            lanes: R::Mask::splat(true),
            w: Vec::with_capacity(scalar_w + contact_w),
            used_w: 0,
            jacobian: Vec::with_capacity(rows),
            bias: Vec::with_capacity(rows),
            gap: Vec::with_capacity(rows),
            demands: Vec::with_capacity(groups),
            compliance: Vec::with_capacity(rows),
            lambda: Vec::with_capacity(rows),
            change: Vec::with_capacity(rows),
            velocity: Vec::with_capacity(rows),
            sticking: StickingRows::with_capacity(if layout.pile.is_some() {
                0
            } else {
                rows.min(WORLD_ROWS)
            }),
            worlds: (0..R::LANES).map(|_| WorldRows::with_capacity(rows.min(WORLD_ROWS))).collect(),
            places: Vec::with_capacity(groups),
            blocks: Vec::with_capacity(block_room),
            inverse_mass: Vec::with_capacity(groups),
            way: Way::with_capacity(rows),
            pushed: Vec::with_capacity(layout.position.len()),
            scratch: Vec::with_capacity(layout.position.len()),
        }
    }
}
