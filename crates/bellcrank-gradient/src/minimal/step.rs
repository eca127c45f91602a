//! The Jacobian of a step from minimal to minimal state: as many columns as the mechanism has freedoms, twice.

use super::chain::Chain;
use super::columns::{EndRow, MinimalColumns, Slopes};
use super::{Dense, Freedom, Interval, Lists, Moving, Tree, Turned, TurnedAt};
use crate::Smoothed;
use crate::formulas::is_control;
use crate::solve_columns::Factored;
use crate::{Scratch, Solved, Source, StepEnd, Wrt};
use bellcrank_math::enter;
use bellcrank_math::{Elem, Pose};
use bellcrank_sim::BatchError;
use bellcrank_step::interior::Polish;
use bellcrank_step::settings::Settings;

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

/// Where a solved step starts and ends, in minimal coordinates.
pub(super) struct Ends {
    /// The interval that ends at the start of the step; the tree at both its ends; its groups of rotations.
    pub interval: Interval,
    pub chains: [Chain<f64>; 2],
    pub turned: Vec<Turned>,
    /// At the end of the step.
    pub end_rows: Vec<EndRow>,
    pub end_turned: Vec<Turned>,
}

impl Moving<'_> {
    /// Both ends of a solved step, for these freedoms.
    #[inline(always)]
    pub(super) fn ends(&self, solved: &Solved, places: &[TurnedAt], list: &[Freedom]) -> Ends {
        let (state, X_end) = (&solved.inputs.state, &solved.ws.X_next);
        let interval = self.interval(&state.X_WB, &state.V_WB);
        let of_step = Interval::of_step(state, solved);
        let mut chains = [Chain::new(), Chain::new()];
        self.tree.lay(&state.X_WB, &mut chains[0]);
        self.tree.lay(&interval.before, &mut chains[1]);
        Ends {
            chains,
            turned: self.turned(&state.X_WB, &interval, places),
            end_rows: self.rows(X_end, list),
            end_turned: self.turned(X_end, &of_step, places),
            interval,
        }
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
                    let (s, p) = self.tree.free_row(joint, dof, X);
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
        how: &Smoothed,
        list: &[usize],
        besides: &[Wrt],
    ) -> Result<MinimalStep, BatchError> {
        self.solved.inputs.reset(source, &self.plain);
        self.solved.look_ahead(&how.point);
        self.solve_with(source, how, Polish::Touching)?;
        let all = self.moving(source, &how.settings).tree.freedoms();
        let freedoms: Vec<Freedom> = list.iter().map(|k| all[*k]).collect();
        let lists = Lists { list, freedoms: &freedoms, besides };
        let values = match self.reduced_columns(source, how, lists) {
            Some(values) => values,
            None => self.all_columns(source, how, lists)?,
        };
        let jacobian = Dense { columns: 2 * list.len() + besides.len(), values };
        Ok(MinimalStep { freedoms, jacobian, end: self.step_end(source) })
    }

    /// From equations in minimal coordinates, where these hold.
    fn reduced_columns(&mut self, source: &Source<'_>, how: &Smoothed, lists: Lists<'_>) -> Option<Vec<f64>> {
        if !(lists.besides.iter().all(|wrt| is_control(*wrt)) && self.is_covered(source, &how.settings)) {
            return None;
        }
        let Scratch { solved, plain, reduced, .. } = self;
        let answer = solved.answer(source, &how.settings);
        let tree = Tree { model: source.model, layout: source.layout, constants: plain };
        let moving = Moving { tree, integrator: how.settings.integrator, dt: source.dt };
        let (told, mut values) = reduced.jacobians(&moving, solved, &answer, lists, 1);
        told.then(|| values.swap_remove(0))
    }

    /// From columns of all bodies.
    fn all_columns(
        &mut self,
        source: &Source<'_>,
        how: &Smoothed,
        lists: Lists<'_>,
    ) -> Result<Vec<f64>, BatchError> {
        let Lists { list, freedoms, besides } = lists;
        self.solved.factor(source.layout, how);
        let covered = self.read_formulas(source, how);
        if covered {
            self.linearise_with(true, source, how, besides)?;
        } else {
            let mut wrt = Wrt::state(source.layout.position.len());
            wrt.extend(besides);
            self.linearise_with(false, source, how, &wrt)?;
        }
        let (moving, solved) = (self.moving(source, &how.settings), &self.solved);
        let (places, count) = (moving.turned_at(freedoms), moving.tree.freedoms().len());
        let ends = enter!(f64, moving.ends(solved, &places, freedoms));
        let follow = |X: &[Pose]| moving.dependent(X, count, list);
        let columns = &self.columns;
        Ok(f64::with_lanes(MinimalColumns {
            factored: Factored { layout: source.layout, solved },
            slopes: if covered { Slopes::Both(&self.formulas, columns) } else { Slopes::Columns(columns) },
            besides: besides.len(),
            list,
            dependent: [follow(&solved.inputs.state.X_WB)?, follow(&ends.interval.before)?],
            ends: &ends,
            dt: source.dt,
        }))
    }
}
