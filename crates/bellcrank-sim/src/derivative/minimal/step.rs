//! The Jacobian of a step from minimal to minimal state: as many columns as the mechanism has freedoms, twice.

use super::{Freedom, Moving, Tree};
use crate::batch::BatchError;
use crate::derivative::solve_columns::{Mix, SolveColumns};
use crate::derivative::{Scratch, Source, StepEnd, Wrt};
use crate::step::Settings;
use bellcrank_math::Elem;
use bellcrank_solve::InteriorPoint;

use super::Dense;

/// A step in minimal coordinates.
#[derive(Clone, Debug)]
pub struct MinimalStep {
    /// The independent freedoms.
    pub freedoms: Vec<Freedom>,
    /// Rows δq, δq̇ of the freedoms at the end of the step; columns δq, δq̇ at its start, then one for each number
    /// that was asked for besides.
    pub jacobian: Dense,
    /// Where the step at κ ends.
    pub end: StepEnd,
}

impl Scratch {
    /// The tree with the numbers of the source's world.
    pub fn moving<'a>(&'a self, source: &Source<'a>, settings: &Settings) -> Moving<'a> {
        let tree = Tree { model: source.model, layout: source.layout, constants: self.constants() };
        Moving { tree, integrator: settings.integrator, dt: source.dt }
    }

    /// The Jacobian of the step in the listed freedoms of the tree, and with respect to what is asked for besides.
    pub fn minimal_step(
        &mut self,
        source: &Source<'_>,
        how: (&Settings, &InteriorPoint),
        (list, besides): (&[usize], &[Wrt]),
    ) -> Result<MinimalStep, BatchError> {
        self.solve(source, how, None)?;
        let mut wrt = Wrt::state(source.layout.position.len());
        let states = wrt.len();
        wrt.extend(besides);
        self.linearise(source, how, &wrt)?;
        let state = &self.solved.inputs.state;
        let start = self.moving(source, how.0).jacobian(&state.X_WB, &state.V_WB, list)?;
        let (own, count) = (2 * list.len(), 2 * list.len() + besides.len());
        let mut mix = Mix { count, weights: vec![0.0; wrt.len() * count] };
        for row in 0..states {
            mix.weights[row * count..][..own].copy_from_slice(start.to_maximal.row(row));
        }
        (0..besides.len()).for_each(|k| mix.weights[(states + k) * count + own + k] = 1.0);
        let (columns, solved) = (&self.columns, &self.solved);
        let job = SolveColumns { layout: source.layout, columns, solved, mix: Some(&mix) };
        let maximal = Dense { columns: count, values: f64::with_lanes(job) };
        let end = self.step_end(source);
        let back = self.moving(source, how.0).jacobian(&end.poses, &end.velocities, list)?.to_minimal;
        let mut jacobian = Dense::zero(own, count);
        for row in 0..own {
            for k in 0..states {
                jacobian.add_row(row, back.get(row, k), &maximal, k);
            }
        }
        Ok(MinimalStep { freedoms: start.freedoms, jacobian, end })
    }
}
