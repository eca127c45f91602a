//! One type for all operators, so that each is compiled here, once per precision, and in no crate that calls it.
//!
//! A generic function is compiled wherever its type becomes known: without this, every program that calls an operator
//! would compile its kernel again, for every instruction set. [`Precision::work`] is not generic, and the list below is
//! what it knows.
//!
//! [`Precision::work`]: crate::precision::Precision::work

use super::{derivatives as d, dynamics as n, kinematics as k, loops as l, whole as w};
use crate::kernels::poses::Poses;

/// Declares [`AnyOperator`], and how each operator becomes one.
macro_rules! operators {
    ($($name:ident: $type:ty),* $(,)?) => {
        /// Any operator of this crate.
        pub enum AnyOperator<E> {
            $(
                #[allow(missing_docs)]
                $name($type),
            )*
        }

        $(
            impl<E> From<$type> for AnyOperator<E> {
                fn from(operator: $type) -> Self {
                    AnyOperator::$name(operator)
                }
            }
        )*

        /// Runs the operator, whichever it is.
        macro_rules! run_any {
            ($operator:expr, $tree:expr, $plan:expr, $arrays:expr) => {
                match $operator {
                    $($crate::operators::AnyOperator::$name(operator) => {
                        $crate::batch::run($tree, $plan, operator, $arrays.0, $arrays.1)
                    })*
                }
            };
        }
        pub(crate) use run_any;
    };
}

operators! {
    Poses: Poses<E>,
    Jacobian: k::Jacobian<E>,
    JacobianRate: k::JacobianRate<E>,
    FrameMotion: k::FrameMotion<E>,
    FrameMotionDerivatives: k::FrameMotionDerivatives<E>,
    Integrate: k::Integrate,
    Difference: k::Difference,
    Rnea: n::Rnea<E, true, true>,
    Bias: n::Rnea<E, true, false>,
    Gravity: n::Rnea<E, false, false>,
    Crba: n::Crba,
    MassInverse: n::MassInverse,
    Aba: n::Aba<E>,
    RneaJacobian: d::RneaJacobian,
    AbaJacobian: d::AbaJacobian,
    RneaVjp: d::RneaVjp,
    AbaVjp: d::AbaVjp,
    Centroidal: w::Centroidal,
    CentroidalRate: w::CentroidalRate,
    CenterOfMass: w::CenterOfMass<E>,
    Energies: w::Energies,
    Regressor: w::Regressor,
    LoopClosure: l::LoopClosure,
    LoopDrift: l::LoopDrift,
    ConstrainedForward: l::ConstrainedForward<E>,
    ActuatedInverse: l::ActuatedInverse,
    Consistent: l::Consistent,
}
