//! States and derivatives in the coordinates of the spanning tree.

use crate::steps::{bodies, chunks, on_scratch, on_tree, on_worlds};
use crate::{Freedom, MinimalJacobian, MinimalState, MinimalStep, Wrt};
use bellcrank_sim::{Batch, BatchError};
use std::borrow::BorrowMut;

/// The worlds of a batch in minimal coordinates.
pub trait MinimalCoordinates: BorrowMut<Batch> {
    /// The state of a world as coordinates and rates of its spanning tree: floating bases and joints, node after node. Rates
    /// are those of the last interval, so that nothing is lost of what a step has left; see [`MinimalState`].
    ///
    /// # Errors
    /// When there is no such world.
    fn minimal_state(&self, world: usize) -> Result<MinimalState, BatchError> {
        let batch: &Batch = self.borrow();
        let (X, V) = bodies(batch, world)?;
        on_tree(batch, world, |moving| Ok(moving.state(&X, &V)))
    }

    /// Places all bodies by the coordinates and rates of the spanning tree. Where loops close, the coordinates must close
    /// them ([`Batch::assemble`] finds such).
    ///
    /// # Errors
    /// When there is no such world, or there are too few or too many numbers; nothing is changed then.
    fn set_minimal_state(&mut self, world: usize, state: &MinimalState) -> Result<(), BatchError> {
        let batch: &mut Batch = self.borrow_mut();
        let (X, V) = on_tree(batch, world, |moving| moving.maximal(state))?;
        batch.set_body_poses(world, &X)?;
        for (b, V) in V.into_iter().enumerate() {
            batch.set_body_velocity(world, b, V)?;
        }
        let (g, w) = batch.find(world)?;
        batch.group_mut(g).set_interval(w, 1.0); // rates are those of the last interval
        Ok(())
    }

    /// Freedoms of the spanning tree that tell where a world's mechanism is: all of them, or where loops close as many as
    /// may be chosen, floating bases and driven joints first. Positions in the list of [`Batch::freedoms`].
    ///
    /// # Errors
    /// When there is no such world.
    fn independent_freedoms(&self, world: usize) -> Result<Vec<usize>, BatchError> {
        let batch: &Batch = self.borrow();
        let (X, _) = bodies(batch, world)?;
        on_tree(batch, world, |moving| Ok(moving.independent(&X)))
    }

    /// All freedoms of a world's spanning tree.
    ///
    /// # Errors
    /// When there is no such world.
    fn freedoms(&self, world: usize) -> Result<Vec<Freedom>, BatchError> {
        let batch: &Batch = self.borrow();
        on_tree(batch, world, |moving| Ok(moving.tree.freedoms()))
    }

    /// How maximal and minimal coordinates change with each other at a world's state, for the listed freedoms
    /// ([`Batch::independent_freedoms`]).
    ///
    /// # Errors
    /// When there is no such world, or the freedoms do not tell where its mechanism is.
    fn minimal_jacobian(&self, world: usize, freedoms: &[usize]) -> Result<MinimalJacobian, BatchError> {
        let batch: &Batch = self.borrow();
        check_freedoms(batch, world, freedoms)?;
        let (X, V) = bodies(batch, world)?;
        on_tree(batch, world, |moving| moving.jacobian(&X, &V, freedoms))
    }

    /// The Jacobian of the next step from minimal to minimal state, and with respect to what is asked for besides: as
    /// [`Batch::step_jacobian`], with far fewer columns to solve for.
    ///
    /// # Errors
    /// As [`Batch::step_jacobian`] and [`Batch::minimal_jacobian`].
    fn minimal_step_jacobian(
        &self,
        world: usize,
        kappa: f64,
        freedoms: &[usize],
        besides: &[Wrt],
    ) -> Result<MinimalStep, BatchError> {
        let batch: &Batch = self.borrow();
        check_freedoms(batch, world, freedoms)?;
        on_scratch(batch, world, kappa, besides, |scratch, source, how| {
            scratch.minimal_step(source, how, freedoms, besides)
        })
    }

    /// The same for several worlds, over the threads of the batch. Worlds of one model that follow each other in the list are
    /// taken several at once, one per lane, where besides states only controls are asked for.
    ///
    /// # Errors
    /// As there; the first of them.
    fn minimal_step_jacobians(
        &self,
        worlds: &[usize],
        kappa: f64,
        freedoms: &[usize],
        besides: &[Wrt],
    ) -> Result<Vec<MinimalStep>, BatchError> {
        let batch: &Batch = self.borrow();
        for world in worlds {
            check_freedoms(batch, *world, freedoms)?;
        }
        let each = batch.over(&chunks(batch, worlds)?, |_, chunk| {
            let worlds = &worlds[chunk];
            let found = on_worlds(batch, worlds, kappa, besides, |scratch, sources, how| {
                Ok(scratch.minimal_steps(sources, how, freedoms, besides))
            })?;
            let each = found.into_iter().zip(worlds);
            let told = each.map(|(step, world)| match step {
                Some(step) => Ok(step),
                None => batch.minimal_step_jacobian(*world, kappa, freedoms, besides),
            });
            told.collect::<Result<Vec<_>, _>>()
        })?;
        Ok(each.into_iter().flatten().collect())
    }
}

impl MinimalCoordinates for Batch {}

fn check_freedoms(batch: &Batch, world: usize, freedoms: &[usize]) -> Result<(), BatchError> {
    let (g, _) = batch.find(world)?;
    let dofs =
        |joint: bellcrank_model::JointId| batch.group(g).layout().joints[joint.index()].kind.dof_count();
    let tree = batch.models()[g].graph().tree();
    let count: usize = tree.iter().map(|node| node.joint.map_or(6, dofs)).sum();
    let strange = freedoms.iter().find(|k| **k >= count);
    if let Some(&index) = strange {
        return Err(BatchError::NoSuchPart { what: "freedom", index, count });
    }
    let sorted = freedoms.windows(2).all(|pair| pair[0] < pair[1]);
    if sorted { Ok(()) } else { Err(BatchError::NotIndependent) }
}
