//! Minimal Jacobians of several worlds of one model at once, one world per lane: the solve, the slopes and the columns are
//! those of one world, in other numbers.

use super::formulas::{is_control, is_covered};
use super::minimal::{Freedom, Lists, Moving, Reduced, Tree};
use super::solved::is_spread;
use super::{Dense, Inputs, MinimalStep, Scratch, Solved, Source, StepEnd, Wrt};
use crate::Smoothed;
use bellcrank_math::enter;
use bellcrank_math::{Elem, LaneJob, Mask, Real, Twist};
use bellcrank_step::constants::Constants;
use bellcrank_step::interior::{Exact, Polish};
use bellcrank_step::lane_access::{copy_lanes, write_lanes};

/// Memory for as many worlds as there are lanes.
pub(crate) trait Several: Send {
    /// Worlds at once.
    fn lanes(&self) -> usize;

    /// The Jacobians of these worlds, no more than there are lanes; none where the step does not converge, formulas do not
    /// hold or freedoms are not independent, which is then for one world alone to tell.
    fn minimal_steps(
        &mut self,
        sources: &[Source<'_>],
        how: &Smoothed,
        lists: Lists<'_>,
    ) -> Vec<Option<MinimalStep>>;
}

struct LaneSteps<R: Real> {
    constants: Constants<R>,
    /// Whose constants these are, where worlds differ.
    worlds: Vec<usize>,
    solved: Solved<R>,
    reduced: Reduced<R>,
}

/// Makes it for the lanes of the processor at hand; nothing where the step is not there in these.
struct MakeSeveral<'a>(&'a Source<'a>);

impl LaneJob<f64> for MakeSeveral<'_> {
    type Output = Option<Box<dyn Several>>;

    fn run<R: Real<Elem = f64>>(self) -> Option<Box<dyn Several>> {
        let Source { model, layout, parameters, world, .. } = *self.0;
        let constants = Constants::<R>::of(model, layout, parameters, |_| world);
        let solved = Solved::new(self.0, &constants, Exact::in_lanes()?);
        let reduced = Reduced::new(&Tree { model, layout, constants: &constants });
        Some(Box::new(LaneSteps { constants, worlds: Vec::new(), solved, reduced }))
    }
}

impl<R: Real<Elem = f64>> LaneSteps<R> {
    /// Takes the constants of these worlds.
    fn visit(&mut self, sources: &[Source<'_>]) {
        let Source { model, layout, parameters, .. } = sources[0];
        let worlds: Vec<usize> = sources.iter().map(|source| source.world).collect();
        if is_spread(&sources[0]) && worlds != self.worlds {
            let of = |lane: usize| worlds[lane.min(worlds.len() - 1)];
            self.constants = Constants::of(model, layout, parameters, of);
            self.solved.inputs.constants.clone_from(&self.constants);
            self.worlds = worlds;
        }
    }

    /// Takes the states of these worlds; false where they are not those of this model.
    fn take(&mut self, sources: &[Source<'_>]) -> bool {
        let Inputs { state, control, dt, .. } = &mut self.solved.inputs;
        *dt = R::constant(sources[0].dt);
        if let Some((from, told)) = sources[0].block {
            let (Some(from), Some(told)) = (from.downcast_ref(), told.downcast_ref()) else { return false };
            copy_lanes(state, control, from, told);
            return sources.len() == R::LANES;
        }
        let values: Vec<&[f64]> = sources.iter().map(|source| source.values).collect();
        write_lanes(state, control, &values)
    }

    /// Where the step of a lane ends.
    #[inline(always)]
    fn end(&self, source: &Source<'_>, lane: usize) -> StepEnd {
        let (Solved { ws, iterations, .. }, count) = (&self.solved, source.layout.position.len());
        let (mut poses, mut velocities) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (X, k) in ws.X_next.iter().zip(&source.layout.position) {
            poses.push(X.lane(lane));
            velocities.push(Twist::from_array(ws.u[*k]).lane(lane));
        }
        StepEnd { poses, velocities, iterations: iterations.lane(lane) as usize }
    }
}

impl<R: Real<Elem = f64>> Several for LaneSteps<R> {
    fn lanes(&self) -> usize {
        R::LANES
    }

    fn minimal_steps(
        &mut self,
        sources: &[Source<'_>],
        how: &Smoothed,
        lists: Lists<'_>,
    ) -> Vec<Option<MinimalStep>> {
        let (Some(source), count) = (sources.first(), sources.len()) else { return Vec::new() };
        self.visit(sources);
        if !self.take(sources) {
            return (0..count).map(|_| None).collect();
        }
        self.solved.look_ahead(&how.point);
        let report = self.solved.solve(source.layout, how, Polish::Touching);
        let answer = self.solved.answer(source, &how.settings);
        let good = report.converged & enter!(R, is_covered(&answer));
        if !good.any() {
            return (0..count).map(|_| None).collect();
        }
        let tree = Tree { model: source.model, layout: source.layout, constants: &self.constants };
        let moving = Moving { tree, integrator: how.settings.integrator, dt: source.dt };
        let (told, all) = self.reduced.jacobians(&moving, &self.solved, &answer, lists, count);
        let (good, columns) = (good & told, 2 * lists.list.len() + lists.besides.len());
        let each = all.into_iter().zip(sources).enumerate();
        each.map(|(lane, (values, source))| {
            (good.bits() >> lane & 1 == 1).then(|| MinimalStep {
                freedoms: lists.freedoms.to_vec(),
                jacobian: Dense { columns, values },
                end: enter!(R, self.end(source, lane)),
            })
        })
        .collect()
    }
}

impl Scratch {
    /// The Jacobians of several worlds of one model; none where one world alone must tell.
    pub fn minimal_steps(
        &mut self,
        sources: &[Source<'_>],
        how: &Smoothed,
        list: &[usize],
        besides: &[Wrt],
    ) -> Vec<Option<MinimalStep>> {
        let mut found: Vec<Option<MinimalStep>> = Vec::with_capacity(sources.len());
        if let Some(source) = sources.first()
            && sources.len() > 1
            && besides.iter().all(|wrt| is_control(*wrt))
        {
            let all = self.moving(source, &how.settings).tree.freedoms();
            let freedoms: Vec<Freedom> = list.iter().map(|k| all[*k]).collect();
            let lists = Lists { list, freedoms: &freedoms, besides };
            self.several = self.several.take().or_else(|| f64::with_lanes(MakeSeveral(source)));
            if let Some(several) = &mut self.several {
                for chunk in sources.chunks(several.lanes()) {
                    found.extend(several.minimal_steps(chunk, how, lists));
                }
            }
        }
        found.resize(sources.len(), None);
        found
    }
}
