//! The plan: which shapes may touch and where their contacts go. Made once per model.
//!
//! Every candidate pair owns a fixed range of slots. A slot means the same feature of the same shapes in every
//! step and every lane (end 1 of the capsule, diagonal 2 of the box), so that reactions of the last step are
//! the warm start of the next without matching, and lanes stay aligned.

use crate::data::bound_of;
use crate::filter::{Filter, Rule};
use crate::material::Surface;
use crate::solid::Solid;
use bellcrank_math::{Elem, Vec3};
use bellcrank_model::{BodyId, Geometry, Material, MaterialRules, Model, Shape, ShapeId, SoftRow, Softness};
use std::cmp::Ordering;
use std::ops::Range;

/// The families of shapes, and what the three numbers of `size` mean for each \[m\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// The half-space below z = 0; no size.
    Plane,
    /// (radius, –, –)
    Sphere,
    /// (radius, half length, –)
    Capsule,
    /// Half edges.
    Box,
    /// Cylinders and cones: (radius at −z, half length, radius at +z).
    Round,
    /// Half axes.
    Ellipsoid,
    /// The hull of some points; half of its bounding box.
    Hull,
    /// Terrain; half of its bounding box.
    HeightField,
    /// Triangles; half of their bounding box.
    TriangleMesh,
}

/// The routine that finds the contacts of a pair. The form named first is `Pair::first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the names say it
pub enum PairKind {
    PlaneSphere,
    PlaneCapsule,
    PlaneBox,
    PlaneRound,
    PlaneEllipsoid,
    PlaneHull,
    SphereSphere,
    SphereCapsule,
    SphereBox,
    SphereRound,
    CapsuleCapsule,
    CapsuleBox,
    BoxBox,
    /// Any two convex solids for which there is no routine of their own; world by world.
    ConvexConvex,
    /// On a height field or a triangle mesh; world by world.
    SphereGround,
    /// On a height field or a triangle mesh; world by world.
    ConvexGround,
}

impl PairKind {
    /// The routine for two forms, the lower one first; `None` where there is none.
    pub fn of(first: Form, second: Form) -> Option<PairKind> {
        use Form::*;
        Some(match (first, second) {
            (Plane, Sphere) => PairKind::PlaneSphere,
            (Plane, Capsule) => PairKind::PlaneCapsule,
            (Plane, Box) => PairKind::PlaneBox,
            (Plane, Round) => PairKind::PlaneRound,
            (Plane, Ellipsoid) => PairKind::PlaneEllipsoid,
            (Plane, Hull) => PairKind::PlaneHull,
            (Sphere, Sphere) => PairKind::SphereSphere,
            (Sphere, Capsule) => PairKind::SphereCapsule,
            (Sphere, Box) => PairKind::SphereBox,
            (Sphere, Round) => PairKind::SphereRound,
            (Capsule, Capsule) => PairKind::CapsuleCapsule,
            (Capsule, Box) => PairKind::CapsuleBox,
            (Box, Box) => PairKind::BoxBox,
            (Plane, _) | (HeightField | TriangleMesh, _) => return None,
            (Sphere, HeightField | TriangleMesh) => PairKind::SphereGround,
            (_, HeightField | TriangleMesh) => PairKind::ConvexGround,
            _ => PairKind::ConvexConvex,
        })
    }

    /// Contacts that such a pair can have at once.
    pub fn slot_count(self) -> usize {
        match self {
            PairKind::PlaneSphere
            | PairKind::PlaneEllipsoid
            | PairKind::SphereSphere
            | PairKind::SphereCapsule
            | PairKind::SphereBox
            | PairKind::SphereRound => 1,
            PairKind::PlaneCapsule | PairKind::CapsuleCapsule | PairKind::CapsuleBox => 2,
            PairKind::PlaneBox | PairKind::PlaneHull | PairKind::ConvexConvex | PairKind::SphereGround => 4,
            PairKind::PlaneRound => 6,
            PairKind::BoxBox | PairKind::ConvexGround => 8,
        }
    }
}

/// A shape that takes part in some pair.
#[derive(Clone, Debug)]
pub struct PlanShape {
    /// Which of the model's.
    pub id: ShapeId,
    /// What it is fixed to; `None` for the world.
    pub body: Option<BodyId>,
    /// Its family.
    pub form: Form,
    /// What [`Form`] says \[m\].
    pub size: Vec3,
    /// Radius about the shape's origin within which it lies \[m\].
    pub bound: f64,
    /// Points and triangles, for the forms that have some.
    pub solid: Solid,
    /// Its own margin and gap \[m\].
    pub margin: f64,
    /// See `margin`.
    pub gap: f64,
}

impl PlanShape {
    /// All shapes of a model, by number.
    pub(crate) fn all(model: &Model) -> Vec<PlanShape> {
        let filter = Filter::of(model);
        (0..model.shapes().len()).map(|i| plan_shape(model, &filter, i)).collect()
    }

    /// Planes and terrain.
    pub(crate) fn is_endless(&self) -> bool {
        matches!(self.form, Form::Plane | Form::HeightField | Form::TriangleMesh)
    }
}

/// Two shapes that may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// A: the one that does not move, if there is such.
    pub shape_a: ShapeId,
    /// B: on a body that moves.
    pub shape_b: ShapeId,
    /// The routine.
    pub kind: PairKind,
    /// Positions in [`ContactPlan::shapes`], in the order in which the routine wants them.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// A is `second`: what the routine finds has to be swapped.
    pub flipped: bool,
    /// Where its contacts are in [`ContactPlan::slots`].
    pub slots: Range<usize>,
    /// Sum of the shapes' margins \[m\].
    pub margin: f64,
    /// Sum of the shapes' gaps \[m\].
    pub gap: f64,
    /// How the priority of A's material compares with that of B's: the higher one holds.
    pub preference: Ordering,
    /// What holds between these two, whatever the shapes say.
    pub own: Option<Material>,
    /// How contacts give way, in a model that is soft.
    pub soft: Option<SoftRow>,
}

impl Pair {
    /// The material of the pair: its own, of the shape with the higher priority, or of both together.
    pub fn material(&self, rules: MaterialRules, a: &Material, b: &Material) -> Material {
        match (self.own, self.preference) {
            (Some(own), _) => own,
            (_, Ordering::Greater) => *a,
            (_, Ordering::Less) => *b,
            (_, Ordering::Equal) => rules.of(a, b),
        }
    }

    /// The surface that follows from those of the two shapes, whose margins are not looked at.
    pub(crate) fn surface<E: Elem>(
        &self,
        rules: MaterialRules,
        a: &Surface<E>,
        b: &Surface<E>,
    ) -> Surface<E> {
        let of = |s: &Surface<E>| Material {
            sliding: s.sliding.to_f64(),
            torsional: s.torsional.to_f64(),
            rolling: s.rolling.to_f64(),
            restitution: s.restitution.to_f64(),
        };
        let both = self.material(rules, &of(a), &of(b));
        Surface::of(&both, self.margin, self.gap).in_other(E::from_f64)
    }
}

/// One possible contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Position in [`ContactPlan::pairs`] and [`crate::ShapeData::surfaces`].
    pub pair: usize,
    /// Which feature of the pair: the same in every step.
    pub feature: u16,
    /// The body of A; `None` for the world.
    pub body_a: Option<BodyId>,
    /// The body of B.
    pub body_b: BodyId,
}

/// A pair that should touch but cannot.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// One shape.
    pub a: ShapeId,
    /// The other.
    pub b: ShapeId,
    /// Why there will be no contact.
    pub why: &'static str,
}

/// What may touch, and where it is written.
#[derive(Clone, Debug)]
pub struct ContactPlan {
    shapes: Vec<PlanShape>,
    pairs: Vec<Pair>,
    slots: Vec<Slot>,
    groups: Vec<(PairKind, Range<usize>)>,
    rules: MaterialRules,
    unsupported: Vec<Unsupported>,
    /// Of an open plan: who may touch whom.
    filter: Option<Box<Filter>>,
}

impl ContactPlan {
    /// The plan of a model, with its own rules for materials.
    pub fn of(model: &Model) -> Self {
        Self::with_rules(model, model.material_rules())
    }

    /// The plan of a model with other rules for materials.
    pub fn with_rules(model: &Model, rules: MaterialRules) -> Self {
        let filter = Filter::of(model);
        let all = PlanShape::all(model);
        let mut plan = ContactPlan::blank(rules);
        for i in 0..all.len() {
            for j in i + 1..all.len() {
                if filter.allows(all[i].id, all[j].id) {
                    match make_pair(&filter, [&all[i], &all[j]], [i, j]) {
                        Ok(pair) => plan.pairs.push(pair),
                        Err(why) => plan.unsupported.push(why),
                    }
                }
            }
        }
        plan.keep_used_shapes(&all);
        plan.lay_out();
        plan
    }

    /// The plan of a model with so many shapes that pairs are not listed: a [`crate::Pile`] asks for those that are near. Its memory grows
    /// with the number of shapes.
    pub fn open(model: &Model) -> Self {
        let filter = Filter::of(model);
        let mut plan = ContactPlan::blank(model.material_rules());
        plan.shapes = PlanShape::all(model).into_iter().filter(|shape| filter.touches(shape.id)).collect();
        let endless: Vec<usize> = (0..plan.shapes.len()).filter(|k| plan.shapes[*k].is_endless()).collect();
        for (k, &i) in endless.iter().enumerate() {
            for &j in &endless[k + 1..] {
                let both = [&plan.shapes[i], &plan.shapes[j]];
                if filter.allows(both[0].id, both[1].id) {
                    plan.unsupported.extend(make_pair(&filter, both, [i, j]).err());
                }
            }
        }
        plan.filter = Some(Box::new(filter));
        plan
    }

    fn blank(rules: MaterialRules) -> Self {
        ContactPlan {
            shapes: Vec::new(),
            pairs: Vec::new(),
            slots: Vec::new(),
            groups: Vec::new(),
            rules,
            unsupported: Vec::new(),
            filter: None,
        }
    }

    /// Whether pairs are asked for, not listed.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.filter.is_some()
    }

    /// The largest margin and gap that some pair of an open plan has whatever its shapes say \[m\].
    pub(crate) fn widest(&self) -> f64 {
        self.filter.as_ref().map_or(0.0, |filter| filter.widest())
    }

    /// How the pair of two shapes is called, by their positions in an open plan, where there is one: names sort as pairs of a plan do.
    pub(crate) fn name(&self, i: usize, j: usize) -> Option<PairName> {
        let filter = self.filter.as_ref()?;
        let both = [&self.shapes[i], &self.shapes[j]];
        if !filter.allows(both[0].id, both[1].id) {
            return None;
        }
        let order = order(filter, both, [i, j]);
        self.shapes[order.b()].body?;
        Some(PairName::new(order.kind?, order.a(), order.b()))
    }

    /// The pair of that name in an open plan; its slots begin at zero.
    pub(crate) fn pair(&self, name: PairName) -> Option<Pair> {
        let filter = self.filter.as_ref()?;
        let [a, b] = name.shapes();
        let mut pair = make_pair(filter, [&self.shapes[a], &self.shapes[b]], [a, b]).ok()?;
        pair.slots = 0..pair.kind.slot_count();
        Some(pair)
    }

    /// The routine of two shapes of an open plan, A first.
    pub fn kind(&self, a: usize, b: usize) -> Option<PairKind> {
        let filter = self.filter.as_ref()?;
        order(filter, [self.shapes.get(a)?, self.shapes.get(b)?], [a, b]).kind
    }

    /// Whether more than `most` pairs of shapes on bodies that `apart` tells apart may touch.
    pub fn has_more(model: &Model, most: usize, apart: impl Fn(BodyId, BodyId) -> bool) -> bool {
        let filter = Filter::of(model);
        let all: Vec<(ShapeId, BodyId, Form)> = (0..model.shapes().len())
            .filter_map(|k| {
                let (shape, id) = (&model.shapes()[k], ShapeId::new(k));
                let body = shape.link.body()?;
                let form = match form_and_size(&shape.geometry).0 {
                    // triangles that move are taken as their hull
                    Form::TriangleMesh if !filter.is_static(Some(body)) => Form::Hull,
                    form => form,
                };
                Some((id, body, form))
            })
            .collect();
        let mut found = 0;
        for (k, (one, body, form)) in all.iter().enumerate() {
            for (other, with, that) in &all[k + 1..] {
                let [first, second] = if form <= that { [*form, *that] } else { [*that, *form] };
                if apart(*body, *with) && filter.allows(*one, *other) && PairKind::of(first, second).is_some()
                {
                    found += 1;
                    if found > most {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Shapes that take part in some pair.
    #[inline(always)]
    pub fn shapes(&self) -> &[PlanShape] {
        &self.shapes
    }

    /// Candidate pairs, sorted by kind.
    #[inline(always)]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// All possible contacts, pair by pair.
    #[inline(always)]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Pairs of one kind, as ranges of [`ContactPlan::pairs`].
    #[inline(always)]
    pub fn groups(&self) -> &[(PairKind, Range<usize>)] {
        &self.groups
    }

    /// Pairs for which a direction is worth remembering.
    pub fn hint_count(&self) -> usize {
        let convex = self.groups.iter().find(|(kind, _)| *kind == PairKind::ConvexConvex);
        convex.map_or(0, |(_, range)| range.len())
    }

    /// How materials are combined.
    pub fn rules(&self) -> MaterialRules {
        self.rules
    }

    /// Pairs that pass the filters but have no routine. Not silent: a simulation should report them.
    pub fn unsupported(&self) -> &[Unsupported] {
        &self.unsupported
    }

    /// Shapes without partner need no pose.
    fn keep_used_shapes(&mut self, all: &[PlanShape]) {
        let mut position = vec![None; all.len()];
        for pair in &mut self.pairs {
            for end in [&mut pair.first, &mut pair.second] {
                let shapes = &mut self.shapes;
                *end = *position[*end].get_or_insert_with(|| {
                    shapes.push(all[*end].clone());
                    shapes.len() - 1
                });
            }
        }
    }

    fn lay_out(&mut self) {
        self.pairs.sort_by_key(|pair| (pair.kind, pair.shape_a, pair.shape_b));
        for (p, pair) in self.pairs.iter_mut().enumerate() {
            let start = self.slots.len();
            let body = |shape: usize| self.shapes[shape].body;
            let (a, b) = if pair.flipped { (pair.second, pair.first) } else { (pair.first, pair.second) };
            let Some(body_b) = body(b) else { continue }; // never: add_pair has seen to it
            let slot = |feature| Slot { pair: p, feature, body_a: body(a), body_b };
            self.slots.extend((0..pair.kind.slot_count() as u16).map(slot));
            pair.slots = start..self.slots.len();
            match self.groups.last_mut() {
                Some((kind, range)) if *kind == pair.kind => range.end = p + 1,
                _ => self.groups.push((pair.kind, p..p + 1)),
            }
        }
    }
}

/// Two shapes in the order in which their routine wants them, and which of them is A.
struct Order {
    /// `None` where there is no routine.
    kind: Option<PairKind>,
    first: usize,
    second: usize,
    flipped: bool,
}

impl Order {
    fn a(&self) -> usize {
        if self.flipped { self.second } else { self.first }
    }

    fn b(&self) -> usize {
        if self.flipped { self.first } else { self.second }
    }
}

/// The order of two shapes with their positions.
fn order(filter: &Filter, [one, other]: [&PlanShape; 2], [i, j]: [usize; 2]) -> Order {
    // of two shapes of one form the one that comes first in the model is first
    let swap = other.form < one.form || (other.form == one.form && other.id < one.id);
    let ([first, second], [x, y]) = if swap { ([j, i], [other, one]) } else { ([i, j], [one, other]) };
    // A is the shape at rest; with two that move, the one that the routine names first
    let flipped = filter.is_static(y.body) && !filter.is_static(x.body);
    Order { kind: PairKind::of(x.form, y.form), first, second, flipped }
}

/// The pair of two shapes with their positions, or why there is none; its slots are not laid out.
fn make_pair(filter: &Filter, both: [&PlanShape; 2], at: [usize; 2]) -> Result<Pair, Unsupported> {
    let fault = |a: &PlanShape, b: &PlanShape, why| Unsupported { a: a.id, b: b.id, why };
    let order = order(filter, both, at);
    let [a, b] = if order.a() == at[0] { both } else { [both[1], both[0]] };
    let Some(kind) = order.kind else {
        return Err(fault(a, b, "there is no contact routine for these two forms"));
    };
    if b.body.is_none() {
        return Err(fault(a, b, "both belong to the world"));
    }
    let (one, other) = (filter.rule(a.id), filter.rule(b.id));
    let surface = filter.surface(a.id, b.id);
    let Order { first, second, flipped, .. } = order;
    Ok(Pair {
        shape_a: a.id,
        shape_b: b.id,
        kind,
        first,
        second,
        flipped,
        slots: 0..0, // laid out when all pairs are known
        margin: surface.margin.unwrap_or(one.margin + other.margin),
        gap: surface.gap.unwrap_or(one.gap + other.gap),
        preference: one.priority.cmp(&other.priority),
        own: surface.material,
        soft: soft_row(surface.softness, [one, other]),
    })
}

/// What a pair of shapes is called: names sort by kind, then by A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PairName(u64);

impl PairName {
    const BITS: u32 = 28;

    fn new(kind: PairKind, a: usize, b: usize) -> Self {
        PairName((kind as u64) << (2 * Self::BITS) | (a as u64) << Self::BITS | b as u64)
    }

    /// Positions of A and B in the plan.
    pub fn shapes(self) -> [usize; 2] {
        let mask = (1 << Self::BITS) - 1;
        [self.0 >> Self::BITS & mask, self.0 & mask].map(|k| k as usize)
    }
}

/// How the contact of two shapes gives way, in a model that is soft: by its own law, that of the shape with the higher priority, or both
/// together.
fn soft_row(own: Option<Softness>, [a, b]: [&Rule; 2]) -> Option<SoftRow> {
    let both = [a.softness?, b.softness?];
    let law = own.unwrap_or_else(|| match a.priority.cmp(&b.priority) {
        Ordering::Greater => both[0].law,
        Ordering::Less => both[1].law,
        Ordering::Equal => both[0].mixed(&both[1]),
    });
    Some(SoftRow { law, mobility: both[0].mobility + both[1].mobility })
}

fn plan_shape(model: &Model, filter: &Filter, index: usize) -> PlanShape {
    let shape: &Shape = &model.shapes()[index];
    let body = shape.link.body();
    let (form, size) = form_and_size(&shape.geometry);
    let solid = Solid::of(&shape.geometry, filter.is_static(body));
    let form = solid.form().unwrap_or(form);
    let size = solid.bounds().map_or(size, |b| (b.high - b.low) * 0.5);
    let bound = solid.bound().unwrap_or_else(|| bound_of(form, size));
    let (margin, gap) = (shape.margin, shape.gap);
    PlanShape { id: ShapeId::new(index), body, form, size, bound, solid, margin, gap }
}

/// Family and size of the forms that are given by three numbers.
fn form_and_size(geometry: &Geometry) -> (Form, Vec3) {
    match geometry {
        Geometry::Plane => (Form::Plane, Vec3::zero()),
        Geometry::Sphere { radius } => (Form::Sphere, Vec3::new(*radius, 0.0, 0.0)),
        Geometry::Capsule { radius, half_length } => (Form::Capsule, Vec3::new(*radius, *half_length, 0.0)),
        Geometry::Box { half } => (Form::Box, *half),
        Geometry::Cylinder { radius, half_length } => {
            (Form::Round, Vec3::new(*radius, *half_length, *radius))
        }
        Geometry::Cone { radius, half_length } => (Form::Round, Vec3::new(*radius, *half_length, 0.0)),
        Geometry::Ellipsoid { radii } => (Form::Ellipsoid, *radii),
        Geometry::ConvexMesh(_) => (Form::Hull, Vec3::zero()),
        Geometry::TriangleMesh(_) => (Form::TriangleMesh, Vec3::zero()),
        Geometry::HeightField(_) => (Form::HeightField, Vec3::zero()),
    }
}
