//! What stages do to one body or one joint, as recordings whose inputs and results are places in a world's memory.

use super::float::{self, Balance};
use super::narrow::{for_body, for_group, for_joint};
use super::stages::{Each, Stage, run};
use super::world::{Kind, Object, Value, World};
use crate::graph::{Folding, Graph, Id, Op};
use crate::recorded::{NotRecordable, Recorded, Recording, record_all};
use bellcrank_collide::{collide_pair, is_near, place_shape};
use bellcrank_math::{Mask, Real};
use bellcrank_model::Model;
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::Settings;
use std::collections::BTreeMap;

/// Where the things of a world stand.
pub struct Map {
    /// The thing of each number, and which of its numbers it is, in the order of [`World::each`].
    pub numbers: Vec<(Object, usize)>,
    /// The place of each thing.
    pub places: BTreeMap<Object, usize>,
    /// Numbers of a world.
    pub memory: usize,
}

impl Map {
    pub fn new(world: &mut World<f32>, blocks: usize) -> Self {
        let mut numbers: Vec<(Object, usize)> = Vec::new();
        let mut counts: BTreeMap<Object, usize> = BTreeMap::new();
        let mut note = |object: Object, _: &mut f32| {
            let count = counts.entry(object).or_default();
            numbers.push((object, *count));
            *count += 1;
        };
        world.each(&mut note);
        world.each_block(blocks, &mut note);
        let mut memory = 0;
        let mut places = BTreeMap::new();
        for (object, count) in counts {
            places.insert(object, memory);
            // a factor keeps the reciprocals of its diagonal too
            memory += if object.0 == Kind::Diagonal { crate::blocks::DIAGONAL } else { count };
        }
        Map { numbers, places, memory }
    }

    /// Room for a thing that is not among the numbers of a world.
    pub fn add(&mut self, object: Object, count: usize) {
        self.places.insert(object, self.memory);
        self.memory += count;
    }

    /// The place of a number.
    pub fn place(&self, number: usize) -> usize {
        let (object, offset) = self.numbers[number];
        self.places.get(&object).copied().unwrap_or(0) + offset
    }
}

/// A part of a step, and the thing to which it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    Body(Stage, usize),
    Joint(Stage, usize),
    Group(Stage, usize),
    Whole(Stage),
    /// A shape is brought into the world.
    Place(usize),
    /// Whether a pair is near; nothing touches; what touches.
    Look(usize),
    Part(usize),
    Touch(usize),
    /// How deep a pair is inside.
    Deepen(usize),
    /// A part that floats.
    Float(usize, Balance),
}

/// What is done to one thing.
pub struct Item {
    pub work: Work,
    /// Inputs are numbers of a world, in the order of [`World::each`].
    pub recording: Recording,
    /// The numbers that the results become.
    pub writes: Vec<usize>,
}

/// Some works, recorded.
pub fn items(
    model: &Model,
    layout: &Layout,
    settings: &Settings,
    (dt, map): (f64, &Map),
    works: &[Work],
) -> Result<Vec<Item>, NotRecordable> {
    let blocks = layout.pattern.off_diagonal_count();
    let mut found: Vec<Vec<usize>> = Vec::new();
    let whole = record_all("step", map.numbers.len(), Folding::KeepBits, |inputs| {
        let mut world = World::<Recorded>::new(model, layout, dt);
        let mut results = Vec::new();
        let mut session = Session { inputs, blocks, before: vec![] };
        session.restore(&mut world);
        session.before = session.read(&mut world);
        for work in works {
            run_work(*work, layout, settings, &mut world);
            let after = session.read(&mut world);
            let changed: Vec<usize> =
                (0..after.len()).filter(|k| after[*k].id() != session.before[*k].id()).collect();
            results.extend(changed.iter().map(|k| after[*k]));
            found.push(changed);
            session.restore(&mut world);
        }
        results
    })?;
    let mut rest = whole.results.as_slice();
    let mut items = Vec::new();
    for (work, writes) in works.iter().zip(found) {
        let (own, others) = rest.split_at(writes.len());
        let (graph, results) = whole.graph.extracted(own);
        items.push(Item { work: *work, recording: Recording { graph, results }, writes });
        rest = others;
    }
    Ok(items)
}

fn run_work<R: Real>(work: Work, layout: &Layout, settings: &Settings, world: &mut World<R>) {
    let (plan, reach) = (&layout.plan, world.get(Value::Reach));
    let both = |p: usize| [plan.pairs()[p].first, plan.pairs()[p].second];
    match work {
        Work::Body(stage, b) => for_body(stage, layout, settings, b, world),
        Work::Joint(stage, j) => for_joint(stage, layout, settings, j, world),
        Work::Group(stage, g) => for_group(stage, layout, settings, g, world),
        Work::Whole(stage) => run(stage, layout, settings, world),
        Work::Place(s) => {
            world.placed[s] = place_shape(plan, &world.constants.shapes, &world.state.X_WB, s);
        }
        Work::Look(p) => {
            let placed = both(p).map(|s| &world.placed[s]);
            let near = is_near(plan, &world.constants.shapes, placed, reach, p);
            world.set(Value::Near, R::select(near, R::one(), R::zero()));
        }
        Work::Part(p) => {
            for contact in &mut world.contacts[plan.pairs()[p].slots.clone()] {
                contact.active = R::Mask::splat(false);
            }
        }
        Work::Touch(p) => {
            let placed = both(p).map(|s| world.placed[s]);
            let slots = &mut world.contacts[plan.pairs()[p].slots.clone()];
            collide_pair(plan, &world.constants.shapes, [&placed[0], &placed[1]], reach, (p, slots));
        }
        Work::Deepen(p) => {
            let lanes = world.is(Value::Lanes);
            for contact in &world.contacts[plan.pairs()[p].slots.clone()] {
                let depth = R::select(contact.active & lanes, -contact.distance, R::zero());
                world.values[Value::Deepest as usize] = world.values[Value::Deepest as usize].max(depth);
            }
        }
        Work::Float(c, what) => float::run(what, layout, c, world),
    }
}

/// The works of a stage, in the order in which they have to be done.
pub fn works(stage: Stage, layout: &Layout) -> Vec<Work> {
    let bodies = || (0..layout.position.len()).map(move |b| Work::Body(stage, b));
    let joints = || (0..layout.joints.len()).map(move |j| Work::Joint(stage, j));
    match stage.each() {
        Each::Body if stage == Stage::AddMissing => {
            layout.not_afloat.iter().map(|b| Work::Body(stage, *b)).collect()
        }
        Each::Body => bodies().collect(),
        Each::Joint => joints().collect(),
        Each::BodyAndJoint => bodies().chain(joints()).collect(),
        Each::JointAndBody => joints().chain(bodies()).collect(),
        Each::Group => {
            (0..layout.scalars.len() + layout.contacts.len()).map(|g| Work::Group(stage, g)).collect()
        }
        Each::Whole => vec![Work::Whole(stage)],
    }
}

/// A world whose numbers are inputs, again and again.
struct Session<'a> {
    inputs: &'a [Recorded],
    blocks: usize,
    before: Vec<Recorded>,
}

impl Session<'_> {
    fn restore(&self, world: &mut World<Recorded>) {
        let mut next = self.inputs.iter();
        let mut set = |_: Object, x: &mut Recorded| next.next().into_iter().for_each(|input| *x = *input);
        world.each(&mut set);
        world.each_block(self.blocks, &mut set);
    }

    fn read(&self, world: &mut World<Recorded>) -> Vec<Recorded> {
        let mut all = Vec::with_capacity(self.inputs.len());
        let mut see = |_: Object, x: &mut Recorded| all.push(*x);
        world.each(&mut see);
        world.each_block(self.blocks, &mut see);
        all
    }
}

/// An item in words that other items share: its things numbered, its inputs told by thing and offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub ops: Vec<Op>,
    pub results: Vec<Id>,
    /// (thing, offset)
    pub inputs: Vec<(usize, usize)>,
    pub outputs: Vec<(usize, usize)>,
}

impl Item {
    /// Its shape, and the things that it works on.
    pub fn shape(&self, map: &Map) -> (Shape, Vec<Object>) {
        let objects = self.objects(map);
        let spot = |number: usize| {
            let (object, offset) = map.numbers[number];
            (objects.iter().position(|known| *known == object).unwrap_or(0), offset)
        };
        let old = &self.recording.graph;
        let inputs_of = |op: &Op| match op {
            Op::Input(k) => Some(*k),
            _ => None,
        };
        let mut read: Vec<((usize, usize), u32)> =
            old.ops().iter().filter_map(inputs_of).map(|k| (spot(k as usize), k)).collect();
        read.sort_unstable();
        let mut graph = Graph::new(Folding::KeepBits);
        let place: BTreeMap<u32, Id> =
            read.iter().enumerate().map(|(n, (_, k))| (*k, graph.add(Op::Input(n as u32)))).collect();
        let mut moved = Vec::with_capacity(old.ops().len());
        for op in old.ops() {
            moved.push(match op {
                Op::Input(k) => place.get(k).copied().unwrap_or(0),
                op => graph.add(op.with_operands(|id| moved[id as usize])),
            });
        }
        let mut written: Vec<((usize, usize), Id)> = self
            .writes
            .iter()
            .zip(&self.recording.results)
            .map(|(number, id)| (spot(*number), moved[*id as usize]))
            .collect();
        written.sort_unstable();
        let shape = Shape {
            ops: graph.ops().to_vec(),
            results: written.iter().map(|(_, id)| *id).collect(),
            inputs: read.iter().map(|(spot, _)| *spot).collect(),
            outputs: written.iter().map(|(spot, _)| *spot).collect(),
        };
        (shape, objects)
    }

    /// The things that it reads and writes: by kind, and those of one kind as they are first used.
    fn objects(&self, map: &Map) -> Vec<Object> {
        let mut objects: Vec<Object> = Vec::new();
        let mut note = |number: usize| {
            let object = map.numbers[number].0;
            if !objects.contains(&object) {
                objects.push(object);
            }
        };
        for op in self.recording.graph.ops() {
            let (operands, count) = op.operands();
            for id in &operands[..count] {
                if let Op::Input(k) = self.recording.graph.op(*id) {
                    note(k as usize);
                }
            }
        }
        for id in &self.recording.results {
            if let Op::Input(k) = self.recording.graph.op(*id) {
                note(k as usize);
            }
        }
        self.writes.iter().for_each(|number| note(*number));
        objects.sort_by_key(|(kind, _)| *kind);
        objects
    }
}
