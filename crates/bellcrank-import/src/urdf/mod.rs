//! URDF, the format of ROS, with loops.
//!
//! URDF describes a tree. Two things are read beyond it:
//!
//! **A link that is the child of two joints** closes a loop. The first joint in the file carries the link; the
//! others are closed where their frames meet at the zero configuration.
//!
//! **`<loop_joint>`** says both ends, each in its own link. Where `<child_origin>` is missing, the joint is taken
//! to be closed at the zero configuration. `<constraint>`, as proposed for urdfdom, is the same element.
//! ```xml
//! <loop_joint name="rod_end" type="spherical">
//!   <parent link="shank"/> <parent_origin xyz="0 0.02 -0.3" rpy="0 0 0"/>
//!   <child link="rod"/>    <child_origin  xyz="0 0 -0.28"   rpy="0 0 0"/>
//!   <axis xyz="0 1 0"/>    <!-- in both origins' axes; <limit> and <dynamics> as for <joint> -->
//! </loop_joint>
//! ```
//! Besides URDF's own joint types, `spherical`, `universal`, `cylindrical`, `gimbal`, `cartesian` and `screw`
//! (with `<screw pitch="..."/>` [m/rad]) are read; their frames are `origin` turned so that x is the axis.
//!
//! | file | what |
//! |---|---|
//! | `link` `geometry` | `<link>`: inertia, collisions, visuals |
//! | `joint` | `<joint>`, `<loop_joint>` |
//! | `control` `srdf` | `<transmission>`, `<ros2_control>`; a planner's file beside the robot's |
//! | `tree` | which joint carries which link; poses at the zero configuration |
//! | `groups` | links without mass, fixed joints: what moves as one body |
//! | `assemble` | everything into a [`ModelBuilder`] |

mod assemble;
mod control;
mod geometry;
mod groups;
mod joint;
mod link;
mod srdf;
mod tree;

use crate::error::ImportFaultKind;
use crate::size;
use crate::xml::{Document, Element};
use crate::{Files, ImportError, Log, Options};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::ModelBuilder;
use joint::Joints;
use link::Links;
use std::rc::Rc;

/// A bound as large as this is none. URDF has no word for that: many readers refuse `inf`.
pub(crate) const NO_BOUND: f64 = 1e308;

/// Reads `<robot>` into parts. Faults go into the log; an error means that going on makes no sense.
pub(crate) fn read(
    document: &mut Document,
    files: &Files,
    options: &Options,
    log: &Rc<Log>,
) -> Result<ModelBuilder, ImportError> {
    let robot = &document.root;
    refuse_xacro(robot)?;
    let name = robot.attribute("name").filter(|n| !n.is_empty()).unwrap_or("robot");
    for attribute in ["version", "xmlns"] {
        robot.attribute(attribute); // says nothing about the robot
    }
    let materials = geometry::Materials::read(robot);
    let links = Links::read(robot, &materials, &geometry::Meshes::new(files, options));
    let joints = Joints::read(robot, &links);
    ignore_the_rest(robot);
    let tree = tree::Tree::find(robot, &links, &joints)?;
    let groups = groups::Groups::find(&links, &joints, &tree, options);
    let loops =
        joints.all.iter().enumerate().filter(|(j, joint)| tree.carrier[joint.child] != Some(*j)).count();
    let dofs = joints.all.iter().map(|joint| joint.kind.dof_count()).sum();
    if let Some(kind) = size::too_large(groups.all.len(), dofs, loops, &options.limits) {
        return Err(ImportError::one(robot.place(), kind));
    }
    let mut builder = ModelBuilder::new(name);
    builder.place(robot.place());
    let assembly =
        assemble::Assembly { links: &links, joints: &joints, tree: &tree, groups: &groups, options, log };
    let bodies = assembly.add_to(&mut builder);
    let names = srdf::Names { links: &links, joints: &joints, groups: &groups, bodies: &bodies };
    srdf::add(robot, &names, &mut builder);
    if let Some(planning) = srdf::open(files, options, log)? {
        srdf::add(&planning.root, &names, &mut builder);
        planning.report_unread();
    }
    Ok(builder)
}

fn find_xacro(element: &Element) -> Option<&Element> {
    let own = |e: &&Element| e.tag.starts_with("xacro:");
    element.children.iter().find(own).or_else(|| element.children.iter().find_map(find_xacro))
}

fn refuse_xacro(robot: &Element) -> Result<(), ImportError> {
    match find_xacro(robot) {
        Some(element) => {
            let hint = "expand it first (xacro robot.urdf.xacro > robot.urdf), or load it from Python with xacro or xacrodoc installed";
            Err(ImportError::one(
                element.place(),
                ImportFaultKind::other("this is a xacro program, not a robot", hint),
            ))
        }
        None => Ok(()),
    }
}

/// What URDF files say that has no counterpart in a mechanism.
fn ignore_the_rest(robot: &Element) {
    for element in &robot.children {
        let why = match element.tag.as_str() {
            "gazebo" => "settings of another simulator",
            "sensor" => "sensors of URDF have no counterpart; add them to the model",
            "mujoco" => "settings of another simulator",
            "drake:collision_filter_group" | "drake:joint" => "settings of another simulator",
            _ => continue,
        };
        element.ignore(why);
    }
}

/// `xyz` and `rpy` of an origin; the identity where there is none.
fn origin(element: Option<&Element>) -> Pose {
    let Some(element) = element else { return Pose::identity() };
    let p = element.vector("xyz").map_or(Vec3::zero(), Vec3::from_array);
    let R = match (element.has("rpy"), element.has("quat_xyzw")) {
        (false, true) => element.vector("quat_xyzw").map_or(Quat::identity(), |q| unit(element, q)),
        _ => element.vector("rpy").map_or(Quat::identity(), from_rpy),
    };
    Pose::new(R, p)
}

/// Fixed axes: about x, then y, then z.
pub(crate) fn from_rpy([roll, pitch, yaw]: [f64; 3]) -> Quat {
    let turn = |axis: Vec3, angle: f64| {
        let (s, c) = (0.5 * angle).sin_cos();
        Quat::from_parts(c, axis * s)
    };
    turn(Vec3::z_axis(), yaw) * turn(Vec3::y_axis(), pitch) * turn(Vec3::x_axis(), roll)
}

fn unit(element: &Element, [x, y, z, w]: [f64; 4]) -> Quat {
    let q = Quat::from_wxyz([w, x, y, z]);
    if q.norm_squared() == 0.0 {
        element.fault_said("quat_xyzw has length zero", "no rotation is 0 0 0 1");
        return Quat::identity();
    }
    q.normalized()
}
