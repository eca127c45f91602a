//! Worlds of a batch whose steps are made by a table, on a device: a [`Group`] that a batch takes for one of its own.
//!
//! State, controls and parameters live with the host, in a [`LaneGroup`] of one world per block, which answers everything that a batch
//! asks. For a call of `step` they go to the device, all steps are made there in one submission, and the state comes back. What the last
//! step left behind for those who want to look (reactions of joints, efforts of motors) is made by the processor when somebody asks, from
//! the state before that step.

use super::kernel::StepKernel;
use super::program::{NoStepProgram, StepProgram};
use super::world::{Kind, Value, World};
use crate::device::DeviceError;
use bellcrank_model::{Model, Parameters};
use bellcrank_step::assemble::Goal;
use bellcrank_step::contact::BodyContact;
use bellcrank_step::field::Field;
use bellcrank_step::group::{Block, Figures, Group, ITERATION_BINS, LaneGroup, Table, Values};
use bellcrank_step::layout::Layout;
use bellcrank_step::readout::{Metrics, Readout};
use bellcrank_step::settings::Settings;
use bellcrank_step::step::{scene::Scene, step};
use bellcrank_step::workspace::Workspace;
use std::any::Any;
use std::mem::swap;
use std::ops::Range;
use std::sync::Arc;

/// What makes steps of all worlds.
pub trait Stepper: Send + Sync {
    /// Makes some steps, all in one submission. `memory` holds number k of world w at `k · worlds + w`; the ranges `given` have been
    /// written, those `told` are wanted back, and as they were before the last step in `before`.
    ///
    /// # Errors
    /// When the device fails.
    fn run(
        &mut self,
        memory: &mut [f32],
        before: &mut [f32],
        ranges: [&[Range<usize>]; 2],
        steps: u32,
    ) -> Result<(), DeviceError>;
}

/// Makes what steps so many worlds of a program.
pub type MakeStepper<'a> =
    &'a dyn Fn(StepKernel, &StepProgram, usize) -> Result<Box<dyn Stepper>, DeviceError>;

/// Why worlds of a model cannot be stepped on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDeviceGroup {
    /// The step has no table.
    #[error(transparent)]
    Program(#[from] NoStepProgram),
    /// The device refuses.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Steps by the interpreter: no device, for tests and for machines without one.
pub struct Interpreted {
    kernel: StepKernel,
    program: StepProgram,
    worlds: usize,
}

impl Interpreted {
    /// For so many worlds.
    ///
    /// # Errors
    /// Never.
    pub fn make(
        kernel: StepKernel,
        program: &StepProgram,
        worlds: usize,
    ) -> Result<Box<dyn Stepper>, DeviceError> {
        Ok(Box::new(Interpreted { kernel, program: program.clone(), worlds }))
    }
}

impl Stepper for Interpreted {
    fn run(
        &mut self,
        memory: &mut [f32],
        before: &mut [f32],
        _: [&[Range<usize>]; 2],
        steps: u32,
    ) -> Result<(), DeviceError> {
        for i in 0..steps {
            if i + 1 == steps {
                before.copy_from_slice(memory);
            }
            self.kernel.interpret(&self.program, memory, self.worlds);
        }
        Ok(())
    }
}

/// What goes to the device, and what comes back.
const GIVEN: [Kind; 18] = [
    Kind::Gravity,
    Kind::Time,
    Kind::BodyConstants,
    Kind::Pose,
    Kind::Twist,
    Kind::Rest,
    Kind::Wrench,
    Kind::JointConstants,
    Kind::Force,
    Kind::DofConstants,
    Kind::Actuator,
    Kind::Told,
    Kind::Coordinate,
    Kind::Value,
    Kind::Shape,
    Kind::Surface,
    Kind::ScalarReaction,
    Kind::ContactReaction,
];
const TOLD: [Kind; 11] = [
    Kind::Time,
    Kind::Gap,
    Kind::Pose,
    Kind::Twist,
    Kind::Rest,
    Kind::Force,
    Kind::Coordinate,
    Kind::Value,
    Kind::Contact,
    Kind::ScalarReaction,
    Kind::ContactReaction,
];

/// Worlds of one model on a device.
pub struct DeviceGroup {
    host: LaneGroup<f32>,
    program: StepProgram,
    stepper: Box<dyn Stepper>,
    dt: f64,
    settings: Settings,
    /// One world on its way.
    world: World<f32>,
    /// As on the device, and as it was before the last step.
    memory: Vec<f32>,
    before: Vec<f32>,
    ranges: [Vec<Range<usize>>; 2],
    /// How many worlds, from the first on, `before` is of.
    stepped: usize,
    trouble: Option<DeviceError>,
}

impl DeviceGroup {
    /// So many worlds at the reference pose, with steps of `dt` \[s\].
    ///
    /// # Errors
    /// When something acts on the model that tables do not know, or the device refuses.
    pub fn new(
        model: &Arc<Model>,
        worlds: usize,
        (dt, settings): (f64, &Settings),
        make: MakeStepper<'_>,
    ) -> Result<Self, NoDeviceGroup> {
        let mut kernel = StepKernel::new().map_err(NoStepProgram::from)?;
        let program = kernel.program(model, settings, dt)?;
        let stepper = make(kernel, &program, worlds)?;
        let layout = Layout::for_solver(model, &settings.solver, None);
        let world = World::new(model, &layout, dt);
        let host = LaneGroup::new((model.clone(), layout), &Parameters::of(model), worlds, None);
        let spread = |x: &f32| std::iter::repeat_n(*x, worlds);
        let memory: Vec<f32> = program.start().iter().flat_map(spread).collect();
        let ranges = [ranges(&program, &GIVEN, worlds), ranges(&program, &TOLD, worlds)];
        let before = memory.clone();
        let settings = *settings;
        Ok(DeviceGroup {
            host,
            program,
            stepper,
            dt,
            settings,
            world,
            memory,
            before,
            ranges,
            stepped: 0,
            trouble: None,
        })
    }

    /// Why the last steps were made by the processor instead, if they were.
    pub fn trouble(&self) -> Option<&DeviceError> {
        self.trouble.as_ref()
    }

    /// World `w` into the memory.
    fn give(&mut self, w: usize) {
        let (worlds, block) = (self.host.worlds, &mut self.host.blocks[w]);
        let alive = block.state.alive;
        exchange(block, &mut self.world);
        self.world.values.fill(0.0);
        self.world.set(Value::Alive, f32::from(alive));
        let (memory, mut numbers) = (&mut self.memory, self.program.numbers.iter());
        self.world.each(&mut |_, x| {
            if let Some((kind, place)) = numbers.next()
                && GIVEN.contains(kind)
            {
                memory[place * worlds + w] = *x;
            }
        });
        exchange(&mut self.host.blocks[w], &mut self.world);
    }

    /// World `w` out of it.
    fn take(&mut self, w: usize, count: usize) {
        let worlds = self.host.worlds;
        let was_alive = self.host.blocks[w].state.alive;
        exchange(&mut self.host.blocks[w], &mut self.world);
        let (memory, mut numbers) = (&self.memory, self.program.numbers.iter());
        self.world.each(&mut |_, x| {
            if let Some((kind, place)) = numbers.next()
                && TOLD.contains(kind)
            {
                *x = memory[place * worlds + w];
            }
        });
        let alive = 0.0 < self.world.get(Value::Alive);
        exchange(&mut self.host.blocks[w], &mut self.world);
        let block = &mut self.host.blocks[w];
        block.state.alive = alive;
        let survived = self.world.get(Value::Survived) as u64;
        if was_alive && !alive {
            let body = self.body_of_trouble(w);
            let block = &mut self.host.blocks[w];
            block.frozen[0] = Some((body, block.age[0] + survived));
        }
        let block = &mut self.host.blocks[w];
        block.age[0] = block.age[0].saturating_add(count as u64);
        figure(&self.world, block);
    }

    /// Which body stopped being finite in a world that has kept its last good state: the processor's step says so.
    fn body_of_trouble(&self, w: usize) -> u32 {
        let block = &self.host.blocks[w];
        let mut state = block.state.clone();
        state.alive = true;
        let scene = Scene::of_step(&self.host.layout, &block.constants, &self.settings, self.dt as f32);
        let mut ws = Workspace::new(&self.host.layout);
        step(&scene, &mut state, &block.control, &mut ws, None).bad_body as u32
    }

    /// The twists before the last step.
    fn note_twists(&mut self, w: usize) {
        let worlds = self.host.worlds;
        for (V, at) in self.host.blocks[w].readout.V_before.iter_mut().zip(self.program.velocities()) {
            *V = bellcrank_math::Twist::from_array(std::array::from_fn(|k| {
                self.before[(at + k) * worlds + w]
            }));
        }
    }

    /// What the last step left behind in world `w`, by the processor's step from the state before it.
    fn last_step(&self, w: usize) -> Readout<f32> {
        let (worlds, layout) = (self.host.worlds, &self.host.layout);
        let mut world = World::<f32>::new(&self.host.model, layout, self.dt);
        let mut numbers = self.program.numbers.iter();
        world.each(&mut |_, x| {
            if let Some((kind, place)) = numbers.next() {
                let at = place * worlds + w;
                if TOLD.contains(kind) {
                    *x = self.before[at];
                } else if GIVEN.contains(kind) {
                    *x = self.memory[at];
                }
            }
        });
        world.state.alive = 0.0 < world.get(Value::Alive);
        let mut readout = Readout::blank(layout);
        let scene = Scene::of_step(layout, &world.constants, &self.settings, self.dt as f32);
        readout.V_before.copy_from_slice(&world.state.V_WB);
        step(&scene, &mut world.state, &world.control, &mut world.ws, Some(&mut readout));
        readout
    }

    /// Whether the last step of a world was made on the device and can be looked at.
    fn shows(&self, w: usize) -> bool {
        w < self.stepped && self.host.blocks[w].frozen[0].is_none()
    }
}

/// State, control and constants of a block and of a world change places.
fn exchange(block: &mut Block<f32>, world: &mut World<f32>) {
    swap(&mut block.state, &mut world.state);
    swap(&mut block.control, &mut world.control);
    swap(&mut block.constants, &mut world.constants);
}

/// Figures of a call.
fn figure(world: &World<f32>, block: &mut Block<f32>) {
    let touching = || world.contacts.iter().filter(|contact| contact.active);
    let figures = &mut block.figures;
    figures.gap_metres = world.get(Value::MostMetres);
    figures.gap_radians = world.get(Value::MostRadians);
    figures.residual = world.get(Value::Residual);
    figures.iterations = world.get(Value::Iterations);
    figures.converged = world.get(Value::Converged);
    figures.inexact = if world.get(Value::Closed) > 0.0 { 0.0 } else { 1.0 };
    figures.contacts = touching().count() as f32;
    figures.penetration = world.get(Value::Deepest);
    block.iterations.fill(0);
    let bin = figures.iterations as usize;
    block.iterations[bin.min(ITERATION_BINS - 1)] = 1;
}

/// Where kinds stand in the memory of all worlds: each of them in one piece.
fn ranges(program: &StepProgram, kinds: &[Kind], worlds: usize) -> Vec<Range<usize>> {
    let of = |kind: &Kind| {
        let places = || program.numbers.iter().filter(|(other, _)| other == kind).map(|(_, place)| *place);
        Some(places().min()? * worlds..(places().max()? + 1) * worlds)
    };
    kinds.iter().filter_map(of).collect()
}

impl Group for DeviceGroup {
    fn step(&mut self, count: usize, dt: f64, settings: &Settings, threads: usize) {
        self.step_first(self.host.worlds, count, dt, settings, threads);
    }

    /// The device steps all its worlds; those that shall stand are not taken back.
    fn step_first(&mut self, worlds: usize, count: usize, dt: f64, settings: &Settings, threads: usize) {
        for w in worlds..self.stepped {
            if self.shows(w) {
                self.host.blocks[w].readout = self.last_step(w);
            }
        }
        self.stepped = 0;
        let known = self.trouble.is_none() && dt == self.dt && *settings == self.settings;
        if count == 0 || !known {
            return self.host.run(worlds, count, dt, settings, threads);
        }
        (0..self.host.worlds).for_each(|w| self.give(w));
        let ranges = [self.ranges[0].as_slice(), self.ranges[1].as_slice()];
        let steps = u32::try_from(count).unwrap_or(u32::MAX);
        if let Err(trouble) = self.stepper.run(&mut self.memory, &mut self.before, ranges, steps) {
            self.trouble = Some(trouble);
            return self.host.run(worlds, count, dt, settings, threads);
        }
        for w in 0..worlds {
            self.take(w, count);
            self.note_twists(w);
        }
        self.stepped = worlds;
    }

    fn block_count(&self) -> usize {
        1
    }

    fn readout(&self, world: usize) -> Readout<f64> {
        if self.shows(world) { self.last_step(world).lane(0) } else { self.host.readout(world) }
    }

    fn figures(&self, world: usize) -> Figures {
        self.host.figures(world)
    }

    fn add_iterations(&self, counts: &mut [u64; ITERATION_BINS]) {
        self.host.add_iterations(counts);
    }

    fn bytes_per_world(&self) -> usize {
        self.host.bytes_per_world() + 3 * 4 * self.program.memory()
    }

    fn row(&self, world: usize, field: Field) -> Vec<f64> {
        self.host.row(world, field)
    }

    fn get(&self, world: usize, field: Field, k: usize) -> f64 {
        self.host.get(world, field, k)
    }

    fn set_row(&mut self, world: usize, field: Field, first: usize, values: &[f64]) {
        self.host.set_row(world, field, first, values);
    }

    fn read(&self, field: Field, rows: &[usize], out: Table<'_>) {
        self.host.read(field, rows, out);
    }

    fn write(&mut self, field: Field, rows: &[usize], values: Values<'_>) {
        self.host.write(field, rows, values);
    }

    fn interval(&self, world: usize) -> f64 {
        self.host.interval(world)
    }

    fn set_interval(&mut self, world: usize, steps: f64) {
        self.host.set_interval(world, steps);
    }

    fn activations(&self, world: usize) -> Vec<f64> {
        self.host.activations(world)
    }

    fn set_activation(&mut self, world: usize, index: usize, value: f64) {
        self.host.set_activation(world, index, value);
    }

    fn age(&self, world: usize) -> u64 {
        self.host.age(world)
    }

    fn contacts(&self, world: usize) -> Vec<BodyContact> {
        self.host.contacts(world)
    }

    fn each_contact(&self, visit: &mut dyn FnMut(usize, BodyContact)) {
        self.host.each_contact(visit);
    }

    fn metrics(&self, world: usize) -> Metrics<f64> {
        self.host.metrics(world)
    }

    fn reset(&mut self, world: usize) {
        self.host.reset(world);
    }

    fn assemble(&mut self, worlds: &[usize], goal: &Goal) -> Vec<bool> {
        self.host.assemble(worlds, goal)
    }

    fn set_parameters(&mut self, parameters: &Parameters) {
        self.host.set_parameters(parameters);
    }

    fn set_world_parameters(&mut self, parameters: &Parameters, world: usize) {
        self.host.set_world_parameters(parameters, world);
    }

    fn layout(&self) -> &Layout {
        self.host.layout()
    }

    fn save(&self, world: usize) -> Vec<f64> {
        self.host.save(world)
    }

    fn block_of(&self, worlds: &[usize]) -> Option<(&dyn Any, &dyn Any)> {
        self.host.block_of(worlds)
    }

    fn load(&mut self, world: usize, values: &[f64]) {
        self.host.load(world, values);
    }

    fn spread(&mut self, world: usize) {
        self.host.spread(world);
    }

    fn copy(&mut self, from: usize, to: usize) {
        self.host.copy(from, to);
    }
}
