//! Kernels through WebGPU agree with the processor to rounding. `tests/lavapipe.sh` runs this on Mesa's Vulkan for the processor itself,
//! where no graphics processor is.

mod states;

use bellcrank_gpu::blocks::{Program, TableKernel};
use bellcrank_gpu::step::DeviceGroup;
use bellcrank_gpu::webgpu::{WebGpu, WebGpuSteps};
use bellcrank_gpu::{DeviceError, Folding, tree_kernel};
use bellcrank_model::{Parameters, library};
use bellcrank_solve::{BlockPattern, ComFree};
use bellcrank_step::field::Field;
use bellcrank_step::group::{Group, LaneGroup};
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::{Settings, Solver};
use states::{Numbers, operators, tree};
use std::sync::Arc;

/// Of the largest number of a state: sums of some hundred numbers of 24 bits, taken apart where the driver likes.
const TOLERANCE: f32 = 1e-5;
const STATES: usize = 256;

/// The largest difference of a world, as a share of its largest number.
fn worst(wanted: &[f32], given: &[f32], worlds: usize) -> f32 {
    let width = wanted.len() / worlds;
    let of_world = |w: usize| {
        let column = |array: &[f32]| (0..width).map(|k| array[k * worlds + w]).collect::<Vec<f32>>();
        let (wanted, given) = (column(wanted), column(given));
        let scale = wanted.iter().fold(0.0_f32, |most, x| most.max(x.abs())).max(1e-6);
        wanted.iter().zip(&given).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs())) / scale
    };
    (0..worlds).map(of_world).fold(0.0, f32::max)
}

/// Poses, inverse dynamics, mass matrices and derivatives of a quadruped, a humanoid and a model with every kind of joint; angles between
/// −2 and 2 rad, quaternions of length one.
#[test]
fn tree_operators_agree_to_rounding() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = WebGpu::new()?;
    println!("{}", gpu.name());
    for name in ["quadruped", "humanoid", "all_joints"] {
        let tree = tree(name);
        for which in operators(&tree) {
            let kernel = tree_kernel(&tree, &which, Folding::KeepBits)?;
            // the driver's compiler takes minutes for long ones; gimbals that lock leave no digit of an inverse
            let locks =
                name == "all_joints" && ["mass_inverse", "aba_derivatives"].contains(&kernel.name.as_str());
            if kernel.cost().operations > 6_000 || locks {
                continue;
            }
            let mut numbers = Numbers::new(3);
            let mut inputs: Vec<Vec<f32>> =
                kernel.inputs.iter().map(|array| numbers.some(array.width * STATES)).collect();
            unit_quaternions(&tree, &mut inputs[0]);
            let compiled = gpu.compile(&kernel)?;
            let read: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
            let room =
                || -> Vec<Vec<f32>> { kernel.outputs.iter().map(|a| vec![0.0; a.width * STATES]).collect() };
            let (mut wanted, mut given) = (room(), room());
            let mut arrays: Vec<&mut [f32]> = wanted.iter_mut().map(Vec::as_mut_slice).collect();
            kernel.interpret(STATES, &read, &mut arrays)?;
            let mut arrays: Vec<&mut [f32]> = given.iter_mut().map(Vec::as_mut_slice).collect();
            gpu.run(&compiled, STATES, &read, &mut arrays)?;
            let all = worst(&wanted.concat(), &given.concat(), STATES);
            println!("{name}, {}: {all:.1e}", kernel.name);
            assert!(all < TOLERANCE, "{name}, {}: {all:e}", kernel.name);
        }
    }
    Ok(())
}

/// Random numbers are no rotations.
fn unit_quaternions(tree: &bellcrank_tree::TreeModel<f32>, q: &mut [f32]) {
    for slot in tree.slots() {
        let start = match slot.q.len() {
            4 => slot.q.start,
            7 => slot.q.start + 3,
            _ => continue,
        };
        for w in 0..STATES {
            let at = |k: usize| (start + k) * STATES + w;
            let length = (0..4).map(|k| q[at(k)] * q[at(k)]).sum::<f32>().sqrt();
            (0..4).for_each(|k| q[at(k)] /= length);
        }
    }
}

/// The table of a ring of twelve bodies with a chain, one call.
#[test]
fn block_tables_agree_to_rounding() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = WebGpu::new()?;
    let edges = (0..12).map(|i| (i, (i + 1) % 12)).chain((12..20).map(|i| (i - 1, i)));
    let program = Program::new(&BlockPattern::new(20, edges));
    let kernel = TableKernel::new()?;
    let mut numbers = Numbers::new(5);
    let size = program.memory();
    let mut wanted = numbers.some(size * STATES);
    for (k, i) in (0..20).flat_map(|k| (0..6).map(move |i| (k, i))) {
        let at = program.diagonal(k) + i * (i + 1) / 2 + i;
        wanted[at * STATES..][..STATES].iter_mut().for_each(|x| *x += 40.0);
    }
    let mut given = wanted.clone();
    kernel.interpret(&program.factor_and_solve, &mut wanted, STATES);
    let compiled = gpu.compile_tables(&kernel)?;
    gpu.run_table(&compiled, &program.factor_and_solve, &mut given, (STATES, size))?;
    let solution = program.rhs(0) * STATES;
    let all = worst(&wanted[solution..], &given[solution..], STATES);
    println!("blocks: {all:.1e}");
    assert!(all < TOLERANCE, "{all:e}");
    let short = gpu.run_table(&compiled, &program.solve, &mut given, (STATES, size - 1));
    assert!(matches!(short, Err(DeviceError::Arrays(_))));
    Ok(())
}

/// A cube comes to rest on a plane.
#[test]
fn steps_of_a_cube_agree_to_rounding() -> Result<(), Box<dyn std::error::Error>> {
    steps_agree("box")
}

/// A quadruped on its feet.
#[test]
#[ignore = "the driver's compiler takes many minutes for the kernel of a whole robot"]
fn steps_of_a_quadruped_agree_to_rounding() -> Result<(), Box<dyn std::error::Error>> {
    steps_agree("quadruped")
}

/// After one step poses agree to rounding; after 250 bodies are where the processor's are, joints closed as well.
fn steps_agree(name: &str) -> Result<(), Box<dyn std::error::Error>> {
    let comfree = Solver::ComFree(ComFree::default());
    let settings = Settings { solver: comfree, ..Settings::single() };
    let model = Arc::new(library::by_name(name).ok_or("no such model")?.build()?);
    let (worlds, dt) = (3, 0.004);
    let mut device = DeviceGroup::new(&model, worlds, (dt, &settings), &WebGpuSteps::make)?;
    let layout = Layout::for_solver(&model, &settings.solver, None);
    let mut host = LaneGroup::<f32>::new((model.clone(), layout), &Parameters::of(&model), worlds, None);
    let apart = |a: &dyn Group, b: &dyn Group| {
        let seen = |group: &dyn Group, w| group.row(w, Field::BodyPosition);
        let both = (0..worlds).flat_map(|w| seen(a, w).into_iter().zip(seen(b, w)).collect::<Vec<_>>());
        both.fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()))
    };
    let groups: [&mut dyn Group; 2] = [&mut host, &mut device];
    for group in groups {
        let motors = group.row(0, Field::TargetPosition).len();
        (0..worlds.min(motors)).for_each(|w| group.set(w, Field::TargetPosition, w, 0.2));
        group.step(1, dt, &settings, 1);
    }
    let first = apart(&host, &device);
    host.step(249, dt, &settings, 1);
    device.step(249, dt, &settings, 1);
    let gaps = [&host as &dyn Group, &device].map(|group| group.figures(0).gap_metres);
    println!(
        "apart by {first:.1e} m after one step, {:.1e} m after 250; gaps {gaps:?}",
        apart(&host, &device)
    );
    assert!(device.trouble().is_none() && first < 1e-6, "{:?} {first:e}", device.trouble());
    assert!(apart(&host, &device) < 1e-3 && gaps[1] <= 2.0 * gaps[0]);
    Ok(())
}

/// Arrays that do not fit are told by name.
#[test]
fn wrong_arrays_are_refused() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = WebGpu::new()?;
    let model = library::by_name("pendulum").ok_or("no pendulum")?.build()?;
    let kernel = tree_kernel(
        &bellcrank_tree::TreeModel::new(&model),
        &bellcrank_tree::Which::Gravity,
        Folding::KeepBits,
    )?;
    let compiled = gpu.compile(&kernel)?;
    let (q, mut tau) = ([0.0; 3], [0.0; 2]);
    let error = gpu.run(&compiled, 3, &[&q], &mut [&mut tau]).expect_err("a short array").to_string();
    assert_eq!(error, "gravity: tau has 2 numbers, but 3 worlds of 1 need 3");
    Ok(())
}
