//! What stages do to one body or one joint, as recordings whose inputs and results are places in a world's memory.

use super::narrow::{for_body, for_joint};
use super::stages::{STEP, Stage, run};
use super::world::{Kind, Object, World};
use crate::graph::{Folding, Graph, Id, Op};
use crate::recorded::{NotRecordable, Recorded, Recording, record_all};
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

    /// The place of a number.
    pub fn place(&self, number: usize) -> usize {
        let (object, offset) = self.numbers[number];
        self.places.get(&object).copied().unwrap_or(0) + offset
    }
}

/// What one stage does to one thing.
pub struct Item {
    pub stage: Stage,
    /// Inputs are numbers of a world, in the order of [`World::each`].
    pub recording: Recording,
    /// The numbers that the results become.
    pub writes: Vec<usize>,
}

/// All items of the step's stages, by stage, in the order in which they have to be done.
pub fn items(
    model: &Model,
    layout: &Layout,
    settings: &Settings,
    (dt, map): (f64, &Map),
) -> Result<Vec<Item>, NotRecordable> {
    let blocks = layout.pattern.off_diagonal_count();
    let mut found: Vec<(Stage, Vec<usize>)> = Vec::new();
    let whole = record_all("step", map.numbers.len(), Folding::KeepBits, |inputs| {
        let mut world = World::<Recorded>::new(model, layout, dt);
        let mut results = Vec::new();
        let mut session = Session { inputs, blocks, before: vec![] };
        session.restore(&mut world);
        session.before = session.read(&mut world);
        let mut stages: Vec<Stage> = STEP.to_vec();
        stages.sort_by_key(|stage| *stage as usize);
        stages.dedup();
        for stage in stages {
            for work in works(stage, layout) {
                match work {
                    Work::Body(b) => for_body(stage, layout, settings, b, &mut world),
                    Work::Joint(j) => for_joint(stage, layout, settings, j, &mut world),
                    Work::Whole => run(stage, layout, settings, &mut world),
                }
                let after = session.read(&mut world);
                let changed: Vec<usize> =
                    (0..after.len()).filter(|k| after[*k].id() != session.before[*k].id()).collect();
                results.extend(changed.iter().map(|k| after[*k]));
                found.push((stage, changed));
                session.restore(&mut world);
            }
        }
        results
    })?;
    let mut rest = whole.results.as_slice();
    let mut items = Vec::new();
    for (stage, writes) in found {
        let (own, others) = rest.split_at(writes.len());
        let (graph, results) = whole.graph.pruned(own);
        items.push(Item { stage, recording: Recording { graph, results }, writes });
        rest = others;
    }
    Ok(items)
}

/// On what a stage works at a time.
enum Work {
    Body(usize),
    Joint(usize),
    Whole,
}

fn works(stage: Stage, layout: &Layout) -> Vec<Work> {
    if matches!(stage, Stage::FactorAndSolve | Stage::Solve) {
        return vec![]; // by blocks
    }
    let bodies = (0..layout.position.len()).filter(|_| stage.has_bodies()).map(Work::Body);
    let joints = (0..layout.joints.len()).filter(|_| stage.has_joints()).map(Work::Joint);
    let works: Vec<Work> =
        if stage.joints_first() { joints.chain(bodies).collect() } else { bodies.chain(joints).collect() };
    if works.is_empty() { vec![Work::Whole] } else { works }
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
