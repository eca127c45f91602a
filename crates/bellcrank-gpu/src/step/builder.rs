//! Puts a table together: works that were recorded, items on memory of the table's own, jumps and calls.

use super::items::{Item, Map, Shape, Work};
use super::kernel::{CONTROL, Control, StepKernel, WIDTH};
use super::world::{Object, Value};
use crate::graph::Folding;
use crate::recorded::{NotRecordable, Recorded, Recording, record_all};
use std::collections::HashMap;

/// A line of a table.
pub type Line = [u32; WIDTH];

/// A place in a table that is not known yet.
#[derive(Clone, Copy)]
pub struct Label(usize);

/// A table in the making.
pub struct Builder<'a> {
    pub kernel: &'a mut StepKernel,
    pub map: Map,
    pub lines: Vec<Line>,
    works: HashMap<Work, Line>,
    /// Operations on the table's own memory, by name and sizes.
    own: HashMap<(String, Vec<usize>), Option<usize>>,
    /// Numbers of each thing.
    sizes: HashMap<Object, usize>,
    /// Where labels are, and the lines that have to know.
    labels: Vec<Option<usize>>,
    wanted: Vec<(usize, usize, Label)>,
}

impl<'a> Builder<'a> {
    pub fn new(kernel: &'a mut StepKernel, map: Map) -> Self {
        let mut sizes: HashMap<Object, usize> = HashMap::new();
        map.numbers.iter().for_each(|(object, _)| *sizes.entry(*object).or_default() += 1);
        let own = kernel.own.clone();
        Builder {
            kernel,
            map,
            lines: vec![],
            works: HashMap::new(),
            own,
            sizes,
            labels: vec![],
            wanted: vec![],
        }
    }

    /// Makes lines of recorded works. False where one works on more things than a line has room for.
    pub fn know(&mut self, items: &[Item]) -> bool {
        for item in items.iter().filter(|item| !item.writes.is_empty()) {
            let (shape, objects) = item.shape(&self.map);
            if objects.len() >= WIDTH {
                return false;
            }
            let operation = self.kernel.operation(&format!("{:?}", item.work), &shape);
            let line = self.line(operation, &objects);
            self.works.insert(item.work, line);
        }
        true
    }

    fn line(&self, operation: usize, objects: &[Object]) -> Line {
        let mut line = [0; WIDTH];
        line[0] = (CONTROL + operation) as u32;
        debug_assert!(objects.len() < WIDTH, "{objects:?}");
        for (place, object) in line[1..].iter_mut().zip(objects) {
            *place = self.map.places.get(object).copied().unwrap_or(0) as u32;
        }
        line
    }

    /// Room of the table's own.
    pub fn add(&mut self, object: Object, count: usize) {
        self.map.add(object, count);
        self.sizes.insert(object, count);
    }

    /// A work that was recorded; nothing where it changes nothing.
    pub fn work(&mut self, work: Work) {
        if let Some(line) = self.works.get(&work) {
            self.lines.push(*line);
        }
    }

    pub fn works(&mut self, works: impl IntoIterator<Item = Work>) {
        works.into_iter().for_each(|work| self.work(work));
    }

    /// What a function does to some things, of which it gets the numbers in this order. Functions of one name do the same to things of the
    /// same sizes.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn item(
        &mut self,
        name: &str,
        objects: &[Object],
        work: impl FnOnce(&mut [Vec<Recorded>]),
    ) -> Result<(), NotRecordable> {
        let sizes: Vec<usize> =
            objects.iter().map(|object| self.sizes.get(object).copied().unwrap_or(0)).collect();
        let key = (name.to_owned(), sizes);
        let operation = match self.own.get(&key) {
            Some(known) => *known,
            None => {
                let shape = shape_of(name, &key.1, work)?;
                let operation = (!shape.outputs.is_empty()).then(|| self.kernel.operation(name, &shape));
                self.own.insert(key.clone(), operation);
                self.kernel.own.insert(key, operation);
                operation
            }
        };
        if let Some(operation) = operation {
            let line = self.line(operation, objects);
            self.lines.push(line);
        }
        Ok(())
    }

    /// A block operation on places of the memory.
    pub fn blocks(&mut self, operation: crate::blocks::Operation, places: [usize; 3]) {
        let mut line = [0; WIDTH];
        line[0] = (CONTROL + operation as usize) as u32;
        (0..3).for_each(|k| line[1 + k] = places[k] as u32);
        self.lines.push(line);
    }

    pub fn place(&self, object: Object) -> usize {
        self.map.places.get(&object).copied().unwrap_or(0)
    }

    /// A place that is set later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here.
    pub fn set(&mut self, label: Label) {
        self.labels[label.0] = Some(self.lines.len());
    }

    /// Goes there where no world of those that go together has this thing.
    pub fn unless(&mut self, truth: Object, to: Label) {
        let place = self.place(truth) as u32;
        self.control(Control::Unless, [place, 0], Some((2, to)));
    }

    pub fn jump(&mut self, to: Label) {
        self.control(Control::Jump, [0; 2], Some((1, to)));
    }

    pub fn call(&mut self, to: Label) {
        self.control(Control::Call, [0; 2], Some((1, to)));
    }

    pub fn give_back(&mut self) {
        self.control(Control::Return, [0; 2], None);
    }

    fn control(&mut self, control: Control, [a, b]: [u32; 2], to: Option<(usize, Label)>) {
        let mut line = [0; WIDTH];
        (line[0], line[1], line[2]) = (control as u32, a, b);
        self.wanted.extend(to.map(|(at, label)| (self.lines.len(), at, label)));
        self.lines.push(line);
    }

    /// What is between is only done where some world has this thing.
    pub fn only_if<E>(
        &mut self,
        truth: Object,
        inner: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let end = self.label();
        self.unless(truth, end);
        inner(self)?;
        self.set(end);
        Ok(())
    }

    /// A number of a world becomes one that is known.
    ///
    /// # Errors
    /// Never.
    pub fn put(&mut self, value: Value, number: f32) -> Result<(), NotRecordable> {
        self.item(&format!("put {number}"), &[value.object()], |things| {
            things[0][0] = bellcrank_math::Real::splat(number);
        })
    }

    /// The table, with labels as the lines where they are.
    pub fn finish(mut self) -> (Vec<Line>, Map) {
        for (line, at, label) in &self.wanted {
            self.lines[*line][*at] = self.labels[label.0].unwrap_or(self.lines.len()) as u32;
        }
        (self.lines, self.map)
    }
}

/// Records a function of some things.
fn shape_of(
    name: &str,
    sizes: &[usize],
    work: impl FnOnce(&mut [Vec<Recorded>]),
) -> Result<Shape, NotRecordable> {
    let spots: Vec<(usize, usize)> =
        sizes.iter().enumerate().flat_map(|(thing, count)| (0..*count).map(move |k| (thing, k))).collect();
    let mut outputs = Vec::new();
    let whole = record_all(name, spots.len(), Folding::KeepBits, |inputs| {
        let mut rest = inputs;
        let mut things: Vec<Vec<Recorded>> = Vec::new();
        for count in sizes {
            let (own, others) = rest.split_at(*count);
            things.push(own.to_vec());
            rest = others;
        }
        work(&mut things);
        let after = things.into_iter().flatten().zip(inputs).zip(&spots);
        let changed = after.filter(|((after, before), _)| after.id() != before.id());
        changed
            .map(|((after, _), spot)| {
                outputs.push(*spot);
                after
            })
            .collect()
    })?;
    let (graph, results) = whole.graph.extracted(&whole.results);
    let (recording, inputs) = Recording { graph, results }.with_inputs_packed(&spots);
    Ok(Shape { ops: recording.graph.ops().to_vec(), results: recording.results, inputs, outputs })
}
