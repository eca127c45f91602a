//! What of a model the step needs to know, worked out once: where every row acts and which blocks it fills.

use crate::activation::{ActivationLayout, activation_layouts};
use crate::adhesion::{AdhesionLayout, adhesion_layouts};
use crate::constants::Side;
use crate::ellipsoid::ellipsoid_layouts;
use crate::law::{LawLayout, law_layouts};
pub use crate::lines::{LineSource, StopLayout, TendonLayout};
use crate::lines::{line_layouts, pulls, tendon_bodies};
use crate::settings::Solver;
use crate::step::rods::{self, RodLayout};
use bellcrank_collide::{ContactPlan, PlanShape};
use bellcrank_math::Pose;
use bellcrank_model::{
    BodyId, Compliance, Component, CouplingTerm, Dof, HeldSoftness, Joint, JointId, JointKind, Material,
    Model, Parameters, ShapeId, SoftRow, kinematics,
};
use bellcrank_solve::{BlockPattern, Path};
use std::collections::HashSet;
use std::sync::Arc;

/// The structure of a model's step. Numbers are in [`crate::constants::Constants`].
#[derive(Clone, Debug)]
pub struct Layout {
    pub pattern: BlockPattern,
    /// Elimination position of each body.
    pub position: Vec<usize>,
    pub joints: Vec<JointLayout>,
    /// Blocks off the diagonal that no joint sets and that must be clear.
    pub blocks_without_joint: Vec<usize>,
    pub couplings: Vec<CouplingLayout>,
    /// Tendons and motors at sites that act.
    pub lines: Vec<TendonLayout>,
    pub actuators: Vec<DriveLayout>,
    /// By actuator.
    pub laws: Vec<LawLayout>,
    /// Motors that make bodies sticky.
    pub adhesions: Vec<AdhesionLayout>,
    /// Shapes that the medium meets as ellipsoids, with their bodies.
    pub ellipsoids: Vec<(usize, ShapeId)>,
    /// Some motor has a torque–speed line.
    pub has_torque_speed: bool,
    /// Motors that have a state.
    pub activations: Vec<ActivationLayout>,
    /// Limits, dry friction and effort limits that may act.
    pub scalars: Vec<ScalarLayout>,
    /// By slot; in a step of a pile, the contacts of that step.
    pub contacts: Vec<ContactLayout>,
    /// By shape of the plan: rows of its contacts at least.
    pub shape_rows: Vec<usize>,
    pub plan: ContactPlan,
    pub coordinate_count: usize,
    pub dof_count: usize,
    /// The first body of each floating component.
    pub bases: Vec<usize>,
    /// The bodies of components of several that nothing outside but gravity, contacts and the user acts on.
    pub afloat: Vec<Vec<usize>>,
    /// All other bodies: held by the world, pushed by it, or alone.
    pub not_afloat: Vec<usize>,
    /// For worlds of many loose bodies: contacts at most.
    pub pile: Option<usize>,
    /// Whether there is a joint or a coupling that must be closed.
    pub holds: bool,
    /// Contacts, limits and dry friction give way.
    pub compliance: Option<Compliance>,
    /// Thin rods between balls.
    pub rods: Vec<RodLayout>,
}

/// From so many pairs of shapes on different loose mechanisms on, a model is a pile: ten bodies or so, where a solver looks at
/// all rows together. Measured on layers of 2 × 2 and 3 × 3 solids.
pub const PILE_PAIRS: usize = 40;
/// The same where every contact is for itself, which lanes do well: thirty bodies or so.
pub const PILE_PAIRS_CLOSED_FORM: usize = 400;
/// Contacts of a pile for each of its shapes, where the user does not say.
const CONTACTS_PER_SHAPE: usize = 12;

/// A joint: which bodies, and where its numbers are.
#[derive(Clone, Debug)]
pub struct JointLayout {
    pub kind: JointKind,
    /// Bodies; the predecessor may be the world.
    pub predecessor: Option<usize>,
    pub successor: usize,
    /// The block that couples them, and whether the successor is its row.
    pub block: Option<(usize, bool)>,
    /// Whether no joint before it fills that block.
    pub is_first: bool,
    pub first_coordinate: usize,
    pub first_dof: usize,
    /// Some degree of freedom has armature, damping, a spring or a drive.
    pub soft: bool,
    /// At the reference pose.
    pub X_FM: Pose,
    /// How what it holds gives way, where it is not hard.
    pub held: Option<HeldSoftness>,
}

impl JointLayout {
    /// Rows that are part of H: what the joint holds and, where something acts on them, its degrees of freedom.
    #[inline(always)]
    pub fn used_rows(&self) -> usize {
        if self.soft { 6 } else { self.kind.row_count() }
    }
}

/// One degree of freedom of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DofLayout {
    pub joint: usize,
    pub dof: usize,
}

/// Σ coefficient · coordinate = constant.
#[derive(Clone, Debug)]
pub struct CouplingLayout {
    pub terms: Vec<(DofLayout, f64)>,
    pub constant: f64,
    /// The bodies that it moves, each once.
    pub bodies: Vec<usize>,
    /// The block for each pair (i, j) of them with j < i, and whether i is its row.
    pub blocks: Vec<(usize, bool)>,
    /// Whether the coordinate with the largest coefficient is an angle.
    pub is_angle: bool,
    /// 1/D at the reference pose, from the effective masses of its joints.
    pub weight: f64,
}

impl CouplingLayout {
    /// The largest coefficient: what is left of the sum, divided by it, is how far one coordinate is off.
    pub fn scale(&self) -> f64 {
        self.terms.iter().fold(f64::MIN_POSITIVE, |largest, (_, coefficient)| largest.max(coefficient.abs()))
    }
}

/// What a motor drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriveLayout {
    Joint(DofLayout),
    /// Position in [`Layout::lines`].
    Line(usize),
    /// Nothing: a site of the world, or a kind of target that the model lists as ignored.
    Nothing,
}

/// A row with a cone on one degree of freedom.
#[derive(Clone, Debug)]
pub struct ScalarLayout {
    pub at: DofLayout,
    pub kind: ScalarKind,
    /// How a limit or dry friction gives way, where it is not hard.
    pub soft: Option<SoftRow>,
    pub path: Arc<Path>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalarKind {
    /// The coordinate stays above its lower bound.
    Lower,
    /// The coordinate stays below its upper bound.
    Upper,
    /// Dry friction.
    Friction,
    /// The drive has only so much effort.
    Effort,
    /// Speed limit in the negative and the positive direction.
    SlowDown,
    SlowUp,
}

/// A contact slot.
#[derive(Clone, Debug)]
pub struct ContactLayout {
    pub a: Option<usize>,
    pub b: usize,
    pub pair: usize,
    /// 3 for sliding, 4 with torsional friction, 6 with rolling friction.
    pub rows: usize,
    /// How it gives way, where it is not hard.
    pub soft: Option<SoftRow>,
    /// Shared by the slots of a pair.
    pub path: Arc<Path>,
}

impl Layout {
    /// Analyses a model.
    pub fn of(model: &Model) -> Self {
        Self::with_capacity(model, PILE_PAIRS, None)
    }

    /// Analyses a model for what finds its reactions; a pile has room for so many contacts.
    pub fn for_solver(model: &Model, solver: &Solver, contacts: Option<usize>) -> Self {
        let loose_pairs = match solver {
            Solver::ComFree(_) => PILE_PAIRS_CLOSED_FORM,
            Solver::Padmm(_) => PILE_PAIRS,
        };
        Self::with_capacity(model, loose_pairs, contacts)
    }

    /// Analyses a model; with more than `loose_pairs` it is a pile, which has room for so many contacts.
    pub fn with_capacity(model: &Model, loose_pairs: usize, contacts: Option<usize>) -> Self {
        let component = components(model);
        let apart = |a: BodyId, b: BodyId| component[a.index()] != component[b.index()];
        let is_pile = ContactPlan::has_more(model, loose_pairs, apart);
        let plan = if is_pile { ContactPlan::open(model) } else { ContactPlan::of(model) };
        let pattern = BlockPattern::new(model.bodies().len(), edges(model));
        let position: Vec<usize> = (0..model.bodies().len()).map(|b| pattern.position(b)).collect();
        let joints = joint_layouts(model, &pattern);
        let lines = line_layouts(model, &pattern);
        let actuators = (0..model.actuators().len()).map(|a| drive_layout(model, &lines, a)).collect();
        let last = |count: fn(JointKind) -> usize| model.joints().iter().map(|j| count(j.kind)).sum();
        let afloat = afloat(model, &joints, &lines);
        let shape_rows = shape_rows(model, &plan);
        let room = contacts.unwrap_or(plan.shapes().len() * CONTACTS_PER_SHAPE);
        let mut layout = Layout {
            rods: Vec::new(),
            compliance: model.compliance(),
            holds: model.joints().iter().any(|joint| joint.kind.row_count() > 0)
                || !model.couplings().is_empty(),
            pile: is_pile.then_some(room),
            couplings: coupling_layouts(model, &pattern),
            scalars: scalar_layouts(model, &pattern, &joints),
            contacts: contact_layouts(&shape_rows, &plan, &pattern),
            shape_rows,
            blocks_without_joint: blocks_without_joint(&pattern, &joints, is_pile),
            bases: bases(model),
            not_afloat: all_but(model.bodies().len(), afloat.iter().flatten()),
            afloat,
            coordinate_count: last(JointKind::coordinate_count),
            dof_count: last(JointKind::dof_count),
            pattern,
            position,
            joints,
            lines,
            actuators,
            laws: law_layouts(model),
            adhesions: adhesion_layouts(model),
            ellipsoids: ellipsoid_layouts(model),
            has_torque_speed: model.actuators().iter().any(|motor| motor.torque_speed.is_some()),
            activations: activation_layouts(model),
            plan,
        };
        layout.rods = rods::rods(model, &layout);
        layout
    }

    /// Contacts that a step lists at most.
    pub fn contact_room(&self) -> usize {
        self.pile.unwrap_or(self.contacts.len())
    }

    /// Rows with cones at most; a pile's memory grows with what it needs.
    pub fn cone_rows(&self) -> usize {
        let slots = if self.pile.is_some() { 0 } else { self.contacts.len() };
        self.scalars.len() + self.contacts[..slots].iter().map(|contact| contact.rows).sum::<usize>()
    }
}

/// The numbers below `count` that are not listed.
fn all_but<'a>(count: usize, listed: impl Iterator<Item = &'a usize>) -> Vec<usize> {
    let mut is_listed = vec![false; count];
    listed.for_each(|k| is_listed[*k] = true);
    (0..count).filter(|k| !is_listed[*k]).collect()
}

/// The component of the joint graph to which each body belongs.
fn components(model: &Model) -> Vec<usize> {
    let mut component = vec![0; model.bodies().len()];
    for (c, part) in model.graph().components().iter().enumerate() {
        part.bodies.iter().for_each(|body| component[body.index()] = c);
    }
    component
}

fn bases(model: &Model) -> Vec<usize> {
    floating_components(model)
        .filter_map(|component| component.bodies.first())
        .map(|body| body.index())
        .collect()
}

/// Components whose inner forces all come in pairs. A damper of a free joint, or a motor or tendon on one, pushes against the world, and a
/// tendon that runs from one component to another is outside of either.
fn afloat(model: &Model, joints: &[JointLayout], lines: &[TendonLayout]) -> Vec<Vec<usize>> {
    let on_world = |joint: &JointLayout| joint.predecessor.is_none();
    let mut pushed: Vec<usize> =
        joints.iter().filter(|j| on_world(j) && j.soft).map(|j| j.successor).collect();
    let coupled = model.couplings().iter().flat_map(|coupling| &coupling.terms);
    let pulled = model.tendons().iter().flat_map(|tendon| &tendon.terms);
    let sums = coupled.chain(pulled).map(|term| &joints[term.joint.id().index()]);
    pushed.extend(sums.filter(|joint| on_world(joint)).map(|joint| joint.successor));
    let mut component = vec![0; model.bodies().len()];
    for (k, found) in model.graph().components().iter().enumerate() {
        found.bodies.iter().for_each(|body| component[body.index()] = k);
    }
    let by_world = |line: &&TendonLayout| match &line.source {
        LineSource::Site { .. } => true,
        LineSource::Path { moves, .. } => {
            moves.contains(&None) || line.bodies.windows(2).any(|b| component[b[0]] != component[b[1]])
        }
        LineSource::Tendon { .. } => false,
    };
    pushed.extend(lines.iter().filter(by_world).flat_map(|line| &line.bodies));
    let pushed: HashSet<usize> = pushed.into_iter().collect();
    let floating = floating_components(model);
    let bodies =
        floating.map(|component| component.bodies.iter().map(|body| body.index()).collect::<Vec<_>>());
    bodies.filter(|bodies| bodies.len() > 1 && !bodies.iter().any(|b| pushed.contains(b))).collect()
}

/// Components that nothing holds to the world: no joint, or one that leaves all freedoms.
fn floating_components(model: &Model) -> impl Iterator<Item = &Component> {
    let held = held_bodies(model);
    model.graph().components().iter().filter(move |c| !c.bodies.iter().any(|body| held[body.index()]))
}

/// By body: whether a joint that leaves less than all freedoms leads from it to the world.
fn held_bodies(model: &Model) -> Vec<bool> {
    let mut held = vec![false; model.bodies().len()];
    for joint in model.joints().iter().filter(|joint| joint.kind != JointKind::Free) {
        match (joint.predecessor.body(), joint.successor.body()) {
            (None, Some(body)) | (Some(body), None) => held[body.index()] = true,
            _ => {}
        }
    }
    held
}

/// Whether nothing holds these bodies to the world: no joint, or one that leaves all freedoms.
pub fn floats(model: &Model, component: &Component) -> bool {
    let held = held_bodies(model);
    !component.bodies.iter().any(|body| held[body.index()])
}

/// Pairs of bodies that a joint or a coupling connects.
fn edges(model: &Model) -> Vec<(usize, usize)> {
    let index = |body: Option<BodyId>| body.map(BodyId::index);
    let mut edges: Vec<(usize, usize)> = model
        .joints()
        .iter()
        .filter_map(|joint| index(joint.predecessor.body()).zip(index(joint.successor.body())))
        .collect();
    let sums = model.couplings().iter().map(|coupling| &coupling.terms);
    let pulled = (0..model.tendons().len()).filter(|t| pulls(model, *t)).map(|t| tendon_bodies(model, t));
    for bodies in sums.map(|terms| coupled_bodies(model, terms)).chain(pulled) {
        for (i, &a) in bodies.iter().enumerate() {
            edges.extend(bodies[..i].iter().map(|&b| (a, b)));
        }
    }
    edges
}

/// Armature, damping or a spring.
pub(crate) fn is_passive(dof: &Dof) -> bool {
    dof.armature > 0.0 || dof.damping > 0.0 || dof.spring.is_some()
}

pub(crate) fn coupled_bodies(model: &Model, terms: &[CouplingTerm]) -> Vec<usize> {
    let mut bodies: Vec<usize> = Vec::new();
    for term in terms {
        let joint = &model.joints()[term.joint.id().index()];
        bodies.extend(joint.predecessor.body().map(BodyId::index));
        bodies.extend(joint.successor.body().map(BodyId::index));
    }
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

fn joint_layouts(model: &Model, pattern: &BlockPattern) -> Vec<JointLayout> {
    let (mut first_coordinate, mut first_dof) = (0, 0);
    let (mut layouts, mut filled) = (Vec::new(), HashSet::new());
    let driven_joints: HashSet<usize> =
        model.actuators().iter().filter_map(|a| a.coordinate().map(|(id, _)| id.index())).collect();
    for (j, joint) in model.joints().iter().enumerate() {
        let driven = driven_joints.contains(&j);
        let predecessor = joint.predecessor.body().map(BodyId::index);
        // a built model's successor is always a body
        let successor = joint.successor.body().map_or(0, BodyId::index);
        let block = predecessor.and_then(|p| pattern.block(successor, p));
        layouts.push(JointLayout {
            kind: joint.kind,
            predecessor,
            successor,
            block,
            is_first: filled.insert(block.map(|(own, _)| own)),
            first_coordinate,
            first_dof,
            soft: driven || joint.dofs.iter().any(is_passive),
            X_FM: model.reference_joint_pose(JointId::new(j)),
            held: joint.held.filter(|_| model.compliance().is_some()),
        });
        first_coordinate += joint.kind.coordinate_count();
        first_dof += joint.kind.dof_count();
    }
    layouts
}

impl JointLayout {
    fn block_index(&self) -> Option<usize> {
        self.block.map(|(block, _)| block)
    }
}

/// Blocks of the pattern that no joint sets: those of couplings and tendons. Fill is set by the factor, and need be clear only
/// where the matrix itself is kept.
fn blocks_without_joint(pattern: &BlockPattern, joints: &[JointLayout], kept: bool) -> Vec<usize> {
    let mut is_set = vec![false; pattern.off_diagonal_count()];
    joints.iter().filter_map(JointLayout::block_index).for_each(|block| is_set[block] = true);
    let counts = |block: &usize| !is_set[*block] && (kept || !pattern.is_fill(*block));
    (0..pattern.off_diagonal_count()).filter(counts).collect()
}

fn coupling_layouts(model: &Model, pattern: &BlockPattern) -> Vec<CouplingLayout> {
    model
        .couplings()
        .iter()
        .map(|coupling| {
            let bodies = coupled_bodies(model, &coupling.terms);
            CouplingLayout {
                terms: coupling.terms.iter().map(term_layout).collect(),
                constant: coupling.constant,
                blocks: pair_blocks(&bodies, pattern),
                bodies,
                is_angle: largest_is_angle(model, &coupling.terms),
                weight: coupling_weight(model, &coupling.terms),
            }
        })
        .collect()
}

fn coupling_weight(model: &Model, terms: &[CouplingTerm]) -> f64 {
    let own = Parameters::of(model);
    let mobility: f64 = terms
        .iter()
        .map(|term| {
            let id = term.joint.id();
            let joint = &model.joints()[id.index()];
            let X_FM = model.reference_joint_pose(id);
            let (X_PF, X_SM) = model.joint_frames(id);
            let row = kinematics::rate_axes(joint.kind, X_FM)[term.dof].rotated(X_FM.R.inverse());
            let sides = [(joint.predecessor.body(), X_PF * X_FM), (joint.successor.body(), X_SM)];
            let each = sides
                .into_iter()
                .filter_map(|(body, X_BM)| body.map(|b| Side::of(own.body(b).get(0), X_BM).mobility(row)));
            term.coefficient * term.coefficient * each.sum::<f64>()
        })
        .sum();
    1.0 / mobility
}

fn largest_is_angle(model: &Model, terms: &[CouplingTerm]) -> bool {
    let largest = terms.iter().max_by(|a, b| a.coefficient.abs().total_cmp(&b.coefficient.abs()));
    largest.is_some_and(|term| {
        let joint = &model.joints()[term_layout(term).0.joint];
        joint.kind.is_angle(term.dof)
    })
}

pub(crate) fn term_layout(term: &CouplingTerm) -> (DofLayout, f64) {
    (DofLayout { joint: term.joint.id().index(), dof: term.dof }, term.coefficient)
}

/// The blocks of all pairs of bodies that a coupling or a tendon connects: all are edges of the pattern.
pub(crate) fn pair_blocks(bodies: &[usize], pattern: &BlockPattern) -> Vec<(usize, bool)> {
    let mut blocks = Vec::new();
    for (i, &a) in bodies.iter().enumerate() {
        blocks.extend(bodies[..i].iter().filter_map(|&b| pattern.block(a, b)));
    }
    blocks
}

fn drive_layout(model: &Model, lines: &[TendonLayout], actuator: usize) -> DriveLayout {
    match model.actuators()[actuator].coordinate() {
        Some((joint, dof)) => DriveLayout::Joint(DofLayout { joint: joint.index(), dof }),
        None => match lines.iter().position(|line| line.motors.contains(&actuator)) {
            Some(line) => DriveLayout::Line(line),
            None => DriveLayout::Nothing,
        },
    }
}

fn scalar_layouts(model: &Model, pattern: &BlockPattern, joints: &[JointLayout]) -> Vec<ScalarLayout> {
    let mut rows = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        let bodies: Vec<usize> = joints[j].predecessor.into_iter().chain([joints[j].successor]).collect();
        let mut path = None; // as long as a chain: only where a row needs it
        for (k, dof) in joint.dofs.iter().enumerate() {
            let at = DofLayout { joint: j, dof: k };
            // any drive may be limited in some world; the row acts only where one is near its limit
            let driven = model.actuators().iter().any(|a| a.drives(j, k));
            let scalar_coordinates = joint.kind.has_scalar_coordinates();
            for (kind, exists) in [
                (ScalarKind::Lower, scalar_coordinates && dof.limits[0].is_finite()),
                (ScalarKind::Upper, scalar_coordinates && dof.limits[1].is_finite()),
                (ScalarKind::Friction, dof.friction > 0.0),
                (ScalarKind::Effort, driven),
                (ScalarKind::SlowDown, dof.velocity_limit.is_finite()),
                (ScalarKind::SlowUp, dof.velocity_limit.is_finite()),
            ] {
                if exists {
                    let path = path.get_or_insert_with(|| Arc::new(pattern.path(&bodies))).clone();
                    let soft = scalar_softness(model, joint, at, kind);
                    rows.push(ScalarLayout { at, kind, soft, path });
                }
            }
        }
    }
    rows
}

/// How a row on a degree of freedom gives way, in a model that is soft.
fn scalar_softness(model: &Model, joint: &Joint, at: DofLayout, kind: ScalarKind) -> Option<SoftRow> {
    model.compliance()?;
    let soft = joint.softness.get(at.dof)?;
    let law = match kind {
        ScalarKind::Lower | ScalarKind::Upper => soft.limit,
        ScalarKind::Friction => soft.friction,
        ScalarKind::Effort | ScalarKind::SlowDown | ScalarKind::SlowUp => return None,
    };
    Some(SoftRow { law, mobility: soft.mobility })
}

/// Rows that a contact of each shape asks for; those of a pair are the larger number. What the pair then has is in its surface.
fn shape_rows(model: &Model, plan: &ContactPlan) -> Vec<usize> {
    let rows = |shape: &PlanShape| {
        let Material { rolling, torsional, .. } = model.shapes()[shape.id.index()].material;
        if rolling > 0.0 {
            6
        } else if torsional > 0.0 {
            4
        } else {
            3
        }
    };
    plan.shapes().iter().map(rows).collect()
}

fn contact_layouts(rows: &[usize], plan: &ContactPlan, pattern: &BlockPattern) -> Vec<ContactLayout> {
    let mut contacts: Vec<ContactLayout> = Vec::with_capacity(plan.slots().len());
    for slot in plan.slots() {
        let same = contacts.last().filter(|last| last.pair == slot.pair).cloned();
        contacts.push(same.unwrap_or_else(|| {
            let (a, b) = (slot.body_a.map(BodyId::index), slot.body_b.index());
            let bodies: Vec<usize> = a.into_iter().chain([b]).collect();
            let (path, pair) = (Arc::new(pattern.path(&bodies)), &plan.pairs()[slot.pair]);
            let rows = rows[pair.first].max(rows[pair.second]);
            ContactLayout { a, b, pair: slot.pair, rows, soft: pair.soft, path }
        }));
    }
    contacts
}
