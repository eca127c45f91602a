//! The table of a model's step, and the kernel that reads it.

use super::items::{Item, Map, Shape, items};
use super::stages::{STEP, Stage};
use super::world::{Kind, World};
use crate::blocks::{self, DIAGONAL, Instruction, OFF_DIAGONAL, Program, TableKernel};
use crate::count::Cost;
use crate::emit::{Access, CUDA_PRELUDE, Language, statements};
use crate::graph::{Folding, Graph};
use crate::interpret::interpret_batch;
use crate::recorded::{NotRecordable, Recording};
use bellcrank_model::Model;
use bellcrank_step::law::LawLayout;
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::{Integrator, Method, Settings};
use std::collections::HashMap;
use std::fmt::Write;

/// Numbers of a line: the operation, and the places of the things that it works on.
pub const WIDTH: usize = 16;

/// Why a model's step has no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStepProgram {
    /// Something acts on the mechanism that tables do not know yet.
    #[error(
        "the step of {model} does not run by a table: it has {what}\n  hint: step it on the processor (device \"cpu\")"
    )]
    NotYet {
        /// The model.
        model: String,
        /// What is in the way.
        what: &'static str,
    },
    /// A stage could not be recorded.
    #[error(transparent)]
    NotRecordable(#[from] NotRecordable),
}

/// One operation of the kernel.
#[derive(Clone, Debug)]
struct Operation {
    name: String,
    /// (thing, offset)
    inputs: Vec<(usize, usize)>,
    outputs: Vec<(usize, usize)>,
    recording: Recording,
}

/// The operations of all programs that were made with it.
#[derive(Clone, Debug)]
pub struct StepKernel {
    operations: Vec<Operation>,
    known: HashMap<Shape, usize>,
}

/// The step of one model as a table.
#[derive(Clone, Debug)]
pub struct StepProgram {
    lines: Vec<[u32; WIDTH]>,
    /// A world as it is made.
    start: Vec<f32>,
    places: HashMap<Kind, Vec<usize>>,
}

impl StepKernel {
    /// Factor and solve, and nothing else yet.
    ///
    /// # Errors
    /// When the factor is not the one that it was made for.
    pub fn new() -> Result<Self, NotRecordable> {
        Ok(StepKernel { operations: block_operations()?, known: HashMap::new() })
    }

    /// The table of a model with steps of `dt` \[s\]. Operations that are not there yet are added, so that one kernel serves all
    /// programs that were made with it.
    ///
    /// # Errors
    /// When something acts on the model that tables do not know yet.
    pub fn program(
        &mut self,
        model: &Model,
        settings: &Settings,
        dt: f64,
    ) -> Result<StepProgram, NoStepProgram> {
        let layout = Layout::of(model);
        if let Some(what) = in_the_way(&layout, settings) {
            return Err(NoStepProgram::NotYet { model: model.name().to_owned(), what });
        }
        let mut world = World::<f32>::new(model, &layout, dt);
        let blocks = layout.pattern.off_diagonal_count();
        let map = Map::new(&mut world, blocks);
        let mut start = vec![0.0; map.memory];
        let mut number = 0;
        let mut put = |_, x: &mut f32| {
            start[map.place(number)] = *x;
            number += 1;
        };
        world.each(&mut put);
        world.each_block(blocks, &mut put);
        let mut places: HashMap<Kind, Vec<usize>> = HashMap::new();
        map.places.iter().for_each(|((kind, _), place)| places.entry(*kind).or_default().push(*place));
        let items = items(model, &layout, settings, (dt, &map))?;
        let mut program = StepProgram { lines: vec![], start, places };
        self.list(&mut program, &items, &map, &Program::new(&layout.pattern));
        Ok(program)
    }

    /// Lines of all stages, in the order of the step.
    fn list(&mut self, program: &mut StepProgram, items: &[Item], map: &Map, factor: &Program) {
        let mut by_stage: Vec<(Stage, [u32; WIDTH])> = Vec::new();
        for item in items {
            let (shape, objects) = item.shape(map);
            let next = self.operations.len();
            let operation = *self.known.entry(shape).or_insert_with_key(|shape| {
                self.operations.push(Operation::new(item.stage, shape));
                next
            });
            let mut line = [0; WIDTH];
            line[0] = operation as u32;
            for (place, object) in line[1..].iter_mut().zip(&objects) {
                *place = map.places.get(object).copied().unwrap_or(0) as u32;
            }
            by_stage.push((item.stage, line));
        }
        for stage in STEP {
            match stage {
                Stage::FactorAndSolve => program.list_blocks(&factor.factor_and_solve, factor),
                Stage::Solve => program.list_blocks(&factor.solve, factor),
                _ => {
                    let own = by_stage.iter().filter(|(of, _)| *of == stage);
                    program.lines.extend(own.map(|(_, line)| *line));
                }
            }
        }
    }

    /// Different operations.
    pub fn operation_count(&self) -> usize {
        self.operations.len()
    }

    /// What a step costs per world where no cache helps.
    pub fn cost(&self, program: &StepProgram) -> Cost {
        let costs: Vec<Cost> = self.operations.iter().map(|operation| operation.recording.cost()).collect();
        program.lines.iter().map(|line| costs[line[0] as usize]).fold(Cost::default(), Cost::then)
    }

    /// One step of many worlds on the processor: number k of world w stands at `k · worlds + w`.
    pub fn interpret(&self, program: &StepProgram, memory: &mut [f32], worlds: usize) {
        let (mut input, mut output) = (Vec::new(), Vec::new());
        for line in &program.lines {
            let operation = &self.operations[line[0] as usize];
            let at = |(thing, offset): (usize, usize)| (line[1 + thing] as usize + offset) * worlds;
            input.clear();
            operation.inputs.iter().for_each(|spot| input.extend_from_slice(&memory[at(*spot)..][..worlds]));
            output.resize(operation.outputs.len() * worlds, 0.0);
            interpret_batch(&operation.recording, &input, &mut output, worlds);
            for (spot, row) in operation.outputs.iter().zip(output.chunks_exact(worlds)) {
                memory[at(*spot)..][..worlds].copy_from_slice(row);
            }
        }
    }

    /// The kernel's text, for so many threads of a block: `step(memory, table, worlds, lines)`, the table [`WIDTH`] numbers a line.
    pub fn text(&self, language: Language, threads: usize) -> String {
        let mut cases = String::new();
        for (number, operation) in self.operations.iter().enumerate() {
            let body = operation.body(language);
            _ = match language {
                Language::Cuda => {
                    write!(cases, "case {number}: {{ /* {} */\n{body}}} break;\n", operation.name)
                }
                Language::Wgsl => write!(cases, "case {number}u: {{ // {}\n{body}}}\n", operation.name),
            };
        }
        match language {
            Language::Cuda => format!(
                "{CUDA_PRELUDE}KERNEL void __launch_bounds__({threads})\n\
                 step(float* __restrict__ memory, const unsigned* __restrict__ table, unsigned worlds, unsigned lines) {{\n\
                 const unsigned w = blockIdx.x * blockDim.x + threadIdx.x;\nif (w >= worlds) return;\n\
                 const size_t n = worlds;\nfor (unsigned t = 0; t < lines; t++) {{\n\
                 const unsigned* line = table + {WIDTH} * t;\nswitch (__ldg(line)) {{\n{cases}default: break;\n}}\n}}\n}}\n"
            ),
            Language::Wgsl => format!(
                "struct Size {{ worlds: u32, lines: u32 }}\n@group(0) @binding(0) var<uniform> size: Size;\n\
                 @group(0) @binding(1) var<storage, read> table: array<u32>;\n\
                 @group(0) @binding(2) var<storage, read_write> memory: array<f32>;\n\
                 @compute @workgroup_size({threads})\nfn step_worlds(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
                 let w = id.x;\nlet n = size.worlds;\nif (w >= n) {{ return; }}\n\
                 for (var t = 0u; t < size.lines; t++) {{\nlet line = {WIDTH}u * t;\nswitch (table[line]) {{\n\
                 {cases}default: {{}}\n}}\n}}\n}}\n"
            ),
        }
    }
}

impl StepProgram {
    fn list_blocks(&mut self, instructions: &[Instruction], factor: &Program) {
        let (blocks, rhs) = (factor.off_diagonal(0), factor.rhs(0));
        let at = |kind: Kind, k: usize| self.places.get(&kind).map_or(0, |places| places[k]) as u32;
        let place = |place: usize| match place {
            place if place >= rhs => at(Kind::Rhs, (place - rhs) / 6),
            place if place >= blocks => at(Kind::Block, (place - blocks) / OFF_DIAGONAL),
            place => at(Kind::Diagonal, place / DIAGONAL),
        };
        let line = |instruction: &Instruction| {
            let mut line = [0; WIDTH];
            line[0] = instruction.operation as u32;
            (0..3).for_each(|k| line[1 + k] = place(instruction.places[k]));
            line
        };
        let lines: Vec<[u32; WIDTH]> = instructions.iter().map(line).collect();
        self.lines.extend(lines);
    }

    /// Numbers of a world.
    pub fn memory(&self) -> usize {
        self.start.len()
    }

    /// A world at the reference pose, as it is made.
    pub fn start(&self) -> &[f32] {
        &self.start
    }

    /// Where the poses of bodies stand: seven numbers each (quaternion wxyz, position of the centre of mass).
    pub fn poses(&self) -> &[usize] {
        self.places.get(&Kind::Pose).map_or(&[], Vec::as_slice)
    }

    /// Where the velocities of bodies stand: six numbers each (of the centre of mass, linear first, world axes).
    pub fn velocities(&self) -> &[usize] {
        self.places.get(&Kind::Twist).map_or(&[], Vec::as_slice)
    }

    /// Where what motors are told stands: target position, target velocity and effort of each.
    pub fn motors(&self) -> &[usize] {
        self.places.get(&Kind::Told).map_or(&[], Vec::as_slice)
    }

    /// Where joint coordinates stand.
    pub fn coordinates(&self) -> &[usize] {
        self.places.get(&Kind::Coordinate).map_or(&[], Vec::as_slice)
    }

    /// Lines of the table: what a step does, one after the other.
    pub fn lines(&self) -> &[[u32; WIDTH]] {
        &self.lines
    }
}

impl Operation {
    fn new(stage: Stage, shape: &Shape) -> Self {
        let mut graph = Graph::new(Folding::KeepBits);
        shape.ops.iter().for_each(|op| _ = graph.add(*op));
        let recording = Recording { graph, results: shape.results.clone() }.with_fewest_alive();
        Operation {
            name: format!("{stage:?}"),
            inputs: shape.inputs.clone(),
            outputs: shape.outputs.clone(),
            recording,
        }
    }

    fn body(&self, language: Language) -> String {
        let mut text = String::new();
        let things = self.inputs.iter().chain(&self.outputs).map(|(thing, _)| thing + 1).max().unwrap_or(0);
        for thing in 0..things {
            _ = match language {
                Language::Cuda => writeln!(text, "const unsigned p{thing} = __ldg(line + {});", thing + 1),
                Language::Wgsl => writeln!(text, "let p{thing} = table[line + {}u];", thing + 1),
            };
        }
        let unit = if language == Language::Wgsl { "u" } else { "" };
        let at = |(thing, offset): (usize, usize)| format!("memory[(p{thing} + {offset}{unit}) * n + w]");
        let load = |k: u32| at(self.inputs[k as usize]);
        let store = |k: usize, value: &str| format!("{} = {value};\n", at(self.outputs[k]));
        let replaces =
            |k: usize| self.inputs.iter().position(|spot| *spot == self.outputs[k]).map(|at| at as u32);
        text + &statements(
            &self.recording,
            language,
            &Access { load: &load, store: &store, replaces: &replaces },
        )
    }
}

/// The operations of factor and solve, first, by their numbers.
fn block_operations() -> Result<Vec<Operation>, NotRecordable> {
    let general = |operation: &blocks::BlockOperation| Operation {
        name: operation.name.to_owned(),
        inputs: operation.inputs.iter().map(|spot| (spot.place, spot.offset)).collect(),
        outputs: operation.outputs.iter().map(|offset| (0, *offset)).collect(),
        recording: operation.recording.clone(),
    };
    Ok(TableKernel::new()?.operations().iter().map(general).collect())
}

/// What of a model or of its settings tables do not know.
fn in_the_way(layout: &Layout, settings: &Settings) -> Option<&'static str> {
    let reasons = [
        (layout.pile.is_some() || !layout.contacts.is_empty(), "shapes that may touch"),
        (!layout.scalars.is_empty(), "joint limits, dry friction or motors with bounds"),
        (!layout.couplings.is_empty(), "coupled joints"),
        (!layout.lines.is_empty(), "tendons or motors at sites"),
        (!layout.activations.is_empty(), "motors with a state"),
        (
            layout.laws.iter().any(|law| *law != LawLayout::Plain),
            "muscles, motors at a voltage or varying gains",
        ),
        (layout.has_torque_speed, "motors with a torque–speed line"),
        (!layout.afloat.is_empty(), "parts of several bodies that float"),
        (!layout.rods.is_empty(), "thin rods between balls"),
        (!layout.blocks_without_joint.is_empty(), "bodies that something else than joints couples"),
        (!layout.holds, "no joint that has to be closed"),
        (layout.joints.iter().any(|joint| joint.held.is_some()), "joints that give way"),
        (layout.actuators.iter().any(|drive| !is_at_joint(drive)), "motors that are not at a joint"),
        (settings.integrator != Integrator::SemiImplicitEuler, "another integrator than semi-implicit Euler"),
        (settings.method != Method::Eliminate, "another method than elimination"),
    ];
    reasons.into_iter().find(|(is_there, _)| *is_there).map(|(_, what)| what)
}

fn is_at_joint(drive: &bellcrank_step::layout::DriveLayout) -> bool {
    matches!(drive, bellcrank_step::layout::DriveLayout::Joint(_))
}
