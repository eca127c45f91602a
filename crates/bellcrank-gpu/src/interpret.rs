//! Recordings, run on the processor one operation at a time: the judge of everything that is printed from them.

use crate::graph::Op;
use crate::recorded::Recording;

/// States that are worked on at a time: enough that finding out what to do costs little beside doing it.
const BLOCK: usize = 64;

/// The results of one state.
pub fn interpret(recording: &Recording, input: &[f32]) -> Vec<f32> {
    let mut output = vec![0.0; recording.results.len()];
    interpret_batch(recording, input, &mut output, 1);
    output
}

/// The results of many: number k of state w stands at `k · states + w`, as on a device.
pub fn interpret_batch(recording: &Recording, input: &[f32], output: &mut [f32], states: usize) {
    Interpreter::default().run(recording, input, output, states);
}

/// Memory for many runs.
#[derive(Default)]
pub(crate) struct Interpreter {
    values: Vec<f32>,
}

impl Interpreter {
    /// See [`interpret_batch`].
    pub fn run(&mut self, recording: &Recording, input: &[f32], output: &mut [f32], states: usize) {
        let size = recording.graph.ops().len() * BLOCK.min(states);
        if self.values.len() < size {
            self.values.resize(size, 0.0);
        }
        run(recording, input, output, states, &mut self.values);
    }
}

fn run(recording: &Recording, input: &[f32], output: &mut [f32], states: usize, values: &mut [f32]) {
    let width = BLOCK.min(states);
    for first in (0..states).step_by(BLOCK) {
        let count = width.min(states - first);
        for (i, op) in recording.graph.ops().iter().enumerate() {
            let (before, rest) = values.split_at_mut(i * width);
            match op {
                Op::Input(k) => {
                    let row = &input[*k as usize * states + first..][..count];
                    rest[..count].copy_from_slice(row);
                }
                _ => one_op(*op, before, &mut rest[..width]),
            }
        }
        for (k, id) in recording.results.iter().enumerate() {
            output[k * states + first..][..count].copy_from_slice(&values[*id as usize * width..][..count]);
        }
    }
}

/// Truth values are 1 and 0.
fn one_op(op: Op, values: &[f32], out: &mut [f32]) {
    let width = out.len();
    let v = |id: u32| &values[id as usize * width..][..width];
    let flag = |x: bool| x as u32 as f32;
    let is = |x: f32| x != 0.0;
    match op {
        Op::Const(bits) => out.fill(f32::from_bits(bits)),
        Op::Truth(value) => out.fill(flag(value)),
        Op::Input(_) => {}
        Op::Add(a, b) => two(v(a), v(b), out, |x, y| x + y),
        Op::Sub(a, b) => two(v(a), v(b), out, |x, y| x - y),
        Op::Mul(a, b) => two(v(a), v(b), out, |x, y| x * y),
        Op::Div(a, b) => two(v(a), v(b), out, |x, y| x / y),
        Op::CopySign(a, b) => two(v(a), v(b), out, f32::copysign),
        Op::Less(a, b) => two(v(a), v(b), out, |x, y| flag(x < y)),
        Op::LessEqual(a, b) => two(v(a), v(b), out, |x, y| flag(x <= y)),
        Op::And(a, b) => two(v(a), v(b), out, |x, y| flag(is(x) & is(y))),
        Op::Or(a, b) => two(v(a), v(b), out, |x, y| flag(is(x) | is(y))),
        Op::Neg(a) => two(v(a), v(a), out, |x, _| -x),
        Op::Sqrt(a) => two(v(a), v(a), out, |x, _| x.sqrt()),
        Op::Abs(a) => two(v(a), v(a), out, |x, _| x.abs()),
        Op::Not(a) => two(v(a), v(a), out, |x, _| flag(!is(x))),
        Op::Bit(a, k) => two(v(a), v(a), out, |x, _| flag(x.to_bits() >> k & 1 == 1)),
        Op::Fma(a, b, c) => three([v(a), v(b), v(c)], out, f32::mul_add),
        Op::NegFma(a, b, c) => three([v(a), v(b), v(c)], out, |x, y, z| (-x).mul_add(y, z)),
        Op::Select(m, a, b) => three([v(m), v(a), v(b)], out, |m, x, y| if is(m) { x } else { y }),
    }
}

#[inline(always)]
fn two(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = f(*a, *b);
    }
}

#[inline(always)]
fn three([a, b, c]: [&[f32]; 3], out: &mut [f32], f: impl Fn(f32, f32, f32) -> f32) {
    for (out, (a, (b, c))) in out.iter_mut().zip(a.iter().zip(b.iter().zip(c))) {
        *out = f(*a, *b, *c);
    }
}
