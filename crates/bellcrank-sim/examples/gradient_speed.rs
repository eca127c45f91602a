//! What the derivative of a step costs, in microseconds and in steps: one world, one thread, 64 bits.
//!
//! `cargo run --release -p bellcrank-sim --example gradient_speed [-- MODEL …]` prints one JSON record per model: the step
//! by the interior point (warm, κ = 1e-6), the same with the Jacobian of all body states and controls, with that of minimal
//! states and controls, and with one cotangent pulled back to all of these; medians of interleaved rounds.

use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions, Integrator, InteriorPoint, Method, Settings, Wrt};
use std::sync::Arc;
use std::time::Instant;

const DT: f64 = 0.01;
const KAPPA: f64 = 1e-4;
const ROUNDS: usize = 41;
const STEPS: usize = 10;

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

fn measure(name: &str) -> Result<String, Box<dyn std::error::Error>> {
    let builder = library::by_name(name).ok_or("there is no shipped model of this name")?;
    let model = Arc::new(builder.build().map_err(|faults| format!("{faults:?}"))?);
    let settings = Settings {
        integrator: Integrator::Variational,
        method: Method::InteriorPoint(InteriorPoint::default()),
        ..Settings::default()
    };
    let options = BatchOptions { dt: DT, settings: Some(settings), scalar: true, ..BatchOptions::default() };
    let mut batch = Batch::new(model.clone(), 1, options)?;
    batch.step(30);
    let (bodies, motors) = (model.bodies().len(), model.actuators().len());
    let kind: fn(usize) -> Wrt = if name == "humanoid" { Wrt::Effort } else { Wrt::TargetPosition };
    let controls: Vec<Wrt> = (0..motors).map(kind).collect();
    let mut wrt = Wrt::state(bodies);
    wrt.extend(&controls);
    let freedoms = batch.independent_freedoms(0)?;
    let cotangent = vec![1.0; 12 * bodies];
    let mut times = [const { Vec::new() }; 4];
    let mut iterations = 0;
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        batch.step(STEPS);
        times[0].push(clock.elapsed().as_secs_f64() / STEPS as f64);
        let clock = Instant::now();
        iterations = batch.step_jacobian(0, KAPPA, &wrt)?.end.iterations;
        times[1].push(clock.elapsed().as_secs_f64());
        let clock = Instant::now();
        batch.minimal_step_jacobian(0, KAPPA, &freedoms, &controls)?;
        times[2].push(clock.elapsed().as_secs_f64());
        let clock = Instant::now();
        batch.step_vjp(0, KAPPA, &cotangent, &wrt)?;
        times[3].push(clock.elapsed().as_secs_f64());
    }
    let [step, maximal, minimal, pullback] = times.map(|mut list| {
        list.sort_unstable_by(f64::total_cmp);
        list[list.len() / 2] * 1e6
    });
    Ok(format!(
        "{{\"model\": \"{name}\", \"bodies\": {bodies}, \"freedoms\": {}, \"motors\": {motors}, \"newton_steps\": {iterations}, \
         \"step_us\": {step:.1}, \"jacobian_us\": {maximal:.1}, \"minimal_jacobian_us\": {minimal:.1}, \
         \"pullback_us\": {pullback:.1}, \"jacobian_steps\": {:.2}, \"minimal_jacobian_steps\": {:.2}}}",
        freedoms.len(),
        maximal / step,
        minimal / step,
    ))
}
