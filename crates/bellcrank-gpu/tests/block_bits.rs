//! Tables of block operations give the bits of the factor's own walk.

use crate::host::HostProgram;
use crate::states::Numbers;
use bellcrank_gpu::Language;
use bellcrank_gpu::blocks::{Program, TableKernel};
use bellcrank_model::{Model, library};
use bellcrank_solve::{BlockFactor, BlockPattern};

/// The pattern of a model's joints.
fn pattern(model: &Model) -> BlockPattern {
    let joints = model.joints().iter();
    let edge = |joint: &bellcrank_model::Joint| {
        joint.predecessor.body().map(|b| b.index()).zip(joint.successor.body().map(|b| b.index()))
    };
    BlockPattern::new(model.bodies().len(), joints.filter_map(edge))
}

/// Matrices of many worlds as a device has them, and what the factor makes of them: solutions for two right-hand sides.
struct Trial {
    memory: Vec<f32>,
    second: Vec<f32>,
    solutions: [Vec<f32>; 2],
}

impl Trial {
    fn new(pattern: &BlockPattern, program: &Program, worlds: usize) -> Self {
        let (nodes, size) = (pattern.nodes(), program.memory());
        let unknowns = 6 * nodes;
        let mut trial = Trial {
            memory: vec![0.0; size * worlds],
            second: vec![0.0; unknowns * worlds],
            solutions: [vec![0.0; unknowns * worlds], vec![0.0; unknowns * worlds]],
        };
        let mut numbers = Numbers::new(11);
        for w in 0..worlds {
            let mut factor = BlockFactor::<f32>::new(pattern);
            let mut own = vec![0.0; size];
            // in one world of eight bodies stand alone, each with two equal rows: rounding eats up a pivot
            let singular = w % 8 == 0;
            for k in 0..nodes {
                for i in 0..6 {
                    for j in 0..=i {
                        let x = numbers.next() + if i == j { 30.0 } else { 0.0 };
                        let x =
                            if !singular { x } else { [0.0, 7.0][usize::from(i == j || (i, j) == (4, 3))] };
                        factor.diagonal_mut(k)[i][j] = x;
                        own[program.diagonal(k) + i * (i + 1) / 2 + j] = x;
                    }
                }
            }
            for q in 0..pattern.off_diagonal_count() {
                for e in 0..36 {
                    // in blocks of fill it does not count
                    let x = if singular { 0.0 } else { numbers.next() };
                    factor.off_diagonal_mut(q)[e / 6][e % 6] = x;
                    own[program.off_diagonal(q) + e] = x;
                }
            }
            let mut x: Vec<[f32; 6]> = (0..nodes).map(|_| std::array::from_fn(|_| numbers.next())).collect();
            own[program.rhs(0)..].copy_from_slice(&x.concat());
            factor.factor_and_solve(pattern, &mut x);
            let mut y: Vec<[f32; 6]> = (0..nodes).map(|_| std::array::from_fn(|_| numbers.next())).collect();
            let second = y.concat();
            factor.solve(pattern, &mut y);
            for k in 0..unknowns {
                trial.second[k * worlds + w] = second[k];
                trial.solutions[0][k * worlds + w] = x[k / 6][k % 6];
                trial.solutions[1][k * worlds + w] = y[k / 6][k % 6];
            }
            (0..size).for_each(|k| trial.memory[k * worlds + w] = own[k]);
        }
        assert!(trial.solutions.concat().iter().all(|x| x.is_finite()));
        trial
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// All shipped models, 256 worlds (32 of the two largest): the factor with its first solve, and a second one.
#[test]
fn the_table_of_every_model_has_the_bits_of_the_factor() {
    let kernel = TableKernel::new().expect("the factor's operations");
    let mut lines = 0;
    for name in library::names() {
        let pattern = pattern(&library::by_name(name).expect("a model").build().expect("a valid model"));
        let program = Program::new(&pattern);
        let worlds = if pattern.nodes() > 100 { 32 } else { 256 };
        let mut trial = Trial::new(&pattern, &program, worlds);
        let rhs = program.rhs(0) * worlds;
        kernel.interpret(&program.factor_and_solve, &mut trial.memory, worlds);
        assert_eq!(bits(&trial.memory[rhs..]), bits(&trial.solutions[0]), "{name}, factor and solve");
        trial.memory[rhs..].copy_from_slice(&trial.second);
        kernel.interpret(&program.solve, &mut trial.memory, worlds);
        assert_eq!(bits(&trial.memory[rhs..]), bits(&trial.solutions[1]), "{name}, solve");
        lines += program.factor_and_solve.len();
    }
    assert!(lines > 2_000, "only {lines} lines");
}

/// One program, compiled once, runs the tables of a linkage, a humanoid and a biped with loops.
#[test]
fn one_kernel_of_cuda_text_serves_all_models() {
    let kernel = TableKernel::new().expect("the factor's operations");
    let worlds = 16;
    let (mut tables, mut inputs, mut wanted, mut calls) = (String::new(), vec![], vec![], String::new());
    let mut at = 0;
    for (m, name) in ["four_bar", "humanoid", "hybrid_biped"].into_iter().enumerate() {
        let pattern = pattern(&library::by_name(name).expect("a model").build().expect("a valid model"));
        let program = Program::new(&pattern);
        let trial = Trial::new(&pattern, &program, worlds);
        let lines = TableKernel::table(&program.factor_and_solve);
        let text: Vec<String> = lines.iter().map(|[a, b, c, d]| format!("{{{a},{b},{c},{d}}}")).collect();
        tables += &format!("static const uint4 table{m}[] = {{{}}};\n", text.join(","));
        calls += &format!("blocks(in + {at}, table{m}, {worlds}, {});\n", lines.len());
        at += trial.memory.len();
        inputs.extend(trial.memory);
        wanted.push((at - trial.solutions[0].len(), trial.solutions[0].clone()));
    }
    let call = format!(
        "blockDim.x = 1;\nfor (unsigned w = 0; w < {worlds}; w++) {{\nblockIdx.x = w;\n{calls}}}\nmemcpy(out, in, sizeof in);"
    );
    let text = kernel.text(Language::Cuda, 64) + &tables;
    let given = HostProgram::compile("blocks", &text, [at, at], &call).run(&inputs);
    for (start, solution) in wanted {
        assert_eq!(bits(&given[start..start + solution.len()]), bits(&solution));
    }
}
