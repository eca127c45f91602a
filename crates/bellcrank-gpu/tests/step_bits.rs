//! Steps by tables have the bits of the processor's.

use crate::host::HostProgram;
use bellcrank_gpu::Language;
use bellcrank_gpu::step::{NoStepProgram, StepKernel, StepProgram};
use bellcrank_model::{Model, Parameters, library};
use bellcrank_step::constants::Constants;
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::Settings;
use bellcrank_step::state::{Control, State};
use bellcrank_step::step::{scene::Scene, step};
use bellcrank_step::workspace::Workspace;

/// Joints count as closed after two rounds, so that both sides take as many.
fn settings() -> Settings {
    Settings { gap_tolerance: 1.0, ..Settings::single() }
}

/// Step [s].
const DT: f64 = 0.004;

fn model(name: &str) -> Model {
    library::by_name(name).expect("a shipped model").build().expect("a valid model")
}

/// Poses and velocities of the processor's own step, after so many steps.
fn by_processor(model: &Model, dt: f64, steps: usize) -> Vec<f32> {
    let (layout, settings) = (Layout::of(model), settings());
    let constants = Constants::<f32>::of(model, &layout, &Parameters::of(model), |_| 0);
    let mut state = State::<f32>::reference(model, &layout);
    let control = Control::rest(model, &layout, &state);
    let mut ws = Workspace::new(&layout);
    let scene = Scene::of_step(&layout, &constants, &settings, dt as f32);
    for _ in 0..steps {
        step(&scene, &mut state, &control, &mut ws, None);
    }
    let poses = state.X_WB.iter().flat_map(|X| [X.R.w, X.R.x, X.R.y, X.R.z, X.p.x, X.p.y, X.p.z]);
    poses.chain(state.V_WB.iter().flat_map(|V| V.to_array())).collect()
}

fn by_table(kernel: &StepKernel, program: &StepProgram, steps: usize) -> Vec<f32> {
    let mut memory = program.start().to_vec();
    (0..steps).for_each(|_| kernel.interpret(program, &mut memory, 1));
    read(program, &memory)
}

/// Poses, then velocities, of a world.
fn read(program: &StepProgram, memory: &[f32]) -> Vec<f32> {
    let poses = program.poses().iter().flat_map(|at| memory[*at..at + 7].to_vec());
    poses.chain(program.velocities().iter().flat_map(|at| memory[*at..at + 6].to_vec())).collect()
}

fn bits(numbers: Vec<f32>) -> Vec<u32> {
    numbers.into_iter().map(f32::to_bits).collect()
}

/// All shipped models that tables know, one kernel for them all: 250 steps.
#[test]
fn steps_by_tables_have_the_bits_of_the_processor() {
    let mut kernel = StepKernel::new().expect("the factor's operations");
    let mut known = 0;
    for name in library::names() {
        let model = model(name);
        match kernel.program(&model, &settings(), DT) {
            Err(NoStepProgram::NotYet { .. }) => {}
            Err(error) => panic!("{name}: {error}"),
            Ok(program) => {
                for steps in [1, 250] {
                    let wanted = by_processor(&model, DT, steps);
                    assert!(wanted.iter().all(|x| x.is_finite()), "{name}");
                    assert_eq!(
                        bits(by_table(&kernel, &program, steps)),
                        bits(wanted),
                        "{name}, {steps} steps"
                    );
                }
                let moved = read(&program, program.start()) != by_table(&kernel, &program, 1);
                assert!(moved, "{name} stands still, which proves nothing");
                known += 1;
            }
        }
    }
    assert!(known >= 5, "only {known} models");
}

/// What tables do not know is named, with a way out.
#[test]
fn what_tables_do_not_know_is_refused_by_name() {
    let mut kernel = StepKernel::new().expect("the factor's operations");
    let error = kernel.program(&model("box"), &settings(), DT).expect_err("a plane to lie on");
    assert_eq!(
        error.to_string(),
        "the step of box does not run by a table: it has shapes that may touch\n  \
         hint: step it on the processor (device \"cpu\")"
    );
}

/// The CUDA text of one kernel steps two mechanisms, compiled for the processor.
#[test]
fn the_text_of_a_step_has_the_bits_of_the_processor() {
    let mut kernel = StepKernel::new().expect("the factor's operations");
    let (mut inputs, mut wanted, mut calls, mut tables) = (vec![], vec![], String::new(), String::new());
    let (steps, mut programs) = (20, vec![]);
    for name in ["watt", "three_rrr"] {
        let model = model(name);
        programs.push(kernel.program(&model, &settings(), DT).expect("a table"));
        wanted.push(by_processor(&model, DT, steps));
    }
    for (m, program) in programs.iter().enumerate() {
        let numbers: Vec<String> = program.lines().concat().iter().map(u32::to_string).collect();
        tables += &format!("static const unsigned table{m}[] = {{{}}};\n", numbers.join(","));
        calls += &format!("step(in + {}, table{m}, 1, {});\n", inputs.len(), program.lines().len());
        inputs.extend_from_slice(program.start());
    }
    let call = format!(
        "blockDim.x = 1;\nfor (int i = 0; i < {steps}; i++) {{\n{calls}}}\nmemcpy(out, in, sizeof in);"
    );
    let text = kernel.text(Language::Cuda, 64) + &tables;
    let given = HostProgram::compile("step", &text, [inputs.len(), inputs.len()], &call).run(&inputs);
    let mut rest = given.as_slice();
    for (program, wanted) in programs.iter().zip(wanted) {
        let (own, others) = rest.split_at(program.memory());
        assert_eq!(bits(read(program, own)), bits(wanted));
        rest = others;
    }
}
