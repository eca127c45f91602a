//! Whether parts of a robot come too near to each other.

use bellcrank_collide::{ContactPlan, Contacts, Queries, ShapeData, collide};
use bellcrank_kernel::kernel;
use bellcrank_math::Pose;
use bellcrank_model::{BodyId, Model, Parameters};

/// Whether parts of the robot come too near to each other. What stands still in the world is left out: a floating robot is put down elsewhere.
///
/// Contact routines see overlap at once, but tell the distance of what is apart only as exactly as contacts need it. So they come first, and
/// poses that pass are measured.
pub(crate) struct Overlap {
    plan: ContactPlan,
    shapes: ShapeData<f64>,
    contacts: Contacts<f64>,
    queries: Queries,
    /// Bodies that could touch.
    pairs: Vec<[BodyId; 2]>,
    clearance: f64,
    X_WB: Vec<Pose>,
}

impl Overlap {
    pub fn new(model: &Model, clearance: f64) -> Self {
        let plan = ContactPlan::of(model);
        let shapes = ShapeData::of(&plan, &Parameters::of(model), 0);
        let contacts = Contacts::new(&plan);
        let mut pairs: Vec<[BodyId; 2]> = Vec::new();
        for slot in plan.slots() {
            let pair = slot.body_a.map(|a| [a, slot.body_b]);
            pairs.extend(pair.filter(|pair| !pairs.contains(pair)));
        }
        let queries = Queries::of(model);
        Overlap { plan, shapes, contacts, queries, pairs, clearance, X_WB: Vec::new() }
    }

    pub fn any(&mut self, model: &Model, bodies: &[Pose]) -> bool {
        self.X_WB.clear();
        self.X_WB.extend(bodies.iter().zip(model.bodies()).map(|(X_WL, body)| *X_WL * body.X_LB()));
        let X_WB = &self.X_WB;
        touch(&self.plan, &self.shapes, (X_WB, self.clearance), &mut self.contacts);
        let mut found = self.plan.slots().iter().zip(self.contacts.slots());
        let touches = found.any(|(slot, contact)| {
            slot.body_a.is_some() && contact.active && contact.distance < self.clearance
        });
        touches
            || self
                .pairs
                .iter()
                .any(|[a, b]| self.queries.closest(X_WB, Some(*a), Some(*b), self.clearance).is_some())
    }
}

/// [`collide`] inside the instruction set of its numbers.
#[kernel(f64)]
fn touch(
    plan: &ContactPlan,
    shapes: &ShapeData<f64>,
    (X_WB, reach): (&[Pose], f64),
    contacts: &mut Contacts<f64>,
) {
    collide(plan, shapes, X_WB, reach, contacts);
}
