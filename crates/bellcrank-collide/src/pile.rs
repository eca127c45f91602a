//! Many loose bodies: a broad phase, and a bounded list of contacts per world.
//!
//! Where a model has thousands of pairs of shapes, a list of all of them and slots for their contacts would be mostly empty. A [`Pile`]
//! looks in one world at a time for the pairs whose bounding spheres meet (sweep along x), asks an open [`ContactPlan`] about them, runs
//! the same routines, and lists the contacts that exist. Its memory grows with what is near. A contact is named by its two shapes and its feature:
//! lists of two steps can be matched for warm starting by one pass, since they are sorted by name.

use crate::collide::{Narrow, Side, place_shapes, run_kind, touch_pair};
use crate::contacts::Contact;
use crate::data::{Placed, ShapeData};
use crate::material::Surface;
use crate::pairs;
use crate::plan::{ContactPlan, Pair, PairKind, PairName};
use bellcrank_math::{Elem, Kernel, Pose, Vec3};
use std::fmt;

/// Most slots of any pair.
const MOST: usize = 8;

/// A contact in a [`Pile`].
#[derive(Clone, Copy, Debug)]
pub struct PileContact<E: Elem = f64> {
    /// Position in [`Pile::pairs`].
    pub pair: u32,
    /// Which feature of the pair: the same in every step.
    pub feature: u16,
    /// Where, and how deep.
    pub contact: Contact<E>,
}

/// Two shapes that are near each other.
#[derive(Clone, Debug)]
pub struct NearPair<E: Elem = f64> {
    /// The two, in the order in which their routine wants them; its slots begin at zero.
    pub pair: Pair,
    /// How they rub and bounce.
    pub surface: Surface<E>,
    name: PairName,
    /// A direction that parted them when they were last looked at, or zero: it saves work and changes no result.
    hint: Vec3<E>,
}

impl<E: Elem> NearPair<E> {
    /// Positions of A and B in [`ContactPlan::shapes`].
    pub fn shapes(&self) -> [usize; 2] {
        self.name.shapes()
    }
}

/// More contacts than there was room for. Those of the first pairs in the plan were kept; planes come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactsDropped {
    /// Contacts that exist.
    pub wanted: usize,
    /// Contacts that were kept.
    pub capacity: usize,
}

impl fmt::Display for ContactsDropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} contacts found, {} kept: raise the capacity", self.wanted, self.capacity)
    }
}

/// The contacts of one world, found by a broad phase. Workspace: may be thrown away at any time.
#[derive(Clone, Debug)]
pub struct Pile<E: Elem = f64> {
    capacity: usize,
    contacts: Vec<PileContact<E>>,
    wanted: usize,
    placed: Vec<Placed<E>>,
    /// Shapes with an end, sorted by the least x of their bounding sphere.
    order: Vec<Ball<E>>,
    /// Shapes without an end: planes and terrain.
    endless: Vec<u32>,
    /// Pairs whose bounding spheres meet, sorted by name; and those of the last call.
    names: Vec<PairName>,
    pairs: Vec<NearPair<E>>,
    last: Vec<NearPair<E>>,
}

/// A bounding sphere.
#[derive(Clone, Copy, Debug)]
struct Ball<E> {
    /// Its least x.
    low: E,
    p: Vec3<E>,
    bound: E,
    shape: u32,
}

impl<E: Elem> Pile<E> {
    /// Room for `capacity` contacts of an open plan.
    pub fn new(plan: &ContactPlan, capacity: usize) -> Self {
        let count = plan.shapes().len();
        let ends = |i: &u32| !plan.shapes()[*i as usize].is_endless();
        let (finite, endless): (Vec<u32>, Vec<u32>) = (0..count as u32).partition(ends);
        let ball = |shape: u32| Ball { low: E::zero(), p: Vec3::zero(), bound: E::zero(), shape };
        Pile {
            capacity,
            contacts: Vec::new(),
            wanted: 0,
            placed: vec![Placed::origin(); count],
            order: finite.into_iter().map(ball).collect(),
            endless,
            names: Vec::new(),
            pairs: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Contacts of the last call, sorted by the names of their pairs and by feature.
    pub fn contacts(&self) -> &[PileContact<E>] {
        &self.contacts
    }

    /// Pairs that were near in the last call.
    pub fn pairs(&self) -> &[NearPair<E>] {
        &self.pairs
    }

    /// Bytes of memory taken.
    pub fn size_of(&self) -> usize {
        self.contacts.capacity() * size_of::<PileContact<E>>()
            + size_of_val(&*self.placed)
            + size_of_val(&*self.order)
            + self.names.capacity() * size_of::<PairName>()
            + (self.pairs.capacity() + self.last.capacity()) * size_of::<NearPair<E>>()
    }

    /// Finds all contacts of one world; see [`crate::collide()`] for the arguments. Takes memory where more is near than ever before.
    pub fn collide(
        &mut self,
        plan: &ContactPlan,
        shapes: &ShapeData<E>,
        X_WB: &[Pose<E>],
        reach: E,
    ) -> Option<ContactsDropped> {
        place_shapes(plan, shapes, X_WB, &mut self.placed);
        self.find_near(plan, shapes, reach);
        self.take_pairs(plan, shapes);
        self.contacts.clear();
        self.wanted = 0;
        let mut start = 0;
        while start < self.pairs.len() {
            let kind = self.pairs[start].pair.kind;
            let end = start + self.pairs[start..].iter().take_while(|near| near.pair.kind == kind).count();
            let job = NearPairs {
                plan,
                reach,
                placed: &self.placed,
                first: start,
                pairs: &mut self.pairs[start..end],
                capacity: self.capacity,
                contacts: &mut self.contacts,
                wanted: &mut self.wanted,
            };
            run_kind!(kind, job);
            start = end;
        }
        (self.wanted > self.capacity)
            .then_some(ContactsDropped { wanted: self.wanted, capacity: self.capacity })
    }

    /// Sweeps along x over the bounding spheres, each grown by half the largest distance at which a pair may matter.
    fn find_near(&mut self, plan: &ContactPlan, shapes: &ShapeData<E>, reach: E) {
        let half = (reach + E::from_f64(plan.widest())) * E::from_f64(0.5);
        for ball in &mut self.order {
            let (shape, surface) = (&self.placed[ball.shape as usize], &shapes.surfaces[ball.shape as usize]);
            (ball.p, ball.bound) = (shape.p, shape.bound + half + surface.margin + surface.gap);
            ball.low = ball.p.x - ball.bound;
        }
        // NaN sorts somewhere and meets nothing; what moves little is nearly in order
        self.order.sort_by(|a, b| a.low.to_f64().total_cmp(&b.low.to_f64()).then(a.shape.cmp(&b.shape)));
        self.names.clear();
        for (k, one) in self.order.iter().enumerate() {
            let end = one.p.x + one.bound;
            for other in self.order[k + 1..].iter().take_while(|other| other.low <= end) {
                let (sum, apart) = (one.bound + other.bound, one.p - other.p);
                if apart.y.abs() <= sum && apart.norm_squared() <= sum * sum {
                    self.names.extend(plan.name(one.shape as usize, other.shape as usize));
                }
            }
            for other in &self.endless {
                self.names.extend(plan.name(one.shape as usize, *other as usize));
            }
        }
        self.names.sort_unstable();
    }

    /// Makes the pairs of these names; those that were near before keep their hints.
    fn take_pairs(&mut self, plan: &ContactPlan, shapes: &ShapeData<E>) {
        std::mem::swap(&mut self.pairs, &mut self.last);
        self.pairs.clear();
        let mut last = self.last.iter().peekable();
        for name in &self.names {
            while last.next_if(|old| old.name < *name).is_some() {}
            if let Some(old) = last.next_if(|old| old.name == *name) {
                self.pairs.push(old.clone());
            } else if let Some(pair) = plan.pair(*name) {
                let surface = Surface::default();
                self.pairs.push(NearPair { pair, surface, name: *name, hint: Vec3::zero() });
            }
        }
        for near in &mut self.pairs {
            let [a, b] = near.name.shapes().map(|shape| &shapes.surfaces[shape]);
            near.surface = near.pair.surface(plan.rules(), a, b);
        }
    }
}

/// Pairs of one kind whose bounding spheres meet.
struct NearPairs<'a, E: Elem> {
    plan: &'a ContactPlan,
    placed: &'a [Placed<E>],
    reach: E,
    /// Position of the first pair in the list of all.
    first: usize,
    pairs: &'a mut [NearPair<E>],
    capacity: usize,
    contacts: &'a mut Vec<PileContact<E>>,
    wanted: &'a mut usize,
}

impl<E: Elem> NearPairs<'_, E> {
    fn run<N: Narrow>(self) {
        E::run(NearPairsOf::<E, N> { job: self, narrow: core::marker::PhantomData });
    }
}

struct NearPairsOf<'a, E: Elem, N> {
    job: NearPairs<'a, E>,
    narrow: core::marker::PhantomData<N>,
}

impl<E: Elem, N: Narrow> Kernel for NearPairsOf<'_, E, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let job = self.job;
        let mut found = [Contact::none(); MOST];
        for (p, near) in job.pairs.iter_mut().enumerate() {
            let (pair, surface) = (&near.pair, &near.surface);
            let sides = Side::both(job.plan, pair, job.placed);
            let slots = &mut found[..pair.slots.len().min(MOST)];
            let distances = [surface.margin, surface.gap + job.reach];
            touch_pair::<E, N>(pair, sides, distances, &mut near.hint, slots);
            for (k, contact) in slots.iter().enumerate().filter(|(_, contact)| contact.active) {
                *job.wanted += 1;
                if job.contacts.len() < job.capacity {
                    let (pair, feature) = ((job.first + p) as u32, k as u16);
                    job.contacts.push(PileContact { pair, feature, contact: *contact });
                }
            }
        }
    }
}
