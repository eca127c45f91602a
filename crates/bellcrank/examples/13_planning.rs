//! A planner in a thread beside its plant: a mass on a rail is brought to its place by what was cheap to try, and again after somebody
//! has pushed it away.
//!
//!     cargo run --release --example 13_planning

use bellcrank::control::live::{Fault, Live};
use bellcrank::control::{Action, Method, Options, Planner, PlantState, Spline, Sum, Temperature, Term};
use bellcrank::math::{Pose, Vec3};
use bellcrank::model::{Actuator, Body, Joint, ModelBuilder, WORLD};
use bellcrank::prelude::*;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let mut b = ModelBuilder::new("slider");
    let mass = b.body(Body::new("mass").solid_sphere(1.0, 0.1));
    let rail = b.joint(Joint::prismatic("rail", WORLD, mass).placed(Vec3::zero(), Vec3::x_axis()));
    b.actuator(Actuator::effort("push", rail).effort_limit(20.0));
    let model = Arc::new(b.build()?);
    let worlds = |count| {
        let options = BatchOptions { dt: Some(0.01), threads: 1, ..BatchOptions::default() };
        Batch::new(model.clone(), count, options)
    };

    // be at 1 m, and at rest
    let cost = Sum {
        running: vec![
            Term::PositionSquared { body: 0, target: [1.0, 0.0, 0.0], weight: 1.0 },
            Term::Velocity { body: 0, target: [0.0; 6], weight: [0.05, 0.0, 0.0, 0.0, 0.0, 0.0] },
        ],
        terminal: Vec::new(),
    };
    let options = Options {
        method: Method::Mppi { temperature: Temperature::Relative(0.2) },
        horizon: 40,
        knots: Some(8),
        spline: Spline::Linear,
        sigma: vec![5.0],
        action: Action::Absolute,
        survivors: 0.5,
        ..Options::default()
    };
    let planner = Planner::new(worlds(64)?, &cost, options)?;
    let mut live = Live::start(planner, Box::new(cost), &[0.0])?;

    let (mut plant, mut state) = (worlds(1)?, PlantState::default());
    let mut place = Vec::new();
    for step in 0..600 {
        if step == 300 {
            plant.set_body_pose(0, 0, Pose::translation(0.4, 0.0, 0.0))?;
        }
        state.read(&plant, 0)?;
        let now = 0.01 * f64::from(step);
        let plans = live.report().plans;
        let command = live.tick(now, Ok(&state));
        assert!(!matches!(command.fault, Some(Fault::Stopped)), "{:?}", command.fault);
        plant.write(Quantity::Control, command.control)?;
        plant.advance(1);
        place.push(plant.body_pose(0, 0)?.p.x);
        // a plant on its own clock would not wait; here every third step lets the planner keep up, however busy the machine is
        for _ in 0..if step % 3 == 0 { 1000 } else { 0 } {
            if live.report().plans > plans {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            live.tick(now, Ok(&state));
        }
    }
    let report = live.report();
    println!("at {:.3} m after 3 s, at {:.3} m again 3 s after the push", place[299], place[599]);
    println!(
        "{} plans, {:.1} ms each, {:.0} ms late; {} ticks held the last safe control",
        report.plans,
        1e3 * report.plan.seconds,
        1e3 * report.latency,
        report.held
    );
    assert!((place[299] - 1.0).abs() < 0.05 && (place[599] - 1.0).abs() < 0.05);
    Ok(())
}
