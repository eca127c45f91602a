//! `f64` and `f32` as [`Real`]: one lane, the readable reference for all others.

use crate::lanes::{LaneJob, Level, enter_scalar};
use crate::real::{Elem, Kernel, Real};
use crate::trig::{self, Bits};

macro_rules! scalar {
    ($t:ident, $lanes:literal, $rounder:literal, $sin_cos:path, $atan2:path) => {
        impl Elem for $t {
            const EPSILON: $t = $t::EPSILON;
            const LANE_COUNT: usize = $lanes;
            const ROUNDER: $t = $rounder; // 1.5 · 2⁵² or 1.5 · 2²³
            #[inline(always)]
            fn from_f64(x: f64) -> $t {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn with_lanes<J: LaneJob<$t>>(job: J) -> J::Output {
                Level::best().$t(job)
            }
        }

        impl Real for $t {
            type Elem = $t;
            type Mask = bool;
            const LANES: usize = 1;

            #[inline(always)]
            fn splat(x: $t) -> $t {
                x
            }
            #[inline(always)]
            fn lane(self, i: usize) -> $t {
                assert!(i == 0, "a scalar has one lane");
                self
            }
            #[inline(always)]
            fn with_lane(self, i: usize, x: $t) -> $t {
                assert!(i == 0, "a scalar has one lane");
                x
            }
            #[inline(always)]
            fn mul_add(self, b: $t, c: $t) -> $t {
                <$t>::mul_add(self, b, c)
            }
            #[inline(always)]
            fn neg_mul_add(self, b: $t, c: $t) -> $t {
                <$t>::mul_add(-self, b, c)
            }
            #[inline(always)]
            fn sqrt(self) -> $t {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> $t {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn min(self, other: $t) -> $t {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn max(self, other: $t) -> $t {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn lt(self, other: $t) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: $t) -> bool {
                self <= other
            }
            #[inline(always)]
            fn select(mask: bool, yes: $t, no: $t) -> $t {
                if mask { yes } else { no }
            }
            #[inline(always)]
            fn round(self) -> $t {
                trig::round(self)
            }
            #[inline(always)]
            fn sin_cos(self) -> ($t, $t) {
                $sin_cos(self)
            }
            #[inline(always)]
            fn atan2(self, x: $t) -> $t {
                $atan2(self, x)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }
            #[inline(always)]
            fn load(values: &[$t]) -> $t {
                values.first().copied().unwrap_or(0.0)
            }
            #[inline(always)]
            fn store(self, values: &mut [$t]) {
                if let Some(first) = values.first_mut() {
                    *first = self;
                }
            }
            #[inline(always)]
            fn transpose(square: &mut [$t]) {
                assert!(square.len() == 1, "a scalar has one lane");
            }
            #[inline(always)]
            fn run<K: Kernel>(kernel: K) -> K::Output {
                enter_scalar(kernel)
            }
        }

        impl Bits for $t {
            #[inline(always)]
            fn bit(self, i: u32) -> bool {
                self.to_bits() >> i & 1 == 1
            }
            #[inline(always)]
            fn copy_sign(self, sign: $t) -> $t {
                self.copysign(sign)
            }
        }
    };
}

scalar!(f64, 8, 6_755_399_441_055_744.0, trig::sin_cos_f64, trig::atan2_f64);
scalar!(f32, 16, 12_582_912.0, trig::sin_cos_f32, trig::atan2_f32);
