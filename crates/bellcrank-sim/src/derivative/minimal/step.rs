//! The Jacobian of a step from minimal to minimal state: as many columns as the mechanism has freedoms, twice.

use super::columns::{EndRow, MinimalColumns, Side};
use super::{Dense, Freedom, Interval, Moving, Tree};
use crate::batch::BatchError;
use crate::derivative::solve_columns::SolveColumns;
use crate::derivative::{Scratch, Source, StepEnd, Wrt};
use crate::step::{Settings, stage};
use bellcrank_math::{Elem, Inline, Pose, Real};
use bellcrank_solve::InteriorPoint;

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

impl Moving<'_> {
    /// One end of an interval, for these freedoms.
    fn side(&self, X: &[Pose], list: &[usize]) -> Result<Side, BatchError> {
        let chain = stage!(f64, self.tree.chain(X));
        let dependent = self.dependent(X, chain.freedoms, list)?;
        Ok(Side { chain, dependent })
    }

    /// Rows of the listed freedoms.
    #[inline(always)]
    fn rows(&self, X: &[Pose], list: &[Freedom]) -> Vec<EndRow> {
        let mut all = Vec::with_capacity(list.len());
        for freedom in list {
            all.push(match *freedom {
                Freedom::Base { body, axis } => {
                    let mut row = [0.0; 6];
                    row[axis] = 1.0;
                    [Some((body, row)), None]
                }
                Freedom::Joint { joint, dof } => {
                    let layout = &self.tree.layout.joints[joint];
                    let (s, p) = self.tree.free_row(layout, joint, dof, X);
                    match layout.predecessor {
                        Some(body) => [Some((layout.successor, s)), Some((body, p))],
                        None => [Some((layout.successor, s)), None],
                    }
                }
            });
        }
        all
    }
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
        let formulas = self.read_formulas(source, how);
        if formulas {
            self.linearise_with(true, source, how, besides)?;
        } else {
            let mut wrt = Wrt::state(source.layout.position.len());
            wrt.extend(besides);
            self.linearise_with(false, source, how, &wrt)?;
        }
        let moving = self.moving(source, how.0);
        let (state, solved) = (&self.solved.inputs.state, &self.solved);
        let all = moving.tree.freedoms();
        let freedoms: Vec<Freedom> = list.iter().map(|k| all[*k]).collect();
        let interval = stage!(f64, moving.interval(&state.X_WB, &state.V_WB));
        let sides = [moving.side(&state.X_WB, list)?, moving.side(&interval.before, list)?];
        let turned = moving.turned(&state.X_WB, &interval, &freedoms);
        let X_end = &solved.ws.X_next;
        let of_step = stage!(f64, Interval::of_step(state, solved));
        let end_turned = moving.turned(X_end, &of_step, &freedoms);
        let end_rows = stage!(f64, moving.rows(X_end, &freedoms));
        let job = MinimalColumns {
            solve: SolveColumns { layout: source.layout, columns: &self.columns, solved },
            formulas: formulas.then_some(&self.formulas),
            list,
            interval: &interval,
            sides: &sides,
            turned: &turned,
            end_rows: &end_rows,
            end_turned: &end_turned,
            dt: source.dt,
        };
        let jacobian = Dense { columns: 2 * list.len() + besides.len(), values: f64::with_lanes(job) };
        Ok(MinimalStep { freedoms, jacobian, end: self.step_end(source) })
    }
}
