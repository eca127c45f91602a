//! The table of a model's step.

use super::builder::{Builder, Line};
use super::items::{Map, items};
use super::kernel::StepKernel;
use super::world::{Kind, Value, World};
use super::{schedule, sweeps};
use crate::recorded::NotRecordable;
use bellcrank_collide::PairKind;
use bellcrank_model::{Model, Parameters};
use bellcrank_solve::Variant;
use bellcrank_step::constants::Constants;
use bellcrank_step::law::LawLayout;
use bellcrank_step::layout::{DriveLayout, Layout};
use bellcrank_step::settings::{Integrator, Method, Settings, Solver};
use std::collections::HashMap;

/// Why a model's step has no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStepProgram {
    /// Something acts on the mechanism that tables do not know yet.
    #[error(
        "the step of {model} does not run by a table: it has {what}\n  hint: step it on the processor (device \"cpu\")"
    )]
    NotYet {
        /// The model.
        model: String,
        /// What is in the way.
        what: &'static str,
    },
    /// A stage could not be recorded.
    #[error(transparent)]
    NotRecordable(#[from] NotRecordable),
}

/// The step of one model as a table.
#[derive(Clone, Debug)]
pub struct StepProgram {
    lines: Vec<Line>,
    /// A world as it is made.
    start: Vec<f32>,
    coordinates: Vec<usize>,
    /// Kind and place of each number of a world, in the order of [`World::each`].
    pub(super) numbers: Vec<(Kind, usize)>,
    places: HashMap<Kind, Vec<usize>>,
}

impl StepKernel {
    /// The table of a model with steps of `dt` \[s\]. Operations that are not there yet are added, so that one kernel serves all
    /// programs that were made with it.
    ///
    /// # Errors
    /// When something acts on the model that tables do not know yet.
    pub fn program(
        &mut self,
        model: &Model,
        settings: &Settings,
        dt: f64,
    ) -> Result<StepProgram, NoStepProgram> {
        let layout = Layout::for_solver(model, &settings.solver, None);
        if let Some(what) = in_the_way(model, &layout, settings) {
            return Err(NoStepProgram::NotYet { model: model.name().to_owned(), what });
        }
        let mut world = World::<f32>::new(model, &layout, dt);
        let blocks = layout.pattern.off_diagonal_count();
        let map = Map::new(&mut world, blocks);
        let mut start = vec![0.0; map.memory];
        let mut number = 0;
        let mut put = |_, x: &mut f32| {
            start[map.place(number)] = *x;
            number += 1;
        };
        world.each(&mut put);
        world.each_block(blocks, &mut put);
        let items = items(model, &layout, settings, (dt, &map), &schedule::all_works(&layout))?;
        let mut table = Builder::new(self, map);
        if !table.know(&items) {
            let what = "a joint with more motors than a line has room for";
            return Err(NoStepProgram::NotYet { model: model.name().to_owned(), what });
        }
        sweeps::make_room(&mut table, &layout);
        schedule::write(&mut table, &layout, settings)?;
        let (lines, map) = table.finish();
        start.resize(map.memory, 0.0);
        let numbers = (0..map.numbers.len()).filter(|k| map.numbers[*k].0.0 == Kind::Coordinate);
        let coordinates = numbers.map(|k| map.place(k)).collect();
        let numbers = (0..map.numbers.len()).map(|k| (map.numbers[k].0.0, map.place(k))).collect();
        let mut places: HashMap<Kind, Vec<usize>> = HashMap::new();
        map.places.iter().for_each(|((kind, _), place)| places.entry(*kind).or_default().push(*place));
        Ok(StepProgram { lines, start, coordinates, numbers, places })
    }
}

impl StepProgram {
    /// Numbers of a world.
    pub fn memory(&self) -> usize {
        self.start.len()
    }

    /// A world at the reference pose, as it is made.
    pub fn start(&self) -> &[f32] {
        &self.start
    }

    pub(super) fn all(&self, kind: Kind) -> &[usize] {
        self.places.get(&kind).map_or(&[], Vec::as_slice)
    }

    pub(super) fn value(&self, value: Value) -> usize {
        self.all(Kind::Value).get(value as usize).copied().unwrap_or(0)
    }

    /// Where the poses of bodies stand: seven numbers each (quaternion wxyz, position of the centre of mass).
    pub fn poses(&self) -> &[usize] {
        self.all(Kind::Pose)
    }

    /// Where the velocities of bodies stand: six numbers each (of the centre of mass, linear first, world axes).
    pub fn velocities(&self) -> &[usize] {
        self.all(Kind::Twist)
    }

    /// Where what motors are told stands: target position, target velocity and effort of each.
    pub fn motors(&self) -> &[usize] {
        self.all(Kind::Told)
    }

    /// Where joint coordinates stand.
    pub fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// Where the forces on bodies stand that the user gives: six numbers each.
    pub fn wrenches(&self) -> &[usize] {
        self.all(Kind::Wrench)
    }

    /// Where the reactions of contacts stand, by slot: six numbers each.
    pub fn contact_reactions(&self) -> &[usize] {
        self.all(Kind::ContactReaction)
    }

    /// Where it stands whether a world runs (1) or is frozen (0).
    pub fn alive(&self) -> usize {
        self.value(Value::Alive)
    }

    /// Where the gap of joints at the end of the step stands \[m, rad\], one after the other.
    pub fn gap(&self) -> usize {
        self.all(Kind::Gap).first().copied().unwrap_or(0)
    }

    /// Where the tolerance of that gap stands \[m\].
    pub fn tolerance(&self) -> usize {
        self.value(Value::Tolerance)
    }

    /// Where sweeps of the last step are counted, and what the last of them still changed \[m/s\].
    pub fn sweeps(&self) -> [usize; 2] {
        [self.value(Value::Iterations), self.value(Value::Residual)]
    }

    /// Lines of the table: what a step does, one after the other.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

/// What of a model or of its settings tables do not know.
fn in_the_way(model: &Model, layout: &Layout, settings: &Settings) -> Option<&'static str> {
    let groups = !layout.contacts.is_empty() || !layout.scalars.is_empty();
    let closed_form = matches!(&settings.solver, Solver::ComFree(own) if own.variant == Variant::Normalised);
    let by_world = |kind: PairKind| {
        matches!(kind, PairKind::ConvexConvex | PairKind::SphereGround | PairKind::ConvexGround)
    };
    let drag = !Constants::<f32>::of(model, layout, &Parameters::of(model), |_| 0).drag.is_empty();
    let reasons = [
        (layout.pile.is_some(), "many loose bodies (a pile)"),
        (
            layout.plan.groups().iter().any(|(kind, _)| by_world(*kind)),
            "convex shapes or terrain that are looked at world by world",
        ),
        (
            groups && !closed_form,
            "limits, boxes or contacts with another solver than ComFree in its normalised form",
        ),
        (layout.compliance.is_some(), "limits and contacts that give way"),
        (!layout.couplings.is_empty(), "coupled joints"),
        (!layout.lines.is_empty(), "tendons or motors at sites"),
        (!layout.activations.is_empty(), "motors with a state"),
        (
            layout.laws.iter().any(|law| *law != LawLayout::Plain),
            "muscles, motors at a voltage or varying gains",
        ),
        (layout.has_torque_speed, "motors with a torque–speed line"),
        (!layout.rods.is_empty(), "thin rods between balls"),
        (!layout.blocks_without_joint.is_empty(), "bodies that something else than joints couples"),
        (layout.joints.iter().any(|joint| joint.held.is_some()), "joints that give way"),
        (layout.actuators.iter().any(|drive| !is_at_joint(drive)), "motors that are not at a joint"),
        (drag, "a medium that resists"),
        (settings.integrator != Integrator::SemiImplicitEuler, "another integrator than semi-implicit Euler"),
        (settings.method != Method::Eliminate, "another method than elimination"),
        (settings.rounds[0] != 2 || settings.rounds[1] < 2, "another number of rounds than two at least"),
    ];
    reasons.into_iter().find(|(is_there, _)| *is_there).map(|(_, what)| what)
}

fn is_at_joint(drive: &DriveLayout) -> bool {
    matches!(drive, DriveLayout::Joint(_))
}
