//! Columns of ∂r/∂θ, few numbers each: a number enters the equations of a body and its neighbours only.

use super::Wrt;
use super::formulas::{Answer, Formulas, Slot, control_push};
use super::passes::{Equation, Incidence, Passes};
use super::slopes::{Six, Slopes};
use bellcrank_step::layout::Layout;

/// Six numbers of a column: a push on a body, what a joint is short of, or how an end pose moves by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub row: u32,
    pub value: [f64; 6],
}

/// Sparse columns. Rows are those of bodies (by elimination position), joints, couplings, end poses; six numbers each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    entries: Vec<Entry>,
    /// Where each column begins and ends.
    ranges: Vec<(usize, usize)>,
}

/// Where the four kinds of rows begin.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub joints: usize,
    pub couplings: usize,
    pub ends: usize,
    pub all: usize,
}

impl Rows {
    pub fn of(layout: &Layout) -> Self {
        let bodies = layout.position.len();
        let couplings = bodies + layout.joints.len();
        let ends = couplings + layout.couplings.len();
        Rows { joints: bodies, couplings, ends, all: ends + bodies }
    }
}

impl Columns {
    pub fn clear(&mut self, count: usize) {
        self.entries.clear();
        self.ranges.clear();
        self.ranges.resize(count, (0, 0));
    }

    /// Takes the columns that rode in an evaluation.
    pub fn gather(
        &mut self,
        layout: &Layout,
        passes: &Passes,
        pass: usize,
        incidence: &Incidence,
        wrt: &[Wrt],
        slopes: &Slopes,
    ) {
        let rows = Rows::of(layout);
        for &(column, k) in &passes.list[pass].riders {
            let first = self.entries.len();
            let list = &mut self.entries;
            incidence.each(layout, wrt[column], |equation| match equation {
                Equation::Body(b) => {
                    put_slope(list, layout.position[b], &slopes.bodies[b], k);
                    put_slope(list, rows.ends + b, &slopes.ends[b], k);
                }
                Equation::Joint(j) => {
                    let joint = &layout.joints[j];
                    put_slope(list, layout.position[joint.successor], &slopes.joints[j].s, k);
                    if let Some(p) = joint.predecessor {
                        put_slope(list, layout.position[p], &slopes.joints[j].p, k);
                    }
                    put_slope(list, rows.joints + j, &slopes.joints[j].rest, k);
                }
                Equation::Coupling(c) => {
                    let (pushes, rest) = &slopes.couplings[c];
                    for (push, b) in pushes.iter().zip(&layout.couplings[c].bodies) {
                        put_slope(list, layout.position[*b], push, k);
                    }
                    let mut value = [0.0; 6];
                    value[0] = rest[k];
                    list.push(Entry { row: (rows.couplings + c) as u32, value });
                }
                Equation::Line(l) => {
                    for (push, b) in slopes.lines[l].iter().zip(&layout.lines[l].bodies) {
                        put_slope(list, layout.position[*b], push, k);
                    }
                }
                Equation::Contact(t) => {
                    let (touch, pushes) = (incidence.slot(t), &slopes.touches[t]);
                    let contact = &layout.contacts[touch];
                    put_slope(list, layout.position[contact.b], &pushes[1], k);
                    if let Some(a) = contact.a {
                        put_slope(list, layout.position[a], &pushes[0], k);
                    }
                }
            });
            self.ranges[column] = (first, self.entries.len());
        }
    }

    /// Takes the columns of states and controls.
    pub fn take(&mut self, answer: &Answer<'_, f64>, wrt: &[Wrt], formulas: &Formulas<f64>) {
        let (layout, rows) = (answer.layout, Rows::of(answer.layout));
        for (column, wrt) in wrt.iter().enumerate() {
            let (first, list) = (self.entries.len(), &mut self.entries);
            match *wrt {
                Wrt::Position { body, axis } => {
                    put_slots(list, &formulas.slots.pose[body], axis);
                    let mut value = [0.0; 6];
                    value[axis] = 1.0;
                    list.push(Entry { row: (rows.ends + body) as u32, value });
                }
                Wrt::Rotation { body, axis } => {
                    put_slots(list, &formulas.slots.pose[body], 3 + axis);
                    let E = formulas.bodies[body].turn;
                    let value = [0.0, 0.0, 0.0, E.entry(0, axis), E.entry(1, axis), E.entry(2, axis)];
                    list.push(Entry { row: (rows.ends + body) as u32, value });
                }
                Wrt::LinearVelocity { body, axis } => {
                    put_slots(list, &formulas.slots.velocity[body], axis);
                }
                Wrt::AngularVelocity { body, axis } => {
                    put_slots(list, &formulas.slots.velocity[body], 3 + axis);
                }
                _ => {
                    let Some((j, k, push)) = control_push(answer, &formulas.dofs, *wrt) else { continue };
                    let (joint, start) = (&layout.joints[j], &answer.ws.joints[j]);
                    let i = joint.kind.row_count() + k;
                    put(list, layout.position[joint.successor], start.s[i].map(|x| x * push));
                    if let Some(p) = joint.predecessor {
                        put(list, layout.position[p], start.p[i].map(|x| x * push));
                    }
                }
            }
            self.ranges[column] = (first, self.entries.len());
        }
    }

    /// Number of columns.
    pub fn count(&self) -> usize {
        self.ranges.len()
    }

    pub(super) fn of(&self, column: usize) -> &[Entry] {
        let (first, end) = self.ranges[column];
        &self.entries[first..end]
    }
}

/// Keeps six numbers, unless all are zero.
fn put(list: &mut Vec<Entry>, row: usize, value: [f64; 6]) {
    if value != [0.0; 6] {
        list.push(Entry { row: row as u32, value });
    }
}

/// Derivative `k` of an evaluation.
fn put_slope(list: &mut Vec<Entry>, row: usize, six: &Six, k: usize) {
    put(list, row, [six[0][k], six[1][k], six[2][k], six[3][k], six[4][k], six[5][k]]);
}

/// One number of a body's state.
fn put_slots(list: &mut Vec<Entry>, slots: &[Slot<f64>], column: usize) {
    for slot in slots {
        put(list, slot.row, slot.block[column]);
    }
}
