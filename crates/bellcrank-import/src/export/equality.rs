//! Loops and couplings as MJCF's `<equality>`.

use super::Exported;
use super::mjcf_drives::{add_tendons, add_terms};
use super::mjcf_joints::{joint_name, screw_slide};
use super::softness;
use super::tree::Tree;
use super::write::{Xml, numbers, vector};
use crate::mjcf::SECOND;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{BodyId, Coupling, Joint, JointId, JointKind, Model};

/// Distance between the two points that hold a hinge [m].
const SPAN: f64 = 0.1;

/// Whether `connect` and `weld` can close a loop with this joint.
pub(super) fn is_closable(joint: &Joint) -> bool {
    matches!(joint.kind, JointKind::Spherical | JointKind::Revolute | JointKind::Fixed)
}

/// What couplings need to know of the tree.
pub(super) struct Leftovers {
    /// Screws, whose slides follow their hinges.
    screws: Vec<JointId>,
    /// Joints that close loops have no coordinates in MJCF.
    closing: Vec<JointId>,
}

/// Opens `<equality>` and writes the loops.
pub(super) fn add_loops(model: &Model, tree: &Tree, xml: &mut Xml, out: &mut Exported) -> Leftovers {
    let in_tree = tree.order.iter().filter_map(|c| c.joint);
    let screws =
        in_tree.filter(|j| matches!(model.joints()[j.index()].kind, JointKind::Screw { .. })).collect();
    xml.open("equality", &[]);
    for id in &tree.closing {
        let joint = &model.joints()[id.index()];
        match joint.kind {
            JointKind::Spherical => connect(model, joint, &joint.name, 0.0, xml),
            JointKind::Revolute => {
                // a reader puts the hinge at the first point, with its axis towards the second
                let (first, second) = match joint.name.split_once('+') {
                    Some((first, second)) => (first.to_owned(), second.to_owned()),
                    None => (joint.name.clone(), format!("{}{SECOND}", joint.name)),
                };
                connect(model, joint, &first, 0.0, xml);
                connect(model, joint, &second, SPAN, xml);
            }
            JointKind::Fixed => {
                let (ends, [X_1J, X_2J]) = ends(model, joint);
                let X_12 = X_1J * X_2J.inverse();
                let relative = numbers(&[&X_12.p.to_array()[..], &X_12.R.to_wxyz()].concat());
                let name = [("name", joint.name.clone())];
                let soft = softness::of_held(joint.held.as_ref());
                xml.leaf("weld", &[&name, &ends[..], &[("relpose", relative)], &soft[..]].concat());
            }
            JointKind::Free => {} // holds nothing
            kind => out.left_out.push(format!(
                "joint {:?}: a {} joint that closes a loop",
                joint.name,
                kind.name()
            )),
        }
        let plain = joint.dofs.iter().all(|dof| *dof == bellcrank_model::Dof::default());
        if !plain {
            out.left_out
                .push(format!("joint {:?}: limits and resistance where a loop is closed", joint.name));
        }
    }
    Leftovers { screws, closing: tree.closing.clone() }
}

/// One point that both bodies share: on the joint's axis, `along` from its middle.
fn connect(model: &Model, joint: &Joint, name: &str, along: f64, xml: &mut Xml) {
    let (ends, [X_1J, _]) = ends(model, joint);
    // the anchor is told in the first body's frame
    let anchor = X_1J * (Vec3::x_axis() * along);
    let soft = softness::of_held(joint.held.as_ref());
    let said = [&[("name", name.to_owned())], &ends[..], &[("anchor", vector(anchor))], &soft[..]];
    xml.leaf("connect", &said.concat());
}

/// Both bodies, and the joint's frame on each. The predecessor comes first, unless it is the world.
fn ends(model: &Model, joint: &Joint) -> (Vec<(&'static str, String)>, [Pose; 2]) {
    let name = |body: BodyId| model.bodies()[body.index()].name.clone();
    let successor = joint.successor.body().map(name).unwrap_or_default(); // it is never the world
    match joint.predecessor.body() {
        Some(p) => (vec![("body1", name(p)), ("body2", successor)], [joint.X_PF, joint.X_SM]),
        None => (vec![("body1", successor)], [joint.X_SM, joint.X_PF]),
    }
}

/// Writes couplings and screws, and closes `<equality>`; sums of more than two coordinates need a `<tendon>`.
pub(super) fn add_couplings(model: &Model, leftovers: Leftovers, xml: &mut Xml, out: &mut Exported) {
    for id in leftovers.screws {
        let joint = &model.joints()[id.index()];
        if let JointKind::Screw { pitch } = joint.kind {
            // both are counted from the reference pose
            let polynomial = numbers(&[0.0, pitch, 0.0, 0.0, 0.0]);
            let ends = [("joint1", screw_slide(joint)), ("joint2", joint_name(joint, 0))];
            xml.leaf("joint", &[&ends[..], &[("polycoef", polynomial)]].concat());
        }
    }
    let mut sums = Vec::new();
    for coupling in model.couplings() {
        match (terms(model, coupling, &leftovers.closing), coupling.terms.len()) {
            (None, _) => {
                out.left_out.push(format!("coupling {:?}: of a joint that closes a loop", coupling.name))
            }
            (Some(terms), 1 | 2) => pair(coupling, &terms, xml),
            (Some(terms), _) => sums.push((coupling, terms)),
        }
    }
    for (coupling, terms) in &sums {
        let start: f64 = terms.iter().map(|t| t.coefficient * t.reference).sum();
        let polynomial = numbers(&[coupling.constant - start, 0.0, 0.0, 0.0, 0.0]);
        let said = [("name", coupling.name.clone()), ("tendon1", format!("{}_sum", coupling.name))];
        xml.leaf("tendon", &[&said[..], &[("polycoef", polynomial)]].concat());
    }
    xml.close_or_drop();
    xml.open("tendon", &[]);
    for (coupling, _) in &sums {
        xml.open("fixed", &[("name", format!("{}_sum", coupling.name))]);
        add_terms(model, &coupling.terms, xml);
        xml.close();
    }
    add_tendons(model, &leftovers.closing, xml, out);
    xml.close_or_drop();
}

struct Term {
    joint: String,
    coefficient: f64,
    /// Coordinate at the reference pose.
    reference: f64,
}

fn terms(model: &Model, coupling: &Coupling, closing: &[JointId]) -> Option<Vec<Term>> {
    let term = |t: &bellcrank_model::CouplingTerm| {
        let joint = &model.joints()[t.joint.id().index()];
        let q = model.reference_coordinates(t.joint.id());
        let usable = !closing.contains(&t.joint.id());
        usable.then(|| Term {
            joint: joint_name(joint, t.dof),
            coefficient: t.coefficient,
            reference: q[t.dof],
        })
    };
    coupling.terms.iter().map(term).collect()
}

/// a q₁ + b q₂ = c as q₁ − r₁ = c₀ − (b/a)(q₂ − r₂), counted from the reference pose.
fn pair(coupling: &Coupling, terms: &[Term], xml: &mut Xml) {
    let first = &terms[0];
    let mut said = vec![("name", coupling.name.clone()), ("joint1", first.joint.clone())];
    let (slope, start) = match terms.get(1) {
        Some(second) => {
            said.push(("joint2", second.joint.clone()));
            let slope = -second.coefficient / first.coefficient;
            (slope, slope * second.reference)
        }
        None => (0.0, 0.0),
    };
    let offset = coupling.constant / first.coefficient + start - first.reference;
    said.push(("polycoef", numbers(&[offset, slope, 0.0, 0.0, 0.0])));
    xml.leaf("joint", &said);
}
