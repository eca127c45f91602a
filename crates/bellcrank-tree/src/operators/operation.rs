//! Operators in numbers of the caller's own: one state, in the user's order.
//!
//! [`Batch`](crate::Batch) computes in lanes. A recorder (`bellcrank-gpu`) needs the same operator, with the same arrays, in numbers
//! that write down what is done to them.

use super::derivatives::{AbaJacobian, AbaVjp, RneaJacobian, RneaVjp};
use super::dynamics::{Aba, Crba, MassInverse, Rnea};
use super::kinematics::{FrameMotion, Jacobian};
use super::whole::{Centroidal, Energies};
use crate::error::TreeError;
use crate::kernels::poses::Poses;
use crate::layout::{Layout, Map};
use crate::model::{FrameId, TreeModel};
use crate::{Reference, batch::Operator};
use bellcrank_math::{Elem, Real};

/// What to compute; arrays are those of the method of [`Batch`](crate::Batch) of that name.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// World poses of frames.
    Fk(Vec<FrameId>),
    /// Geometric Jacobian of a frame.
    Jacobian(FrameId, Reference),
    /// Velocity and accelerations of a frame.
    FrameMotion(FrameId, Reference),
    /// Inverse dynamics.
    Rnea,
    /// C(q, v) v + g(q)
    Bias,
    /// g(q)
    Gravity,
    /// The mass matrix.
    Crba,
    /// Its inverse.
    MassInverse,
    /// Forward dynamics.
    Aba,
    /// ∂τ/∂q, ∂τ/∂v
    RneaDerivatives,
    /// ∂a/∂q, ∂a/∂v, ∂a/∂τ
    AbaDerivatives,
    /// Gradients of λ·rnea(q, v, a).
    RneaVjp,
    /// Forward dynamics and the gradients of g·aba(q, v, τ).
    AbaVjp,
    /// Centre of mass and centroidal momentum matrix.
    Centroidal,
    /// Kinetic and potential energy.
    Energies,
}

/// The operators that [`Which`] names. (Not [`AnyOperator`](super::AnyOperator): each is compiled for the caller's numbers.)
enum Known<E> {
    Poses(Poses<E>),
    Jacobian(Jacobian<E>),
    FrameMotion(FrameMotion<E>),
    Rnea(Rnea<E, true, true>),
    Bias(Rnea<E, true, false>),
    Gravity(Rnea<E, false, false>),
    Crba(Crba),
    MassInverse(MassInverse),
    Aba(Aba<E>),
    RneaJacobian(RneaJacobian),
    AbaJacobian(AbaJacobian),
    RneaVjp(RneaVjp),
    AbaVjp(AbaVjp),
    Centroidal(Centroidal),
    Energies(Energies),
}

impl<E: Elem> Known<E> {
    fn run<R: Real<Elem = E>>(&self, tree: &TreeModel<E>, input: &[R], output: &mut [R]) {
        match self {
            Known::Poses(operator) => run_one(operator, tree, input, output),
            Known::Jacobian(operator) => run_one(operator, tree, input, output),
            Known::FrameMotion(operator) => run_one(operator, tree, input, output),
            Known::Rnea(operator) => run_one(operator, tree, input, output),
            Known::Bias(operator) => run_one(operator, tree, input, output),
            Known::Gravity(operator) => run_one(operator, tree, input, output),
            Known::Crba(operator) => run_one(operator, tree, input, output),
            Known::MassInverse(operator) => run_one(operator, tree, input, output),
            Known::Aba(operator) => run_one(operator, tree, input, output),
            Known::RneaJacobian(operator) => run_one(operator, tree, input, output),
            Known::AbaJacobian(operator) => run_one(operator, tree, input, output),
            Known::RneaVjp(operator) => run_one(operator, tree, input, output),
            Known::AbaVjp(operator) => run_one(operator, tree, input, output),
            Known::Centroidal(operator) => run_one(operator, tree, input, output),
            Known::Energies(operator) => run_one(operator, tree, input, output),
        }
    }
}

/// One block of one operator.
fn run_one<E: Elem, R: Real<Elem = E>, O: Operator<E>>(
    operator: &O,
    tree: &TreeModel<E>,
    input: &[R],
    output: &mut [R],
) {
    operator.run(tree, &mut operator.scratch::<R>(tree), input, output);
}

type Arrays = Vec<(&'static str, Layout<'static>)>;

/// An operator with what its arrays hold.
pub struct Operation<E> {
    operator: Known<E>,
    inputs: Arrays,
    outputs: Arrays,
    /// Of [`Which::Fk`]: which numbers of the block its result has, and the size of the block.
    picks: Option<(Vec<(usize, f64)>, usize)>,
}

impl<E: Elem> TreeModel<E> {
    /// An operator to be run in numbers of the caller's own.
    ///
    /// # Errors
    /// When a frame is not the tree's.
    pub fn operation(&self, which: &Which) -> Result<Operation<E>, TreeError> {
        let (operator, inputs, outputs) = self.parts(which)?;
        let mut operation = Operation { operator, inputs, outputs, picks: None };
        if let Which::Fk(frames) = which {
            let (poses, picks) = Poses::new(self, self.frames_of(frames)?);
            operation.picks = Some((picks, poses.block()));
            operation.operator = Known::Poses(poses);
        }
        Ok(operation)
    }

    fn parts(&self, which: &Which) -> Result<(Known<E>, Arrays, Arrays), TreeError> {
        const Q: (&str, Layout<'static>) = ("q", Layout::Configuration);
        const V: (&str, Layout<'static>) = ("v", Layout::Tangent);
        let vector = |name| (name, Layout::Tangent);
        let matrix = |name| (name, Layout::TangentMatrix);
        let frame = |frame: &FrameId| Ok::<_, TreeError>(self.frames_of(&[*frame])?[0]);
        Ok(match which {
            Which::Fk(_) => (Known::Crba(Crba), vec![Q], vec![]), // the caller puts poses there
            Which::Jacobian(of, reference) => {
                let operator = Jacobian { frame: frame(of)?, reference: *reference };
                (Known::Jacobian(operator), vec![Q], vec![("J", Layout::Columns(6))])
            }
            Which::FrameMotion(of, reference) => {
                let operator = FrameMotion { frame: frame(of)?, reference: *reference };
                (Known::FrameMotion(operator), vec![Q, V, vector("a")], vec![("motion", Layout::Plain(18))])
            }
            Which::Rnea => {
                (Known::Rnea(Rnea { frames: vec![] }), vec![Q, V, vector("a")], vec![vector("tau")])
            }
            Which::Bias => (Known::Bias(Rnea { frames: vec![] }), vec![Q, V], vec![vector("tau")]),
            Which::Gravity => (Known::Gravity(Rnea { frames: vec![] }), vec![Q], vec![vector("tau")]),
            Which::Crba => (Known::Crba(Crba), vec![Q], vec![("mass", Layout::Symmetric)]),
            Which::MassInverse => (Known::MassInverse(MassInverse), vec![Q], vec![matrix("inverse")]),
            Which::Aba => (Known::Aba(Aba { frames: vec![] }), vec![Q, V, vector("tau")], vec![vector("a")]),
            Which::RneaDerivatives => {
                let outputs = vec![("tau_q", Layout::Branched), ("tau_v", Layout::Branched)];
                (Known::RneaJacobian(RneaJacobian), vec![Q, V, vector("a")], outputs)
            }
            Which::AbaDerivatives => {
                let outputs = vec![matrix("a_q"), matrix("a_v"), matrix("a_tau")];
                (Known::AbaJacobian(AbaJacobian), vec![Q, V, vector("tau")], outputs)
            }
            Which::RneaVjp => {
                let outputs = vec![vector("by_q"), vector("by_v"), vector("by_a")];
                (
                    Known::RneaVjp(RneaVjp { parameters: false }),
                    vec![Q, V, vector("a"), vector("lambda")],
                    outputs,
                )
            }
            Which::AbaVjp => {
                let outputs = vec![vector("a"), vector("by_q"), vector("by_v"), vector("by_tau")];
                (Known::AbaVjp(AbaVjp { parameters: false }), vec![Q, V, vector("tau"), vector("g")], outputs)
            }
            Which::Centroidal => {
                let outputs = vec![("com", Layout::Plain(3)), ("A_g", Layout::Columns(6))];
                (Known::Centroidal(Centroidal), vec![Q], outputs)
            }
            Which::Energies => (Known::Energies(Energies), vec![Q, V], vec![("energies", Layout::Plain(2))]),
        })
    }
}

impl<E: Elem> Operation<E> {
    /// The arrays that it reads: name and layout of a row.
    pub fn inputs(&self) -> &[(&'static str, Layout<'static>)] {
        &self.inputs
    }

    /// The arrays that it writes.
    pub fn outputs(&self) -> Vec<(&'static str, Layout<'_>)> {
        match &self.picks {
            Some((picks, block)) => vec![("X_WF", Layout::Picked(picks, *block))],
            None => self.outputs.clone(),
        }
    }

    /// Computes one state: a row of each input, in the user's order, gives a row of each output. Order and signs change as they do
    /// for arrays. Numbers that are zero in every state are zeros of the caller's.
    ///
    /// # Errors
    /// When a row has another width than its layout.
    pub fn run<R: Real<Elem = E>>(
        &self,
        tree: &TreeModel<E>,
        inputs: &[&[R]],
    ) -> Result<Vec<Vec<R>>, TreeError> {
        let mut block = Vec::new();
        for ((what, layout), row) in self.inputs.iter().zip(inputs) {
            let map = Map::new(*layout, tree, 1);
            if row.len() != map.width {
                return Err(TreeError::WrongSize { what, found: row.len(), batch: 1, width: map.width });
            }
            let start = block.len();
            block.resize(start + map.block, R::zero());
            map.take_row(row, &mut block[start..]);
        }
        let maps: Vec<Map<E>> = self.outputs().iter().map(|(_, layout)| Map::new(*layout, tree, 1)).collect();
        let mut written = vec![R::zero(); maps.iter().map(|map| map.block).sum()];
        self.operator.run(tree, &block, &mut written);
        let mut start = 0;
        let row_of = |map: &Map<E>| {
            start += map.block;
            map.give_row(&written[start - map.block..start])
        };
        Ok(maps.iter().map(row_of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use bellcrank_model::library;

    /// τ = M a for a mechanism at rest without gravity's part: both operators say so in plain numbers.
    #[test]
    fn an_operation_is_the_operator() {
        let tree = build::tree(&library::five_bar_quadruped().build().expect("a model"));
        let (q, nv) = (tree.neutral(), tree.dof_count());
        let a: Vec<f64> = (0..nv).map(|k| 0.3 - 0.1 * k as f64).collect();
        let run = |which, inputs: &[&[f64]]| {
            tree.operation(&which).expect("an operator").run(&tree, inputs).expect("rows that fit")
        };
        let zero = vec![0.0; nv];
        let tau = &run(Which::Rnea, &[&q, &zero, &a])[0];
        let (mass, gravity) = (&run(Which::Crba, &[&q])[0], &run(Which::Gravity, &[&q])[0]);
        for r in 0..nv {
            let by_matrix: f64 = (0..nv).map(|c| mass[r * nv + c] * a[c]).sum::<f64>() + gravity[r];
            assert!((tau[r] - by_matrix).abs() < 1e-11, "{r}: {} {by_matrix}", tau[r]);
        }
        let short = tree.operation(&Which::Gravity).expect("an operator").run(&tree, &[&q[1..]]);
        assert!(matches!(short, Err(TreeError::WrongSize { what: "q", .. })));
    }
}
