//! The frame around an operator, so that each reads as: what it keeps, its memory, what it computes.

/// Implements [`crate::batch::Operator`]: memory for one block, and one block's work.
macro_rules! operator {
    (
        $name:ident $(<$e:ident>)?;
        scratch $scratch:ty = |$this:ident, $tree:ident| $make:expr;
        run |$that:ident, $model:ident, $s:ident, $input:ident, $output:ident| $work:block
    ) => {
        impl<E: bellcrank_math::Elem> $crate::batch::Operator<E> for $name $(<$e>)? {
            type Scratch<R: bellcrank_math::Real<Elem = E>> = $scratch;

            #[allow(unused_variables)]
            fn scratch<R: bellcrank_math::Real<Elem = E>>(
                &self,
                $tree: &$crate::model::TreeModel<E>,
            ) -> $scratch {
                let $this = self;
                $make
            }

            #[allow(unused_variables)]
            #[inline(always)]
            fn run<R: bellcrank_math::Real<Elem = E>>(
                &self,
                $model: &$crate::model::TreeModel<E>,
                $s: &mut $scratch,
                $input: &[R],
                $output: &mut [R],
            ) {
                let $that = self;
                $work
            }
        }
    };
}
pub(crate) use operator;
