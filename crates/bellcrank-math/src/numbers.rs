//! Structures whose leaves are all numbers of one type: lanes of them are filled one by one.

use crate::{Pose, Quat, Real, Sym3, Vec3};

/// A structure made of numbers, which can be visited in an order that is always the same. So the structure of one world, in plain
/// numbers, is written into one lane of the same structure in lanes, without a line of code per field.
pub trait Numbers<R>: Sized {
    /// All numbers zero.
    fn zero() -> Self;
    /// Calls `visit` on every number.
    fn each(&mut self, visit: &mut dyn FnMut(&mut R));
}

impl<R: Real> Numbers<R> for R {
    fn zero() -> Self {
        Real::zero()
    }
    #[inline]
    fn each(&mut self, visit: &mut dyn FnMut(&mut R)) {
        visit(self);
    }
}

impl<R, T: Numbers<R>, const N: usize> Numbers<R> for [T; N] {
    fn zero() -> Self {
        core::array::from_fn(|_| T::zero())
    }
    fn each(&mut self, visit: &mut dyn FnMut(&mut R)) {
        self.iter_mut().for_each(|part| part.each(visit));
    }
}

/// Implements [`Numbers`] for a structure that is generic over its numbers, from the list of its fields.
///
/// ```
/// use bellcrank_math::{Numbers, Vec3, numbers};
///
/// struct Spring<R> {
///     stiffness: R,
///     anchor: Vec3<R>,
/// }
/// numbers!(Spring { stiffness, anchor });
///
/// let (mut spring, mut next) = (Spring::<f64>::zero(), 1.0);
/// spring.each(&mut |number| {
///     *number = next;
///     next += 1.0;
/// });
/// assert_eq!((spring.stiffness, spring.anchor), (1.0, Vec3::new(2.0, 3.0, 4.0)));
/// ```
#[macro_export]
macro_rules! numbers {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl<R: $crate::Real> $crate::Numbers<R> for $name<R> {
            fn zero() -> Self {
                $name { $($field: $crate::Numbers::<R>::zero()),* }
            }
            fn each(&mut self, visit: &mut dyn FnMut(&mut R)) {
                $($crate::Numbers::<R>::each(&mut self.$field, visit);)*
            }
        }
    };
}

numbers!(Vec3 { x, y, z });
numbers!(Quat { w, x, y, z });
numbers!(Pose { R, p });
numbers!(Sym3 { xx, xy, xz, yy, yz, zz });
