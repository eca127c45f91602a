//! Kernels of the tree's operators give the bits of the processor's lanes.

use crate::host::HostProgram;
use crate::states::{Numbers, by_world, operators, tree};
use bellcrank_gpu::{Folding, Language, StraightKernel, TreeKernelError, tree_kernel};
use bellcrank_model::library;
use bellcrank_tree::{TreeError, TreeModel, Which};

const STATES: usize = 256;
/// Models with more velocities have matrices of which a state takes megabytes.
const MOST_DOFS_OF_MATRICES: usize = 64;

/// What lanes of 32 bits compute, through the operator's own method; arrays by world, as users have them.
fn by_lanes(
    tree: &TreeModel<f32>,
    which: &Which,
    x: &[Vec<f32>],
    y: &mut [Vec<f32>],
) -> Result<(), TreeError> {
    let batch = tree.batch();
    match (which, y) {
        (Which::Fk(frames), [y]) => batch.fk(&x[0], frames, y),
        (Which::Jacobian(frame, reference), [y]) => batch.jacobian(&x[0], *frame, *reference, y),
        (Which::FrameMotion(frame, reference), [y]) => {
            batch.frame_motion(&x[0], &x[1], &x[2], (*frame, *reference), y)
        }
        (Which::Rnea, [y]) => batch.rnea(&x[0], &x[1], &x[2], y),
        (Which::Bias, [y]) => batch.bias(&x[0], &x[1], y),
        (Which::Gravity, [y]) => batch.gravity(&x[0], y),
        (Which::Crba, [y]) => batch.crba(&x[0], y),
        (Which::MassInverse, [y]) => batch.mass_inverse(&x[0], y),
        (Which::Aba, [y]) => batch.aba(&x[0], &x[1], &x[2], y),
        (Which::RneaDerivatives, [y, z]) => batch.rnea_derivatives(&x[0], &x[1], &x[2], y, z),
        (Which::AbaDerivatives, [a, b, c]) => batch.aba_derivatives(&x[0], &x[1], &x[2], [a, b, c]),
        (Which::RneaVjp, [q, v, a]) => {
            let out = bellcrank_tree::RneaGradients { q, v, a, parameters: &mut [] };
            batch.rnea_vjp(&x[0], &x[1], &x[2], &x[3], out)
        }
        (Which::AbaVjp, [a, q, v, tau]) => {
            let out = bellcrank_tree::AbaGradients { a, q, v, tau, parameters: &mut [] };
            batch.aba_vjp(&x[0], &x[1], &x[2], &x[3], out)
        }
        (Which::Centroidal, [com, matrix]) => batch.centroidal(&x[0], com, matrix),
        (Which::Energies, [y]) => batch.energies(&x[0], &x[1], y),
        (which, _) => panic!("{which:?} has other arrays"),
    }
}

/// Inputs by number, and what lanes make of them, by world.
pub fn expected(
    tree: &TreeModel<f32>,
    which: &Which,
    kernel: &StraightKernel,
) -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let mut numbers = Numbers::new(7);
    let inputs: Vec<Vec<f32>> =
        kernel.inputs.iter().map(|array| numbers.some(array.width * STATES)).collect();
    let rows: Vec<Vec<f32>> = inputs.iter().map(|columns| by_world(columns, STATES)).collect();
    let mut results: Vec<Vec<f32>> =
        kernel.outputs.iter().map(|array| vec![0.0; array.width * STATES]).collect();
    by_lanes(tree, which, &rows, &mut results).expect("arrays that fit");
    (inputs, results)
}

/// All numbers are the same to the last bit; two that are no numbers are the same.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn interpreted(kernel: &StraightKernel, inputs: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let mut results: Vec<Vec<f32>> =
        kernel.outputs.iter().map(|array| vec![0.0; array.width * STATES]).collect();
    let mut outputs: Vec<&mut [f32]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let inputs: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
    kernel.interpret(STATES, &inputs, &mut outputs).expect("arrays that fit");
    results.iter().map(|columns| by_world(columns, STATES)).collect()
}

/// Every shipped model, every operator (but matrices of the largest), 256 states whose numbers lie between −2 and 2.
#[test]
fn every_operator_of_every_model_has_the_bits_of_lanes() {
    let (mut kernels, mut compared) = (0, 0);
    for name in library::names() {
        let tree = tree(name);
        for which in operators(&tree) {
            let is_matrix = matches!(
                which,
                Which::Crba | Which::MassInverse | Which::RneaDerivatives | Which::AbaDerivatives
            );
            if is_matrix && tree.dof_count() > MOST_DOFS_OF_MATRICES {
                continue;
            }
            let kernel = match tree_kernel(&tree, &which, Folding::KeepBits) {
                Err(TreeKernelError::TooLong { operations, .. }) => {
                    println!("{name}, {which:?}: {operations} operations");
                    continue;
                }
                kernel => kernel.expect("a kernel"),
            };
            let (inputs, wanted) = expected(&tree, &which, &kernel);
            let given = interpreted(&kernel, &inputs);
            for (array, (wanted, given)) in kernel.outputs.iter().zip(wanted.iter().zip(&given)) {
                let wrong = wanted.iter().zip(given).position(|(a, b)| !same(*a, *b));
                assert_eq!(wrong, None, "{name}, {}, {}", kernel.name, array.name);
                compared += wanted.len();
            }
            kernels += 1;
        }
    }
    println!("{kernels} kernels, {compared} numbers");
    assert!(kernels > 400, "only {kernels} kernels");
}

/// Left-out sums and products with zero change no number, but for the sign of zero.
#[test]
fn folding_for_finite_numbers_changes_no_number() {
    for name in ["hybrid_biped", "humanoid", "all_joints"] {
        let tree = tree(name);
        for which in [Which::Rnea, Which::Aba, Which::Crba] {
            let exact = tree_kernel(&tree, &which, Folding::KeepBits).expect("a kernel");
            let folded = tree_kernel(&tree, &which, Folding::Finite).expect("a kernel");
            assert!(folded.cost().flops < exact.cost().flops);
            let (inputs, wanted) = expected(&tree, &which, &exact);
            for (wanted, given) in wanted.iter().zip(interpreted(&folded, &inputs)) {
                assert!(wanted.iter().zip(&given).all(|(a, b)| a == b), "{name}, {}", exact.name);
            }
        }
    }
}

/// The very text that NVIDIA's compiler would get, compiled for the processor: the interpreter and the printer agree. Fewer models,
/// since a C compiler takes seconds for what is interpreted in a millisecond.
#[test]
fn cuda_text_has_the_bits_of_lanes() {
    let mut compared = 0;
    for name in ["hybrid_biped", "all_joints"] {
        let tree = tree(name);
        let mut kernels = Vec::new();
        for which in operators(&tree) {
            let mut kernel = tree_kernel(&tree, &which, Folding::KeepBits).expect("a kernel");
            let is_small = kernel.cost().operations < 3_000;
            if is_small && !matches!(which, Which::Gravity | Which::Bias) {
                kernel.name = format!("{}_of_{name}", kernel.name);
                let (inputs, wanted) = expected(&tree, &which, &kernel);
                kernels.push((kernel, inputs, wanted));
            }
        }
        let text: String = kernels.iter().map(|(kernel, ..)| kernel.text(Language::Cuda)).collect();
        let inputs: Vec<f32> = kernels.iter().flat_map(|(_, inputs, _)| inputs.concat()).collect();
        let (mut read, mut written, mut calls) =
            (0, 0, format!("blockDim.x = 1;\nfor (unsigned w = 0; w < {STATES}; w++) {{\nblockIdx.x = w;\n"));
        for (kernel, ..) in &kernels {
            let mut arguments = String::new();
            for (array, place, at) in kernel
                .inputs
                .iter()
                .map(|array| (array, "in", true))
                .chain(kernel.outputs.iter().map(|array| (array, "out", false)))
            {
                let start = if at { &mut read } else { &mut written };
                arguments += &format!("{place} + {start}, ");
                *start += array.width * STATES;
            }
            calls += &format!("{}({arguments}{STATES});\n", kernel.name);
        }
        let program = HostProgram::compile(name, &text, [read, written], &format!("{calls}}}"));
        let given = program.run(&inputs);
        let mut rest = given.as_slice();
        for (kernel, _, wanted) in &kernels {
            for (array, wanted) in kernel.outputs.iter().zip(wanted) {
                let (own, others) = rest.split_at(wanted.len());
                let wrong = wanted.iter().zip(by_world(own, STATES)).position(|(a, b)| !same(*a, b));
                assert_eq!(wrong, None, "{}, {}", kernel.name, array.name);
                (rest, compared) = (others, compared + wanted.len());
            }
        }
        println!("{name}: {} kernels", kernels.len());
    }
    assert!(compared > 500_000, "only {compared} numbers");
}
