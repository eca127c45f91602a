//! What a recording holds, and what is left out of it.

use bellcrank_gpu::{Access, Folding, Graph, Language, Op, Recorded, interpret, record, statements};
use bellcrank_math::{Mask, Real};

/// −0 + 0 = 0, so a sum with zero stays; −0 − 0 = −0, so a difference may go.
#[test]
fn folds_keep_bits_unless_told_otherwise() {
    for (folding, kept) in [(Folding::KeepBits, true), (Folding::Finite, false)] {
        let mut graph = Graph::new(folding);
        let (x, zero) = (graph.add(Op::Input(0)), graph.add(Op::Const(0)));
        assert_eq!(graph.add(Op::Add(x, zero)) != x, kept);
        assert_eq!(graph.add(Op::Sub(x, zero)), x);
        let product = graph.add(Op::Mul(x, zero));
        assert_eq!(graph.constant(product).is_none(), kept);
        let fused = graph.add(Op::Fma(zero, x, x));
        assert_eq!(fused != x, kept);
    }
}

#[test]
fn the_same_operation_is_there_once() {
    let mut graph = Graph::new(Folding::KeepBits);
    let (x, y) = (graph.add(Op::Input(0)), graph.add(Op::Input(1)));
    assert_eq!(graph.add(Op::Add(x, y)), graph.add(Op::Add(y, x)));
    assert_ne!(graph.add(Op::Sub(x, y)), graph.add(Op::Sub(y, x)));
    let one = graph.add(Op::Const(1.0_f32.to_bits()));
    let (sum, fused) = (graph.add(Op::Add(x, y)), graph.add(Op::Fma(one, x, y)));
    assert_eq!(sum, fused);
}

/// Every operation of `Real` on numbers of all sizes and signs, against `f32` itself.
#[test]
fn a_recording_computes_what_the_function_computes() {
    fn all<R: Real<Elem = f32>>(x: R, y: R) -> Vec<R> {
        let (s, c) = x.sin_cos();
        let near = R::select(x.lt(y) | !x.le(R::one()), x, y);
        let mut results = vec![x + y, x - y, x * y, x / y, -x, x.mul_add(y, x), x.neg_mul_add(y, y)];
        results.extend([x.abs().sqrt(), x.min(y), x.max(y), x.round(), s, c, x.atan2(y), near]);
        let finite = R::select((x / R::zero()).is_finite(), R::one(), R::constant(2.0));
        results.extend([x.clamp(-R::one(), y), x.signum_or_one(), finite, x.recip(), x.square()]);
        results
    }
    let recording = record("all", 2, Folding::KeepBits, |x| all(x[0], x[1])).expect("a recording");
    let numbers = [0.0, -0.0, 1.0, -1.5, 3.25e-3, -7.5e2, 2.0e-39, 123.456];
    for x in numbers {
        for y in numbers {
            let expected: Vec<u32> = all(x, y).iter().map(|x| f32::to_bits(*x)).collect();
            let given: Vec<u32> = interpret(&recording, &[x, y]).iter().map(|x| x.to_bits()).collect();
            for (k, (a, b)) in expected.iter().zip(&given).enumerate() {
                let both_nan = f32::from_bits(*a).is_nan() && f32::from_bits(*b).is_nan();
                assert!(a == b || both_nan, "result {k} of ({x}, {y}): {a:x} {b:x}");
            }
        }
    }
}

/// What only a run can know is an error that says so, and no panic.
#[test]
fn a_function_that_reads_numbers_is_refused() {
    let error = record("peek", 1, Folding::KeepBits, |x| vec![Recorded::splat(x[0].lane(0))]);
    let error = error.expect_err("a refusal").to_string();
    assert_eq!(
        error,
        "peek cannot become a kernel: it asks for the number of a world, which is not known before it runs"
    );
}

/// «Maybe» does the work of any world, and ends early for none.
#[test]
fn early_ends_are_not_taken() {
    let recording = record("rounds", 1, Folding::KeepBits, |x| {
        let mut sum = x[0];
        for _ in 0..3 {
            if !sum.lt(Recorded::one()).any() {
                break;
            }
            sum = Recorded::select(sum.lt(Recorded::one()), sum + Recorded::one(), sum);
        }
        vec![sum]
    });
    let recording = recording.expect("a recording");
    assert_eq!(recording.graph.maybes, 3);
    assert_eq!(interpret(&recording, &[-1.5]), [1.5]);
    assert_eq!(interpret(&recording, &[4.0]), [4.0]);
}

/// x y + x: two loads, one store, a fused product of two flops; x, y and the sum at once.
#[test]
fn costs_are_counted_by_hand() {
    let recording = record("one", 3, Folding::KeepBits, |x| vec![x[0].mul_add(x[1], x[0])]);
    let cost = recording.expect("a recording").cost();
    assert_eq!((cost.operations, cost.flops, cost.loads, cost.stores, cost.live), (1, 2, 2, 1, 3));
    assert_eq!(cost.bytes(), 12);
}

/// Two numbers change places in memory: both are read before either is written.
#[test]
fn what_a_result_replaces_is_read_first() {
    let swap = record("swap", 2, Folding::KeepBits, |x| vec![x[1], x[0]]).expect("a recording");
    let access = Access {
        load: &|k| format!("m[{k}]"),
        store: &|k, value| format!("m[{k}] = {value};\n"),
        replaces: &|k| Some(k as u32),
    };
    let text = statements(&swap, Language::Cuda, &access);
    let first_store = text.find("] =").expect("a store");
    assert_eq!(text.rfind("= m[").map(|last_load| last_load < first_store), Some(true), "{text}");
}
