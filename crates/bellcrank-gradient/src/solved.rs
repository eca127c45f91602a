//! A step solved to rounding at one κ: what derivatives are taken of. Its memory is kept from call to call.

use super::columns::Columns;
use super::formulas::{Answer, Formulas, is_covered, is_state_or_control};
use super::minimal::{Reduced, Tree};
use super::passes::{Incidence, Pass, Passes};
use super::repeated::{check_pairs, copy_iterate, copy_rows, hold_features, keep_bounds, match_contacts};
use super::several::Several;
use super::slopes::{Evaluated, Slopes};
use super::{Inputs, Many, Source, Wrt};
use crate::Smoothed;
use bellcrank_math::enter;
use bellcrank_math::{Pose, Real, Twist};
use bellcrank_model::{BodyId, JointId, Parameters, ShapeId};
use bellcrank_sim::BatchError;
use bellcrank_solve::InteriorPoint;
use bellcrank_step::constants::Constants;
use bellcrank_step::interior::{self, Exact, InteriorWorkspace, Polish, System};
use bellcrank_step::lane_access::read_lane;
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::Settings;
use bellcrank_step::status::Report;
use bellcrank_step::step::{blank_report, finish, scene::Scene};
use bellcrank_step::workspace::Workspace;

/// A solved step.
pub(crate) struct Solved<R: Real = f64> {
    pub inputs: Inputs<R>,
    pub ws: Workspace<R>,
    pub own: InteriorWorkspace<R>,
    /// The step in these numbers, compiled with the engine.
    exact: Exact<R>,
    reach: R,
    pub iterations: R,
}

impl<R: Real> Solved<R> {
    pub fn new(source: &Source<'_>, constants: &Constants<R>, exact: Exact<R>) -> Self {
        Solved {
            inputs: Inputs::of(source, constants),
            ws: Workspace::new(source.layout),
            own: InteriorWorkspace::new(source.layout),
            exact,
            reach: R::zero(),
            iterations: R::zero(),
        }
    }

    /// How far ahead contacts are looked for from the state at hand.
    pub fn look_ahead(&mut self, point: &InteriorPoint) {
        let Inputs { state, constants, dt, .. } = &self.inputs;
        self.reach = enter!(R, interior::reach(constants, state, *dt, point.reach));
    }

    /// Solves the step from the inputs, with Newton steps after convergence.
    pub fn solve(&mut self, layout: &Layout, how: &Smoothed, polish: Polish) -> Report<R> {
        let Solved { inputs, ws, own, exact, reach, iterations } = self;
        inputs.read_coordinates(layout);
        let Inputs { state, control, constants, dt, .. } = &*inputs;
        let system = System { this: how.implicit(layout, constants, *dt), state, control, ws, own };
        let report = (exact.solve)(system, *reach, polish);
        *iterations = report.iterations;
        report
    }

    /// Factors Newton's matrix at the answer.
    pub fn factor(&mut self, layout: &Layout, how: &Smoothed) {
        let Solved { inputs, ws, own, exact, .. } = self;
        let Inputs { state, control, constants, dt, .. } = &*inputs;
        (exact.factor)(System { this: how.implicit(layout, constants, *dt), state, control, ws, own });
    }

    pub fn answer<'a>(&'a self, source: &Source<'a>, settings: &'a Settings) -> Answer<'a, R> {
        let Solved { inputs: Inputs { state, control, constants, dt, .. }, ws, own, .. } = self;
        Answer { layout: source.layout, constants, settings, dt: *dt, state, control, ws, own }
    }
}

/// Memory of derivatives of one model's steps.
pub(crate) struct Scratch {
    /// Constants of the world below, or of all where worlds do not differ.
    pub(super) plain: Constants<f64>,
    dual: Constants<Many>,
    world: Option<usize>,
    pub solved: Solved,
    inputs: Inputs<Many>,
    ws: Workspace<Many>,
    own: InteriorWorkspace<Many>,
    incidence: Incidence,
    pub(super) passes: Passes,
    slopes: Slopes,
    pub(super) formulas: Formulas<f64>,
    /// Everything in dual numbers, to compare with.
    #[cfg(feature = "checks")]
    pub without_formulas: bool,
    pub columns: Columns,
    /// Minimal Jacobians of one world.
    pub(super) reduced: Reduced<f64>,
    /// For several worlds at once.
    pub(super) several: Option<Box<dyn Several>>,
}

/// Whether worlds differ in some parameter.
pub(super) fn is_spread(source: &Source<'_>) -> bool {
    let (model, p): (_, &Parameters) = (source.model, source.parameters);
    p.gravity.is_spread()
        || (0..model.bodies().len()).any(|b| p.body(BodyId::new(b)).is_spread())
        || (0..model.joints().len()).any(|j| p.joint(JointId::new(j)).is_spread())
        || (0..model.shapes().len()).any(|s| p.shape(ShapeId::new(s)).is_spread())
        || (0..model.actuators().len()).any(|a| p.actuator(a).is_spread())
}

impl Scratch {
    pub fn new(source: &Source<'_>) -> Self {
        let Source { model, layout, parameters, world, .. } = *source;
        let plain = Constants::of(model, layout, parameters, |_| world);
        let dual = Constants::of(model, layout, parameters, |_| world);
        Scratch {
            solved: Solved::new(source, &plain, Exact::plain()),
            inputs: Inputs::of(source, &dual),
            ws: Workspace::new(layout),
            own: InteriorWorkspace::new(layout),
            world: is_spread(source).then_some(world),
            incidence: Incidence::of(layout),
            passes: Passes::default(),
            slopes: Slopes::default(),
            formulas: Formulas::new(layout),
            #[cfg(feature = "checks")]
            without_formulas: false,
            columns: Columns::default(),
            several: None,
            reduced: Reduced::new(&Tree { model, layout, constants: &plain }),
            plain,
            dual,
        }
    }

    /// Constants of the world that was visited last.
    pub fn constants(&self) -> &Constants<f64> {
        &self.plain
    }

    /// Takes the constants of the source's world.
    pub fn visit(&mut self, source: &Source<'_>) {
        if self.world.is_some_and(|world| world != source.world) {
            let Source { model, layout, parameters, world, .. } = *source;
            self.plain = Constants::of(model, layout, parameters, |_| world);
            self.dual = Constants::of(model, layout, parameters, |_| world);
            self.world = Some(world);
            (self.inputs.changed, self.solved.inputs.changed) = (true, true);
        }
    }

    /// Solves the step, with one of its numbers changed if asked for.
    pub fn solve(
        &mut self,
        source: &Source<'_>,
        how: &Smoothed,
        nudge: Option<(Wrt, f64)>,
    ) -> Result<(), BatchError> {
        let solved = &mut self.solved;
        solved.inputs.reset(source, &self.plain);
        solved.look_ahead(&how.point);
        if let Some((wrt, amount)) = nudge {
            solved.inputs.nudge(source, wrt, amount);
        }
        let polish = if nudge.is_some() { Polish::Thrice } else { Polish::Once };
        self.solve_with(source, how, polish)
    }

    /// The same from the inputs as they are.
    pub(super) fn solve_with(
        &mut self,
        source: &Source<'_>,
        how: &Smoothed,
        polish: Polish,
    ) -> Result<(), BatchError> {
        let report = self.solved.solve(source.layout, how, polish);
        if !report.converged {
            return Err(BatchError::NotConverged { world: source.world, residual: report.residual });
        }
        Ok(())
    }

    /// ∂r/∂θ of all columns, at the answer.
    pub fn linearise(&mut self, source: &Source<'_>, how: &Smoothed, wrt: &[Wrt]) -> Result<(), BatchError> {
        let covered = wrt.iter().any(|wrt| is_state_or_control(*wrt)) && self.read_formulas(source, how);
        self.linearise_with(covered, source, how, wrt)
    }

    /// Whether formulas hold.
    pub fn is_covered(&self, source: &Source<'_>, settings: &Settings) -> bool {
        let answer = self.solved.answer(source, settings);
        let covered = enter!(f64, is_covered(&answer));
        #[cfg(feature = "checks")]
        let covered = covered && !self.without_formulas;
        covered
    }

    /// The slopes of states by formulas; false where these do not hold.
    pub fn read_formulas(&mut self, source: &Source<'_>, how: &Smoothed) -> bool {
        let covered = self.is_covered(source, &how.settings);
        if covered {
            self.formulas.read(&self.solved.answer(source, &how.settings));
        }
        covered
    }

    /// ∂r/∂θ of all columns, those of states and controls by the formulas that have been read or by dual numbers.
    pub fn linearise_with(
        &mut self,
        covered: bool,
        source: &Source<'_>,
        how: &Smoothed,
        wrt: &[Wrt],
    ) -> Result<(), BatchError> {
        check_pairs(source, &self.solved.own, wrt)?;
        let changed = self.incidence.set_touches(&self.solved.own);
        self.passes.plan(source.layout, &self.incidence, wrt, covered, changed);
        self.columns.clear(wrt.len());
        if covered {
            self.columns.take(&self.solved.answer(source, &how.settings), wrt, &self.formulas);
        }
        for pass in 0..self.passes.list.len() {
            self.evaluate(source, how, wrt, pass);
            self.columns.gather(source.layout, &self.passes, pass, &self.incidence, wrt, &self.slopes);
        }
        Ok(())
    }

    /// The equations at the answer in dual numbers. In a light pass geometry stays as it is: rows are those of the answer,
    /// and only what pushes is evaluated.
    fn evaluate(&mut self, source: &Source<'_>, how: &Smoothed, wrt: &[Wrt], pass: usize) {
        let layout = source.layout;
        let Scratch { solved, inputs, ws, own, .. } = self;
        if pass == 0 {
            inputs.reset(source, &self.dual);
        } else {
            inputs.forget(source, &self.dual);
        }
        let Pass { riders, light } = &self.passes.list[pass];
        for &(column, k) in riders {
            inputs.ride(source, wrt[column], k);
        }
        if !*light {
            inputs.read_coordinates(layout);
        }
        let Inputs { state, control, constants, dt, .. } = &*inputs;
        let this = how.implicit(layout, constants, *dt);
        if *light {
            for (rows, known) in ws.joints.iter_mut().zip(&solved.ws.joints) {
                copy_rows(rows, known);
            }
            interior::push_rows(&this, state, control, ws);
        } else {
            let reach = Many::constant_of(solved.reach);
            interior::begin(&this, reach, state, control, ws, own);
            match_contacts(&this, &state.X_WB, &solved.own, own);
            hold_features(source, &solved.own, &self.plain, constants, own);
        }
        keep_bounds(solved, *dt, ws);
        enter!(Many, bellcrank_step::rows::drives::set_weights(layout, ws));
        copy_iterate(solved, ws, own);
        let mut system = System { this, state, control, ws, own };
        system.prepare();
        system.advance_bodies();
        let (integrator, answer) = (how.settings.integrator, (&solved.ws, &solved.own));
        let mut now = Evaluated { layout, constants, state, integrator, dt: *dt, ws, own, answer };
        if *light { self.slopes.read_light(&mut now) } else { self.slopes.read(&mut now) }
    }

    /// Poses and velocities at the end of the step.
    pub fn end(&self, source: &Source<'_>) -> (Vec<Pose>, Vec<Twist>) {
        let ws = &self.solved.ws;
        let velocity = |k: &usize| Twist::from_array(ws.u[*k]);
        (ws.X_next.clone(), source.layout.position.iter().map(velocity).collect())
    }

    /// State and control after the step, as `lane_access` lists them. Derivatives must have been taken before.
    pub fn take_step(&mut self, source: &Source<'_>, how: &Smoothed) -> Vec<f64> {
        let layout = source.layout;
        let Solved { inputs, ws, own, .. } = &mut self.solved;
        let Inputs { state, control, constants, dt, .. } = inputs;
        interior::store(&how.implicit(layout, constants, *dt), state, ws, own);
        let mut report = blank_report(ws);
        let scene = Scene::of_step(layout, constants, &how.settings, *dt);
        finish(&scene, true, state.alive, state, ws, &mut report);
        read_lane(state, control, 0)
    }
}
