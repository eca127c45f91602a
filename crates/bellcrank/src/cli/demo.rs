//! `bellcrank demo`: thousands of different four-bars, each turned once round, in lanes.
//!
//! Closure of a planar four-bar with ground d, crank a, coupler b and rocker c at crank angle θ:
//! a e^{iθ} + b e^{iβ} − c e^{iγ} − d = 0, solved for (β, γ) by Newton's method from the angle before. The rocker
//! angle is compared with Freudenstein's closed form.

use super::Error;
use bellcrank::math::{Elem, Kernel, LaneJob, Level, Mask, Real};
use clap::Args;
use std::time::Instant;

const LINKAGES: usize = 4096;
const STEPS: usize = 360;

#[derive(Args)]
pub struct Demo {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lengths [m] and the coupler's and rocker's angles [rad].
#[derive(Clone, Copy)]
struct FourBar<R> {
    crank: R,
    coupler: R,
    rocker: R,
    ground: R,
    beta: R,
    gamma: R,
}

impl<R: Real> FourBar<R> {
    /// Linkage number `k` of the family; all are crank-rockers by Grashof's rule.
    fn numbered(k: impl Fn(usize) -> usize) -> Self {
        let spread = |low: f64, high: f64, period: usize| {
            R::from_lanes(|lane| {
                R::Elem::from_f64(low + (high - low) * (k(lane) % period) as f64 / period as f64)
            })
        };
        let (crank, coupler) = (spread(0.05, 0.09, 17), spread(0.25, 0.3, 61));
        let (rocker, ground) = (spread(0.2, 0.24, 13), spread(0.26, 0.3, 29));
        let mut bar = FourBar { crank, coupler, rocker, ground, beta: R::zero(), gamma: R::constant(1.5) };
        bar.beta = R::constant(0.8);
        (0..20).for_each(|_| bar.newton(R::zero()));
        bar
    }

    /// The two components of the open gap [m] at a crank angle.
    #[inline(always)]
    fn gap(&self, theta: R) -> (R, R) {
        let ((st, ct), (sb, cb), (sg, cg)) = (theta.sin_cos(), self.beta.sin_cos(), self.gamma.sin_cos());
        let x = self.crank * ct + self.coupler * cb - self.rocker * cg - self.ground;
        let y = self.crank * st + self.coupler * sb - self.rocker * sg;
        (x, y)
    }

    #[inline(always)]
    fn newton(&mut self, theta: R) {
        let (x, y) = self.gap(theta);
        let ((sb, cb), (sg, cg)) = (self.beta.sin_cos(), self.gamma.sin_cos());
        let (a, b) = (-(self.coupler * sb), self.rocker * sg);
        let (c, d) = (self.coupler * cb, -(self.rocker * cg));
        let scale = (a * d - b * c).recip();
        self.beta -= (d * x - b * y) * scale;
        self.gamma -= (a * y - c * x) * scale;
    }

    /// How far the rocker angle misses Freudenstein's equation K₁ cos γ − K₂ cos θ + K₃ = cos(θ − γ).
    #[inline(always)]
    fn freudenstein(&self, theta: R) -> R {
        let (a, b, c, d) = (self.crank, self.coupler, self.rocker, self.ground);
        let (cg, ct) = (self.gamma.sin_cos().1, theta.sin_cos().1);
        let k3 = (a * a - b * b + c * c + d * d) / (R::constant(2.0) * a * c);
        (d / a * cg - d / c * ct + k3 - (theta - self.gamma).sin_cos().1).abs()
    }
}

/// One turn of a block of linkages: the largest gap [m] and miss.
struct OneTurn<R>(FourBar<R>);

impl<R: Real> Kernel for OneTurn<R> {
    type Output = (R, R);
    #[inline(always)]
    fn run(self) -> (R, R) {
        let mut bar = self.0;
        let (mut gap, mut miss) = (R::zero(), R::zero());
        for step in 0..STEPS {
            let theta = R::constant(step as f64 * core::f64::consts::TAU / STEPS as f64);
            for _ in 0..4 {
                bar.newton(theta);
            }
            let (x, y) = bar.gap(theta);
            gap = gap.max((x * x + y * y).sqrt());
            miss = miss.max(bar.freudenstein(theta));
        }
        (gap, miss)
    }
}

/// All linkages on one core: the largest gap and miss, and poses per second.
struct Sweep;

struct Swept {
    gap: f64,
    miss: f64,
    poses_per_second: f64,
}

impl LaneJob<f64> for Sweep {
    type Output = Swept;
    fn run<R: Real<Elem = f64>>(self) -> Swept {
        let blocks: Vec<FourBar<R>> =
            (0..LINKAGES / R::LANES).map(|block| FourBar::numbered(|lane| block * R::LANES + lane)).collect();
        let start = Instant::now();
        let (mut gap, mut miss) = (R::zero(), R::zero());
        for block in blocks {
            let (g, m) = R::run(OneTurn(block));
            (gap, miss) = (gap.max(g), miss.max(m));
        }
        let seconds = start.elapsed().as_secs_f64();
        let worst = |value: R| (0..R::LANES).map(|i| value.lane(i)).fold(0.0, f64::max);
        let finite = (gap + miss).is_finite().all();
        Swept {
            gap: if finite { worst(gap) } else { f64::NAN },
            miss: if finite { worst(miss) } else { f64::NAN },
            poses_per_second: (LINKAGES * STEPS) as f64 / seconds,
        }
    }
}

impl Demo {
    pub fn run(self) -> Result<(), Error> {
        let scalar = Sweep.run::<f64>();
        let lanes = f64::with_lanes(Sweep);
        let same_bits =
            (scalar.gap.to_bits(), scalar.miss.to_bits()) == (lanes.gap.to_bits(), lanes.miss.to_bits());
        let speedup = lanes.poses_per_second / scalar.poses_per_second;
        if self.json {
            let figures = serde_json::json!({
                "scene": "four_bars", "linkages": LINKAGES, "poses_each": STEPS,
                "loop_gap_max_m": lanes.gap, "freudenstein_miss_max": lanes.miss,
                "poses_per_second": lanes.poses_per_second, "lanes_over_scalar": speedup,
                "same_bits": same_bits,
                "instruction_set": Level::best().to_string(),
            });
            println!("{figures}");
            return Ok(());
        }
        println!("{LINKAGES} different four-bars, each turned once round in {STEPS} poses, one core");
        println!("  loop gap            {:.1e} m at most", lanes.gap);
        println!("  Freudenstein's law  missed by {:.1e} at most", lanes.miss);
        println!(
            "  poses per second    {:.1} million in {} lanes",
            lanes.poses_per_second / 1e6,
            Level::best()
        );
        println!(
            "  lanes over scalar   {speedup:.1} times, same bits: {}",
            if same_bits { "yes" } else { "NO" }
        );
        Ok(())
    }
}
