//! Worlds of one model in blocks of lanes.

use crate::activation;
use crate::assemble::Goal;
use crate::constants::Constants;
use crate::contact::BodyContact;
use crate::drag;
use crate::ellipsoid;
use crate::field::Field;
use crate::layout::Layout;
use crate::reactions::pile::{MakePile, make_pile};
use crate::readout::{Metrics, Readout};
use crate::settings::{Integrator, Settings};
use crate::state::{Control, State};
use crate::status::{Report, WorldStatus};
use crate::step::{scene::Scene, step};
use crate::workspace::Workspace;
use bellcrank_collide::Hints;
use bellcrank_math::{Elem, Inline, LaneJob, Mask, Real, Twist, Vec3};
use bellcrank_model::{Model, Parameters};
use std::any::Any;
use std::sync::Arc;

/// Floating-point precision: f64 or f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 64 bits, eight worlds to a block.
    F64,
    /// 32 bits, sixteen worlds to a block.
    F32,
}

/// What a batch asks of a group, whatever its numbers.
pub trait Group: Send + Sync {
    /// `count` steps of every world, over the threads of the current pool.
    fn step(&mut self, count: usize, dt: f64, settings: &Settings, threads: usize);
    /// The same of the first `worlds` worlds; those that share a block with the last of these go along, all others stand.
    fn step_first(&mut self, worlds: usize, count: usize, dt: f64, settings: &Settings, threads: usize);
    /// Blocks of lanes: as many threads at most have something to do in a step.
    fn block_count(&self) -> usize;
    fn figures(&self, world: usize) -> Figures;
    /// How many world-steps of the last call took so many iterations; the last entry counts all above.
    fn add_iterations(&self, counts: &mut [u64; ITERATION_BINS]);
    fn bytes_per_world(&self) -> usize;

    /// All numbers of a field.
    fn row(&self, world: usize, field: Field) -> Vec<f64>;
    /// Number `k` of a field.
    fn get(&self, world: usize, field: Field, k: usize) -> f64;
    /// Sets number `k` of a field; those that are computed stay as they are.
    fn set(&mut self, world: usize, field: Field, k: usize, value: f64) {
        self.set_row(world, field, k, &[value]);
    }
    /// Sets numbers of a field from `first` on, all at once: what stands between them is never seen. A robot that is turned as a
    /// whole keeps its joint angles; body by body, angles would be counted through the poses on the way.
    fn set_row(&mut self, world: usize, field: Field, first: usize, values: &[f64]);
    /// Copies a field of all worlds; world w of the group is row `rows[w]` of the table.
    fn read(&self, field: Field, rows: &[usize], out: Table<'_>);
    /// The reverse.
    fn write(&mut self, field: Field, rows: &[usize], values: Values<'_>);

    /// The interval whose velocity a world's twists are, in steps.
    fn interval(&self, world: usize) -> f64;
    fn set_interval(&mut self, world: usize, steps: f64);
    /// The state of each motor that has one, in their order.
    fn activations(&self, world: usize) -> Vec<f64>;
    fn set_activation(&mut self, world: usize, index: usize, value: f64);

    /// Steps since the last reset.
    fn age(&self, world: usize) -> u64;
    /// What the last step left behind.
    fn readout(&self, world: usize) -> Readout<f64>;
    /// What touches at the present pose, with the *impulses* of the last step.
    fn contacts(&self, world: usize) -> Vec<BodyContact>;
    /// The same of all worlds, each with the number of its world: every block is searched once.
    fn each_contact(&self, visit: &mut dyn FnMut(usize, BodyContact));
    fn metrics(&self, world: usize) -> Metrics<f64>;

    fn reset(&mut self, world: usize);
    /// Moves the listed worlds to closed poses; says which succeeded.
    fn assemble(&mut self, worlds: &[usize], goal: &Goal) -> Vec<bool>;
    fn set_parameters(&mut self, parameters: &Parameters);
    /// Takes what has changed for one world.
    fn set_world_parameters(&mut self, parameters: &Parameters, world: usize);

    /// The structure of the model's step.
    fn layout(&self) -> &Layout;
    /// Everything needed to resume.
    fn save(&self, world: usize) -> Vec<f64>;
    /// State and control of the block whose lanes are these worlds, all of them and in order, where its numbers have 64 bits.
    fn block_of(&self, worlds: &[usize]) -> Option<(&dyn Any, &dyn Any)>;
    /// Takes the values of `save` back; those of another model are left alone.
    fn load(&mut self, world: usize, values: &[f64]);
    /// All worlds take the state and control of one of them.
    fn spread(&mut self, world: usize);
    /// World `to` takes the state and control of world `from`.
    fn copy(&mut self, from: usize, to: usize);
}

/// An array of shape (rows, stride) to be filled.
pub struct Table<'a> {
    pub values: Numbers<'a>,
    pub stride: usize,
}

/// Numbers of either precision.
pub enum Numbers<'a> {
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

/// An array of shape (rows, stride) to be read.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    pub values: NumbersRef<'a>,
    pub stride: usize,
}

#[derive(Clone, Copy)]
pub enum NumbersRef<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// Bins of the histogram of iterations.
pub const ITERATION_BINS: usize = 512;

/// One world's last call of `step`.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    pub status: WorldStatus,
    /// Largest over the steps of the call.
    pub gap_metres: f64,
    pub gap_radians: f64,
    pub residual: f64,
    pub penetration: f64,
    /// Of the last step.
    pub iterations: f64,
    pub contacts: f64,
    /// Steps of the call that met all tolerances.
    pub converged: usize,
}

/// A block of `R::LANES` worlds.
pub struct Block<R: Real> {
    pub constants: Constants<R>,
    pub state: State<R>,
    pub control: Control<R>,
    /// What steps are told instead, where motors have a state or a medium resists.
    pub told: Option<Control<R>>,
    pub readout: Readout<R>,
    pub figures: BlockFigures<R>,
    /// Lanes that hold a world of their own.
    pub used: usize,
    /// Steps since the last reset, by lane.
    pub age: Vec<u64>,
    pub frozen: Vec<Option<(u32, u64)>>,
    pub iterations: Box<[u64; ITERATION_BINS]>,
    /// What the search for contacts remembers; no part of the state.
    pub hints: Hints<R>,
}

#[derive(Clone, Copy)]
pub struct BlockFigures<R> {
    pub gap_metres: R,
    pub gap_radians: R,
    pub residual: R,
    pub penetration: R,
    pub iterations: R,
    pub contacts: R,
    /// Most contacts that existed in a step; only a pile counts them.
    pub wanted: R,
    pub converged: R,
    pub inexact: R,
    pub metrics: Metrics<R>,
}

pub struct LaneGroup<R: Real> {
    pub model: Arc<Model>,
    pub layout: Layout,
    pub worlds: usize,
    pub blocks: Vec<Block<R>>,
    /// One per thread.
    pub workspaces: Vec<Workspace<R>>,
    pub make_pile: MakePile<R>,
    /// One world's numbers on their way to the others.
    pub carried: Vec<f64>,
}

/// So many worlds of one model are faster one by one than in a block of lanes that is mostly empty.
const FEW: usize = 2;

/// Worlds of a model at their reference pose: in lanes of this processor, or one by one where they are few or told to be.
pub fn make(
    model: &Arc<Model>,
    layout: Layout,
    worlds: usize,
    precision: Precision,
    one_by_one: bool,
) -> Box<dyn Group> {
    let parameters = Parameters::of(model);
    let pile = layout.pile.is_some();
    match (precision, one_by_one || pile || worlds <= FEW) {
        (Precision::F64, true) => {
            let make: MakePile<f64> = pile.then_some(make_pile::<f64>);
            Box::new(LaneGroup::<f64>::new((model.clone(), layout), &parameters, worlds, make))
        }
        (Precision::F32, true) => {
            let make: MakePile<f32> = pile.then_some(make_pile::<f32>);
            Box::new(LaneGroup::<f32>::new((model.clone(), layout), &parameters, worlds, make))
        }
        (Precision::F64, false) => {
            f64::with_lanes(MakeGroup { model, layout, parameters: &parameters, worlds })
        }
        (Precision::F32, false) => {
            f32::with_lanes(MakeGroup { model, layout, parameters: &parameters, worlds })
        }
    }
}

/// Makes a group on the lane type of this processor.
pub struct MakeGroup<'a> {
    pub model: &'a Arc<Model>,
    pub layout: Layout,
    pub parameters: &'a Parameters,
    pub worlds: usize,
}

impl<E: Elem> LaneJob<E> for MakeGroup<'_> {
    type Output = Box<dyn Group>;
    fn run<R: Real<Elem = E>>(self) -> Box<dyn Group> {
        let MakeGroup { model, layout, parameters, worlds } = self;
        Box::new(LaneGroup::<R>::new((model.clone(), layout), parameters, worlds, None))
    }
}

/// The constants of block after block: derived once where all worlds share their parameters. Lanes beyond the last world repeat it.
fn constants<R: Real>(
    model: &Model,
    layout: &Layout,
    parameters: &Parameters,
    worlds: usize,
) -> impl Iterator<Item = Constants<R>> {
    let shared = parameters.is_shared().then(|| Constants::of(model, layout, parameters, |_| 0));
    (0..worlds).step_by(R::LANES).map(move |first| match &shared {
        Some(shared) => shared.clone(),
        None => Constants::of(model, layout, parameters, |lane| (first + lane).min(worlds - 1)),
    })
}

impl<R: Real> LaneGroup<R> {
    pub fn new(
        (model, layout): (Arc<Model>, Layout),
        parameters: &Parameters,
        worlds: usize,
        make_pile: MakePile<R>,
    ) -> Self {
        let state = State::reference(&model, &layout);
        let control = Control::rest(&model, &layout, &state);
        let all = constants::<R>(&model, &layout, parameters, worlds);
        let block = |(first, constants): (usize, Constants<R>)| Block {
            constants,
            state: state.clone(),
            control: control.clone(),
            told: (!layout.activations.is_empty() || model.medium().resists()).then(|| control.clone()),
            readout: Readout::blank(&layout),
            figures: BlockFigures::blank(),
            used: (worlds - first).min(R::LANES),
            age: vec![0; R::LANES],
            frozen: vec![None; R::LANES],
            iterations: Box::new([0; ITERATION_BINS]),
            hints: vec![Vec3::zero(); layout.plan.hint_count()],
        };
        let blocks = (0..worlds).step_by(R::LANES).zip(all).map(block).collect();
        LaneGroup { model, layout, worlds, blocks, workspaces: Vec::new(), make_pile, carried: Vec::new() }
    }

    /// Derives the constants of all blocks afresh.
    pub fn derive_constants(&mut self, parameters: &Parameters) {
        let all = constants(&self.model, &self.layout, parameters, self.worlds);
        for (block, constants) in self.blocks.iter_mut().zip(all) {
            block.constants = constants;
        }
    }

    /// Derives the constants of one world; lanes beyond the last world repeat it.
    pub fn derive_constants_of(&mut self, parameters: &Parameters, world: usize) {
        let lane = world % R::LANES;
        let lanes = if world + 1 == self.worlds { lane..R::LANES } else { lane..lane + 1 };
        let constants = &mut self.blocks[world / R::LANES].constants;
        constants.set_lanes(&self.model, &self.layout, parameters, lanes, world);
    }

    /// The blocks of the first `worlds` worlds, `count` steps each, over the threads of the current pool.
    pub fn run(&mut self, worlds: usize, count: usize, dt: f64, settings: &Settings, threads: usize) {
        while self.workspaces.len() < threads {
            self.workspaces.push(Workspace::with_pile(&self.layout, self.make_pile));
        }
        let busy = worlds.div_ceil(R::LANES).min(self.blocks.len());
        let (layout, blocks) = (&self.layout, &mut self.blocks[..busy]);
        let share = busy.div_ceil(threads).max(1);
        let run = |blocks: &mut [Block<R>], ws: &mut Workspace<R>| {
            for block in blocks {
                block.steps(count, layout, settings, dt, ws);
            }
        };
        if threads == 1 {
            return run(blocks, &mut self.workspaces[0]);
        }
        rayon::scope(|scope| {
            for (blocks, ws) in blocks.chunks_mut(share).zip(&mut self.workspaces) {
                scope.spawn(move |_| run(blocks, ws));
            }
        });
    }
}

impl<R: Real> Block<R> {
    fn steps(&mut self, count: usize, layout: &Layout, settings: &Settings, dt: f64, ws: &mut Workspace<R>) {
        self.figures = self.figures.cleared();
        self.iterations.fill(0);
        ws.contacts.swap_hints(&mut self.hints);
        for i in 0..count {
            let (alive, interval) = (self.state.alive, self.state.interval);
            if i + 1 == count {
                self.readout.V_before.copy_from_slice(&self.state.V_WB);
            }
            let readout = (i + 1 == count).then_some(&mut self.readout);
            let scene = Scene::of_step(layout, &self.constants, settings, R::constant(dt));
            let (motors, states) = (&layout.activations, &self.state.activation);
            if let Some(told) = &mut self.told {
                activation::tell(motors, &self.constants, dt, states, &self.control, told);
                drag::add(&self.constants, R::constant(dt), &self.state, told);
                let all = &layout.ellipsoids;
                ellipsoid::add(all, &self.constants, R::constant(dt), &self.state, told);
            }
            let control = self.told.as_ref().unwrap_or(&self.control);
            let report = step(&scene, &mut self.state, control, ws, readout);
            let State { alive: running, activation, .. } = &mut self.state;
            activation::advance((layout, &self.constants), dt, *running, &self.control, ws, activation);
            if i + 1 == count && settings.integrator == Integrator::Variational {
                self.tell_twists_before(interval);
            }
            self.figures.add(&report, alive);
            self.note_frozen(&report, alive);
        }
        ws.contacts.swap_hints(&mut self.hints);
    }

    /// Where a step began with velocities of an instant, only half of its impulses have acted: twists before the step are told as if all
    /// had, so that their change over Δt is the acceleration.
    fn tell_twists_before(&mut self, interval: R) {
        R::run(Inline(
            #[inline(always)]
            || {
                let more = R::constant(2.0) / (R::one() + interval);
                for (old, new) in self.readout.V_before.iter_mut().zip(&self.state.V_WB) {
                    let (linear, angular) = (new.linear - old.linear, new.angular - old.angular);
                    *old = Twist::new(new.linear - linear * more, new.angular - angular * more);
                }
            },
        ));
    }

    /// Remembers which body stopped being finite, and when.
    fn note_frozen(&mut self, report: &Report<R>, alive: R::Mask) {
        let lost = (alive & !report.finite).bits();
        for lane in 0..R::LANES {
            if lost >> lane & 1 == 1 {
                self.frozen[lane] = Some((report.bad_body.lane(lane).to_f64() as u32, self.age[lane]));
            } else if lane < self.used && alive.bits() >> lane & 1 == 1 {
                let bin = report.iterations.lane(lane).to_f64() as usize;
                self.iterations[bin.min(ITERATION_BINS - 1)] += 1;
            }
            self.age[lane] = self.age[lane].saturating_add(1); // a restored age may be any number
        }
    }
}

impl<R: Real> BlockFigures<R> {
    fn blank() -> Self {
        let zero = R::zero();
        BlockFigures {
            gap_metres: zero,
            gap_radians: zero,
            residual: zero,
            penetration: zero,
            iterations: zero,
            contacts: zero,
            wanted: zero,
            converged: zero,
            inexact: zero,
            metrics: Metrics::default(),
        }
    }

    /// For a new call: the largest values start again.
    fn cleared(self) -> Self {
        BlockFigures { iterations: self.iterations, contacts: self.contacts, ..Self::blank() }
    }

    #[inline(always)]
    fn add(&mut self, report: &Report<R>, alive: R::Mask) {
        let lanes = alive & report.finite;
        let most = |old: R, new: R| R::select(lanes, old.max(new), old);
        self.gap_metres = most(self.gap_metres, report.gap_metres);
        self.gap_radians = most(self.gap_radians, report.gap_radians);
        self.residual = most(self.residual, report.residual);
        self.penetration = most(self.penetration, report.penetration);
        self.wanted = most(self.wanted, report.wanted);
        self.iterations = R::select(lanes, report.iterations, self.iterations);
        self.contacts = R::select(lanes, report.contacts, self.contacts);
        let one = R::select(lanes & report.converged, R::one(), R::zero());
        self.converged += one;
        self.inexact = R::select(lanes, R::one() - one, self.inexact);
        self.metrics = report.metrics;
    }
}
