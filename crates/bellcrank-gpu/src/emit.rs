//! From a recording to text that a device's compiler takes.
//!
//! CUDA C says every operation by the function that is rounded to nearest and never contracted (`__fmaf_rn`, `__fadd_rn`, …), so that
//! no option of the compiler can change a bit. The same text is C once these functions are defined, which is how it is tested on
//! machines without a device ([`HOST_PRELUDE`]).
//!
//! WGSL has no way to forbid contraction or reassociation. Sums and products are what the driver makes of them, good to rounding but not
//! the same bits; and the sum that rounds by adding a large number and taking it away, which a driver may fold to nothing, becomes
//! `round`.

use crate::graph::{Graph, Id, Op};
use crate::recorded::Recording;
use std::collections::HashMap;
use std::fmt::Write;

/// What a kernel is told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// For NVIDIA's run-time compiler.
    Cuda,
    /// For WebGPU.
    Wgsl,
}

/// The first lines of every CUDA text.
pub(crate) const CUDA_PRELUDE: &str = "\
#ifndef KERNEL
#define KERNEL extern \"C\" __global__
#endif
";

/// What makes C of a kernel's CUDA text, set before it: compile with `-ffp-contract=off`. A thread is a call.
pub const HOST_PRELUDE: &str = "\
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#define KERNEL
#define __restrict__ restrict
#define __launch_bounds__(threads)
#define __ldg(at) (*(at))
#define __activemask() 1u
#define __any_sync(threads, truth) (truth)
typedef struct { unsigned x, y, z, w; } uint4;
static struct { unsigned x; } blockIdx, blockDim, threadIdx;
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
static inline unsigned __float_as_uint(float a) { unsigned u; memcpy(&u, &a, 4); return u; }
static inline float __uint_as_float(unsigned u) { float a; memcpy(&a, &u, 4); return a; }
";

/// How numbers get in and out of a piece of text.
pub struct Access<'a> {
    /// The expression of an input.
    pub load: &'a dyn Fn(u32) -> String,
    /// The statement that keeps a result.
    pub store: &'a dyn Fn(usize, &str) -> String,
    /// The input that stands where a result goes, if there is one: it is read before the result takes its place.
    pub replaces: &'a dyn Fn(usize) -> Option<u32>,
}

/// The statements of a recording. Inputs are read where they are first needed, results kept as soon as they are known: a device has
/// few registers.
pub fn statements(recording: &Recording, language: Language, access: &Access<'_>) -> String {
    let mut printer = Printer::new(recording, language, access);
    for id in 0..recording.graph.ops().len() as Id {
        printer.print(id);
    }
    printer.text
}

struct Printer<'a> {
    graph: &'a Graph,
    language: Language,
    access: &'a Access<'a>,
    /// For each value the results that it is.
    wanted: Vec<Vec<usize>>,
    loaded: Vec<bool>,
    /// The places of inputs, by their numbers.
    inputs: HashMap<u32, Id>,
    /// Values that are only used in what was replaced.
    replaced: Vec<bool>,
    text: String,
}

impl<'a> Printer<'a> {
    fn new(recording: &'a Recording, language: Language, access: &'a Access<'a>) -> Self {
        let graph = &recording.graph;
        let count = graph.ops().len();
        let mut wanted = vec![Vec::new(); count];
        recording.results.iter().enumerate().for_each(|(k, id)| wanted[*id as usize].push(k));
        let replaced = match language {
            Language::Cuda => vec![false; count],
            Language::Wgsl => rounding_sums(graph, &wanted),
        };
        let input = |(id, op): (usize, &Op)| match op {
            Op::Input(k) => Some((*k, id as Id)),
            _ => None,
        };
        let inputs = graph.ops().iter().enumerate().filter_map(input).collect();
        let loaded = vec![false; count];
        Printer { graph, language, access, wanted, loaded, inputs, replaced, text: String::new() }
    }

    fn print(&mut self, id: Id) {
        let op = self.graph.op(id);
        let at = id as usize;
        if matches!(op, Op::Input(_)) && self.wanted[at].is_empty() || self.replaced[at] {
            return;
        }
        let (operands, count) = op.operands();
        let inner = operands[..count].to_vec();
        // what stands for a replaced sum reads its operands
        let hidden = inner.iter().filter(|x| self.replaced[**x as usize]);
        let hidden: Vec<Id> = hidden
            .flat_map(|x| {
                let (operands, count) = self.graph.op(*x).operands();
                operands[..count].to_vec()
            })
            .collect();
        for x in inner.into_iter().chain(hidden).chain([id]) {
            self.load(x);
        }
        if !op.is_literal() && !matches!(op, Op::Input(_)) {
            let kind = match (self.language, op.is_truth()) {
                (Language::Wgsl, _) => "let",
                (Language::Cuda, true) => "const bool",
                (Language::Cuda, false) => "const float",
            };
            let expression = match self.language {
                Language::Cuda => self.cuda(op),
                Language::Wgsl => self.wgsl(op),
            };
            _ = writeln!(self.text, "{kind} v{id} = {expression};");
        }
        for k in self.wanted[at].clone() {
            if let Some(input) = (self.access.replaces)(k).and_then(|input| self.inputs.get(&input).copied())
            {
                self.load(input);
            }
            self.text += &(self.access.store)(k, &self.name(id));
        }
    }

    fn load(&mut self, id: Id) {
        if let (Op::Input(k), false) = (self.graph.op(id), self.loaded[id as usize]) {
            self.loaded[id as usize] = true;
            let kind = if self.language == Language::Wgsl { "let" } else { "const float" };
            _ = writeln!(self.text, "{kind} v{id} = {};", (self.access.load)(k));
        }
    }

    fn name(&self, id: Id) -> String {
        match self.graph.op(id) {
            Op::Const(bits) => self.literal(bits),
            Op::Truth(value) => value.to_string(),
            _ => format!("v{id}"),
        }
    }

    fn literal(&self, bits: u32) -> String {
        let x = f32::from_bits(bits);
        match (x.is_finite(), self.language) {
            (true, _) => format!("{x:?}f"),
            (false, Language::Cuda) => format!("__uint_as_float({bits}u)"),
            // a constant that is not finite is an error there; nothing that is finite is beyond the largest number
            (false, Language::Wgsl) => format!("{:?}f", f32::MAX.copysign(x)),
        }
    }

    fn cuda(&self, op: Op) -> String {
        let n = |id| self.name(id);
        match op {
            Op::Add(a, b) => format!("__fadd_rn({}, {})", n(a), n(b)),
            Op::Sub(a, b) => format!("__fsub_rn({}, {})", n(a), n(b)),
            Op::Mul(a, b) => format!("__fmul_rn({}, {})", n(a), n(b)),
            Op::Div(a, b) => format!("__fdiv_rn({}, {})", n(a), n(b)),
            Op::Fma(a, b, c) => format!("__fmaf_rn({}, {}, {})", n(a), n(b), n(c)),
            Op::NegFma(a, b, c) => format!("__fmaf_rn(-({}), {}, {})", n(a), n(b), n(c)),
            Op::Sqrt(a) => format!("__fsqrt_rn({})", n(a)),
            Op::Abs(a) => format!("fabsf({})", n(a)),
            Op::CopySign(a, b) => format!("copysignf({}, {})", n(a), n(b)),
            Op::Bit(a, k) => format!("((__float_as_uint({}) >> {k}) & 1u) != 0u", n(a)),
            Op::Select(m, a, b) => format!("{} ? {} : {}", n(m), n(a), n(b)),
            _ => self.plain(op),
        }
    }

    fn wgsl(&self, op: Op) -> String {
        let n = |id| self.name(id);
        match op {
            Op::Sub(a, _) if self.replaced[a as usize] => self.rounded(a),
            Op::Bit(a, k) if self.replaced[a as usize] => {
                format!("((u32(i32({})) >> {k}u) & 1u) != 0u", self.rounded(a))
            }
            Op::Add(a, b) => format!("{} + {}", n(a), n(b)),
            Op::Sub(a, b) => format!("{} - {}", n(a), n(b)),
            Op::Mul(a, b) => format!("{} * {}", n(a), n(b)),
            Op::Div(a, b) => format!("{} / {}", n(a), n(b)),
            Op::Fma(a, b, c) => format!("fma({}, {}, {})", n(a), n(b), n(c)),
            Op::NegFma(a, b, c) => format!("fma(-({}), {}, {})", n(a), n(b), n(c)),
            Op::Sqrt(a) => format!("sqrt({})", n(a)),
            Op::Abs(a) => format!("abs({})", n(a)),
            Op::CopySign(a, b) => {
                format!("select(abs({0}), -abs({0}), (bitcast<u32>({1}) >> 31u) != 0u)", n(a), n(b))
            }
            Op::Bit(a, k) => format!("((bitcast<u32>({}) >> {k}u) & 1u) != 0u", n(a)),
            Op::Select(m, a, b) => format!("select({}, {}, {})", n(b), n(a), n(m)),
            _ => self.plain(op),
        }
    }

    /// What both languages say alike.
    fn plain(&self, op: Op) -> String {
        let n = |id| self.name(id);
        match op {
            Op::Neg(a) => format!("-({})", n(a)),
            Op::Less(a, b) => format!("{} < {}", n(a), n(b)),
            Op::LessEqual(a, b) => format!("{} <= {}", n(a), n(b)),
            Op::And(a, b) => format!("{} && {}", n(a), n(b)),
            Op::Or(a, b) => format!("{} || {}", n(a), n(b)),
            Op::Not(a) => format!("!{}", n(a)),
            _ => String::new(), // literals and inputs have no statement
        }
    }

    /// The whole number nearest to what a sum rounds.
    fn rounded(&self, sum: Id) -> String {
        match self.graph.op(sum) {
            Op::Fma(a, b, _) => format!("round({} * {})", self.name(a), self.name(b)),
            Op::Add(a, b) => {
                let number = if is_rounder(self.graph, a) { b } else { a };
                format!("round({})", self.name(number))
            }
            _ => self.name(sum),
        }
    }
}

fn is_rounder(graph: &Graph, id: Id) -> bool {
    graph.constant(id) == Some(<f32 as bellcrank_math::Elem>::ROUNDER)
}

/// The sums x + r and a·b + r with the number r that rounds, where all that is done with them is to take r away again or to look at
/// the lowest bits.
fn rounding_sums(graph: &Graph, wanted: &[Vec<usize>]) -> Vec<bool> {
    let is_sum = |op: &Op| match *op {
        Op::Add(a, b) => is_rounder(graph, a) || is_rounder(graph, b),
        Op::Fma(_, _, c) => is_rounder(graph, c),
        _ => false,
    };
    let mut rounds: Vec<bool> =
        graph.ops().iter().zip(wanted).map(|(op, wanted)| is_sum(op) && wanted.is_empty()).collect();
    for op in graph.ops() {
        let (operands, count) = op.operands();
        for (k, id) in operands[..count].iter().enumerate() {
            let fits = match *op {
                Op::Sub(_, b) => k == 0 && is_rounder(graph, b),
                Op::Bit(_, bit) => bit < 2,
                _ => false,
            };
            rounds[*id as usize] &= fits;
        }
    }
    rounds
}
