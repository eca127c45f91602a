//! What bodies weigh: as `<inertial>` says, or as their geoms do.

use super::effective_inertia::EffectiveInertia;
use super::principal::principal_axes;
use super::solids::nothing;
use crate::mjcf::bodies::geoms::scaled;
use crate::mjcf::bodies::joints::JointType;
use crate::mjcf::bodies::spec::{BodySpec, GeomSpec, Spec};
use crate::mjcf::preamble::compiler::Compiler;
use crate::solid::Solid;
use crate::{ImportFaultKind, Log};
use bellcrank_math::{Pose, Sym3};
use bellcrank_model::Spring;

/// Gives every body its mass, then what follows from the masses.
pub(in crate::mjcf) fn settle(spec: &mut Spec, log: &Log) {
    for body in spec.bodies.iter_mut().skip(1) {
        let source = body.source.clone();
        let compiler = &source.compiler;
        body.solid = body_solid(body, compiler, log);
        if body.stated.is_none() || compiler.inertia_from_geoms == Some(true) {
            body.X_LI = axes_of_geoms(body, compiler);
        }
    }
    if let Some(total) = spec.bodies[0].source.compiler.total_mass {
        let sum: f64 = spec.bodies.iter().map(|body| body.solid.mass).sum();
        if sum > 0.0 {
            spec.bodies.iter_mut().for_each(|body| body.solid = scaled(body.solid, total / sum));
        }
    }
    align(spec);
    springs_and_dampers(spec);
}

/// The frame of a single geom; else the principal axes of all together.
fn axes_of_geoms(body: &BodySpec, compiler: &Compiler) -> Pose {
    match counted(body, compiler).collect::<Vec<_>>()[..] {
        [only] => only.X_LI,
        _ => Pose::new(principal_axes(body.solid.inertia), body.solid.com),
    }
}

/// A free body without children may ask that its frame, and with it its coordinates, be its principal axes.
fn align(spec: &mut Spec) {
    for b in 1..spec.bodies.len() {
        let is_parent = spec.bodies.iter().any(|body| body.parent == b);
        let body = &mut spec.bodies[b];
        let wanted = match &body.joints[..] {
            [joint] if joint.kind == JointType::Free => {
                joint.align.unwrap_or(body.source.compiler.align_free)
            }
            _ => false,
        };
        if !wanted || is_parent {
            continue;
        }
        let (X_LI, X_IL) = (body.X_LI, body.X_LI.inverse());
        (body.X_PL, body.X_WL) = (body.X_PL * X_LI, body.X_WL * X_LI);
        (body.solid, body.X_LI) = (body.solid.transformed(X_IL), Pose::identity());
        for geom in &mut body.geoms {
            (geom.X_LG, geom.X_LI, geom.solid) =
                (X_IL * geom.X_LG, X_IL * geom.X_LI, geom.solid.transformed(X_IL));
        }
        body.sites.iter_mut().for_each(|site| site.X_LS = X_IL * site.X_LS);
        body.cameras.iter_mut().for_each(|camera| camera.X_LC = X_IL * camera.X_LC);
    }
}

fn counted<'b>(body: &'b BodySpec, compiler: &Compiler) -> impl Iterator<Item = &'b GeomSpec> {
    let [low, high] = compiler.inertia_groups;
    body.geoms.iter().filter(move |geom| (low..=high).contains(&geom.inertia_group))
}

fn body_solid(body: &BodySpec, compiler: &Compiler, log: &Log) -> Solid {
    let from_geoms = match compiler.inertia_from_geoms {
        Some(always) => always,
        None => body.stated.is_none(),
    };
    let stated = body.stated.unwrap_or(nothing());
    bounded(if from_geoms { geoms_solid(body, compiler, log) } else { stated }, compiler)
}

fn geoms_solid(body: &BodySpec, compiler: &Compiler, log: &Log) -> Solid {
    counted(body, compiler).fold(nothing(), |sum, geom| {
        if geom.mass_unknown {
            let what = "the mass of the body comes from a mesh that was not read";
            log.fault(
                geom.place.clone(),
                ImportFaultKind::other(what, "add the mesh file, or <inertial> to the body"),
            );
        }
        sum.joined(geom.solid)
    })
}

/// Least mass and moments, and round inertias where the file's belong to no rigid body.
fn bounded(solid: Solid, compiler: &Compiler) -> Solid {
    let repair = compiler.balance_inertia || compiler.bound_mass > 0.0 || compiler.bound_inertia > 0.0;
    if !repair {
        return solid;
    }
    let (mut moments, axes) = solid.inertia.eigen();
    if compiler.balance_inertia && moments[0] + moments[1] < moments[2] {
        moments = [(moments[0] + moments[1] + moments[2]) / 3.0; 3];
    }
    let moments = moments.map(|m| m.max(compiler.bound_inertia));
    let inertia = Sym3::diagonal(moments[0], moments[1], moments[2]).rotated(axes);
    Solid { mass: solid.mass.max(compiler.bound_mass), com: solid.com, inertia }
}

/// `springdamper`: stiffness and damping from a time constant and a damping ratio.
fn springs_and_dampers(spec: &mut Spec) {
    if !spec.bodies.iter().any(|body| body.joints.iter().any(|joint| joint.spring_damper.is_some())) {
        return;
    }
    let inertias = EffectiveInertia::of(spec);
    for (b, body) in spec.bodies.iter_mut().enumerate() {
        for (j, joint) in body.joints.iter_mut().enumerate() {
            let Some([time, ratio]) = joint.spring_damper else { continue };
            let inertia = inertias.of_joint(b, j, joint.kind);
            let stiffness = inertia / (time * time * ratio * ratio).max(1e-15);
            let rest = joint.dof.spring.map_or(0.0, |spring| spring.rest);
            joint.dof.spring = Some(Spring { stiffness, rest });
            joint.dof.damping = 2.0 * inertia / time.max(1e-15);
        }
    }
}
