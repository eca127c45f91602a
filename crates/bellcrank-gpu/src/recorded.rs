//! The scalar that writes down what is done to it.
//!
//! [`Recorded`] is a [`Real`] like `f32`, so every generic function of the engine takes it, and none of them is written again for a
//! device. A value is a place in the [`Graph`] of the recording that this thread is making. Sine, cosine and arctangent are not
//! operations: `bellcrank_math::trig` says them in the others.

use crate::graph::{Folding, Graph, Id, Op};
use bellcrank_math::trig::{self, Bits};
use bellcrank_math::{Kernel, Mask, Real};
use std::cell::RefCell;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

thread_local!(static GRAPH: RefCell<Graph> = RefCell::default());

/// A number of a function that is being recorded.
#[derive(Clone, Copy, Debug)]
pub struct Recorded(Id);

/// A truth value of such a function.
#[derive(Clone, Copy, Debug)]
pub struct RecordedMask(Id);

/// Why a function cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} cannot become a kernel: it asks for {what}, which is not known before it runs")]
pub struct NotRecordable {
    /// What was recorded.
    pub name: String,
    /// What it asked for.
    pub what: &'static str,
}

/// A straight piece of work: numbers in, numbers out.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What is done.
    pub graph: Graph,
    /// The places of the results.
    pub results: Vec<Id>,
}

/// Records a function of so many numbers.
///
/// # Errors
/// When it asks for numbers while they are not known.
pub fn record(
    name: &str,
    inputs: usize,
    folding: Folding,
    work: impl FnOnce(&[Recorded]) -> Vec<Recorded>,
) -> Result<Recording, NotRecordable> {
    let Recording { graph, results } = record_all(name, inputs, folding, work)?;
    let (graph, results) = graph.pruned(&results);
    Ok(Recording { graph, results })
}

/// With everything that was asked for, needed or not.
pub(crate) fn record_all(
    name: &str,
    inputs: usize,
    folding: Folding,
    work: impl FnOnce(&[Recorded]) -> Vec<Recorded>,
) -> Result<Recording, NotRecordable> {
    let outer = GRAPH.replace(Graph::new(folding));
    let given: Vec<Recorded> = (0..inputs as u32).map(|k| push(Op::Input(k))).map(Recorded).collect();
    let results: Vec<Id> = work(&given).into_iter().map(|x| x.0).collect();
    let graph = GRAPH.replace(outer);
    match graph.unknown {
        Some(what) => Err(NotRecordable { name: name.to_owned(), what }),
        None => Ok(Recording { graph, results }),
    }
}

/// A part of a recorded function: what it does between some of its values and others.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Values on which it stands: its inputs, in this order.
    pub given: Vec<Recorded>,
    /// Values that are known where the part is used. What follows from them is left out as for finite numbers, so that with the unit
    /// matrix for a factor nothing is left of a division by it.
    pub known: Vec<(Recorded, f32)>,
    /// What it gives.
    pub results: Vec<Recorded>,
}

/// Records a function of so many numbers, and cuts a part out of it.
///
/// # Errors
/// When it asks for numbers while they are not known, or the part needs more than what is given.
pub fn record_part(
    name: &str,
    inputs: usize,
    work: impl FnOnce(&[Recorded]) -> Part,
) -> Result<Recording, NotRecordable> {
    let mut ends = (vec![], vec![]);
    let whole = record_all(name, inputs, Folding::KeepBits, |numbers| {
        let part = work(numbers);
        ends.0.extend(part.given.iter().map(|x| x.0));
        ends.1.extend(part.known.iter().map(|(x, value)| (x.0, *value)));
        part.results
    })?;
    let refused = |what| NotRecordable { name: name.to_owned(), what };
    whole.between(&ends.0, &ends.1).ok_or_else(|| refused("more than what is given"))
}

/// Never inlined: a function of ten thousand operations would hold ten thousand copies.
#[inline(never)]
fn push(op: Op) -> Id {
    GRAPH.with_borrow_mut(|graph| graph.add(op))
}

#[inline(never)]
fn number(op: Op) -> Recorded {
    Recorded(push(op))
}

#[inline(never)]
fn truth(op: Op) -> RecordedMask {
    RecordedMask(push(op))
}

/// The function asked for something that only a run knows; `instead` lets it go on to its end.
fn unknown<T>(what: &'static str, instead: T) -> T {
    GRAPH.with_borrow_mut(|graph| _ = graph.unknown.get_or_insert(what));
    instead
}

/// The value of a mask, where it is known; if it is not, «maybe» is noted.
fn known(mask: RecordedMask) -> Option<bool> {
    GRAPH.with_borrow_mut(|graph| match graph.op(mask.0) {
        Op::Truth(value) => Some(value),
        _ => {
            graph.maybes += 1;
            None
        }
    })
}

impl Recorded {
    /// Its place in the graph.
    pub(crate) fn id(self) -> Id {
        self.0
    }

    /// For √max(a, b), a: the pivot's lower bound, where a Cholesky factor is recorded.
    pub(crate) fn bound_under_root(self) -> Option<Recorded> {
        GRAPH.with_borrow(|graph| match graph.op(self.0) {
            Op::Sqrt(x) => match graph.op(x) {
                Op::Select(_, bound, _) => Some(Recorded(bound)),
                _ => None,
            },
            _ => None,
        })
    }
}

macro_rules! arithmetic {
    ($($name:ident $method:ident $assign:ident $assign_method:ident;)*) => {$(
        impl $name for Recorded {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                number(Op::$name(self.0, other.0))
            }
        }
        impl $assign for Recorded {
            fn $assign_method(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    )*};
}

arithmetic! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
}

impl Div for Recorded {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        number(Op::Div(self.0, other.0))
    }
}

impl Neg for Recorded {
    type Output = Self;
    fn neg(self) -> Self {
        number(Op::Neg(self.0))
    }
}

impl Default for Recorded {
    fn default() -> Self {
        Self::splat(0.0)
    }
}

impl BitAnd for RecordedMask {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        truth(Op::And(self.0, other.0))
    }
}

impl BitOr for RecordedMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        truth(Op::Or(self.0, other.0))
    }
}

impl Not for RecordedMask {
    type Output = Self;
    fn not(self) -> Self {
        truth(Op::Not(self.0))
    }
}

impl Mask for RecordedMask {
    fn splat(value: bool) -> Self {
        truth(Op::Truth(value))
    }
    fn any(self) -> bool {
        known(self).unwrap_or(true)
    }
    fn all(self) -> bool {
        known(self).unwrap_or(false)
    }
    fn bits(self) -> u32 {
        match known(self) {
            Some(value) => value as u32,
            None => unknown("the truth value of a world", 0),
        }
    }
    fn from_bits(bits: u32) -> Self {
        Self::splat(bits & 1 == 1)
    }
}

impl Bits for Recorded {
    fn bit(self, i: u32) -> RecordedMask {
        truth(Op::Bit(self.0, i))
    }
    fn copy_sign(self, sign: Self) -> Self {
        number(Op::CopySign(self.0, sign.0))
    }
}

impl Real for Recorded {
    type Elem = f32;
    type Mask = RecordedMask;
    const LANES: usize = 1;

    fn splat(x: f32) -> Self {
        number(Op::Const(x.to_bits()))
    }
    fn lane(self, _: usize) -> f32 {
        let known = GRAPH.with_borrow(|graph| graph.constant(self.0));
        known.unwrap_or_else(|| unknown("the number of a world", f32::NAN))
    }
    fn with_lane(self, _: usize, x: f32) -> Self {
        Self::splat(x)
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        number(Op::Fma(self.0, b.0, c.0))
    }
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        number(Op::NegFma(self.0, b.0, c.0))
    }
    fn sqrt(self) -> Self {
        number(Op::Sqrt(self.0))
    }
    fn abs(self) -> Self {
        number(Op::Abs(self.0))
    }
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }
    fn lt(self, other: Self) -> RecordedMask {
        truth(Op::Less(self.0, other.0))
    }
    fn le(self, other: Self) -> RecordedMask {
        truth(Op::LessEqual(self.0, other.0))
    }
    fn select(mask: RecordedMask, yes: Self, no: Self) -> Self {
        number(Op::Select(mask.0, yes.0, no.0))
    }
    fn round(self) -> Self {
        trig::round(self)
    }
    fn sin_cos(self) -> (Self, Self) {
        trig::sin_cos_f32(self)
    }
    fn atan2(self, x: Self) -> Self {
        trig::atan2_f32(self, x)
    }
    fn is_finite(self) -> RecordedMask {
        self.abs().le(Self::splat(f32::MAX))
    }
    fn load(values: &[f32]) -> Self {
        Self::splat(values.first().copied().unwrap_or(0.0))
    }
    fn store(self, values: &mut [f32]) {
        if let Some(first) = values.first_mut() {
            *first = self.lane(0);
        }
    }
    fn transpose(_: &mut [Self]) {}
    fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}
