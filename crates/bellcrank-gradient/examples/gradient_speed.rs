//! What the derivative of a step costs, in microseconds of processor time and in steps: 64 bits, one thread.
//!
//! `cargo run --release -p bellcrank-gradient --example gradient_speed [-- MODEL …]` prints one JSON record per model.
//!
//! *One world*, in plain numbers: the step by the interior point (warm, κ = 1e-6), the same with the Jacobian of all body
//! states and controls at κ = 1e-4, with that of minimal states and controls, and with one cotangent pulled back to all of
//! these. *A batch* of 64 worlds in different states, one per lane: the step and the minimal Jacobians, both per
//! world. Medians of interleaved rounds; a ratio never mixes one world with a batch.

use bellcrank_gradient::{MinimalCoordinates, StepDerivatives, Wrt};
use bellcrank_model::{Model, library};
use bellcrank_sim::{Batch, BatchError, BatchOptions, Solver};
use std::sync::Arc;

const DT: f64 = 0.01;
const KAPPA: f64 = 1e-4;
const ROUNDS: usize = 41;
const STEPS: usize = 10;
const WORLDS: usize = 64;
const BATCH_ROUNDS: usize = 9;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let names = if asked.is_empty() {
        ["humanoid", "quadruped", "arm", "hybrid_biped"].map(str::to_owned).to_vec()
    } else {
        asked
    };
    for name in names {
        match measure(&name) {
            Ok(line) => println!("{line}"),
            Err(why) => {
                eprintln!("{name}: {why}");
                std::process::exit(1);
            }
        }
    }
}

/// Processor time of this thread [s]: what others do on the machine does not count.
#[cfg(unix)]
fn clock() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Where the system does not tell that, time on the wall [s].
#[cfg(not(unix))]
fn clock() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Calls `f` and notes its time for `count` pieces of work.
fn timed<T>(list: &mut Vec<f64>, count: usize, f: impl FnOnce() -> T) -> T {
    let before = clock();
    let result = f();
    list.push((clock() - before) / count as f64);
    result
}

/// In microseconds.
fn median(mut list: Vec<f64>) -> f64 {
    list.sort_unstable_by(f64::total_cmp);
    list[list.len() / 2] * 1e6
}

fn batch(model: &Arc<Model>, worlds: usize) -> Result<Batch, BatchError> {
    let settings = Solver::variational().into();
    let (scalar, threads) = (worlds == 1, 1);
    let options = BatchOptions { dt: Some(DT), settings, scalar, threads, ..BatchOptions::default() };
    let mut batch = Batch::new(model.clone(), worlds, options)?;
    for world in 1..worlds {
        for a in 0..model.actuators().len() {
            batch.set_effort(world, a, 0.01 * ((world * 7 + a * 3) % 11) as f64)?;
        }
    }
    batch.step(30);
    Ok(batch)
}

fn measure(name: &str) -> Result<String, Box<dyn std::error::Error>> {
    let builder = library::by_name(name).ok_or("there is no shipped model of this name")?;
    let model = Arc::new(builder.build().map_err(|faults| format!("{faults:?}"))?);
    let kind: fn(usize) -> Wrt = if name == "humanoid" { Wrt::Effort } else { Wrt::TargetPosition };
    let controls: Vec<Wrt> = (0..model.actuators().len()).map(kind).collect();
    let mut one = batch(&model, 1)?;
    let freedoms = one.independent_freedoms(0)?;
    let (alone, iterations) = one_world(&mut one, &freedoms, &controls)?;
    let together = many_worlds(&mut batch(&model, WORLDS)?, &freedoms, &controls)?;
    let [step, maximal, minimal, pullback] = alone;
    let [batch_step, batch_minimal] = together;
    let (bodies, motors, freedoms) = (model.bodies().len(), controls.len(), freedoms.len());
    Ok(format!(
        "{{\"model\": \"{name}\", \"bodies\": {bodies}, \"freedoms\": {freedoms}, \"motors\": {motors}, \
         \"newton_steps\": {iterations}, \"step_us\": {step:.2}, \"jacobian_us\": {maximal:.2}, \
         \"minimal_jacobian_us\": {minimal:.2}, \"pullback_us\": {pullback:.2}, \
         \"jacobian_steps\": {:.2}, \"minimal_jacobian_steps\": {:.2}, \
         \"batch_worlds\": {WORLDS}, \"batch_step_us\": {batch_step:.2}, \
         \"batch_minimal_jacobian_us\": {batch_minimal:.2}, \"batch_minimal_jacobian_steps\": {:.2}}}",
        maximal / step,
        minimal / step,
        batch_minimal / batch_step,
    ))
}

/// Step, Jacobian, minimal Jacobian, pullback [µs]; and Newton steps of the last one.
fn one_world(
    batch: &mut Batch,
    freedoms: &[usize],
    controls: &[Wrt],
) -> Result<([f64; 4], usize), BatchError> {
    let bodies = batch.model(0)?.bodies().len();
    let mut wrt = Wrt::state(bodies);
    wrt.extend(controls);
    let cotangent = vec![1.0; 12 * bodies];
    let mut times = [const { Vec::new() }; 4];
    let mut iterations = 0;
    for _ in 0..ROUNDS {
        timed(&mut times[0], STEPS, || batch.step(STEPS));
        iterations = timed(&mut times[1], 1, || batch.step_jacobian(0, KAPPA, &wrt))?.end.iterations;
        timed(&mut times[2], 1, || batch.minimal_step_jacobian(0, KAPPA, freedoms, controls))?;
        timed(&mut times[3], 1, || batch.step_vjp(0, KAPPA, &cotangent, &wrt))?;
    }
    Ok((times.map(median), iterations))
}

/// Step and minimal Jacobian, per world [µs].
fn many_worlds(batch: &mut Batch, freedoms: &[usize], controls: &[Wrt]) -> Result<[f64; 2], BatchError> {
    let worlds: Vec<usize> = (0..WORLDS).collect();
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..BATCH_ROUNDS {
        timed(&mut times[0], STEPS * WORLDS, || batch.step(STEPS));
        timed(&mut times[1], WORLDS, || batch.minimal_step_jacobians(&worlds, KAPPA, freedoms, controls))?;
    }
    Ok(times.map(median))
}
