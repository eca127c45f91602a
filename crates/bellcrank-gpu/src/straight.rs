//! Kernels of one piece: a world per thread, all its numbers in registers between reading and writing.
//!
//! Arrays are told by number first and world second: number k of world w stands at `k · worlds + w`, so that neighbouring threads read
//! neighbouring numbers.

use crate::count::Cost;
use crate::emit::{Access, CUDA_PRELUDE, Language, statements};
use crate::interpret::interpret_batch;
use crate::recorded::Recording;
use std::fmt::Write;

/// Threads of a block on a device.
pub const THREADS: usize = 64;

/// An array of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name in the text and in errors.
    pub name: String,
    /// Numbers per world.
    pub width: usize,
}

/// A recorded function with names for what it reads and writes.
#[derive(Clone, Debug)]
pub struct StraightKernel {
    /// Its name in the text.
    pub name: String,
    /// Arrays that are read.
    pub inputs: Vec<Array>,
    /// Arrays that are written.
    pub outputs: Vec<Array>,
    /// What is computed: all inputs in a row, all results in a row.
    pub recording: Recording,
}

/// An array whose size does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrayError {
    /// Too many or too few numbers.
    #[error("{kernel}: {array} has {found} numbers, but {worlds} worlds of {width} need {}", worlds * width)]
    Size {
        /// The kernel.
        kernel: String,
        /// The array.
        array: String,
        /// Its length.
        found: usize,
        /// Number of worlds.
        worlds: usize,
        /// Numbers per world.
        width: usize,
    },
    /// Too many or too few arrays.
    #[error("{kernel} has {expected} arrays ({names}), not {found}")]
    Count {
        /// The kernel.
        kernel: String,
        /// Arrays that it has.
        expected: usize,
        /// Their names.
        names: String,
        /// Arrays that were given.
        found: usize,
    },
}

impl StraightKernel {
    /// Operations, flops and traffic of one world.
    pub fn cost(&self) -> Cost {
        self.recording.cost()
    }

    /// The kernel's text.
    pub fn text(&self, language: Language) -> String {
        match language {
            Language::Cuda => self.cuda(),
            Language::Wgsl => self.wgsl(),
        }
    }

    fn cuda(&self) -> String {
        let read = self.inputs.iter().map(|array| format!("const float* __restrict__ {}, ", array.name));
        let written = self.outputs.iter().map(|array| format!("float* __restrict__ {}, ", array.name));
        let arguments: String = read.chain(written).collect();
        let mut text = format!(
            "{CUDA_PRELUDE}KERNEL void __launch_bounds__({THREADS})\n{}({arguments}unsigned worlds) {{\n",
            self.name
        );
        text += "const unsigned w = blockIdx.x * blockDim.x + threadIdx.x;\nif (w >= worlds) return;\n";
        text += "const size_t n = worlds;\n";
        text += &self.body(Language::Cuda);
        text + "}\n"
    }

    fn wgsl(&self) -> String {
        let mut text =
            "struct Size { worlds: u32 }\n@group(0) @binding(0) var<uniform> size: Size;\n".to_owned();
        let read = self.inputs.iter().map(|array| ("read", array));
        let written = self.outputs.iter().map(|array| ("read_write", array));
        for (k, (access, array)) in read.chain(written).enumerate() {
            let (binding, name) = (k + 1, &array.name);
            _ = writeln!(text, "@group(0) @binding({binding}) var<storage, {access}> {name}_: array<f32>;");
        }
        _ = writeln!(
            text,
            "@compute @workgroup_size({THREADS})\nfn {}(@builtin(global_invocation_id) id: vec3<u32>) {{",
            self.name
        );
        text += "let w = id.x;\nlet n = size.worlds;\nif (w >= n) { return; }\n";
        text += &self.body(Language::Wgsl);
        text + "}\n"
    }

    fn body(&self, language: Language) -> String {
        let (unit, mark) = if language == Language::Wgsl { ("u", "_") } else { ("", "") };
        let place = |arrays: &[Array], k: usize| {
            let (array, k) = locate(arrays, k);
            format!("{}{mark}[{k}{unit} * n + w]", array.name)
        };
        let load = |k: u32| place(&self.inputs, k as usize);
        let store = |k: usize, value: &str| format!("{} = {value};\n", place(&self.outputs, k));
        statements(&self.recording, language, &Access { load: &load, store: &store, replaces: &|_| None })
    }

    /// Runs it on the processor, operation by operation: for tests, and to see what a device would give.
    ///
    /// # Errors
    /// When arrays do not fit.
    pub fn interpret(
        &self,
        worlds: usize,
        inputs: &[&[f32]],
        outputs: &mut [&mut [f32]],
    ) -> Result<(), ArrayError> {
        let written: Vec<usize> = outputs.iter().map(|array| array.len()).collect();
        let read: Vec<usize> = inputs.iter().map(|array| array.len()).collect();
        self.check(worlds, &read, &written)?;
        let total: usize = self.outputs.iter().map(|array| array.width).sum();
        let mut results = vec![0.0; total * worlds];
        interpret_batch(&self.recording, &inputs.concat(), &mut results, worlds);
        let mut rest = results.as_slice();
        for output in outputs {
            let (own, others) = rest.split_at(output.len());
            output.copy_from_slice(own);
            rest = others;
        }
        Ok(())
    }

    /// Whether arrays of these lengths fit.
    ///
    /// # Errors
    /// When they do not.
    pub fn check(&self, worlds: usize, read: &[usize], written: &[usize]) -> Result<(), ArrayError> {
        let arrays: Vec<&Array> = self.inputs.iter().chain(&self.outputs).collect();
        if read.len() != self.inputs.len() || written.len() != self.outputs.len() {
            let names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
            let (expected, found) = (arrays.len(), read.len() + written.len());
            return Err(ArrayError::Count {
                kernel: self.name.clone(),
                expected,
                names: names.join(", "),
                found,
            });
        }
        for (array, found) in arrays.into_iter().zip(read.iter().chain(written)) {
            if *found != worlds * array.width {
                let (kernel, name, width) = (self.name.clone(), array.name.clone(), array.width);
                return Err(ArrayError::Size { kernel, array: name, found: *found, worlds, width });
            }
        }
        Ok(())
    }
}

/// The array that the k-th number of all is in, and its place there.
fn locate(arrays: &[Array], mut k: usize) -> (&Array, usize) {
    let mut last = &arrays[0];
    for array in arrays {
        last = array;
        if k < array.width {
            break;
        }
        k -= array.width;
    }
    (last, k)
}
