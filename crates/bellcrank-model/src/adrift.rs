//! A mechanism in empty space, where Newton's laws say what it must do: p and L stay, and so does the energy if nothing
//! inside takes any.

use crate::body::Body;
use crate::builder::ModelBuilder;
use crate::ids::{BodyId, Link, Ref};
use crate::joint::{Dof, Joint, JointKind};
use crate::model::Model;
use crate::path::Waypoint;
use crate::shape::Shape;
use crate::site::Site;
use bellcrank_math::{Pose, Vec3};

/// The body that takes the place of the world where a mechanism is fastened to it.
pub const FRAME: &str = "adrift_frame";
/// Radius of the frame, a ball [m]: as far as robots reach, so that neither it nor they turn alone.
const RADIUS: f64 = 0.3;

/// The same bodies, joints, couplings and tendons without anything from outside: no gravity, nothing that touches, no motors. Shapes are
/// there where tendons may lie on them. What was
/// fastened to the world is fastened to a ball instead, the body [`FRAME`] behind all others, as heavy as all of them together, which floats
/// as they do: loops that the world closes stay closed. `inside` says what becomes of every degree of freedom.
///
/// ```
/// use bellcrank_model::{Dof, adrift, library};
///
/// let four_bar = library::four_bar().build()?;
/// let passive = adrift(&four_bar, |dof| Dof { armature: dof.armature, turns: dof.turns, ..Dof::default() }).build()?;
/// assert_eq!((passive.bodies().len(), passive.mobility(), passive.loops().len()), (4, 7, 1));
/// # Ok::<(), bellcrank_model::Faults>(())
/// ```
pub fn adrift(model: &Model, inside: impl Fn(&Dof) -> Dof) -> ModelBuilder {
    let X_WL: Vec<Pose> = model.bodies().iter().map(|body| body.X_WL).collect();
    adrift_at(model, &X_WL, inside)
}

/// The same with other reference poses of the link frames, one per body: where a simulation of it should start.
///
/// # Panics
/// When there are fewer poses than bodies.
pub fn adrift_at(model: &Model, X_WL: &[Pose], inside: impl Fn(&Dof) -> Dof) -> ModelBuilder {
    let mut builder = ModelBuilder::new(model.name());
    builder.gravity(Vec3::zero()).time_step(model.time_step());
    let mut center = Vec3::zero();
    for (body, X_WL) in model.bodies().iter().zip(X_WL) {
        // what something outside carries would be a force from outside
        builder.body(Body { gravity_compensation: 0.0, X_WL: *X_WL, ..body.clone() });
        center += (*X_WL * body.com) * (body.mass / model.mass());
    }
    let frame = BodyId::new(model.bodies().len());
    if model.joints().iter().any(is_fastened) {
        builder.body(Body::new(FRAME).com(center).solid_sphere(model.mass(), RADIUS));
    }
    for joint in model.joints() {
        let mut joint = joint.clone().frames(joint.X_PF, joint.X_SM);
        if is_fastened(&joint) {
            joint.predecessor = Link::from(frame);
        }
        // a free joint's dampers and rotors would push against the world
        let outside = joint.predecessor == Link::World;
        for dof in &mut joint.dofs {
            *dof = if outside { Dof { turns: dof.turns, ..Dof::default() } } else { inside(dof) };
        }
        builder.joint(joint);
    }
    for coupling in model.couplings() {
        builder.coupling(coupling.clone());
    }
    let fastened = model.joints().iter().any(is_fastened).then_some(frame);
    if model.tendons().iter().any(|tendon| !tendon.path.is_empty()) {
        add_waypoints(model, fastened, &mut builder);
    }
    for tendon in model.tendons() {
        if fastened.is_none() && is_held_by_the_world(model, &tendon.path) {
            continue; // what it pulls at is not there
        }
        let mut tendon = tendon.clone();
        tendon.dof = inside(&tendon.dof);
        builder.tendon(tendon);
    }
    builder
}

/// All sites and shapes, in their order, since tendons know them by number; those of the world are on the frame.
fn add_waypoints(model: &Model, frame: Option<BodyId>, builder: &mut ModelBuilder) {
    let onto = |link: &Link| match (link, frame) {
        (Link::World, Some(frame)) => Link::from(frame),
        _ => link.clone(),
    };
    for site in model.sites() {
        builder.site(Site { link: onto(&site.link), ..site.clone() });
    }
    for shape in model.shapes() {
        builder.shape(Shape { link: onto(&shape.link), ..shape.clone().visual_only() });
    }
}

/// Whether a tendon passes something that is fixed to the world.
fn is_held_by_the_world(model: &Model, path: &[Waypoint]) -> bool {
    path.iter().any(|waypoint| match waypoint {
        Waypoint::Site(Ref::Id(site)) => model.sites()[site.index()].link == Link::World,
        Waypoint::Around { shape: Ref::Id(shape), .. } => model.shapes()[shape.index()].link == Link::World,
        _ => false,
    })
}

/// Whether the world can push through this joint.
fn is_fastened(joint: &Joint) -> bool {
    joint.predecessor == Link::World && joint.kind != JointKind::Free
}
