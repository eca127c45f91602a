//! A world's result does not depend on its lane, nor on the instruction set: every lane of every backend gives
//! the bits of the scalar.

use bellcrank_math::{Dual, Elem, Kernel, LaneJob, Lanes, Level, Mask, Pose, Quat, Real, Vec3, so3};

/// A little of everything that the physics uses, as one number per output.
#[inline(always)]
fn mixture<R: Real>(a: R, b: R, c: R) -> [R; 12] {
    let theta = Vec3::new(a, b, c);
    let q = so3::exp(theta);
    let X = Pose::new(q, theta) * Pose::new(q.inverse(), theta * b);
    let moved = X * Vec3::new(b, c, a);
    let J = so3::left_jacobian(theta) * so3::left_jacobian_inverse(moved);
    let back = so3::log(X.R * q);
    let (s, co) = (a * c).sin_cos();
    let picked = R::select(a.lt(b) & !b.le(c), s, R::select(a.gt(c) | a.is_finite(), co, -a));
    let roots = Real::abs(a).sqrt() / b.max(c).min(a);
    [
        moved.x,
        moved.y,
        J.x.x,
        J.y.z,
        back.x,
        back.z,
        picked,
        roots,
        a.atan2(b),
        c.clamp(a, b) + (a * b).round(),
        Quat::from_axis_angle(Vec3::z_axis(), c).w,
        a.neg_mul_add(b, c).mul_add(c, -a),
    ]
}

struct Mixture<'a, R> {
    inputs: &'a [[R; 3]],
    outputs: &'a mut Vec<[R; 12]>,
}

impl<R: Real> Kernel for Mixture<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.outputs.extend(self.inputs.iter().map(|[a, b, c]| mixture(*a, *b, *c)));
    }
}

/// The bits of `mixture` for each input triple, computed `R::LANES` at a time.
struct Bits<'a, E>(&'a [[E; 3]]);

impl<E: Elem> LaneJob<E> for Bits<'_, E> {
    type Output = Vec<[u64; 12]>;
    fn run<R: Real<Elem = E>>(self) -> Self::Output {
        let at = |row: usize, k: usize| R::from_lanes(|lane| self.0[(row + lane) % self.0.len()][k]);
        let rows = (0..self.0.len()).step_by(R::LANES);
        let inputs: Vec<[R; 3]> = rows.map(|row| [at(row, 0), at(row, 1), at(row, 2)]).collect();
        let mut outputs = Vec::with_capacity(inputs.len());
        R::run(Mixture { inputs: &inputs, outputs: &mut outputs });
        (0..self.0.len())
            .map(|i| outputs[i / R::LANES].map(|value| value.lane(i % R::LANES).to_f64().to_bits()))
            .collect()
    }
}

/// Ordinary numbers of many sizes, and the awkward ones: zeros of both signs, tiny, huge, infinite, NaN.
fn inputs<E: Elem>() -> Vec<[E; 3]> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let special = [0.0, -0.0, 1e-30, -1e-8, 1e12, f64::INFINITY, f64::NAN, core::f64::consts::PI, 1.0];
    let mut rows: Vec<[E; 3]> = (0..4000)
        .map(|i| [next(), next(), next()].map(|x| E::from_f64(x * 10_f64.powi(i % 9 - 5))))
        .collect();
    for a in special {
        for b in special {
            rows.push([a, b, next()].map(E::from_f64));
            rows.push([next(), a, b].map(E::from_f64));
        }
    }
    rows
}

/// NaN has many bit patterns, which IEEE leaves open; all count as one.
fn assert_same(ours: &[[u64; 12]], reference: &[[u64; 12]], level: Level) {
    for (i, (a, b)) in ours.iter().zip(reference).enumerate() {
        for k in 0..12 {
            let both_nan = f64::from_bits(a[k]).is_nan() && f64::from_bits(b[k]).is_nan();
            let (x, y) = (f64::from_bits(a[k]), f64::from_bits(b[k]));
            assert!(a[k] == b[k] || both_nan, "{level}: input {i}, output {k}: {x:e} against {y:e}");
        }
    }
}

#[test]
fn every_lane_of_f64_gives_the_bits_of_the_scalar() {
    let rows = inputs::<f64>();
    let reference = Bits(&rows).run::<f64>();
    for level in Level::ALL.into_iter().filter(|level| level.available()) {
        println!("compared: {level}");
        assert_same(&level.f64(Bits(&rows)), &reference, level);
    }
    assert_same(&Bits(&rows).run::<Lanes<f64, 8>>(), &reference, Level::Scalar);
}

#[test]
fn every_lane_of_f32_gives_the_bits_of_the_scalar() {
    let rows = inputs::<f32>();
    let reference = Bits(&rows).run::<f32>();
    for level in Level::ALL.into_iter().filter(|level| level.available()) {
        assert_same(&level.f32(Bits(&rows)), &reference, level);
    }
    assert_same(&Bits(&rows).run::<Lanes<f32, 16>>(), &reference, Level::Scalar);
}

/// Masks survive the way to bits and back, at every level, for every pattern of the lowest lanes.
#[test]
fn masks_are_their_bits() {
    struct Masks;
    impl<E: Elem> LaneJob<E> for Masks {
        type Output = ();
        fn run<R: Real<Elem = E>>(self) {
            let all = u32::MAX >> (32 - R::LANES);
            for bits in [0, 1, 2, 0b1011_0101, 0b1000_0000, all, all - 1, all & 0xaaaa] {
                let mask = R::Mask::from_bits(bits);
                assert_eq!((mask.bits(), (!mask).bits()), (bits & all, !bits & all));
                assert_eq!((mask.any(), mask.all()), (bits & all != 0, bits & all == all));
                let chosen = R::select(mask, R::one(), R::zero());
                for i in 0..R::LANES {
                    assert_eq!(chosen.lane(i) == E::one(), bits >> i & 1 == 1);
                }
            }
            assert!(R::Mask::splat(true).all() && !R::Mask::splat(false).any());
        }
    }
    for level in Level::ALL.into_iter().filter(|level| level.available()) {
        level.f64(Masks);
        level.f32(Masks);
    }
    LaneJob::<f64>::run::<Lanes<f64, 8>>(Masks);
    LaneJob::<f32>::run::<Lanes<f32, 16>>(Masks);
}

/// Lane `i` is the `i`th number that a vector stores: written alone, it changes no other, and it is read where it was written.
#[test]
fn a_lane_is_written_alone() {
    struct Alone;
    impl<E: Elem> LaneJob<E> for Alone {
        type Output = ();
        fn run<R: Real<Elem = E>>(self) {
            for i in 0..R::LANES {
                let mut x = R::from_lanes(|lane| E::from_f64(lane as f64));
                x.set_lane(i, E::from_f64(100.0));
                let mut stored = vec![E::zero(); R::LANES];
                x.store(&mut stored);
                for (lane, value) in stored.iter().enumerate() {
                    let expected = if lane == i { 100.0 } else { lane as f64 };
                    assert_eq!([value.to_f64(), x.lane(lane).to_f64()], [expected; 2]);
                }
            }
        }
    }
    for level in Level::ALL.into_iter().filter(|level| level.available()) {
        level.f64(Alone);
        level.f32(Alone);
    }
    LaneJob::<f64>::run::<Lanes<f64, 8>>(Alone);
    LaneJob::<f32>::run::<Lanes<f32, 16>>(Alone);
}

/// Nothing between the lanes: AVX-512 registers, plain arrays and NEON's four registers are 64 bytes, AVX2's are 32.
#[test]
fn lanes_are_as_large_as_their_registers() {
    struct Size;
    impl<E: Elem> LaneJob<E> for Size {
        type Output = (usize, usize);
        fn run<R: Real<Elem = E>>(self) -> (usize, usize) {
            assert_eq!(size_of::<R>(), R::LANES * size_of::<E>());
            assert!(R::LANES <= E::LANE_COUNT);
            (size_of::<R>(), align_of::<R>())
        }
    }
    for level in Level::ALL.into_iter().filter(|level| *level != Level::Scalar && level.available()) {
        let expected = match level {
            Level::Avx2 => (32, 32),
            Level::Neon => (64, 16),
            _ => (64, 64),
        };
        assert_eq!((level.f64(Size), level.f32(Size)), (expected, expected));
    }
    assert_eq!((size_of::<Lanes<f64, 8>>(), size_of::<Lanes<f32, 16>>()), (64, 64));
}

/// A square whose entry (i, j) is 100 i + j turns into one whose entry is 100 j + i; part of a row reads and writes no
/// number beyond its end, and gives zeros there.
#[test]
fn rows_become_lanes_and_lanes_become_rows() {
    struct Rows;
    impl<E: Elem> LaneJob<E> for Rows {
        type Output = ();
        fn run<R: Real<Elem = E>>(self) {
            let n = R::LANES;
            let entry = |i: usize, j: usize| E::from_f64((100 * i + j) as f64);
            let rows: Vec<Vec<E>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
            let mut square: Vec<R> = rows.iter().map(|row| R::load(row)).collect();
            R::transpose(&mut square);
            for i in 0..n {
                for j in 0..n {
                    assert!(square[i].lane(j) == entry(j, i), "entry ({i}, {j})");
                }
            }
            for count in 0..=n {
                let part = R::load(&rows[n - 1][..count]);
                assert!((0..n).all(|j| part.lane(j) == if j < count { entry(n - 1, j) } else { E::zero() }));
                let mut out = vec![E::one(); n + 1];
                square[0].store(&mut out[..count]);
                assert!((0..=n).all(|j| out[j] == if j < count { entry(j, 0) } else { E::one() }));
            }
        }
    }
    for level in Level::ALL.into_iter().filter(|level| level.available()) {
        println!("compared: {level}");
        level.f64(Rows);
        level.f32(Rows);
    }
    LaneJob::<f64>::run::<Lanes<f64, 8>>(Rows);
    LaneJob::<f32>::run::<Lanes<f32, 16>>(Rows);
    LaneJob::<f64>::run::<Dual<Lanes<f64, 8>, 2>>(Rows);
}
