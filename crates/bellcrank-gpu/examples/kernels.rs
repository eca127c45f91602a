//! Writes kernels as text, and what they cost: `cargo run -p bellcrank-gpu --example kernels -- FOLDER`.
//!
//! For each kernel FOLDER gets a `.cu` and a `.wgsl`. Printed is what is counted from the recording (operations, flops, bytes), and how
//! many worlds a second three cards could do at best.

use bellcrank_gpu::blocks::{Program, TableKernel};
use bellcrank_gpu::step::{StepKernel, StepProgram};
use bellcrank_gpu::{CARDS, Cost, Folding, Language, StraightKernel, tree_kernel};
use bellcrank_model::{Model, library};
use bellcrank_solve::{BlockPattern, ComFree};
use bellcrank_step::settings::{Settings, Solver};
use bellcrank_tree::{TreeModel, Which};
use std::error::Error;
use std::path::{Path, PathBuf};

const MODELS: [&str; 3] = ["quadruped", "humanoid", "hybrid_biped"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder)?;
    }
    let write = |name: &str, text: &dyn Fn(Language) -> String| -> Result<(), Box<dyn Error>> {
        if let Some(folder) = &folder {
            std::fs::write(folder.join(format!("{name}.cu")), text(Language::Cuda))?;
            std::fs::write(folder.join(format!("{name}.wgsl")), text(Language::Wgsl))?;
        }
        Ok(())
    };
    head();
    for name in MODELS {
        let tree = TreeModel::<f32>::new(&model(name)?);
        for which in operators(&tree)? {
            let kernel = tree_kernel(&tree, &which, Folding::KeepBits)?;
            write(&format!("{}_{name}", kernel.name), &|language| kernel.text(language))?;
            row(name, &kernel.name, &kernel.cost());
            trial(folder.as_deref(), name, &kernel)?;
        }
    }
    let kernel = TableKernel::new()?;
    for threads in [64, 256] {
        write(&format!("blocks_{threads}"), &|language| kernel.text(language, threads))?;
    }
    for name in MODELS {
        let program = Program::new(&pattern(&model(name)?));
        let first = kernel.cost(&program.factor_and_solve);
        row(name, "blocks: factor, solve", &first);
        let all = (0..5).fold(first, |sum, _| sum.then(kernel.cost(&program.solve)));
        row(name, "blocks: factor, 6 solves", &all);
    }
    let mut kernel = StepKernel::new()?;
    let settings = Settings { solver: Solver::ComFree(ComFree::default()), ..Settings::single() };
    for name in MODELS {
        let program = kernel.program(&model(name)?, &settings, 0.004)?;
        row(name, "step, standing", &standing(&kernel, &program));
    }
    write("step_64", &|language| kernel.text(language, 64))?;
    Ok(())
}

/// What a step costs per world that has stood for a while: lines that are passed, each as often as it is.
fn standing(kernel: &StepKernel, program: &StepProgram) -> Cost {
    let mut memory = program.start().to_vec();
    (0..100).for_each(|_| kernel.interpret(program, &mut memory, 1));
    let mut passed = vec![0; program.lines().len()];
    kernel.interpret_counting(program, &mut memory, 1, &mut passed);
    kernel.cost_of(program, &passed)
}

fn model(name: &str) -> Result<Model, Box<dyn Error>> {
    Ok(library::by_name(name).ok_or("no such model")?.build()?)
}

fn operators(tree: &TreeModel<f32>) -> Result<Vec<Which>, Box<dyn Error>> {
    let frames: Result<Vec<_>, _> = tree.frame_names().iter().map(|name| tree.frame(name)).collect();
    Ok(vec![Which::Fk(frames?), Which::Rnea, Which::Aba, Which::Crba, Which::RneaDerivatives])
}

/// The pattern of a model's joints.
fn pattern(model: &Model) -> BlockPattern {
    let edge = |joint: &bellcrank_model::Joint| {
        joint.predecessor.body().map(|b| b.index()).zip(joint.successor.body().map(|b| b.index()))
    };
    BlockPattern::new(model.bodies().len(), model.joints().iter().filter_map(edge))
}

/// Inputs and results of some worlds, as numbers of 32 bits one after the other, for whoever runs the kernel elsewhere.
fn trial(folder: Option<&Path>, model: &str, kernel: &StraightKernel) -> Result<(), Box<dyn Error>> {
    let Some(folder) = folder else { return Ok(()) };
    let worlds = 256;
    let number = |k: usize, w: usize| ((k * 7919 + w * 104_729) % 4001) as f32 / 2000.0 - 1.0;
    let columns = |width: usize| (0..width).flat_map(move |k| (0..worlds).map(move |w| number(k, w)));
    let inputs: Vec<Vec<f32>> = kernel.inputs.iter().map(|array| columns(array.width).collect()).collect();
    let mut results: Vec<Vec<f32>> =
        kernel.outputs.iter().map(|array| vec![0.0; array.width * worlds]).collect();
    let mut outputs: Vec<&mut [f32]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let read: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
    kernel.interpret(worlds, &read, &mut outputs)?;
    let bytes =
        |arrays: &[Vec<f32>]| -> Vec<u8> { arrays.concat().iter().flat_map(|x| x.to_le_bytes()).collect() };
    let name = format!("{}_{model}", kernel.name);
    std::fs::write(folder.join(format!("{name}.in")), bytes(&inputs))?;
    std::fs::write(folder.join(format!("{name}.out")), bytes(&results))?;
    let widths: Vec<String> =
        kernel.inputs.iter().chain(&kernel.outputs).map(|a| a.width.to_string()).collect();
    let head = format!("{} {} {}\n", kernel.name, kernel.inputs.len(), widths.join(" "));
    std::fs::write(folder.join(format!("{name}.arrays")), head)?;
    Ok(())
}

fn head() {
    let cards: Vec<String> = CARDS.iter().map(|card| card.name.to_owned()).collect();
    println!("| model | kernel | operations | flops | bytes | alive | {} |", cards.join(" | "));
    println!("|---|---|---|---|---|---|{}", "---|".repeat(CARDS.len()));
}

/// Bounds in millions of worlds a second, with what bounds them.
fn row(model: &str, kernel: &str, cost: &Cost) {
    let bounds: Vec<String> = CARDS
        .iter()
        .map(|card| {
            let bound = card.bound(cost);
            let what = if bound.by_flops < bound.by_bytes { "arithmetic" } else { "memory" };
            format!("{:.1} M/s ({what})", bound.worlds_per_second() / 1e6)
        })
        .collect();
    let Cost { operations, flops, live, .. } = cost;
    println!(
        "| {model} | {kernel} | {operations} | {flops} | {} | {live} | {} |",
        cost.bytes(),
        bounds.join(" | ")
    );
}
