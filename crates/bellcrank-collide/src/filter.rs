//! Which shapes may touch at all. Decided once per model.
//!
//! Two shapes are a candidate pair when all of these hold:
//! 1. both collide, and `a.group & b.mask` or `b.group & a.mask`;
//! 2. they are not on the same body, nor on bodies welded together by fixed joints (the world counts as a body);
//! 3. no joint connects what the one is welded to with what the other is welded to. A joint to the *world* hides
//!    nothing: a cart on a rail may still hit the floor. (MuJoCo and Newton have the same exception.)
//! 4. the two bodies are not excluded.
//!
//! An explicit pair overrides 1 to 4, except that a body never touches itself.

use bellcrank_model::{
    BodyId, ContactFilter, JointKind, Model, PairSurface, Shape, ShapeId, ShapeSoftness, Softness,
};
use std::collections::{HashMap, HashSet};

/// The rules above, ready to be asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    shapes: Vec<Rule>,
    /// Weld class of every body, then of the world.
    class: Vec<usize>,
    /// Ordered pairs of classes between which there is a joint.
    joined: HashSet<(usize, usize)>,
    /// Ordered pairs of body numbers.
    excluded: HashSet<(usize, usize)>,
    /// Ordered pairs of shape numbers.
    wanted: HashMap<(usize, usize), PairSurface>,
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// What a shape says of its contacts.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    body: Option<BodyId>,
    collides: bool,
    group: u32,
    mask: u32,
    pub margin: f64,
    pub gap: f64,
    pub priority: i32,
    /// How it gives way, in a model that is soft. Shapes that say nothing feel the mass of their own body.
    pub softness: Option<ShapeSoftness>,
}

impl Rule {
    fn of(model: &Model, shape: &Shape) -> Self {
        let Shape { collides, group, mask, margin, gap, priority, .. } = *shape;
        let body = shape.link.body();
        let own = || {
            let mobility = body.map_or(0.0, |body| 1.0 / model.bodies()[body.index()].mass);
            shape.softness.unwrap_or(ShapeSoftness { law: Softness::default(), mix: 1.0, mobility })
        };
        let softness = model.compliance().map(|_| own());
        Rule { body, collides, group, mask, margin, gap, priority, softness }
    }
}

impl Filter {
    pub fn of(model: &Model) -> Self {
        let class = weld_classes(model);
        let bodies = |joint: &bellcrank_model::Joint| joint.predecessor.body().zip(joint.successor.body());
        let joined = model.joints().iter().filter_map(bodies);
        let joined = joined.map(|(p, s)| ordered(class[p.index()], class[s.index()])).collect();
        let (mut excluded, mut wanted) = (HashSet::new(), HashMap::new());
        for filter in model.filters() {
            match filter {
                ContactFilter::Exclude { a, b, .. } => {
                    excluded.insert(ordered(a.id().index(), b.id().index()));
                }
                ContactFilter::Pair { a, b, surface, .. } => {
                    wanted.insert(ordered(a.id().index(), b.id().index()), *surface);
                }
            }
        }
        let shapes = model.shapes().iter().map(|shape| Rule::of(model, shape)).collect();
        Filter { shapes, class, joined, excluded, wanted }
    }

    /// What a shape says.
    pub fn rule(&self, shape: ShapeId) -> &Rule {
        &self.shapes[shape.index()]
    }

    /// Whether a shape may touch any other.
    pub fn touches(&self, shape: ShapeId) -> bool {
        self.rule(shape).collides || self.wanted.keys().any(|(a, b)| [*a, *b].contains(&shape.index()))
    }

    /// Whether the two shapes may touch.
    pub fn allows(&self, a: ShapeId, b: ShapeId) -> bool {
        let (one, other) = (self.rule(a), self.rule(b));
        let (body_a, body_b) = (one.body, other.body);
        if body_a == body_b {
            return false;
        }
        if !self.wanted.is_empty() && self.wanted.contains_key(&ordered(a.index(), b.index())) {
            return true;
        }
        one.collides && other.collides && groups_meet(one, other) && self.bodies_meet(body_a, body_b)
    }

    /// What holds between two shapes, whatever they say themselves.
    pub fn surface(&self, a: ShapeId, b: ShapeId) -> PairSurface {
        self.wanted.get(&ordered(a.index(), b.index())).copied().unwrap_or_default()
    }

    /// The largest margin and gap that are said of a pair \[m\].
    pub fn widest(&self) -> f64 {
        let of = |s: &PairSurface| s.margin.unwrap_or(0.0).max(0.0) + s.gap.unwrap_or(0.0).max(0.0);
        self.wanted.values().map(of).fold(0.0, f64::max)
    }

    /// Whether a body is fixed to the world.
    pub fn is_static(&self, body: Option<BodyId>) -> bool {
        self.class_of(body) == self.class_of(None)
    }

    fn class_of(&self, body: Option<BodyId>) -> usize {
        self.class[body.map_or(self.class.len() - 1, BodyId::index)]
    }

    fn bodies_meet(&self, a: Option<BodyId>, b: Option<BodyId>) -> bool {
        let (class_a, class_b) = (self.class_of(a), self.class_of(b));
        if class_a == class_b {
            return false;
        }
        let Some((a, b)) = a.zip(b) else { return true }; // joints hide nothing from the world's own shapes
        // most scenes of many bodies have neither
        (self.joined.is_empty() || !self.joined.contains(&ordered(class_a, class_b)))
            && (self.excluded.is_empty() || !self.excluded.contains(&ordered(a.index(), b.index())))
    }
}

fn groups_meet(a: &Rule, b: &Rule) -> bool {
    a.group & b.mask != 0 || b.group & a.mask != 0
}

/// The smallest node number that each node is welded to; bodies in order, then the world.
fn weld_classes(model: &Model) -> Vec<usize> {
    let world = model.bodies().len();
    let node = |body: Option<BodyId>| body.map_or(world, BodyId::index);
    let mut class: Vec<usize> = (0..=world).collect();
    let welds = || model.joints().iter().filter(|joint| joint.kind == JointKind::Fixed);
    // each pass moves the smallest number one weld further; chains of welds are short
    loop {
        let mut changed = false;
        for joint in welds() {
            let (p, s) = (node(joint.predecessor.body()), node(joint.successor.body()));
            let least = class[p].min(class[s]);
            changed |= class[p] != least || class[s] != least;
            (class[p], class[s]) = (least, least);
        }
        if !changed {
            return class;
        }
    }
}
