//! Fills the contact slots from body poses: the first line of every step.
//!
//! Pairs are handled kind by kind. Each kind is one kernel, compiled for the lanes' instruction set and entered
//! once per call, so that the code of one kind does not burden the registers of another.

use crate::contacts::{Contact, Contacts};
use crate::data::{Placed, ShapeData};
use crate::one::place_shape;
use crate::pairs;
use crate::plan::{ContactPlan, Form, Pair, PairKind};
use crate::solid::Solid;
use bellcrank_math::{Kernel, Mask, Pose, Real, Vec3};
use std::ops::Range;

/// Calls `$job.run::<N>()` with the routine N of a kind of pair.
macro_rules! run_kind {
    ($kind:expr, $job:expr) => {
        match $kind {
            PairKind::PlaneSphere => $job.run::<pairs::PlaneSphere>(),
            PairKind::PlaneCapsule => $job.run::<pairs::PlaneCapsule>(),
            PairKind::PlaneBox => $job.run::<pairs::PlaneBox>(),
            PairKind::PlaneRound => $job.run::<pairs::PlaneRound>(),
            PairKind::PlaneEllipsoid => $job.run::<pairs::PlaneEllipsoid>(),
            PairKind::PlaneHull => $job.run::<pairs::PlaneHull>(),
            PairKind::SphereSphere => $job.run::<pairs::SphereSphere>(),
            PairKind::SphereCapsule => $job.run::<pairs::SphereCapsule>(),
            PairKind::SphereBox => $job.run::<pairs::SphereBox>(),
            PairKind::SphereRound => $job.run::<pairs::SphereRound>(),
            PairKind::CapsuleCapsule => $job.run::<pairs::CapsuleCapsule>(),
            PairKind::CapsuleBox => $job.run::<pairs::CapsuleBox>(),
            PairKind::BoxBox => $job.run::<pairs::BoxBox>(),
            PairKind::ConvexConvex => $job.run::<pairs::ConvexConvex>(),
            PairKind::SphereGround | PairKind::ConvexGround => $job.run::<pairs::ConvexGround>(),
        }
    };
}
pub(crate) use run_kind;

/// Finds all contacts of `R::LANES` worlds. `X_WB` holds the body poses (origin at the centre of mass) and
/// `reach` \[m\] is added to every pair's gap, for contacts that are expected within the step.
///
/// Does not allocate; pairs that are near in no lane cost one comparison of bounding spheres.
#[inline(always)]
pub fn collide<R: Real>(
    plan: &ContactPlan,
    shapes: &ShapeData<R>,
    X_WB: &[Pose<R>],
    reach: R,
    contacts: &mut Contacts<R>,
) {
    place_shapes(plan, shapes, X_WB, &mut contacts.placed);
    for (kind, range) in plan.groups() {
        let (placed, slots, hints) = (&contacts.placed, &mut contacts.slots, &mut contacts.hints);
        let group = Group { plan, shapes, placed, reach, range: range.clone(), slots, hints };
        run_kind!(kind, group);
    }
}

/// The contact routine of one kind of pair: a pure function of two placed shapes.
pub trait Narrow {
    /// Writes every slot: `active` where the contact exists geometrically, `distance` between the surfaces. What
    /// is further than `near.limit` will be dropped.
    fn touch<R: Real>(first: &Side<'_, R>, second: &Side<'_, R>, near: Near<R>, slots: &mut [Contact<R>]);

    /// Whether this routine is helped by what the last call found: then [`Narrow::touch`] leaves a direction that parts
    /// the two in the normal of the first slot, where it is not active.
    const REMEMBERS: bool = false;

    /// Lanes in which the two may be within `limit` of each other; may err on the side of caution.
    #[inline(always)]
    fn near<R: Real>(first: &Placed<R>, second: &Placed<R>, limit: R) -> R::Mask {
        let sum = first.bound + second.bound + limit;
        (first.p - second.p).norm_squared().le(sum * sum) & sum.ge(R::zero())
    }

    /// Lanes in which `hint`, a direction that parted the two before or zero, proves that they are further apart than
    /// `limit`: there [`Narrow::touch`] would find nothing.
    #[inline(always)]
    fn parted<R: Real>(_: [&Side<'_, R>; 2], _limit: R, _hint: Vec3<R>) -> R::Mask {
        R::Mask::splat(false)
    }
}

/// Where it is worth looking.
#[derive(Clone, Copy, Debug)]
pub struct Near<R: Real> {
    /// Contacts beyond this distance will be dropped \[m\].
    pub limit: R,
    /// Lanes in which the two may be within that distance.
    pub lanes: R::Mask,
}

/// One shape of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a, R> {
    /// Where it is and how large.
    pub at: &'a Placed<R>,
    /// Its family.
    pub form: Form,
    /// What it consists of.
    pub solid: &'a Solid,
}

impl<'a, R: Real> Side<'a, R> {
    /// The two shapes of a pair, in the order in which its routine wants them.
    #[inline(always)]
    pub(crate) fn both(plan: &'a ContactPlan, pair: &Pair, placed: &'a [Placed<R>]) -> [Self; 2] {
        let (first, second) = (&plan.shapes()[pair.first], &plan.shapes()[pair.second]);
        [
            Side { at: &placed[pair.first], form: first.form, solid: &first.solid },
            Side { at: &placed[pair.second], form: second.form, solid: &second.solid },
        ]
    }
}

/// Brings all shapes into the world: X_WG = X_WB X_BG.
#[inline(always)]
pub(crate) fn place_shapes<R: Real>(
    plan: &ContactPlan,
    shapes: &ShapeData<R>,
    X_WB: &[Pose<R>],
    placed: &mut [Placed<R>],
) {
    R::run(Place { plan, shapes, X_WB, placed });
}

struct Place<'a, R: Real> {
    plan: &'a ContactPlan,
    shapes: &'a ShapeData<R>,
    X_WB: &'a [Pose<R>],
    placed: &'a mut [Placed<R>],
}

impl<R: Real> Kernel for Place<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for i in 0..self.plan.shapes().len() {
            self.placed[i] = place_shape(self.plan, self.shapes, self.X_WB, i);
        }
    }
}

/// All pairs of one kind.
struct Group<'a, R: Real> {
    plan: &'a ContactPlan,
    shapes: &'a ShapeData<R>,
    placed: &'a [Placed<R>],
    reach: R,
    range: Range<usize>,
    slots: &'a mut [Contact<R>],
    hints: &'a mut [Vec3<R>],
}

impl<'a, R: Real> Group<'a, R> {
    #[inline(always)]
    fn run<N: Narrow>(self) {
        R::run(GroupKernel::<R, N> { group: self, narrow: core::marker::PhantomData });
    }
}

struct GroupKernel<'a, R: Real, N> {
    group: Group<'a, R>,
    narrow: core::marker::PhantomData<N>,
}

impl<R: Real, N: Narrow> Kernel for GroupKernel<'_, R, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let group = self.group;
        let first = group.range.start;
        for p in group.range {
            let pair = &group.plan.pairs()[p];
            let surface = &group.shapes.surfaces[p];
            let (margin, reach) = (surface.margin, surface.gap + group.reach);
            let sides = Side::both(group.plan, pair, group.placed);
            let slots = &mut group.slots[pair.slots.clone()];
            let mut none = Vec3::zero();
            let hint = if N::REMEMBERS { &mut group.hints[p - first] } else { &mut none };
            touch_pair::<R, N>(pair, sides, [margin, reach], hint, slots);
        }
    }
}

/// Skips a pair that is far in every lane; otherwise finds its contacts, and applies margin and gap:
/// d = surface distance − margin, active where d ≤ gap + reach.
#[inline(always)]
pub(crate) fn touch_pair<R: Real, N: Narrow>(
    pair: &Pair,
    [first, second]: [Side<'_, R>; 2],
    [margin, reach]: [R; 2],
    hint: &mut Vec3<R>,
    slots: &mut [Contact<R>],
) {
    let limit = margin + reach;
    let mut near = N::near(first.at, second.at, limit);
    if N::REMEMBERS && near.any() {
        near = near & !N::parted([&first, &second], limit, *hint);
    }
    if !near.any() {
        for slot in slots {
            slot.active = R::Mask::splat(false);
        }
        return;
    }
    N::touch(&first, &second, Near { limit, lanes: near }, slots);
    if N::REMEMBERS {
        *hint = Vec3::select(near & !slots[0].active, slots[0].normal, *hint);
    }
    for slot in slots {
        let distance = slot.distance - margin;
        slot.active = slot.active & near & distance.le(reach);
        slot.distance = distance;
        if pair.flipped {
            *slot = slot.swapped();
        }
    }
}

/// Whether a shape of bounding radius `bound` at `p` may be within `limit` of a plane.
#[inline(always)]
pub(crate) fn near_plane<R: Real>(plane: &Placed<R>, other: &Placed<R>, limit: R) -> R::Mask {
    let normal: Vec3<R> = plane.R.z;
    (normal.dot(other.p - plane.p) - other.bound).le(limit)
}
