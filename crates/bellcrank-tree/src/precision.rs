//! The two precisions that operators are compiled for.

use crate::batch::{Input, Output, Plan};
use crate::error::TreeError;
use crate::model::TreeModel;
use crate::operators::{AnyOperator, run_any};
use bellcrank_math::{Elem, LaneJob, Level};

/// `f64` or `f32`.
pub trait Precision: Elem {
    /// Runs `job` on lanes at this level, or one by one where the processor lacks it.
    fn at_level<J: LaneJob<Self>>(level: Level, job: J) -> J::Output;

    /// Runs an operator of this crate. Compiled here, for callers in all other crates.
    #[doc(hidden)]
    fn work(
        tree: &TreeModel<Self>,
        plan: Plan,
        operator: &AnyOperator<Self>,
        arrays: (&[Input<'_, Self>], &mut [Output<'_, Self>]),
    ) -> Result<(), TreeError>;
}

macro_rules! precision {
    ($type:ident) => {
        impl Precision for $type {
            #[cfg(not(test))]
            fn at_level<J: LaneJob<Self>>(level: Level, job: J) -> J::Output {
                level.$type(job)
            }

            // Unit tests compile the whole crate once more; lanes are the business of the tests in `tests/`.
            #[cfg(test)]
            fn at_level<J: LaneJob<Self>>(_: Level, job: J) -> J::Output {
                job.run::<Self>()
            }

            fn work(
                tree: &TreeModel<Self>,
                plan: Plan,
                operator: &AnyOperator<Self>,
                arrays: (&[Input<'_, Self>], &mut [Output<'_, Self>]),
            ) -> Result<(), TreeError> {
                run_any!(operator, tree, plan, arrays)
            }
        }
    };
}

precision!(f64);
precision!(f32);
