//! Kernels as functions of their own, for operators that need several of them.
//!
//! Inlining a large kernel into every operator that uses it would multiply machine code and compile time. `Real::run`
//! enters a function compiled for the lanes' instruction set, so a call through it costs a few nanoseconds per block
//! and no vector instruction is lost.

use super::constrained::{self, Scratch};
use super::{aba, crba, ltdl, rnea, rnea_jacobian, vjp};
use crate::model::TreeModel;
use bellcrank_math::{Elem, Kernel, Real};

/// Declares a function that runs its body through `Real::run`.
macro_rules! outlined {
    (
        $(#[$doc:meta])*
        fn $function:ident($tree:ident, $($field:ident: $type:ty),*) by $name:ident $body:block
    ) => {
        struct $name<'a, E: Elem, R: Real<Elem = E>> {
            $tree: &'a TreeModel<E>,
            $($field: $type,)*
        }

        impl<'a, E: Elem, R: Real<Elem = E>> Kernel for $name<'a, E, R> {
            type Output = ();
            #[inline(always)]
            fn run(self) {
                let $name { $tree, $($field),* } = self;
                $body
            }
        }

        $(#[$doc])*
        #[inline(always)]
        pub fn $function<'a, E: Elem, R: Real<Elem = E>>($tree: &'a TreeModel<E>, $($field: $type),*) {
            R::run($name::<'a, E, R> { $tree, $($field),* });
        }
    };
}

outlined! {
    /// [`crba::crba`]
    fn mass_matrix(tree, s: &'a mut crba::Scratch<R>, q: &'a [R], mass: &'a mut [R]) by MassMatrix {
        crba::crba(tree, s, q, mass);
    }
}

outlined! {
    /// [`ltdl::solve`]
    fn solve_mass(tree, factor: &'a [R], x: &'a mut [R], columns: usize) by SolveMass {
        ltdl::solve(&tree.branches, factor, x, columns);
    }
}

outlined! {
    /// C v + g
    fn bias(tree, s: &'a mut rnea::Scratch<R>, q: &'a [R], v: &'a [R], tau: &'a mut [R]) by Bias {
        rnea::rnea::<E, R, true, false>(tree, s, [q, v, &[]], (&[], &[]), tau);
    }
}

outlined! {
    /// [`rnea::rnea`]
    fn inverse_dynamics(tree, s: &'a mut rnea::Scratch<R>, state: [&'a [R]; 3], tau: &'a mut [R]) by InverseDynamics {
        rnea::rnea::<E, R, true, true>(tree, s, state, (&[], &[]), tau);
    }
}

outlined! {
    /// [`rnea_jacobian::rnea_jacobian`]
    fn inverse_dynamics_jacobian(
        tree,
        s: &'a mut rnea_jacobian::Scratch<R>,
        state: [&'a [R]; 3],
        by_q: &'a mut [R],
        by_v: &'a mut [R]
    ) by InverseDynamicsJacobian {
        rnea_jacobian::rnea_jacobian(tree, s, state, by_q, by_v);
    }
}

outlined! {
    /// [`aba::aba`]
    fn forward_dynamics(tree, s: &'a mut aba::Scratch<R>, state: [&'a [R]; 3], a: &'a mut [R]) by ForwardDynamics {
        aba::aba(tree, s, state, (&[], &[]), a);
    }
}

outlined! {
    /// [`vjp::rnea_vjp`]
    fn adjoint(tree, s: &'a mut vjp::Scratch<R>, state: [&'a [R]; 4], by: [&'a mut [R]; 3]) by Adjoint {
        vjp::rnea_vjp(tree, s, state, by);
    }
}

outlined! {
    /// [`Scratch::close`]
    fn close(tree, s: &'a mut Scratch<E, R>, q: &'a [R], v: &'a [R]) by Close {
        constrained::close(tree, s, q, v);
    }
}

outlined! {
    /// [`Scratch::set_drift`]
    fn drift(tree, s: &'a mut Scratch<E, R>, q: &'a [R], v: &'a [R]) by Drift {
        constrained::drift(tree, s, q, v);
    }
}
