//! `<equality>`: loops become joints, relations between coordinates become couplings.
//!
//! A `connect` holds two points together: a ball joint. Two of them between the same two bodies leave only the
//! turning about the line through the points: a hinge. Three that are not in line hold everything.

use super::tendons::Tendons;
use crate::mjcf::SECOND;
use crate::mjcf::assemble::assembly::Assembly;
use crate::mjcf::bodies::placement;
use crate::mjcf::bodies::softness;
use crate::mjcf::bodies::spec::Section;
use crate::mjcf::vocabulary::known::CLOSED;
use crate::mjcf::vocabulary::references::Lookup;
use crate::xml::Element;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{BodyId, Coupling, HeldSoftness, Joint, JointKind, Link, Place, Softness};
use std::collections::{BTreeMap, HashMap};

/// Points nearer than this are the same point [m].
const SAME_POINT: f64 = 1e-6;
/// Frames nearer than this coincide at the reference pose [m].
const COINCIDE: f64 = 1e-9;

/// More connects than this between two bodies are not looked at together.
const TOGETHER: usize = 64;

/// q = factor · q_other + offset, in the file's coordinates: what joint equalities say, by the first joint's name.
pub(in crate::mjcf) type Followers = HashMap<String, (String, f64, f64)>;

/// Two points that are held together, each in its own body's frame.
struct Connect {
    name: String,
    bodies: [usize; 2],
    points: [Vec3; 2],
    softness: Softness,
    place: Place,
}

/// Adds everything of the section.
pub(in crate::mjcf) fn add(assembly: &mut Assembly<'_>, tendons: &Tendons) -> Followers {
    let mut followers = Followers::new();
    let mut connects = Vec::new();
    let spec = assembly.spec;
    for (i, section) in spec.sections.iter().filter(|s| s.kind == "equality").enumerate() {
        let element = &section.element;
        if element.boolean("active") == Some(false) {
            element.ignore("active=\"false\": a constraint that is switched off is left out");
            continue;
        }
        let said = element.attribute("name").map(|name| section.scope.name(name));
        let name = said.unwrap_or_else(|| format!("{}_{i}", element.tag));
        match element.tag.as_str() {
            "connect" => connects.extend(connect(assembly, section, name)),
            "weld" => weld(assembly, section, name),
            "joint" => joint(assembly, section, name, &mut followers),
            "tendon" => tendons.equality(assembly, section, name),
            _ => element.ignore("soft bodies are not simulated"),
        }
    }
    close_loops(assembly, connects);
    followers
}

/// The two bodies or sites that an element names: body and pose on it.
fn ends(assembly: &Assembly<'_>, section: &Section) -> Option<([usize; 2], Option<[Pose; 2]>)> {
    let element = &section.element;
    if element.has("site1") || element.has("site2") {
        let (a, X) = assembly.site(section, "site1")?;
        let (b, Y) = assembly.site(section, "site2")?;
        return Some(([a, b], Some([X, Y])));
    }
    let a = assembly.body(section, "body1")?;
    let b = if element.has("body2") { assembly.body(section, "body2")? } else { 0 };
    Some(([a, b], None))
}

fn connect(assembly: &Assembly<'_>, section: &Section, name: String) -> Option<Connect> {
    let element = &section.element;
    let (bodies, frames) = ends(assembly, section)?;
    let points = match frames {
        Some([X, Y]) => [X.p, Y.p],
        None => {
            element.required("anchor")?;
            let p = placement::position(element, "anchor");
            let [a, b] = bodies.map(|body| assembly.spec.bodies[body].X_WL);
            // the second body holds the point where it is at the reference pose
            [p, b.inverse() * (a * p)]
        }
    };
    if assembly.carriers[bodies[0]].0 == assembly.carriers[bodies[1]].0 {
        assembly.context.notes.ignore(element, "both bodies are parts of one rigid body");
        return None;
    }
    let softness = softness::law(element, ["solref", "solimp"]);
    Some(Connect { name, bodies, points, softness, place: element.place() })
}

/// Connects between the same two bodies belong together.
fn close_loops(assembly: &mut Assembly<'_>, connects: Vec<Connect>) {
    let mut groups: Vec<Vec<Connect>> = Vec::new();
    let mut known: BTreeMap<[Option<BodyId>; 2], usize> = BTreeMap::new();
    for mut connect in connects {
        let mut ends = connect.bodies.map(|b| assembly.carriers[b].0.body());
        ends.sort();
        let g = *known.entry(ends).or_insert(groups.len());
        if g == groups.len() {
            groups.push(Vec::new());
        } else if assembly.carriers[connect.bodies[0]].0 != assembly.carriers[groups[g][0].bodies[0]].0 {
            connect.bodies.reverse();
            connect.points.reverse();
        }
        groups[g].push(connect);
    }
    for group in groups {
        if group.len() <= TOGETHER && agree(assembly, &group) {
            close(assembly, &group.iter().collect::<Vec<_>>());
        } else {
            group.iter().for_each(|connect| close(assembly, &[connect]));
        }
    }
}

/// The points lie alike on both bodies, so that one joint can hold them all.
fn agree(assembly: &Assembly<'_>, group: &[Connect]) -> bool {
    let points: Vec<[Vec3; 2]> = group.iter().map(|connect| on_carriers(assembly, connect)).collect();
    let distance = |i: usize, j: usize, side: usize| (points[i][side] - points[j][side]).norm();
    (0..points.len()).all(|i| (0..i).all(|j| (distance(i, j, 0) - distance(i, j, 1)).abs() < SAME_POINT))
}

/// The two points in the link frames of the bodies of the model.
fn on_carriers(assembly: &Assembly<'_>, connect: &Connect) -> [Vec3; 2] {
    [0, 1].map(|side| assembly.carriers[connect.bodies[side]].1 * connect.points[side])
}

fn close(assembly: &mut Assembly<'_>, group: &[&Connect]) {
    let first = group[0];
    let points: Vec<[Vec3; 2]> = group.iter().map(|connect| on_carriers(assembly, connect)).collect();
    let kind = kind_of(&points);
    let name = match group {
        [_, second] if second.name.strip_suffix(SECOND) == Some(&*first.name) => first.name.clone(),
        _ => group.iter().map(|connect| connect.name.as_str()).collect::<Vec<_>>().join("+"),
    };
    let name = assembly.joint_names.free(name);
    let [a, b] = first.bodies;
    let links = [a, b].map(|body| assembly.carriers[body].0.clone());
    let frames = [0, 1].map(|side| frame(points.iter().map(|p| p[side])));
    // at the reference pose the two frames coincide, or the author's points are apart and the model will say so
    let X_WC = |side: usize| {
        let body = first.bodies[side];
        assembly.spec.bodies[body].X_WL * assembly.carriers[body].1.inverse()
    };
    let X_WF = X_WC(0) * frames[0];
    let apart = points.iter().map(|p| (X_WC(0) * p[0] - X_WC(1) * p[1]).norm()).fold(0.0, f64::max);
    let second = if apart < COINCIDE { X_WC(1).inverse() * X_WF } else { frames[1] };
    let mut joint = Joint::new(name, kind, WORLD_END, WORLD_END);
    if group.len() == 1 {
        joint.held = held(assembly, first.softness, first.bodies);
    } else if assembly.context.notes.soft {
        assembly.context.notes.once_at(first.place.clone(), CLOSED);
    }
    add_loop(assembly, joint, links, [frames[0], second], &first.place);
}

/// How a loop gives way, where that is asked for.
fn held(assembly: &Assembly<'_>, law: Softness, bodies: [usize; 2]) -> Option<HeldSoftness> {
    let ends = bodies.map(|b| (b, assembly.is_static[b]));
    assembly.mobilities.of_held(assembly.spec, law, ends)
}

/// Stands in until both ends are known.
const WORLD_END: Link = Link::World;

/// The successor of a joint is a body; the world can only be the predecessor.
fn add_loop(assembly: &mut Assembly<'_>, joint: Joint, links: [Link; 2], frames: [Pose; 2], place: &Place) {
    let ([mut a, mut b], [mut X, mut Y]) = (links, frames);
    if b == Link::World {
        (a, b, X, Y) = (b, a, Y, X);
    }
    let mut joint = joint.frames(X, Y).closing_loop().place(place.clone());
    (joint.predecessor, joint.successor) = (a, b);
    assembly.builder.joint(joint);
}

fn kind_of(points: &[[Vec3; 2]]) -> JointKind {
    let origin = points[0][0];
    let Some(axis) = points.iter().map(|p| p[0] - origin).find(|d| d.norm() > SAME_POINT) else {
        return JointKind::Spherical;
    };
    let axis = axis * (1.0 / axis.norm());
    let in_line = points.iter().all(|p| (p[0] - origin).cross(axis).norm() < SAME_POINT);
    if in_line { JointKind::Revolute } else { JointKind::Fixed }
}

/// At the first point, x towards the next, y towards one that is not in line.
fn frame(points: impl Iterator<Item = Vec3>) -> Pose {
    let points: Vec<Vec3> = points.collect();
    let origin = points[0];
    let Some(x) = points.iter().map(|p| *p - origin).find(|d| d.norm() > SAME_POINT) else {
        return Pose::from_position(origin);
    };
    let x = x * (1.0 / x.norm());
    let side = points.iter().map(|p| *p - origin).map(|d| d - x * x.dot(d)).find(|d| d.norm() > SAME_POINT);
    let turn = match side {
        Some(y) => {
            let y = y * (1.0 / y.norm());
            bellcrank_math::Quat::from_mat3(bellcrank_math::Mat3::from_columns(x, y, x.cross(y)))
        }
        None => bellcrank_math::Quat::x_axis_to(x),
    };
    Pose::new(turn, origin)
}

fn weld(assembly: &mut Assembly<'_>, section: &Section, name: String) {
    let element = &section.element;
    let Some((bodies, frames)) = ends(assembly, section) else { return };
    let [a, b] = bodies;
    let links = bodies.map(|body| assembly.carriers[body].0.clone());
    if links[0] == links[1] {
        return assembly.context.notes.ignore(element, "both bodies are parts of one rigid body");
    }
    let frames = frames.unwrap_or_else(|| [relative_pose(assembly, element, a, b), Pose::identity()]);
    let on_carrier = [0, 1].map(|side| assembly.carriers[bodies[side]].1 * frames[side]);
    let name = assembly.joint_names.free(name);
    let mut joint = Joint::fixed(name, WORLD_END, WORLD_END);
    joint.held = held(assembly, softness::law(element, ["solref", "solimp"]), bodies);
    add_loop(assembly, joint, links, on_carrier, &element.place());
}

/// The second body in the first; a quaternion of zeros means "as at the reference pose".
fn relative_pose(assembly: &Assembly<'_>, element: &Element, a: usize, b: usize) -> Pose {
    let bodies = &assembly.spec.bodies;
    let reference = bodies[a].X_WL.inverse_mul(bodies[b].X_WL);
    match element.vector::<7>("relpose") {
        Some([x, y, z, q @ ..]) if q != [0.0; 4] => {
            Pose::new(placement::unit(q, element), Vec3::new(x, y, z))
        }
        _ => reference,
    }
}

/// q₁ − r₁ = c₀ + c₁ (q₂ − r₂) + …; higher terms have no counterpart.
fn joint(assembly: &mut Assembly<'_>, section: &Section, name: String, followers: &mut Followers) {
    let element = &section.element;
    let Some((first, one)) = assembly.scalar_joint(section, "joint1") else { return };
    let c = element.numbers_between("polycoef", 0, 5).unwrap_or_default();
    let c = |i: usize, default: f64| c.get(i).copied().unwrap_or(default);
    let mut coupling = Coupling::new(name).place(element.place()).term_of(one.joint, one.dof, one.sign);
    let mut constant = one.reference + c(0, 0.0);
    if element.has("joint2") {
        let Some((second, two)) = assembly.scalar_joint(section, "joint2") else { return };
        if (2..5).any(|i| c(i, 0.0) != 0.0) {
            assembly
                .context
                .notes
                .ignore(element, "only the linear part of polycoef is held; higher powers are left out");
        }
        let slope = c(1, 1.0);
        constant -= slope * two.reference;
        if slope != 0.0 {
            coupling = coupling.term_of(two.joint, two.dof, -slope * two.sign);
        }
        followers.insert(first, (second, slope, constant));
    }
    assembly.builder.coupling(coupling.constant(constant));
}
