//! The kernel that reads tables of steps: its operations, its text, and the same on the processor.

use super::items::Shape;
use super::program::StepProgram;
use crate::blocks::{self, TableKernel};
use crate::count::Cost;
use crate::emit::{Access, CUDA_PRELUDE, Language, statements};
use crate::graph::{Folding, Graph};
use crate::interpret::Interpreter;
use crate::recorded::{NotRecordable, Recording};
use std::collections::HashMap;
use std::fmt::Write;

/// Numbers of a line: the operation, and the places of the things that it works on.
pub const WIDTH: usize = 16;

/// What lines do besides operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Goes on at a line unless some world of those that go together has a number that is not zero.
    Unless,
    /// Goes on at a line.
    Jump,
    /// The same, to come back.
    Call,
    /// Comes back.
    Return,
}

/// How many there are: operations are numbered from here on.
pub const CONTROL: usize = Control::Return as usize + 1;

/// One operation of the kernel.
#[derive(Clone, Debug)]
pub struct Operation {
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
    /// By name and sizes; none where nothing is done.
    pub(super) own: HashMap<(String, Vec<usize>), Option<usize>>,
}

impl StepKernel {
    /// Factor and solve, and nothing else yet.
    ///
    /// # Errors
    /// When the factor is not the one that it was made for.
    pub fn new() -> Result<Self, NotRecordable> {
        Ok(StepKernel { operations: block_operations()?, known: HashMap::new(), own: HashMap::new() })
    }

    /// The number of an operation, which is added if it is not there yet.
    pub(super) fn operation(&mut self, name: &str, shape: &Shape) -> usize {
        let next = self.operations.len();
        if let Some(known) = self.known.get(shape) {
            return *known;
        }
        self.known.insert(shape.clone(), next);
        self.operations.push(Operation::new(name, shape));
        next
    }

    /// Different operations.
    pub fn operation_count(&self) -> usize {
        self.operations.len()
    }

    /// What one passage through all lines of a table costs per world where no cache helps and nothing is skipped.
    pub fn cost(&self, program: &StepProgram) -> Cost {
        let costs: Vec<Cost> = self.operations.iter().map(|operation| operation.recording.cost()).collect();
        let operations = program.lines().iter().filter(|line| line[0] as usize >= CONTROL);
        operations.map(|line| costs[line[0] as usize - CONTROL]).fold(Cost::default(), Cost::then)
    }

    /// What the lines that a step has passed cost per world, given how often each was passed.
    pub fn cost_of(&self, program: &StepProgram, passed: &[usize]) -> Cost {
        let costs: Vec<Cost> = self.operations.iter().map(|operation| operation.recording.cost()).collect();
        let mut sum = Cost::default();
        for (line, times) in program.lines().iter().zip(passed) {
            if let Some(k) = (line[0] as usize).checked_sub(CONTROL) {
                (0..*times).for_each(|_| sum = sum.then(costs[k]));
            }
        }
        sum
    }

    /// One step of many worlds on the processor: number k of world w stands at `k · worlds + w`.
    pub fn interpret(&self, program: &StepProgram, memory: &mut [f32], worlds: usize) {
        self.interpret_counting(program, memory, worlds, &mut []);
    }

    /// The same; counts how often each line is passed, where there is room for that.
    pub fn interpret_counting(
        &self,
        program: &StepProgram,
        memory: &mut [f32],
        worlds: usize,
        passed: &mut [usize],
    ) {
        let (mut input, mut output, mut interpreter) = (Vec::new(), Vec::new(), Interpreter::default());
        let (mut t, mut back) = (0, Vec::new());
        while let Some(line) = program.lines().get(t) {
            passed.get_mut(t).into_iter().for_each(|count| *count += 1);
            t += 1;
            let Some(k) = (line[0] as usize).checked_sub(CONTROL) else {
                let some = || memory[line[1] as usize * worlds..][..worlds].iter().any(|x| *x != 0.0);
                match line[0] {
                    0 if some() => {}
                    0 => t = line[2] as usize,
                    1 => t = line[1] as usize,
                    2 => {
                        back.push(t);
                        t = line[1] as usize;
                    }
                    _ => t = back.pop().unwrap_or(usize::MAX),
                }
                continue;
            };
            let operation = &self.operations[k];
            let at = |(thing, offset): (usize, usize)| (line[1 + thing] as usize + offset) * worlds;
            input.clear();
            operation.inputs.iter().for_each(|spot| input.extend_from_slice(&memory[at(*spot)..][..worlds]));
            output.resize(operation.outputs.len() * worlds, 0.0);
            interpreter.run(&operation.recording, &input, &mut output, worlds);
            for (spot, row) in operation.outputs.iter().zip(output.chunks_exact(worlds)) {
                memory[at(*spot)..][..worlds].copy_from_slice(row);
            }
        }
    }

    /// The kernel's text, for so many threads of a block: `step(memory, table, worlds, lines, steps)`, the table [`WIDTH`] numbers a line.
    pub fn text(&self, language: Language, threads: usize) -> String {
        let mut cases = String::new();
        for (number, operation) in self.operations.iter().enumerate() {
            let (number, body) = (number + CONTROL, operation.body(language));
            _ = match language {
                Language::Cuda => {
                    write!(cases, "case {number}: {{ /* {} */\n{body}}} break;\n", operation.name)
                }
                Language::Wgsl => write!(cases, "case {number}u: {{ // {}\n{body}}}\n", operation.name),
            };
        }
        match language {
            Language::Cuda => cuda(&cases, threads),
            Language::Wgsl => wgsl(&cases, threads),
        }
    }
}

/// All threads of a warp pass the same line at the same time: they go on together where one of them has to.
fn cuda(cases: &str, threads: usize) -> String {
    format!(
        "{CUDA_PRELUDE}KERNEL void __launch_bounds__({threads})\n\
         step(float* __restrict__ memory, const unsigned* __restrict__ table, unsigned worlds, unsigned lines, unsigned steps) {{\n\
         const unsigned w = blockIdx.x * blockDim.x + threadIdx.x;\nif (w >= worlds) return;\n\
         const size_t n = worlds;\nfor (unsigned s = 0; s < steps; s++) {{\n\
         unsigned t = 0, b0 = 0, b1 = 0, b2 = 0;\nwhile (t < lines) {{\n\
         const unsigned* line = table + {WIDTH} * t;\nt++;\nswitch (__ldg(line)) {{\n\
         case 0: if (!__any_sync(__activemask(), memory[__ldg(line + 1) * n + w] != 0.0f)) t = __ldg(line + 2); break;\n\
         case 1: t = __ldg(line + 1); break;\n\
         case 2: b2 = b1; b1 = b0; b0 = t; t = __ldg(line + 1); break;\n\
         case 3: t = b0; b0 = b1; b1 = b2; break;\n\
         {cases}default: break;\n}}\n}}\n}}\n}}\n"
    )
}

/// Each thread goes on for itself.
fn wgsl(cases: &str, threads: usize) -> String {
    format!(
        "struct Size {{ worlds: u32, lines: u32, steps: u32 }}\n@group(0) @binding(0) var<uniform> size: Size;\n\
         @group(0) @binding(1) var<storage, read> table: array<u32>;\n\
         @group(0) @binding(2) var<storage, read_write> memory: array<f32>;\n\
         @compute @workgroup_size({threads})\nfn step_worlds(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
         let w = id.x;\nlet n = size.worlds;\nif (w >= n) {{ return; }}\n\
         for (var s = 0u; s < size.steps; s++) {{\n\
         var t = 0u;\nvar b0 = 0u;\nvar b1 = 0u;\nvar b2 = 0u;\nwhile (t < size.lines) {{\n\
         let line = {WIDTH}u * t;\nt++;\nswitch (table[line]) {{\n\
         case 0u: {{ if (memory[table[line + 1u] * n + w] == 0.0) {{ t = table[line + 2u]; }} }}\n\
         case 1u: {{ t = table[line + 1u]; }}\n\
         case 2u: {{ b2 = b1; b1 = b0; b0 = t; t = table[line + 1u]; }}\n\
         case 3u: {{ t = b0; b0 = b1; b1 = b2; }}\n\
         {cases}default: {{}}\n}}\n}}\n}}\n}}\n"
    )
}

impl Operation {
    fn new(name: &str, shape: &Shape) -> Self {
        let mut graph = Graph::new(Folding::KeepBits);
        shape.ops.iter().for_each(|op| _ = graph.add(*op));
        let recording = Recording { graph, results: shape.results.clone() }.with_fewest_alive();
        Operation {
            name: name.to_owned(),
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
