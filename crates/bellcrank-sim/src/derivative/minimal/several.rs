//! Minimal Jacobians with one world per lane.

use super::columns::{Dependent, MinimalColumns, Slopes};
use super::step::Ends;
use super::{Freedom, Moving};
use crate::batch::BatchError;
use crate::derivative::formulas::{Answer, Formulas};
use crate::derivative::solve_columns::Factored;
use crate::derivative::spread::WorldLanes;
use crate::derivative::{Solved, Wrt};
use crate::step::stage;
use bellcrank_math::{Inline, Pose, Real};

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Lists<'a> {
    /// The independent freedoms, as positions among those of the tree and as such.
    pub list: &'a [usize],
    pub freedoms: &'a [Freedom],
    /// Controls.
    pub besides: &'a [Wrt],
}

/// The Jacobians of the worlds in the first lanes, by row and column. `plain` has the numbers that all worlds share.
///
/// # Errors
/// When the freedoms do not tell where some mechanism is.
pub(crate) fn minimal_columns<R: Real<Elem = f64>>(
    (moving, plain): (&Moving<'_, R>, &Moving<'_>),
    (solved, formulas): (&Solved<R>, &Formulas<R>),
    answer: &Answer<'_, R>,
    lists: Lists<'_>,
    worlds: usize,
) -> Result<Vec<Vec<f64>>, BatchError> {
    let Lists { list, freedoms, besides } = lists;
    let places = moving.turned_at(freedoms);
    let ends: Ends<R> = stage!(R, moving.ends(solved, &places, freedoms));
    let mut controls = Vec::with_capacity(besides.len());
    stage!(R, {
        for wrt in besides {
            controls.push(formulas.control(answer, *wrt));
        }
    });
    let count = ends.chains[0].freedoms;
    let follow = |X: &[Pose<R>]| dependent(plain, X, (count, list), worlds);
    let job = MinimalColumns {
        factored: Factored { layout: answer.layout, solved },
        slopes: Slopes::Formulas(formulas, &controls),
        besides: besides.len(),
        list,
        dependent: [follow(&solved.inputs.state.X_WB)?, follow(&ends.interval.before)?],
        ends: &ends,
        dt: moving.dt,
    };
    Ok(job.solve::<WorldLanes<R>>(worlds))
}

/// The freedoms that follow the independent ones, world by world: which pivots are taken depends on numbers.
fn dependent<R: Real<Elem = f64>>(
    plain: &Moving<'_>,
    X: &[Pose<R>],
    (count, list): (usize, &[usize]),
    worlds: usize,
) -> Result<Dependent<R>, BatchError> {
    let mut all: Dependent<R> = Vec::new();
    if !plain.tree.is_closed() && list.len() == count {
        return Ok(all);
    }
    for lane in 0..worlds {
        let X: Vec<Pose> = X.iter().map(|X| X.lane(lane)).collect();
        for (d, follows) in plain.dependent(&X, count, list)? {
            let k = all.iter().position(|(known, _)| *known == d).unwrap_or_else(|| {
                all.push((d, vec![R::zero(); count]));
                all.len() - 1
            });
            for (x, value) in all[k].1.iter_mut().zip(&follows) {
                *x = x.with_lane(lane, *value);
            }
        }
    }
    Ok(all)
}
