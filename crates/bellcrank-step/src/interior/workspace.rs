//! Memory of an implicit step, made when the first one is taken.

use super::Implicit;
use super::body::{BodyStep, force_time};
use super::end_contact::EndContact;
use super::held::{EndCoupling, EndRows};
use super::retry::Retry;
use super::scalar::{self, BoundRow, DryFrictionRow};
use super::units::{self, Path};
use crate::constants::Constants;
use crate::layout::{Layout, ScalarKind};
use crate::state::State;
use crate::workspace::Workspace;
use bellcrank_math::Real;
use bellcrank_math::enter;
use bellcrank_solve::{BlockLu, BlockPattern, Smoothing};

/// Where the block in the row of one body and the column of another is.
pub type Place = Option<(usize, bool)>;

#[derive(Clone, Debug)]
pub struct InteriorWorkspace<R: Real> {
    /// The joint graph's elimination order, with room for bodies that touch.
    pub pattern: BlockPattern,
    pub lu: BlockLu<R>,
    /// Block (successor, predecessor) by joint.
    pub joint_place: Vec<Place>,
    /// Blocks (i, k) by pair of bodies, row after row; of couplings and of lines.
    pub coupling_place: Vec<Vec<Place>>,
    pub line_place: Vec<Vec<Place>>,
    /// Block (b, a) by contact slot.
    pub contact_place: Vec<Place>,
    /// Blocks that joints, couplings and lines fill.
    fixed_blocks: Vec<usize>,
    /// Joints whose coordinates at the end of the step somebody asks for.
    pub free: Vec<bool>,
    pub bodies: Vec<BodyStep<R>>,
    pub joints: Vec<EndRows<R>>,
    pub couplings: Vec<EndCoupling<R>>,
    pub touches: Vec<EndContact<R>>,
    pub pushes: Vec<BoundRow<R>>,
    pub rubs: Vec<DryFrictionRow<R>>,
    /// By elimination position: what is left of the equations of motion, the sum of the absolute values of its terms, and the
    /// direction.
    pub residual: Vec<[R; 6]>,
    pub size: Vec<[R; 6]>,
    pub du: Vec<[R; 6]>,
    /// The velocities where the direction starts.
    pub from: Vec<[R; 6]>,
    /// By body: the part of the mechanism that it is joined to, and √(m M), see `units`.
    pub component: Vec<usize>,
    pub load: Vec<R>,
    /// The largest unit of a product that is an energy: what is left of the equations is told in it.
    pub unit: R,
    /// How μ of a row follows that of the whole.
    pub path: Path<R>,
    /// 1/(largest mass): what is left of the equations of motion as an energy.
    pub lightness: R,
    /// Squares of the largest gaps.
    pub gap: (R, R),
    /// Where the step began; derivatives have none.
    pub retry: Option<Box<Retry<R>>>,
}

impl<R: Real> InteriorWorkspace<R> {
    pub fn new(layout: &Layout) -> Self {
        let pairs = layout.contacts.iter().filter_map(|c| c.a.map(|a| (c.b, a)));
        let pattern = layout.pattern.with_edges(pairs);
        let all_places = |bodies: &[usize]| -> Vec<Place> {
            let row = |i: usize| bodies.iter().map(move |&k| (bodies[i], k));
            (0..bodies.len()).flat_map(row).map(|(i, k)| pattern.block(i, k)).collect()
        };
        let joint_place: Vec<Place> = layout
            .joints
            .iter()
            .map(|joint| joint.predecessor.and_then(|p| pattern.block(joint.successor, p)))
            .collect();
        let coupling_place: Vec<Vec<Place>> =
            layout.couplings.iter().map(|c| all_places(&c.bodies)).collect();
        let line_place: Vec<Vec<Place>> = layout.lines.iter().map(|l| all_places(&l.bodies)).collect();
        let contact_place = layout.contacts.iter().map(|c| c.a.and_then(|a| pattern.block(c.b, a))).collect();
        let on_several = coupling_place.iter().chain(&line_place).flatten();
        let fixed_blocks = joint_place.iter().chain(on_several).flatten().map(|place| place.0).collect();
        let mut free = vec![false; layout.joints.len()];
        let limits =
            layout.scalars.iter().filter(|s| matches!(s.kind, ScalarKind::Lower | ScalarKind::Upper));
        let coupled = layout.couplings.iter().flat_map(|c| c.terms.iter().map(|(at, _)| at.joint));
        limits.map(|s| s.at.joint).chain(coupled).for_each(|j| free[j] = true);
        let (bodies, zero) = (layout.position.len(), [R::zero(); 6]);
        let blank = |bodies: usize| EndCoupling {
            row: vec![zero; bodies],
            rest: R::zero(),
            lambda: R::zero(),
            dlambda: R::zero(),
            from: R::zero(),
        };
        InteriorWorkspace {
            lu: BlockLu::new(&pattern),
            pattern,
            joint_place,
            coupling_place,
            line_place,
            contact_place,
            fixed_blocks,
            free,
            bodies: vec![BodyStep::blank(); bodies],
            joints: vec![EndRows::blank(); layout.joints.len()],
            couplings: layout.couplings.iter().map(|c| blank(c.bodies.len())).collect(),
            touches: Vec::with_capacity(layout.contacts.len()),
            pushes: Vec::with_capacity(layout.scalars.len()),
            rubs: Vec::with_capacity(layout.scalars.len()),
            residual: vec![zero; bodies],
            size: vec![zero; bodies],
            du: vec![zero; bodies],
            from: vec![zero; bodies],
            component: units::components(layout),
            load: vec![R::zero(); bodies],
            unit: R::one(),
            path: Path::Alike,
            lightness: R::one(),
            gap: (R::zero(), R::zero()),
            retry: None,
        }
    }

    /// Lists what acts in this step.
    pub fn collect(&mut self, this: &Implicit<'_, R>, state: &State<R>, ws: &Workspace<R>) {
        let Implicit { layout, constants, settings, point, dt } = *this;
        let (touches, pushes, rubs) = (&mut self.touches, &mut self.pushes, &mut self.rubs);
        let force = enter!(R, force_time(settings.integrator, state.interval, dt));
        enter!(R, scalar::collect(layout, constants, state, dt, force, pushes, rubs));
        enter!(R, {
            touches.clear();
            for touching in &ws.touching {
                touches.push(EndContact::new(this, touching, &state.X_WB));
            }
        });
        self.use_contacts();
        self.lightness = enter!(R, lightness(constants));
        self.unit = enter!(R, R::one());
        if point.smoothing == Smoothing::Relative {
            enter!(R, units::set(this, state, ws, self));
        }
    }

    /// Says which blocks of the matrix the contacts at hand fill.
    pub fn use_contacts(&mut self) {
        let touching = self.touches.iter().filter_map(|touch| self.contact_place[touch.slot]);
        let blocks = self.fixed_blocks.iter().copied().chain(touching.map(|place| place.0));
        self.lu.use_blocks(&self.pattern, blocks);
    }
}

#[inline(always)]
fn lightness<R: Real>(constants: &Constants<R>) -> R {
    let mut heaviest = R::zero();
    for body in &constants.bodies {
        heaviest = heaviest.max(body.mass);
    }
    heaviest.max(R::constant(1e-30)).recip()
}
