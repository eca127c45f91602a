//! Hybrid bipeds walk by the policy that ships: in circles, so that they stay where they are looked at.

use bellcrank::learn::Policy;
use bellcrank::sim::{Batch, BatchError};
use bellcrank::tasks::{self, Pilot};

/// Time between two actions [s].
const ACTION: f64 = 0.02;
/// Forward velocity [m/s] and turning rate [rad/s]: circles of 0.25/0.3 = 0.8 m.
const PACE: [f32; 2] = [0.25, 0.3];

/// The walking worlds of a batch; none where there are no bipeds.
pub struct Walk {
    parts: Option<(Policy, Pilot)>,
    /// When the next action is due [s].
    next: f64,
}

impl Walk {
    /// All bipeds of a batch that shall walk.
    pub fn of(batch: &Batch, walks: impl Fn(usize) -> bool) -> Result<Self, BatchError> {
        let mut worlds = Vec::new();
        for world in 0..batch.worlds() {
            if batch.model(world)?.name() == "hybrid_biped" && walks(world) {
                let side = if world % 2 == 0 { 1.0 } else { -1.0 };
                worlds.push((world, [PACE[0], 0.0, side * PACE[1]]));
            }
        }
        let policy = Policy::open("biped_walk").ok();
        let task = tasks::by_name("biped_walk").and_then(Result::ok);
        let parts = policy.zip(task).filter(|_| !worlds.is_empty());
        let parts = parts.map(|((policy, _), task)| (policy, Pilot::new(task, worlds)));
        Ok(Walk { parts, next: 0.0 })
    }

    /// Acts when it is time for it; a clock that was set back begins anew.
    pub fn act(&mut self, batch: &mut Batch, time: f64) -> Result<(), BatchError> {
        let Some((policy, pilot)) = &mut self.parts else { return Ok(()) };
        if time < self.next - ACTION - 1e-9 {
            self.next = time;
        }
        if time < self.next - 1e-9 {
            return Ok(());
        }
        self.next += ACTION;
        // the policy that ships fits the task that ships
        let actions = policy.act(pilot.observe(batch)?).unwrap_or_default();
        pilot.drive(batch, &actions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank::model::library;
    use bellcrank::sim::{BatchOptions, Precision};
    use std::f64::consts::PI;
    use std::sync::Arc;

    /// A quarter of a circle takes π/2 / 0.3 s = 5.2 s; its chord is √2·0.83 m = 1.18 m. The other world goes the other way
    /// round. Feet slip, the first steps are short: within a fifth.
    #[test]
    fn bipeds_walk_in_circles_and_do_not_fall() {
        let model = Arc::new(library::hybrid_biped().build().expect("sound"));
        let options = BatchOptions { precision: Precision::F32, ..BatchOptions::default() };
        let mut batch = Batch::new(model, 2, options).expect("a batch");
        let mut walk = Walk::of(&batch, |_| true).expect("walks");
        let start = batch.body_pose(0, 0).expect("a pelvis").p;
        let quarter = 0.5 * PI / f64::from(PACE[1]);
        let mut gap: f64 = 0.0;
        for step in 0..(quarter / batch.dt()) as usize {
            let time = step as f64 * batch.dt();
            walk.act(&mut batch, time).expect("motors");
            gap = batch.step(1).loop_gap.iter().fold(gap, |most, g| most.max(g.0));
        }
        for (world, side) in [(0, 1.0), (1, -1.0)] {
            let X_WB = batch.body_pose(world, 0).expect("a pelvis");
            let gone = X_WB.p - start;
            let radius = f64::from(PACE[0] / PACE[1]);
            assert!((gone.x - radius).abs() < 0.2 * radius, "{gone:?}");
            assert!((side * gone.y - radius).abs() < 0.2 * radius, "{gone:?}");
            assert!(gone.z.abs() < 0.04, "{gone:?}");
        }
        assert!(gap < 1e-4, "open by {gap} m");
    }
}
