//! A group of worlds whose steps are made by a table does what a group of the processor does.

use bellcrank_gpu::step::{DeviceGroup, Interpreted};
use bellcrank_model::{Model, Parameters, library};
use bellcrank_solve::ComFree;
use bellcrank_step::field::Field;
use bellcrank_step::group::{Group, LaneGroup};
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::{Settings, Solver};
use bellcrank_step::status::WorldStatus;
use std::sync::Arc;

const DT: f64 = 0.004;
const WORLDS: usize = 3;

fn settings() -> Settings {
    Settings { solver: Solver::ComFree(ComFree::default()), ..Settings::single() }
}

fn both(name: &str) -> (LaneGroup<f32>, DeviceGroup) {
    let model: Arc<Model> = Arc::new(library::by_name(name).expect("a model").build().expect("valid"));
    let layout = Layout::for_solver(&model, &settings().solver, None);
    let host = LaneGroup::<f32>::new((model.clone(), layout), &Parameters::of(&model), WORLDS, None);
    let device = DeviceGroup::new(&model, WORLDS, (DT, &settings()), &Interpreted::make).expect("a table");
    (host, device)
}

/// What a batch sees of all worlds.
fn seen(group: &dyn Group) -> Vec<Vec<f64>> {
    let fields = [
        Field::BodyPosition,
        Field::BodyQuatWxyz,
        Field::BodyVelocity,
        Field::JointPosition,
        Field::JointVelocity,
    ];
    (0..WORLDS).flat_map(|w| fields.map(|field| group.row(w, field))).collect()
}

fn step(groups: &mut [&mut dyn Group; 2], count: usize) {
    groups.iter_mut().for_each(|group| group.step(count, DT, &settings(), 1));
}

/// Worlds of their own heights, targets and resets: the same arrays, reports, reactions and saved states, bit for bit.
#[test]
fn worlds_on_tables_are_worlds_of_the_processor() {
    let (mut host, mut device) = both("quadruped");
    let mut groups: [&mut dyn Group; 2] = [&mut host, &mut device];
    for group in &mut groups {
        for w in 0..WORLDS {
            let mut poses = group.row(w, Field::BodyPosition);
            poses.iter_mut().skip(2).step_by(3).for_each(|z| *z += 0.02 * w as f64);
            group.set_row(w, Field::BodyPosition, 0, &poses);
            group.set(w, Field::TargetPosition, w, 0.3);
        }
    }
    for calls in 0..4 {
        step(&mut groups, 20);
        if calls == 1 {
            groups.iter_mut().for_each(|group| group.reset(1));
        }
        let [host, device] = &groups;
        assert_eq!(seen(*host), seen(*device), "call {calls}");
        for w in 0..WORLDS {
            assert_eq!(host.save(w), device.save(w));
            let (wanted, given) = (host.readout(w), device.readout(w));
            assert_eq!(wanted.joint_impulse, given.joint_impulse);
            assert_eq!(wanted.V_before, given.V_before);
            let (wanted, given) = (host.figures(w), device.figures(w));
            assert_eq!(wanted.gap_metres, given.gap_metres);
            assert_eq!(wanted.contacts, given.contacts);
            assert_eq!(wanted.penetration, given.penetration);
            assert_eq!(wanted.iterations, given.iterations);
        }
    }
}

/// A world that is told what is no number freezes alone, with the body and the step named, and runs again after a reset.
#[test]
fn a_frozen_world_freezes_alone() {
    let (mut host, mut device) = both("quadruped");
    let mut groups: [&mut dyn Group; 2] = [&mut host, &mut device];
    step(&mut groups, 3);
    groups.iter_mut().for_each(|group| group.set(1, Field::Effort, 0, f64::NAN));
    step(&mut groups, 3);
    let status = |group: &dyn Group, w: usize| group.figures(w).status;
    assert!(
        matches!(status(groups[1], 1), WorldStatus::Frozen { step: 3, .. }),
        "{:?}",
        status(groups[1], 1)
    );
    for w in 0..WORLDS {
        assert_eq!(status(groups[0], w), status(groups[1], w));
    }
    assert_eq!(seen(groups[0]), seen(groups[1]));
    for group in &mut groups {
        group.reset(1);
    }
    step(&mut groups, 5);
    assert_eq!(seen(groups[0]), seen(groups[1]));
    assert_eq!(status(groups[1], 1), WorldStatus::Ok);
}
