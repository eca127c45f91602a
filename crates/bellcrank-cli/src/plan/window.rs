//! A page on which the plant is seen while it is planned for, with the paths of samples.

use super::Course;
use crate::watch::Listen;
use crate::{Error, stop};
use bellcrank::control::Planner;
use bellcrank::sim::Batch;
use bellcrank::view::{Line, Live};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Samples whose paths are drawn, besides the cheapest.
const DRAWN: usize = 32;
/// While a page has paused, somebody looks this often.
const PAUSE: Duration = Duration::from_millis(20);

/// The page.
pub(super) struct Window {
    live: Live,
    /// The plant's time was this, then.
    before: (f64, Instant),
}

impl Window {
    pub fn open(batch: &Batch, listen: &Listen) -> Result<Self, Error> {
        let live = Live::start(batch, listen.live(batch, None)).map_err(Error::View)?;
        eprintln!("viewer: {}", live.address().url);
        Ok(Window { live, before: (0.0, Instant::now()) })
    }

    /// Shows a trial at its time, no faster than time goes; waits while a page has paused.
    pub fn look<C: Course>(&mut self, trial: &mut C, time: f64) -> Result<(), Error> {
        self.live.attend(trial.plant_mut()).map_err(Error::View)?;
        self.live.draw(&paths(trial.planner()));
        self.live.show(trial.plant(), time).map_err(Error::View)?;
        while self.live.is_paused() && !stop::asked().load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
            self.live.attend(trial.plant_mut()).map_err(Error::View)?;
            self.live.show(trial.plant(), time).map_err(Error::View)?;
        }
        let (shown, at) = self.before;
        let due = Duration::from_secs_f64((time - shown).max(0.0) / self.live.speed());
        std::thread::sleep(due.saturating_sub(at.elapsed()));
        self.before = (time, Instant::now());
        Ok(())
    }
}

/// Where points went in some rollouts of the last plan: the cheapest in yellow over the others, green where they cost little, red where
/// they cost as much as the mean or more, grey where they were given up.
fn paths(planner: &Planner) -> Vec<Line> {
    let (Some(paths), costs) = (planner.paths(), planner.costs()) else { return Vec::new() };
    let finite = || costs.iter().copied().filter(|cost| cost.is_finite());
    let least = finite().fold(f64::INFINITY, f64::min);
    let mean = finite().sum::<f64>() / finite().count().max(1) as f64;
    let color = |cost: f64| {
        if cost == least {
            return [1.0, 0.85, 0.1];
        }
        let share = ((cost - least) / (mean - least).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0) as f32;
        if cost.is_finite() { [0.15 + 0.75 * share, 0.75 - 0.5 * share, 0.25] } else { [0.6, 0.6, 0.6] }
    };
    let stride = costs.len().div_ceil(DRAWN).max(1);
    let chosen = |sample: &usize| sample.is_multiple_of(stride) || costs[*sample] == least;
    let mut drawn: Vec<usize> = (0..costs.len()).filter(chosen).collect();
    drawn.sort_by(|a, b| costs[*b].total_cmp(&costs[*a])); // the cheapest are drawn last, over the others
    let line = |sample: usize, point: usize| {
        let points = paths.of(sample, point).iter().map(|p| p.to_array()).collect();
        Line { world: 0, points, color: color(costs[sample]) }
    };
    let all = |sample: &usize| (0..paths.points()).map(|point| line(*sample, point)).collect::<Vec<_>>();
    drawn.iter().flat_map(all).collect()
}
