//! A stage for one body, or for one joint: the mechanism is made so small that there is nothing else.

use super::stages::{Stage, run};
use super::world::{World, lone_block};
use bellcrank_math::{Mask, Real};
use bellcrank_step::layout::{DofLayout, DriveLayout, Layout};
use bellcrank_step::settings::Settings;
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
    macro_rules! narrow {
        ($($list:expr => $at:expr),*) => { ($(only(&mut $list, $at)),*) };
    }
    let of_body = narrow!(constants.bodies => b, state.X_WB => b, state.V_WB => b, state.p_rest => b,
        control.wrench => b, ws.X_next => b, ws.p_rest => b);
    let of_position = narrow!(ws.impulse => k, ws.spin => k, ws.u_start => k, ws.du => k, ws.u => k,
        ws.du_first => k, ws.fresh => k, ws.x => k);
    let gap = world.gap;
    run(stage, &small, settings, world);
    (world.gap, world.state.alive) = (gap, R::Mask::splat(true));
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
    state.joint_impulse = forces;
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
    let motors = motors_of(layout, j);
    let small = Layout {
        joints: vec![layout.joints[j].clone()],
        blocks_without_joint: vec![],
        actuators: motors
            .iter()
            .map(|(_, dof)| DriveLayout::Joint(DofLayout { joint: 0, dof: *dof }))
            .collect(),
        not_afloat: vec![],
        ..layout.clone()
    };
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
    (world.ws.X_next, world.ws.p_rest) = (next, rest);
    if stage == Stage::Follow {
        world.ws.fresh = fresh;
    }
}

/// Poses at the end are there already, from the bodies.
fn run_on_joint<R: Real>(stage: Stage, layout: &Layout, settings: &Settings, world: &mut World<R>) {
    if stage != Stage::EndGap {
        return run(stage, layout, settings, world);
    }
    let still = Layout { position: layout.position.clone(), ..layout.clone() };
    let times = settings.integrator.times(world.dt, world.dt * world.state.interval);
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
