//! What a minibatch of a learner costs with different libraries: actor 94-256-128-64-12 and critic 94-256-128-64-1 with
//! ELU, forwards and backwards for 6,144 rows of 32-bit numbers. Prints milliseconds, best of some rounds.
//!
//! ```sh
//! cargo run --release -- 1      # threads
//! ```

use candle_core::{DType, Device, Tensor, Var};
use rayon::prelude::*;
use std::time::Instant;

const ROWS: usize = 6144;
const CHUNK: usize = 512;
const ACTOR: [usize; 5] = [94, 256, 128, 64, 12];
const CRITIC: [usize; 5] = [94, 256, 128, 64, 1];

/// dst (m × n, row-major) = [dst +] lhs · rhs with any strides (rows, columns).
type Product = fn(&mut [f32], (usize, usize, usize), (&[f32], [isize; 2]), (&[f32], [isize; 2]), bool);

fn by_gemm(
    dst: &mut [f32],
    (m, n, k): (usize, usize, usize),
    a: (&[f32], [isize; 2]),
    b: (&[f32], [isize; 2]),
    add: bool,
) {
    unsafe {
        gemm::gemm(
            m, n, k, dst.as_mut_ptr(), 1, n as isize, add,
            a.0.as_ptr(), a.1[1], a.1[0], b.0.as_ptr(), b.1[1], b.1[0],
            1.0, 1.0, false, false, false, gemm::Parallelism::None,
        );
    }
}

fn by_matrixmultiply(
    dst: &mut [f32],
    (m, n, k): (usize, usize, usize),
    a: (&[f32], [isize; 2]),
    b: (&[f32], [isize; 2]),
    add: bool,
) {
    let beta = if add { 1.0 } else { 0.0 };
    unsafe {
        matrixmultiply::sgemm(
            m, k, n, 1.0, a.0.as_ptr(), a.1[0], a.1[1], b.0.as_ptr(), b.1[0], b.1[1], beta,
            dst.as_mut_ptr(), n as isize, 1,
        );
    }
}

fn by_faer(
    dst: &mut [f32],
    (m, n, k): (usize, usize, usize),
    a: (&[f32], [isize; 2]),
    b: (&[f32], [isize; 2]),
    add: bool,
) {
    use faer::{Accum, MatMut, MatRef, Par};
    unsafe {
        let dst = MatMut::from_raw_parts_mut(dst.as_mut_ptr(), m, n, n as isize, 1);
        let a = MatRef::from_raw_parts(a.0.as_ptr(), m, k, a.1[0], a.1[1]);
        let b = MatRef::from_raw_parts(b.0.as_ptr(), k, n, b.1[0], b.1[1]);
        let add = if add { Accum::Add } else { Accum::Replace };
        faer::linalg::matmul::matmul(dst, add, a, b, 1.0, Par::Seq);
    }
}

struct Net {
    sizes: [usize; 5],
    weights: Vec<Vec<f32>>,
}

fn noise(n: usize, scale: f32) -> Vec<f32> {
    let mut x = 12345_u64;
    (0..n)
        .map(|_| {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            scale * ((x >> 40) as f32 / (1 << 23) as f32 - 1.0)
        })
        .collect()
}

impl Net {
    fn new(sizes: [usize; 5]) -> Self {
        let weights = sizes.windows(2).map(|w| noise(w[0] * w[1], 1.0 / (w[0] as f32).sqrt())).collect();
        Net { sizes, weights }
    }

    /// Gradient of ½ Σ y² for a chunk of rows.
    fn gradient(&self, product: Product, x: &[f32], rows: usize) -> Vec<Vec<f32>> {
        let s = &self.sizes;
        let mut layers = vec![x.to_vec()];
        for l in 0..4 {
            let mut y = vec![0.0; rows * s[l + 1]];
            let w = (self.weights[l].as_slice(), [1, s[l] as isize]);
            product(&mut y, (rows, s[l + 1], s[l]), (&layers[l], [s[l] as isize, 1]), w, false);
            if l < 3 {
                y.iter_mut().for_each(|y| *y = if *y > 0.0 { *y } else { y.exp() - 1.0 });
            }
            layers.push(y);
        }
        let mut back = layers[4].clone();
        let mut gradients = vec![Vec::new(); 4];
        for l in (0..4).rev() {
            let mut g = vec![0.0; s[l] * s[l + 1]];
            let dz = (back.as_slice(), [1, s[l + 1] as isize]);
            product(&mut g, (s[l + 1], s[l], rows), dz, (&layers[l], [s[l] as isize, 1]), false);
            gradients[l] = g;
            if l > 0 {
                let mut dx = vec![0.0; rows * s[l]];
                let w = (self.weights[l].as_slice(), [s[l] as isize, 1]);
                product(&mut dx, (rows, s[l], s[l + 1]), (&back, [s[l + 1] as isize, 1]), w, false);
                dx.iter_mut().zip(&layers[l]).for_each(|(d, y)| *d *= if *y > 0.0 { 1.0 } else { y + 1.0 });
                back = dx;
            }
        }
        gradients
    }
}

/// Chunks of rows in any order, their gradients added in a fixed one.
fn chunked(product: Product, nets: &[Net], x: &[f32], chunk: usize) -> f32 {
    let width = ACTOR[0];
    let parts: Vec<_> = (0..nets.len() * (ROWS / chunk))
        .into_par_iter()
        .map(|k| {
            let (net, c) = (&nets[k % nets.len()], k / nets.len());
            net.gradient(product, &x[c * chunk * width..(c + 1) * chunk * width], chunk)
        })
        .collect();
    parts.iter().flatten().flatten().sum()
}

fn candle(x: &[f32]) -> impl FnMut() -> f32 {
    let device = Device::Cpu;
    let x = Tensor::from_slice(x, (ROWS, ACTOR[0]), &device).expect("a tensor");
    let nets: Vec<Vec<Var>> = [ACTOR, CRITIC]
        .map(|s| {
            let layer = |w: &[usize]| {
                let values = noise(w[0] * w[1], 1.0 / (w[0] as f32).sqrt());
                Var::from_tensor(&Tensor::from_vec(values, (w[1], w[0]), &device).expect("a tensor")).expect("a variable")
            };
            s.windows(2).map(layer).collect()
        })
        .into();
    move || {
        let mut sum = 0.0;
        for net in &nets {
            let mut y = x.clone();
            for (l, w) in net.iter().enumerate() {
                y = y.matmul(&w.t().unwrap()).unwrap();
                if l < 3 {
                    y = y.elu(1.0).unwrap();
                }
            }
            let loss = (y.sqr().unwrap().sum_all().unwrap() * 0.5).unwrap();
            let grads = loss.backward().unwrap();
            for w in net {
                sum += grads.get(w).unwrap().to_dtype(DType::F32).unwrap().flatten_all().unwrap().get(0).unwrap().to_scalar::<f32>().unwrap();
            }
        }
        sum
    }
}

fn best(name: &str, mut work: impl FnMut() -> f32) {
    let mut best = f64::INFINITY;
    let mut seen = 0.0;
    for _ in 0..15 {
        let start = Instant::now();
        seen = work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    // forward 1, weights' gradient 1, inputs' gradient 1 without the first layer's
    let macs: usize = [ACTOR, CRITIC].iter().map(|s| 3 * s.windows(2).map(|w| w[0] * w[1]).sum::<usize>() - s[0] * s[1]).sum();
    let gflops = 2.0 * (macs * ROWS) as f64 / best * 1e-9;
    println!("{name:<24} {:>8.1} ms  {gflops:>6.0} GFLOP/s   ({seen:.3e})", best * 1e3);
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("threads");
    let x = noise(ROWS * ACTOR[0], 1.0);
    let nets = [Net::new(ACTOR), Net::new(CRITIC)];
    for chunk in [256, CHUNK, 1024] {
        for (name, product) in [("gemm", by_gemm as Product), ("matrixmultiply", by_matrixmultiply), ("faer", by_faer)] {
            best(&format!("{name}, chunks of {chunk}"), || chunked(product, &nets, &x, chunk));
        }
    }
    best("candle", candle(&x));
}
