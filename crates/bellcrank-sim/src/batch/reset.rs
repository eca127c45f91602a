//! Back to a known state: reference pose, assembly, snapshots.

use super::{Batch, BatchError};
use crate::snapshot::{SnapshotHead, Writer};
use bellcrank_model::{Body, Model, nearest};
use bellcrank_step::assemble::{Asked, Goal, LARGEST_SLIDE, LARGEST_TURN};
use bellcrank_step::field::Field;
use bellcrank_step::layout::DofLayout;

/// Iterations of an assembly besides those that the way to the asked coordinates takes.
pub(super) const ASSEMBLE_ITERATIONS: usize = 100;
/// No way is longer than this many iterations: a motor a thousand turns away from where it shall be is a mistake.
const LONGEST_WAY: f64 = 1e5;

impl Batch {
    /// Back to the reference pose at rest, as if fresh.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn reset(&mut self, world: usize) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        self.groups[g].reset(w);
        let reference: Vec<_> = self.models[g].bodies().iter().map(Body::X_WB).collect();
        self.place_mocaps(world, &reference)
    }

    /// Puts all worlds of a model into the state of this one, warm start and controls included: what rollouts begin with. Parameters
    /// stay each world's own. Nothing is allocated after the first call.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn spread_world(&mut self, world: usize) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        self.groups[g].spread(w);
        Ok(())
    }

    /// World `to` takes the state of world `from`, warm start and controls included; parameters stay its own. Nothing is allocated after
    /// the first call.
    ///
    /// # Errors
    /// When there is no such world, or the two are of different models.
    pub fn copy_world(&mut self, from: usize, to: usize) -> Result<(), BatchError> {
        let ((g, a), (other, b)) = (self.find(from)?, self.find(to)?);
        if g != other {
            return Err(BatchError::MixedModels(from, to));
        }
        self.groups[g].copy(a, b);
        Ok(())
    }

    /// The group of these worlds and their places in it; none for no worlds.
    pub(super) fn one_model(&self, worlds: &[usize]) -> Result<Option<(usize, Vec<usize>)>, BatchError> {
        let Some(&first) = worlds.first() else { return Ok(None) };
        let group = self.find(first)?.0;
        let mut local = Vec::with_capacity(worlds.len());
        for &world in worlds {
            let (g, w) = self.find(world)?;
            if g != group {
                return Err(BatchError::MixedModels(first, world));
            }
            local.push(w);
        }
        Ok(Some((group, local)))
    }

    /// Moves worlds to poses that close with the asked coordinates: for each joint one value per listed world. A joint
    /// with several coordinates is `name[1]` for its second. Says which worlds succeeded; the others stay as they
    /// were. Velocities become zero.
    ///
    /// # Errors
    /// When a world or joint does not exist, or the numbers of values do not fit. All worlds must be of one model.
    pub fn assemble(
        &mut self,
        worlds: &[usize],
        targets: &[(&str, &[f64])],
    ) -> Result<Vec<bool>, BatchError> {
        self.assemble_moving(worlds, targets, &[])
    }

    /// The same with velocities: joints that are named move so fast, all others as the loops demand and with the least
    /// kinetic energy; floating bases stand.
    ///
    /// # Errors
    /// As [`Batch::assemble`].
    pub fn assemble_moving(
        &mut self,
        worlds: &[usize],
        positions: &[(&str, &[f64])],
        velocities: &[(&str, &[f64])],
    ) -> Result<Vec<bool>, BatchError> {
        let Some((group, local)) = self.one_model(worlds)? else { return Ok(Vec::new()) };
        let positions = asked(&self.models[group], worlds.len(), positions)?;
        let goal = Goal {
            iterations: self.ways_to(&positions, group, &local),
            positions,
            velocities: asked(&self.models[group], worlds.len(), velocities)?,
            tolerance: self.engine.assembly_tolerance(),
        };
        Ok(self.groups[group].assemble(&local, &goal))
    }

    /// Iterations that each world's way to the asked coordinates may take: angles are counted through whole turns, so that a crank
    /// that is asked for three turns makes them, and what is geared to it comes along.
    fn ways_to(&self, positions: &[Asked], group: usize, local: &[usize]) -> Vec<usize> {
        let layout = self.groups[group].layout();
        let mut longest = vec![0.0_f64; local.len()];
        for asked in positions {
            let joint = &layout.joints[asked.at.joint];
            let most = if joint.kind.is_angle(asked.at.dof) { LARGEST_TURN } else { LARGEST_SLIDE };
            let k = joint.first_coordinate + asked.at.dof;
            for ((&world, value), longest) in local.iter().zip(&asked.values).zip(&mut longest) {
                let here = self.groups[group].get(world, Field::JointPosition, k);
                *longest = longest.max((value - here).abs() / most); // what is no number is no way
            }
        }
        longest.into_iter().map(|way| ASSEMBLE_ITERATIONS + way.min(LONGEST_WAY) as usize).collect()
    }

    /// The whole batch as bytes: with [`Batch::restore`] it resumes bit for bit. Parameters that were written are not part of it.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut writer = Writer::new(self.snapshot_head());
        self.place.iter().for_each(|&(g, w)| writer.world(&self.groups[g].save(w)));
        writer.finish()
    }

    /// Takes a snapshot of a batch of the same models, precision, time step and solver back.
    ///
    /// # Errors
    /// When the bytes are damaged, of another version, or of another batch, with the difference named; the batch is unchanged
    /// then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        self.take_back(bytes, true)
    }

    /// Takes the state of a batch of the same models that has another precision, time step or solver: the poses and velocities
    /// are those of the snapshot, the steps that follow are this batch's own.
    ///
    /// # Errors
    /// When the bytes are damaged, of another version or of other models; the batch is unchanged then.
    pub fn adopt(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        self.take_back(bytes, false)
    }

    fn snapshot_head(&self) -> &SnapshotHead {
        self.head.get_or_init(|| SnapshotHead::of(self))
    }

    fn take_back(&mut self, bytes: &[u8], exact: bool) -> Result<(), BatchError> {
        let (head, all) = crate::snapshot::read(bytes)?;
        self.snapshot_head().check(&head, exact)?;
        let fits = |&(g, w): &(usize, usize), values: &Vec<f64>| self.groups[g].save(w).len() == values.len();
        if !self.place.iter().zip(&all).all(|(place, values)| fits(place, values)) {
            let why = "a world has room for another number of contacts, or belongs to another solver";
            return Err(BatchError::BadSnapshot(why.into()));
        }
        for (&(g, w), values) in self.place.iter().zip(&all) {
            self.groups[g].load(w, values);
        }
        Ok(())
    }
}

/// Finds the named coordinates, with one value per world each.
fn asked(model: &Model, worlds: usize, list: &[(&str, &[f64])]) -> Result<Vec<Asked>, BatchError> {
    let find = |&(name, values): &(&str, &[f64])| {
        let (plain, dof) = split_index(name);
        let joint = model.joint_id(plain).map(|id| (id, &model.joints()[id.index()]));
        let fits = |joint: &bellcrank_model::Joint| {
            joint.kind.has_scalar_coordinates() && dof < joint.kind.coordinate_count()
        };
        let Some((id, _)) = joint.filter(|(_, joint)| fits(joint)) else {
            let names = model.joints().iter().filter(|j| fits(j)).map(|j| &j.name);
            let hint =
                nearest(plain, names).map_or_else(String::new, |other| format!("; did you mean {other:?}?"));
            return Err(BatchError::NoSuchJoint(name.to_owned(), hint));
        };
        if values.len() != worlds {
            let (found, expected) = (values.len(), worlds);
            return Err(BatchError::WrongCount { what: "assemble", found, expected });
        }
        Ok(Asked { at: DofLayout { joint: id.index(), dof }, values: values.to_vec() })
    };
    list.iter().map(find).collect()
}

/// `"hip[1]"` is the second coordinate of `"hip"`.
fn split_index(name: &str) -> (&str, usize) {
    let inner = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    inner.and_then(|(plain, index)| Some((plain, index.parse().ok()?))).unwrap_or((name, 0))
}

pub(super) fn no_such<'a>(
    what: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a String>,
) -> BatchError {
    let hint = nearest(name, names).map_or_else(String::new, |other| format!("; did you mean {other:?}?"));
    BatchError::NoSuchName { what, name: name.to_owned(), hint }
}
