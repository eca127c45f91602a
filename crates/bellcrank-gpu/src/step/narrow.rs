//! A stage for one body, one joint or one group of rows: the mechanism is made so small that there is nothing else.

use super::stages::{Stage, run};
use super::world::{Group, Law, World, lone_block};
use bellcrank_math::Real;
use bellcrank_solve::Cone;
use bellcrank_step::layout::{DofLayout, DriveLayout, Layout, ScalarLayout};
use bellcrank_step::settings::Settings;
use bellcrank_step::workspace::{ConeGroup, ConeSource, Touching, Workspace};
use std::mem::{replace, take};

/// A list of which only one entry is left for a while.
fn only<T: Copy>(list: &mut Vec<T>, k: usize) -> Vec<T> {
    let own = list[k];
    replace(list, vec![own])
}

fn back<T: Copy>(list: &mut Vec<T>, mut all: Vec<T>, k: usize) {
    all[k] = list[0];
    *list = all;
}

/// The stage for body `b`.
pub fn for_body<R: Real>(stage: Stage, layout: &Layout, settings: &Settings, b: usize, world: &mut World<R>) {
    let k = layout.position[b];
    let small = Layout {
        joints: vec![],
        position: vec![0],
        blocks_without_joint: vec![],
        actuators: vec![],
        not_afloat: vec![0],
        ..layout.clone()
    };
    let World { state, control, constants, ws, .. } = world;
    let block = *ws.factor.diagonal_mut(k);
    let factor = replace(&mut ws.factor, lone_block(block));
    let forces = take(&mut state.joint_impulse);
    let last = (take(&mut ws.last_round.reaction), take(&mut ws.last_round.closing));
    macro_rules! narrow {
        ($($list:expr => $at:expr),*) => { ($(only(&mut $list, $at)),*) };
    }
    let of_body = narrow!(constants.bodies => b, state.X_WB => b, state.V_WB => b, state.p_rest => b,
        control.wrench => b, ws.X_next => b, ws.p_rest => b);
    let of_position = narrow!(ws.impulse => k, ws.spin => k, ws.u_start => k, ws.du => k, ws.u => k,
        ws.du_first => k, ws.fresh => k, ws.x => k, ws.last_round.du => k, ws.last_round.fresh => k);
    let gap = world.gap;
    run(stage, &small, settings, world);
    world.gap = gap;
    let World { state, control, constants, ws, .. } = world;
    back(&mut constants.bodies, of_body.0, b);
    back(&mut state.X_WB, of_body.1, b);
    back(&mut state.V_WB, of_body.2, b);
    back(&mut state.p_rest, of_body.3, b);
    back(&mut control.wrench, of_body.4, b);
    back(&mut ws.X_next, of_body.5, b);
    back(&mut ws.p_rest, of_body.6, b);
    back(&mut ws.impulse, of_position.0, k);
    back(&mut ws.spin, of_position.1, k);
    back(&mut ws.u_start, of_position.2, k);
    back(&mut ws.du, of_position.3, k);
    back(&mut ws.u, of_position.4, k);
    back(&mut ws.du_first, of_position.5, k);
    back(&mut ws.fresh, of_position.6, k);
    back(&mut ws.x, of_position.7, k);
    back(&mut ws.last_round.du, of_position.8, k);
    back(&mut ws.last_round.fresh, of_position.9, k);
    state.joint_impulse = forces;
    (ws.last_round.reaction, ws.last_round.closing) = last;
    let block = *ws.factor.diagonal_mut(0);
    ws.factor = factor;
    *ws.factor.diagonal_mut(k) = block;
}

/// The stage for joint `j`. What the stage does to all bodies besides is done when they are asked for.
pub fn for_joint<R: Real>(
    stage: Stage,
    layout: &Layout,
    settings: &Settings,
    j: usize,
    world: &mut World<R>,
) {
    if matches!(stage, Stage::Remember | Stage::Accelerate | Stage::ForgetJoint) {
        return for_reactions(stage, layout, settings, j, world);
    }
    let motors = motors_of(layout, j);
    let boxes = scalars_of(layout, j);
    let small = Layout {
        joints: vec![layout.joints[j].clone()],
        blocks_without_joint: vec![],
        actuators: motors
            .iter()
            .map(|(_, dof)| DriveLayout::Joint(DofLayout { joint: 0, dof: *dof }))
            .collect(),
        scalars: boxes.iter().map(|i| at_first_joint(&layout.scalars[*i])).collect(),
        not_afloat: vec![],
        ..layout.clone()
    };
    let own = boxes.iter().map(|i| world.state.scalar_impulse[*i]).collect();
    let impulses = replace(&mut world.state.scalar_impulse, own);
    let World { constants, ws, .. } = world;
    let bodies = take(&mut constants.bodies);
    let (impulse, fresh) = (ws.impulse.clone(), ws.fresh.clone());
    let (next, rest) = (ws.X_next.clone(), ws.p_rest.clone());
    if stage == Stage::FirstImpulses {
        ws.impulse.clone_from(&ws.x); // it would begin anew from there
    }
    let swap = |world: &mut World<R>| {
        let World { state, constants, ws, .. } = world;
        ws.joints.swap(0, j);
        ws.reaction.swap(0, j);
        ws.closing.swap(0, j);
        ws.last_round.reaction.swap(0, j);
        ws.last_round.closing.swap(0, j);
        state.joint_impulse.swap(0, j);
        constants.joints.swap(0, j);
    };
    swap(world);
    move_motors(world, &motors, false);
    run_on_joint(stage, &small, settings, world);
    move_motors(world, &motors, true);
    swap(world);
    world.constants.bodies = bodies;
    world.ws.impulse = impulse;
    world.state.scalar_impulse = impulses;
    (world.ws.X_next, world.ws.p_rest) = (next, rest);
    world.ws.fresh = fresh;
}

/// Stages that go over reactions of joints without asking what joints they are.
fn for_reactions<R: Real>(
    stage: Stage,
    layout: &Layout,
    settings: &Settings,
    j: usize,
    world: &mut World<R>,
) {
    let World { state, ws, .. } = world;
    let last = (take(&mut ws.last_round.du), take(&mut ws.last_round.fresh));
    let others = (take(&mut state.scalar_impulse), take(&mut state.contact_impulse), ws.u.clone());
    let lists = (
        only(&mut ws.reaction, j),
        only(&mut ws.closing, j),
        only(&mut ws.last_round.reaction, j),
        only(&mut ws.last_round.closing, j),
        only(&mut state.joint_impulse, j),
    );
    run(stage, layout, settings, world);
    let World { state, ws, .. } = world;
    back(&mut ws.reaction, lists.0, j);
    back(&mut ws.closing, lists.1, j);
    back(&mut ws.last_round.reaction, lists.2, j);
    back(&mut ws.last_round.closing, lists.3, j);
    back(&mut state.joint_impulse, lists.4, j);
    (ws.last_round.du, ws.last_round.fresh) = last;
    (state.scalar_impulse, state.contact_impulse, ws.u) = others;
}

/// The stage for group `g`: a limit, a box or a contact.
pub fn for_group<R: Real>(
    stage: Stage,
    layout: &Layout,
    settings: &Settings,
    g: usize,
    world: &mut World<R>,
) {
    let source = world.groups[g].source;
    let mut small = Layout { scalars: vec![], contacts: vec![], ..layout.clone() };
    let state = &mut world.state;
    let scalars = take(&mut state.scalar_impulse);
    let contacts = take(&mut state.contact_impulse);
    let forces = take(&mut state.joint_impulse);
    let moved = match source {
        ConeSource::Scalar(i) => {
            small.scalars.push(layout.scalars[i].clone());
            state.scalar_impulse.push(scalars[i]);
            ConeSource::Scalar(0)
        }
        ConeSource::Contact(c) => {
            small.contacts.push(layout.contacts[c].clone());
            state.contact_impulse.push(contacts[c]);
            let (contact, guess) = (world.contacts[c], contacts[c]);
            if stage == Stage::Collect {
                world.ws.touching.push(Touching { slot: 0, contact, guess });
            }
            ConeSource::Contact(0)
        }
    };
    let group = world.groups[g].clone();
    let others = replace(&mut world.groups, vec![group.clone()]);
    list(&group, moved, &mut world.ws);
    run(stage, &small, settings, world);
    let mut own = take(&mut world.groups).pop().unwrap_or(group);
    unlist(stage, &mut own, &mut world.ws);
    world.groups = others;
    world.groups[g] = own;
    let state = &mut world.state;
    let own = (state.scalar_impulse.pop(), state.contact_impulse.pop());
    (state.scalar_impulse, state.contact_impulse, state.joint_impulse) = (scalars, contacts, forces);
    match (source, own) {
        (ConeSource::Scalar(i), (Some(x), _)) => state.scalar_impulse[i] = x,
        (ConeSource::Contact(c), (_, Some(x))) => state.contact_impulse[c] = x,
        _ => {}
    }
}

/// Puts a group into the list of a workspace.
fn list<R: Real>(group: &Group<R>, source: ConeSource, ws: &mut Workspace<R>) {
    let (rows, [low, high]) = (group.lambda.len(), group.cone);
    let cone = match group.law {
        Law::Coulomb => Cone::Coulomb { mu: low, rows },
        Law::Box => Cone::Box { low, high },
        Law::Push => Cone::Nonnegative,
    };
    let acts = R::zero().lt(group.acts);
    let cones = &mut ws.cones;
    cones.groups = vec![ConeGroup { source, acts, cone, first_row: 0, rows, first_w: 0 }];
    cones.jacobian.clone_from(&group.jacobian);
    cones.bias.clone_from(&group.bias);
    cones.compliance.clone_from(&group.compliance);
    cones.lambda.clone_from(&group.lambda);
    cones.change.clone_from(&group.change);
    cones.velocity.clone_from(&group.velocity);
}

/// Takes it out again.
fn unlist<R: Real>(stage: Stage, group: &mut Group<R>, ws: &mut Workspace<R>) {
    ws.touching.clear();
    let cones = &mut ws.cones;
    if stage == Stage::Collect
        && let Some(found) = cones.groups.first()
    {
        group.acts = R::select(found.acts, R::one(), R::zero());
        group.cone = match found.cone {
            Cone::Coulomb { mu, .. } => [mu, R::zero()],
            Cone::Box { low, high } => [low, high],
            _ => group.cone,
        };
    }
    cones.groups.clear();
    group.jacobian = take(&mut cones.jacobian);
    group.bias = take(&mut cones.bias);
    group.compliance = take(&mut cones.compliance);
    group.lambda = take(&mut cones.lambda);
    group.change = take(&mut cones.change);
    group.velocity = take(&mut cones.velocity);
}

/// Limits and boxes of a joint.
fn scalars_of(layout: &Layout, j: usize) -> Vec<usize> {
    (0..layout.scalars.len()).filter(|i| layout.scalars[*i].at.joint == j).collect()
}

fn at_first_joint(scalar: &ScalarLayout) -> ScalarLayout {
    ScalarLayout { at: DofLayout { joint: 0, dof: scalar.at.dof }, ..scalar.clone() }
}

/// Poses at the end are there already, from the bodies.
fn run_on_joint<R: Real>(stage: Stage, layout: &Layout, settings: &Settings, world: &mut World<R>) {
    if stage != Stage::EndGap {
        return run(stage, layout, settings, world);
    }
    let still = Layout { position: layout.position.clone(), ..layout.clone() };
    let times = world.times(settings);
    let held = settings.rows(times.drift);
    let World { state, constants, ws, gap, .. } = world;
    let (metres, radians) = bellcrank_step::rows::gaps(&still, constants, state, held, ws);
    *gap = [gap[0].max(metres), gap[1].max(radians)];
}

/// The motors of a joint: which, and on which of its freedoms.
fn motors_of(layout: &Layout, j: usize) -> Vec<(usize, usize)> {
    let of = |(a, drive): (usize, &DriveLayout)| match drive {
        DriveLayout::Joint(at) if at.joint == j => Some((a, at.dof)),
        _ => None,
    };
    layout.actuators.iter().enumerate().filter_map(of).collect()
}

/// Brings the motors to the front of all lists, or back.
fn move_motors<R: Real>(world: &mut World<R>, motors: &[(usize, usize)], undo: bool) {
    let mut order: Vec<(usize, usize)> = motors.iter().enumerate().map(|(i, (a, _))| (i, *a)).collect();
    if undo {
        order.reverse();
    }
    for (i, a) in order {
        world.constants.actuators.swap(i, a);
        world.control.target_position.swap(i, a);
        world.control.target_velocity.swap(i, a);
        world.control.effort.swap(i, a);
    }
}
