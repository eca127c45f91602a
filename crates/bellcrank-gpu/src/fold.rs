//! What is known while recording is not left to the device.
//!
//! By default nothing is folded that could change a bit of a finite result: x + 0 is not x where x is −0, and 0 · x is not 0 where x is
//! negative. So a kernel gives what the processor gives. [`Folding::Finite`] folds these too.

use crate::graph::{Folding, Graph, Id, Op};

/// An operation that has to be done, or the place where its result is already.
type Folded = Result<Op, Id>;

impl Graph {
    /// The simplest operation with the same result.
    pub(crate) fn fold(&mut self, op: Op) -> Folded {
        match op {
            Op::Add(a, b) => self.fold_sum(a, b),
            Op::Sub(a, b) => self.fold_difference(a, b),
            Op::Mul(a, b) => self.fold_product(a, b),
            Op::Div(a, b) => match (self.constant(a), self.constant(b)) {
                (Some(x), Some(y)) => number(x / y),
                (_, Some(1.0)) => Err(a),
                _ => Ok(op),
            },
            Op::Fma(a, b, c) => self.fold_fma(a, b, c),
            Op::NegFma(a, b, c) => self.fold_neg_fma(a, b, c),
            Op::Neg(a) | Op::Sqrt(a) | Op::Abs(a) => self.fold_unary(op, a),
            Op::CopySign(a, b) => match (self.constant(a), self.constant(b)) {
                (Some(x), Some(y)) => number(x.copysign(y)),
                _ => Ok(op),
            },
            Op::Less(a, b) => self.fold_less(a, b),
            Op::LessEqual(..) | Op::Bit(..) => Ok(self.fold_test(op)),
            Op::And(..) | Op::Or(..) | Op::Not(_) => self.fold_logic(op),
            Op::Select(mask, yes, no) => match self.op(mask) {
                Op::Truth(true) => Err(yes),
                Op::Truth(false) => Err(no),
                _ if yes == no => Err(yes),
                Op::Not(other) => Ok(Op::Select(other, no, yes)),
                _ => Ok(op),
            },
            Op::Const(_) | Op::Input(_) | Op::Truth(_) => Ok(op),
        }
    }

    fn is_finite_zero(&self, id: Id) -> bool {
        self.folding == Folding::Finite && self.constant(id) == Some(0.0)
    }

    fn fold_sum(&mut self, a: Id, b: Id) -> Folded {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => number(x + y),
            _ if self.is_finite_zero(a) => Err(b),
            _ if self.is_finite_zero(b) => Err(a),
            _ => Ok(Op::Add(a.min(b), a.max(b))),
        }
    }

    fn fold_difference(&mut self, a: Id, b: Id) -> Folded {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => number(x - y),
            (_, Some(y)) if y.to_bits() == 0 => Err(a), // x − (+0) is x, even for −0
            _ if self.is_finite_zero(b) => Err(a),
            _ if self.is_finite_zero(a) => self.fold(Op::Neg(b)),
            _ => Ok(Op::Sub(a, b)),
        }
    }

    fn fold_product(&mut self, a: Id, b: Id) -> Folded {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => number(x * y),
            (Some(1.0), _) => Err(b),
            (_, Some(1.0)) => Err(a),
            _ if self.is_finite_zero(a) || self.is_finite_zero(b) => number(0.0),
            (Some(-1.0), _) => self.fold(Op::Neg(b)),
            (_, Some(-1.0)) => self.fold(Op::Neg(a)),
            _ => Ok(Op::Mul(a.min(b), a.max(b))),
        }
    }

    /// One factor that is one leaves a sum, which is rounded once as well.
    fn fold_fma(&mut self, a: Id, b: Id, c: Id) -> Folded {
        match (self.constant(a), self.constant(b), self.constant(c)) {
            (Some(x), Some(y), Some(z)) => number(x.mul_add(y, z)),
            (Some(1.0), ..) => self.fold(Op::Add(b, c)),
            (_, Some(1.0), _) => self.fold(Op::Add(a, c)),
            _ if self.is_finite_zero(a) || self.is_finite_zero(b) => Err(c),
            _ if self.is_finite_zero(c) => self.fold(Op::Mul(a, b)),
            _ => Ok(Op::Fma(a.min(b), a.max(b), c)),
        }
    }

    fn fold_neg_fma(&mut self, a: Id, b: Id, c: Id) -> Folded {
        match (self.constant(a), self.constant(b), self.constant(c)) {
            (Some(x), Some(y), Some(z)) => number((-x).mul_add(y, z)),
            (Some(1.0), ..) => self.fold(Op::Sub(c, b)),
            (_, Some(1.0), _) => self.fold(Op::Sub(c, a)),
            _ if self.is_finite_zero(a) || self.is_finite_zero(b) => Err(c),
            _ => Ok(Op::NegFma(a.min(b), a.max(b), c)),
        }
    }

    fn fold_unary(&mut self, op: Op, a: Id) -> Folded {
        match (op, self.constant(a), self.op(a)) {
            (Op::Neg(_), Some(x), _) => number(-x),
            (Op::Sqrt(_), Some(x), _) => number(x.sqrt()),
            (Op::Abs(_), Some(x), _) => number(x.abs()),
            (Op::Neg(_), _, Op::Neg(inner)) => Err(inner),
            (Op::Abs(_), _, Op::Abs(_)) => Err(a),
            (Op::Abs(_), _, Op::Neg(inner)) => Ok(Op::Abs(inner)),
            _ => Ok(op),
        }
    }

    /// A truth value that was kept as one of two numbers is itself again.
    fn fold_less(&self, a: Id, b: Id) -> Folded {
        let known = |id: Id| self.constant(id);
        if let (Some(x), Op::Select(mask, yes, no)) = (known(a), self.op(b))
            && let (Some(yes), Some(no)) = (known(yes), known(no))
        {
            match (x < yes, x < no) {
                (true, false) => return Err(mask),
                (false, true) => return Ok(Op::Not(mask)),
                (both, _) => return Ok(Op::Truth(both)),
            }
        }
        Ok(known(a).zip(known(b)).map_or(Op::Less(a, b), |(x, y)| Op::Truth(x < y)))
    }

    fn fold_test(&self, op: Op) -> Op {
        let known = |id: Id| self.constant(id);
        let truth = match op {
            Op::LessEqual(a, b) => known(a).zip(known(b)).map(|(x, y)| x <= y),
            Op::Bit(a, k) => known(a).map(|x| x.to_bits() >> k & 1 == 1),
            _ => None,
        };
        truth.map_or(op, Op::Truth)
    }

    fn fold_logic(&self, op: Op) -> Folded {
        let known = |id: Id| match self.op(id) {
            Op::Truth(value) => Some(value),
            _ => None,
        };
        match op {
            Op::And(a, b) | Op::Or(a, b) => {
                // the value that leaves the other as it is
                let neutral = matches!(op, Op::And(..));
                match (known(a), known(b)) {
                    (Some(x), _) => Err(if x == neutral { b } else { a }),
                    (_, Some(y)) => Err(if y == neutral { a } else { b }),
                    _ if a == b => Err(a),
                    _ if neutral => Ok(Op::And(a.min(b), a.max(b))),
                    _ => Ok(Op::Or(a.min(b), a.max(b))),
                }
            }
            Op::Not(a) => match (known(a), self.op(a)) {
                (Some(x), _) => Ok(Op::Truth(!x)),
                (_, Op::Not(inner)) => Err(inner),
                _ => Ok(op),
            },
            _ => Ok(op),
        }
    }
}

fn number(x: f32) -> Folded {
    Ok(Op::Const(x.to_bits()))
}
