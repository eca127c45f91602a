//! Where slopes are kept: for every body the equations that its state enters, six by six numbers each.

use crate::columns::Rows;
use bellcrank_math::Real;
use bellcrank_step::interior::InteriorWorkspace;
use bellcrank_step::layout::Layout;

/// By column (a number of the body's state), then by row.
pub(crate) type Square<R> = [[R; 6]; 6];

/// How six rows change with six numbers of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<R> {
    pub row: usize,
    pub block: Square<R>,
}

/// By body; the first slot is that of its own equation of motion.
#[derive(Clone, Debug)]
pub(crate) struct Slots<R> {
    pub pose: Vec<Vec<Slot<R>>>,
    pub velocity: Vec<Vec<Slot<R>>>,
    pub joints: Vec<JointSlots>,
    /// By coupling and body: the slot of what the coupling is short of.
    pub couplings: Vec<Vec<Option<usize>>>,
    /// By contact of this step: the slot of the other body in the list of A, and in that of B.
    pub touches: Vec<[usize; 2]>,
    /// Slots that do not change with contacts.
    fixed: Vec<usize>,
}

/// Slots of a joint, first in the list of its successor, then in that of its predecessor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JointSlots {
    /// The equation of the other body.
    pub pose: [usize; 2],
    pub velocity: [usize; 2],
    /// What the joint is short of.
    pub rest: [usize; 2],
}

#[inline(always)]
fn blank<R: Real>(row: usize) -> Slot<R> {
    Slot { row, block: [[R::zero(); 6]; 6] }
}

/// A new slot at the end of a list; its position.
fn push<R: Real>(list: &mut Vec<Slot<R>>, row: usize) -> usize {
    list.push(blank(row));
    list.len() - 1
}

impl<R: Real> Slots<R> {
    /// All but those of contacts.
    pub fn of(layout: &Layout) -> Self {
        let rows = Rows::of(layout);
        let own = |_| layout.position.iter().map(|k| vec![blank(*k)]).collect();
        let [mut pose, mut velocity]: [Vec<Vec<Slot<R>>>; 2] = [(), ()].map(own);
        let mut joints = vec![JointSlots::default(); layout.joints.len()];
        for (j, (joint, slots)) in layout.joints.iter().zip(&mut joints).enumerate() {
            let two = [Some(joint.successor), joint.predecessor];
            for (side, body) in two.into_iter().enumerate() {
                let Some(b) = body else { continue };
                if let Some(other) = two[1 - side] {
                    slots.pose[side] = push(&mut pose[b], layout.position[other]);
                    slots.velocity[side] = push(&mut velocity[b], layout.position[other]);
                }
                slots.rest[side] = push(&mut pose[b], rows.joints + j);
            }
        }
        let mut couplings = vec![vec![None; layout.position.len()]; layout.couplings.len()];
        for (c, coupling) in layout.couplings.iter().enumerate() {
            for &b in &coupling.bodies {
                couplings[c][b] = Some(push(&mut pose[b], rows.couplings + c));
            }
        }
        let fixed = pose.iter().map(Vec::len).collect();
        Slots { pose, velocity, joints, couplings, touches: Vec::new(), fixed }
    }

    /// Takes the contacts of this step in, and forgets all slopes.
    pub fn set_touches(&mut self, layout: &Layout, own: &InteriorWorkspace<R>) {
        for (list, fixed) in self.pose.iter_mut().zip(&self.fixed) {
            list.truncate(*fixed);
        }
        for slot in self.pose.iter_mut().chain(&mut self.velocity).flatten() {
            slot.block = [[R::zero(); 6]; 6];
        }
        self.touches.clear();
        for touch in &own.touches {
            let slots = match touch.a {
                Some(a) => [
                    push(&mut self.pose[a], layout.position[touch.b]),
                    push(&mut self.pose[touch.b], layout.position[a]),
                ],
                None => [0; 2],
            };
            self.touches.push(slots);
        }
    }
}
