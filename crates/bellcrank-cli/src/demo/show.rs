//! What the demos show: which worlds, and what their motors do.

use super::Name;
use super::squat::Squat;
use super::walk::Walk;
use crate::Error;
use crate::figures::{Figures, Tally, grouped};
use crate::run::Motors;
use crate::say::Progress;
use bellcrank::model::library::{self, FourBar};
use bellcrank::model::{Control, Model, ModelBuilder};
use bellcrank::sim::{Batch, BatchError, BatchOptions, Precision};
use bellcrank::view::Program;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Mechanisms that are worth looking at side by side.
const ZOO: [&str; 11] = [
    "hybrid_biped",
    "five_bar_quadruped",
    "jansen_walker",
    "jansen_leg",
    "delta",
    "stewart",
    "bennett",
    "four_bar",
    "four_bar_tie_rod",
    "slider_crank",
    "gyroscope",
];

/// How long the figures are taken over [steps]; nobody waits longer than this for them.
const MEASURED_STEPS: usize = 500;
const PATIENCE: Duration = Duration::from_secs(4);

/// A batch and what moves it.
pub struct Show {
    name: &'static str,
    pub batch: Batch,
    pub program: Program,
}

impl Show {
    pub fn of(name: Name) -> Result<Self, Error> {
        let (title, models) = match name {
            Name::All => ("bipeds, four-bar, walker", all()?),
            Name::Biped => ("hybrid bipeds", vec![build(library::hybrid_biped())?; 16]),
            Name::Fourbar => ("different four-bars", four_bars()?),
            Name::Jansen => ("Jansen walkers", vec![build(library::jansen_walker())?; 4]),
            Name::Zoo => (
                "the zoo",
                ZOO.iter().filter_map(|n| library::by_name(n)).map(build).collect::<Result<_, _>>()?,
            ),
            Name::Pile => ("a pile", vec![build(library::pile())?]),
        };
        let options = BatchOptions { precision: Precision::F32, threads: 0, ..BatchOptions::default() };
        let batch = Batch::of(&models, options).map_err(Error::Batch)?;
        let program = program(&batch).map_err(Error::Batch)?;
        Ok(Show { name: title, batch, program })
    }

    /// Two simulated seconds as fast as they go.
    pub fn measure(&mut self) -> Result<Figures, Error> {
        let run = super::batch_run(self.name, self.batch.worlds(), Motors::Hold);
        let mut tally = Tally::start(&run, &self.batch)?;
        let (mut progress, started) = (Progress::new(true), Instant::now());
        const STRIDE: usize = 5; // an action of the walking policy
        while tally.figures.steps < MEASURED_STEPS && started.elapsed() < PATIENCE {
            let time = tally.figures.steps as f64 * self.batch.dt();
            (self.program)(&mut self.batch, time).map_err(Error::Batch)?;
            tally.measure(&mut self.batch, STRIDE, |batch| {
                batch.step(STRIDE);
                Ok(())
            })?;
            let part = tally.figures.steps as f64 / MEASURED_STEPS as f64;
            progress.show(part, || format!("{}, {} world-steps/s", self.name, grouped(tally.speed())));
        }
        progress.clear();
        tally.finish(&self.batch)
    }

    pub fn restart(&mut self) -> Result<(), Error> {
        (0..self.batch.worlds()).try_for_each(|world| self.batch.reset(world)).map_err(Error::Batch)
    }
}

fn build(builder: ModelBuilder) -> Result<Arc<Model>, Error> {
    builder.build().map(Arc::new).map_err(Error::Faults)
}

/// A biped in front, a four-bar and a walker beside it, more bipeds behind.
fn all() -> Result<Vec<Arc<Model>>, Error> {
    let biped = build(library::hybrid_biped())?;
    let mut models = vec![biped.clone(), build(library::four_bar())?, build(library::jansen_walker())?];
    models.extend(vec![biped; 15]);
    Ok(models)
}

/// Crank-rockers of sixteen proportions: Grashof's rule holds for all of them.
fn four_bars() -> Result<Vec<Arc<Model>>, Error> {
    let lengths = |n: usize| FourBar {
        crank: 0.06 + 0.004 * (n % 4) as f64,
        coupler: 0.24 + 0.012 * (n / 4) as f64,
        rocker: 0.18 + 0.008 * (n % 4) as f64,
        ..FourBar::default()
    };
    (0..16).map(|n| build(lengths(n).builder())).collect()
}

/// Bipeds walk by a trained policy and some squat, walkers walk, cranks turn, whatever holds a position sways a little.
fn program(batch: &Batch) -> Result<Program, BatchError> {
    let mut squat = None;
    let mut walk = Walk::of(batch, |world| !squats(batch, world))?;
    for world in 0..batch.worlds() {
        let model = batch.model(world)?;
        if squat.is_none() && model.name() == "hybrid_biped" {
            squat = Some(Squat::of(model)?);
        }
    }
    Ok(Box::new(move |batch, time| {
        walk.act(batch, time)?;
        (0..batch.worlds()).try_for_each(|world| {
            let model = batch.model(world)?.clone();
            match &squat {
                Some(squat) if squats(batch, world) => squat.apply(batch, world, depth(world, time)),
                _ if model.name() == "hybrid_biped" => Ok(()), // it walks
                _ if model.name() == "jansen_walker" => turn_cranks(batch, world, time),
                _ => sway(batch, world, &model, time),
            }
        })
    }))
}

/// Every fourth biped squats, the others walk.
fn squats(batch: &Batch, world: usize) -> bool {
    world % 4 == 3 && batch.model(world).is_ok_and(|model| model.name() == "hybrid_biped")
}

/// Each at its own pace.
fn depth(world: usize, time: f64) -> f64 {
    let period = 4.0 + 0.25 * (world % 5) as f64;
    0.5 - 0.5 * (TAU * time / period).cos()
}

/// Cranks of a walker that goes [rad/s]; faster, its feet hit the ground so hard that loops open by more than 10 µm.
const PACE: f64 = 2.5;

/// Where it stands among others it walks to and fro; the first of a batch of its own keeps on walking (the camera follows), and
/// the others walk in circles, one side faster than the other.
fn turn_cranks(batch: &mut Batch, world: usize, time: f64) -> Result<(), BatchError> {
    let alone = batch.model(0)?.name() == "jansen_walker";
    let start = time.min(1.0);
    let [left, right] = match (alone, world) {
        (false, _) => [(TAU * time / 12.0).cos(); 2],
        (true, 0) => [1.0, 1.0],
        (true, n) => [[1.0, 0.25], [0.25, 1.0], [-0.5, -1.0]][(n - 1) % 3],
    };
    batch.set_target_velocity(world, 0, PACE * start * left)?;
    batch.set_target_velocity(world, 1, PACE * start * right)
}

fn sway(batch: &mut Batch, world: usize, model: &Model, time: f64) -> Result<(), BatchError> {
    for (a, actuator) in model.actuators().iter().enumerate() {
        let Some((joint, dof)) = actuator.coordinate() else { continue };
        let angle = model.joints()[joint.index()].kind.is_angle(dof);
        match actuator.control {
            Control::Velocity { .. } => {
                batch.set_target_velocity(world, a, if angle { -4.0 } else { 0.1 })?
            }
            Control::Position { .. } if model.name() != "five_bar_quadruped" => {
                let reach = if angle { 0.25 } else { 0.04 };
                let wave = (TAU * (time / 3.0 + a as f64 / model.actuators().len() as f64)).sin();
                batch.set_target_position(world, a, reach * wave * (time / 2.0).min(1.0))?;
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot on the ground goes 63 of Jansen's units of 3 mm, 0.19 m, in half a turn: at 2.5 rad/s 0.15 m/s. Of three
    /// seconds half a second is lost to the start; feet slip a little when they change.
    #[test]
    fn the_walker_walks_forward_upright_and_closed() {
        let model = Arc::new(library::jansen_walker().build().expect("sound"));
        let options = BatchOptions { precision: Precision::F32, ..BatchOptions::default() };
        let mut batch = Batch::new(model, 1, options).expect("a batch");
        let start = batch.body_pose(0, 0).expect("a trunk").p;
        let mut gap: f64 = 0.0;
        for step in 0..750 {
            let time = f64::from(step) * batch.dt();
            turn_cranks(&mut batch, 0, time).expect("motors");
            gap = gap.max(batch.step(1).loop_gap[0].0);
        }
        let X_WB = batch.body_pose(0, 0).expect("a trunk");
        let gone = X_WB.p - start;
        assert!(gone.x > 0.33 && gone.x < 0.45, "{gone:?}");
        assert!(gone.y.abs() < 0.05 && gone.z.abs() < 0.01, "{gone:?}");
        assert!(X_WB.R.rotate(bellcrank::math::Vec3::z_axis()).z > 0.99, "upright");
        assert!(gap < 1e-5, "open by {gap} m");
    }
}
