//! Where episodes begin. Robots with loops cannot be put anywhere at once: a pose in which every loop closes has to be found.
//! That takes longer than many steps, so some are found once and episodes choose among them.

use crate::env::EnvError;
use crate::task::Task;
use bellcrank_math::{Pose, Random};
use bellcrank_sim::{Batch, BatchOptions, Precision};

/// Poses that episodes choose among.
const COUNT: usize = 128;

/// Assembled and settled poses of all bodies, one after another; none for robots without loops.
pub(crate) struct Poses {
    all: Vec<Pose>,
    bodies: usize,
}

impl Poses {
    /// Poses of the starts that a task would choose. Where one cannot be assembled it is the reference pose.
    pub fn of(task: &dyn Task) -> Result<Self, EnvError> {
        let (model, bodies) = (task.model(), task.model().bodies().len());
        let mut all = Vec::new();
        if !model.loops().is_empty() {
            let options = BatchOptions { precision: Precision::F64, threads: 1, ..BatchOptions::default() };
            let mut batch = Batch::new(model.clone(), COUNT, options)?;
            let mut memory = vec![0.0; task.spec().memory_count];
            let mut start = |k: usize| task.start(&mut Random::new(0, k, u64::MAX), &mut memory).coordinates;
            let starts: Vec<Vec<f64>> = (0..COUNT).map(&mut start).collect();
            let coordinates: Vec<&[f64]> = starts.iter().map(Vec::as_slice).collect();
            let worlds: Vec<usize> = (0..COUNT).collect();
            assemble(&mut batch, task, &worlds, &coordinates)?;
            for world in worlds {
                let mut poses = poses_of(&batch, world)?;
                task.settle(&mut poses);
                all.extend(poses);
            }
        }
        Ok(Poses { all, bodies })
    }

    /// Poses that somebody else has found: of all bodies, one after another, any number of times. Settled as the task wants it.
    pub fn given(task: &dyn Task, all: &[Pose]) -> Result<Self, EnvError> {
        let bodies = task.model().bodies().len();
        let finite = |X: &Pose| X.p.to_array().into_iter().chain(X.R.to_wxyz()).all(f64::is_finite);
        if bodies == 0 || all.is_empty() || !all.len().is_multiple_of(bodies) || !all.iter().all(finite) {
            return Err(EnvError::BadStarts { found: all.len(), bodies });
        }
        let mut all = all.to_vec();
        all.chunks_exact_mut(bodies).for_each(|poses| task.settle(poses));
        Ok(Poses { all, bodies })
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The number of one of them, by chance.
    pub fn choose(&self, random: &mut Random) -> Option<usize> {
        (!self.is_empty()).then(|| random.between(0.0, (self.all.len() / self.bodies) as f64) as usize)
    }

    pub fn get(&self, k: usize) -> &[Pose] {
        &self.all[k * self.bodies..(k + 1) * self.bodies]
    }
}

/// Moves worlds to poses that close with these coordinates of the task's joints; one that cannot be assembled there stays at
/// the reference pose.
pub(crate) fn assemble(
    batch: &mut Batch,
    task: &dyn Task,
    worlds: &[usize],
    coordinates: &[&[f64]],
) -> Result<(), EnvError> {
    let joints = task.start_joints();
    let column = |k: usize| coordinates.iter().map(|list| list[k]).collect::<Vec<f64>>();
    let columns: Vec<Vec<f64>> = (0..joints.len()).map(column).collect();
    let targets: Vec<(&str, &[f64])> =
        joints.iter().copied().zip(columns.iter().map(Vec::as_slice)).collect();
    if !targets.is_empty() {
        batch.assemble(worlds, &targets)?;
    }
    Ok(())
}

/// Where the bodies of a world are.
pub(crate) fn poses_of(batch: &Batch, world: usize) -> Result<Vec<Pose>, EnvError> {
    let bodies = batch.model(world)?.bodies().len();
    (0..bodies).map(|body| Ok(batch.body_pose(world, body)?)).collect()
}
