//! The plan: which shapes may touch and where their contacts go. Made once per model.
//!
//! Every candidate pair owns a fixed range of slots. A slot means the same feature of the same shapes in every
//! step and every lane (end 1 of the capsule, diagonal 2 of the box), so that reactions of the last step are
//! the warm start of the next without matching, and lanes stay aligned.

use crate::data::bound_of;
use crate::filter::Filter;
use crate::solid::Solid;
use bellcrank_math::Vec3;
use bellcrank_model::{
    BodyId, Geometry, Material, MaterialRules, Model, Shape, ShapeId, ShapeSoftness, SoftRow, Softness,
};
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
}

impl PlanShape {
    /// All shapes of a model, by number.
    pub(crate) fn all(model: &Model) -> Vec<PlanShape> {
        let filter = Filter::of(model);
        (0..model.shapes().len()).map(|i| plan_shape(model, &filter, i)).collect()
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
        let mut plan = ContactPlan {
            shapes: Vec::new(),
            pairs: Vec::new(),
            slots: Vec::new(),
            groups: Vec::new(),
            rules,
            unsupported: Vec::new(),
        };
        for i in 0..all.len() {
            for j in i + 1..all.len() {
                if filter.allows(all[i].id, all[j].id) {
                    plan.add_pair(model, &filter, &all, (i, j));
                }
            }
        }
        plan.keep_used_shapes(&all);
        plan.lay_out();
        plan
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

    fn add_pair(&mut self, model: &Model, filter: &Filter, all: &[PlanShape], (i, j): (usize, usize)) {
        let (first, second) = if all[i].form <= all[j].form { (i, j) } else { (j, i) };
        // A is the shape at rest; with two that move, the one that the routine names first
        let flipped = filter.is_static(all[second].body) && !filter.is_static(all[first].body);
        let (a, b) = if flipped { (second, first) } else { (first, second) };
        let (shape_a, shape_b) = (all[a].id, all[b].id);
        let Some(kind) = PairKind::of(all[first].form, all[second].form) else {
            let why = "there is no contact routine for these two forms";
            return self.unsupported.push(Unsupported { a: shape_a, b: shape_b, why });
        };
        if all[b].body.is_none() {
            let why = "both belong to the world";
            return self.unsupported.push(Unsupported { a: shape_a, b: shape_b, why });
        }
        let (one_id, other_id) = (all[i].id, all[j].id);
        let (one, other) = (&model.shapes()[i], &model.shapes()[j]);
        let surface = filter.surface(one_id, other_id);
        let margin = surface.margin.unwrap_or(one.margin + other.margin);
        let gap = surface.gap.unwrap_or(one.gap + other.gap);
        let priority = |shape: ShapeId| model.shapes()[shape.index()].priority;
        let preference = priority(shape_a).cmp(&priority(shape_b));
        let slots = 0..0; // laid out when all pairs are known
        self.pairs.push(Pair {
            shape_a,
            shape_b,
            kind,
            first,
            second,
            flipped,
            slots,
            margin,
            gap,
            preference,
            own: surface.material,
            soft: model.compliance().map(|_| soft_row(model, surface.softness, [shape_a, shape_b])),
        });
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

/// How the contact of two shapes gives way: by its own law, that of the shape with the higher priority, or both together.
fn soft_row(model: &Model, own: Option<Softness>, pair: [ShapeId; 2]) -> SoftRow {
    let [a, b] = pair.map(|shape| &model.shapes()[shape.index()]);
    // shapes that say nothing feel the mass of their own body
    let said = |shape: &Shape| {
        let mobility = shape.link.body().map_or(0.0, |body| 1.0 / model.bodies()[body.index()].mass);
        shape.softness.unwrap_or(ShapeSoftness { law: Softness::default(), mix: 1.0, mobility })
    };
    let both = [said(a), said(b)];
    let law = own.unwrap_or_else(|| match a.priority.cmp(&b.priority) {
        Ordering::Greater => both[0].law,
        Ordering::Less => both[1].law,
        Ordering::Equal => both[0].mixed(&both[1]),
    });
    SoftRow { law, mobility: both[0].mobility + both[1].mobility }
}

fn plan_shape(model: &Model, filter: &Filter, index: usize) -> PlanShape {
    let shape: &Shape = &model.shapes()[index];
    let body = shape.link.body();
    let (form, size) = form_and_size(&shape.geometry);
    let solid = Solid::of(&shape.geometry, filter.is_static(body));
    let form = solid.form().unwrap_or(form);
    let size = solid.bounds().map_or(size, |b| (b.high - b.low) * 0.5);
    let bound = solid.bound().unwrap_or_else(|| bound_of(form, size));
    PlanShape { id: ShapeId::new(index), body, form, size, bound, solid }
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
