//! The two precisions that kernels are compiled for: here, and in no crate that calls them.

use crate::descent::{Descent, Stop};
use crate::parts::{Holding, Parts};
use crate::task::Task;
use bellcrank_tree::batch::{Input, Output};
use bellcrank_tree::{Precision, TreeError, TreeModel};

/// `f64`, or `f32` (feature `f32`).
pub trait Number: Precision + private::Kernels {}

pub(crate) mod private {
    use super::*;

    /// What is compiled once per precision.
    pub trait Kernels: Precision {
        #[doc(hidden)]
        #[allow(private_interfaces)]
        fn descend(
            tree: &TreeModel<Self>,
            threads: usize,
            question: (&Task<Self>, Stop),
            arrays: (&[Input<'_, Self>], &mut [Output<'_, Self>]),
        ) -> Result<(), TreeError>;

        #[doc(hidden)]
        #[allow(private_interfaces)]
        fn hold(
            tree: &TreeModel<Self>,
            threads: usize,
            parts: &Parts<Self>,
            arrays: (&[Input<'_, Self>], &mut [Output<'_, Self>]),
        ) -> Result<(), TreeError>;
    }
}

macro_rules! number {
    ($type:ident) => {
        impl Number for $type {}

        impl private::Kernels for $type {
            #[allow(private_interfaces)]
            fn descend(
                tree: &TreeModel<Self>,
                threads: usize,
                (task, stop): (&Task<Self>, Stop),
                (inputs, outputs): (&[Input<'_, Self>], &mut [Output<'_, Self>]),
            ) -> Result<(), TreeError> {
                tree.batch().threads(threads).run_operator(&Descent { task, stop }, inputs, outputs)
            }

            #[allow(private_interfaces)]
            fn hold(
                tree: &TreeModel<Self>,
                threads: usize,
                parts: &Parts<Self>,
                (inputs, outputs): (&[Input<'_, Self>], &mut [Output<'_, Self>]),
            ) -> Result<(), TreeError> {
                tree.batch().threads(threads).run_operator(&Holding(parts), inputs, outputs)
            }
        }
    };
}

number!(f64);
#[cfg(feature = "f32")]
number!(f32);
