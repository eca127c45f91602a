//! The kernel that reads a table, and the same on the processor.

use super::operations::{BlockOperation, Spot, operations};
use super::program::Instruction;
use crate::count::Cost;
use crate::emit::{Access, CUDA_PRELUDE, Language, statements};
use crate::interpret::interpret_batch;
use crate::recorded::NotRecordable;
use std::fmt::Write;

/// The ten operations, and the kernel made of them.
#[derive(Clone, Debug)]
pub struct TableKernel {
    operations: Vec<BlockOperation>,
}

impl TableKernel {
    /// Records the operations.
    ///
    /// # Errors
    /// When the factor is not the one that it was made for.
    pub fn new() -> Result<Self, NotRecordable> {
        Ok(TableKernel { operations: operations()? })
    }

    /// The operations by number.
    pub fn operations(&self) -> &[BlockOperation] {
        &self.operations
    }

    /// What lines of a table cost per world where no cache helps.
    pub fn cost(&self, lines: &[Instruction]) -> Cost {
        let costs: Vec<Cost> = self.operations.iter().map(|operation| operation.recording.cost()).collect();
        lines.iter().map(|line| costs[line.operation as usize]).fold(Cost::default(), Cost::then)
    }

    /// The table as a device reads it: number of the operation and three places per line.
    pub fn table(lines: &[Instruction]) -> Vec<[u32; 4]> {
        let place = |line: &Instruction, k: usize| line.places[k] as u32;
        lines
            .iter()
            .map(|line| [line.operation as u32, place(line, 0), place(line, 1), place(line, 2)])
            .collect()
    }

    /// Does the lines in many worlds: number k of world w stands at `k · worlds + w`.
    pub fn interpret(&self, lines: &[Instruction], memory: &mut [f32], worlds: usize) {
        let (mut input, mut output) = (Vec::new(), Vec::new());
        for line in lines {
            let operation = &self.operations[line.operation as usize];
            input.clear();
            for spot in &operation.inputs {
                let at = (line.places[spot.place] + spot.offset) * worlds;
                input.extend_from_slice(&memory[at..at + worlds]);
            }
            output.resize(operation.outputs.len() * worlds, 0.0);
            interpret_batch(&operation.recording, &input, &mut output, worlds);
            for (offset, row) in operation.outputs.iter().zip(output.chunks_exact(worlds)) {
                let at = (line.places[0] + offset) * worlds;
                memory[at..at + worlds].copy_from_slice(row);
            }
        }
    }

    /// The kernel's text, for so many threads of a block: `blocks(memory, table, worlds, lines)`.
    pub fn text(&self, language: Language, threads: usize) -> String {
        let mut cases = String::new();
        for (number, operation) in self.operations.iter().enumerate() {
            let body = body(operation, language);
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
                 blocks(float* __restrict__ memory, const uint4* __restrict__ table, unsigned worlds, unsigned lines) {{\n\
                 const unsigned w = blockIdx.x * blockDim.x + threadIdx.x;\nif (w >= worlds) return;\n\
                 const size_t n = worlds;\nfor (unsigned t = 0; t < lines; t++) {{\n\
                 const uint4 line = __ldg(table + t);\nswitch (line.x) {{\n{cases}default: break;\n}}\n}}\n}}\n"
            ),
            Language::Wgsl => format!(
                "struct Size {{ worlds: u32, lines: u32 }}\n@group(0) @binding(0) var<uniform> size: Size;\n\
                 @group(0) @binding(1) var<storage, read> table: array<vec4<u32>>;\n\
                 @group(0) @binding(2) var<storage, read_write> memory: array<f32>;\n\
                 @compute @workgroup_size({threads})\nfn blocks(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
                 let w = id.x;\nlet n = size.worlds;\nif (w >= n) {{ return; }}\n\
                 for (var t = 0u; t < size.lines; t++) {{\nlet line = table[t];\nswitch (line.x) {{\n\
                 {cases}default: {{}}\n}}\n}}\n}}\n"
            ),
        }
    }
}

/// The statements of an operation. What stands at a is read before it is written.
fn body(operation: &BlockOperation, language: Language) -> String {
    let unit = if language == Language::Wgsl { "u" } else { "" };
    let at = |place: usize, offset: usize| {
        let place = ["y", "z", "w"][place];
        format!("memory[(line.{place} + {offset}{unit}) * n + w]")
    };
    let load = |k: u32| {
        let spot = operation.inputs[k as usize];
        at(spot.place, spot.offset)
    };
    let store = |k: usize, value: &str| format!("{} = {value};\n", at(0, operation.outputs[k]));
    let here = |k: usize| Spot { place: 0, offset: operation.outputs[k] };
    let replaces = |k: usize| operation.inputs.iter().position(|spot| *spot == here(k)).map(|at| at as u32);
    statements(&operation.recording, language, &Access { load: &load, store: &store, replaces: &replaces })
}
