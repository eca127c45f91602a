//! Many loose bodies: a broad phase, and a bounded list of contacts per world.
//!
//! Where a plan has thousands of pairs, slots for all of them would be mostly empty. A [`Pile`] looks in one world
//! at a time for the pairs whose bounding spheres meet (sweep along x), runs the same routines on them, and lists
//! the contacts that exist. A contact names its slot in the plan, which never changes: lists of two steps can be
//! matched for warm starting by one pass, since they are sorted by slot.

use crate::collide::{Narrow, Side, place_shapes, run_kind, touch_pair};
use crate::contacts::Contact;
use crate::data::{Placed, ShapeData};
use crate::pairs;
use crate::plan::{ContactPlan, Form, PairKind};
use bellcrank_math::{Elem, Kernel, Pose, Vec3};
use std::fmt;

/// Most slots of any pair.
const MOST: usize = 8;

/// A contact in a [`Pile`].
#[derive(Clone, Copy, Debug)]
pub struct PileContact<E: Elem = f64> {
    /// Position in [`ContactPlan::slots`], which says pair, bodies and feature.
    pub slot: u32,
    /// Where, and how deep.
    pub contact: Contact<E>,
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
    order: Vec<(E, u32)>,
    /// Shapes without an end: planes and terrain.
    endless: Vec<u32>,
    /// For each shape its partners of higher number and the pair, sorted by partner.
    partners: Vec<Vec<(u32, u32)>>,
    /// Pairs whose bounding spheres meet.
    near: Vec<u32>,
}

impl<E: Elem> Pile<E> {
    /// Room for `capacity` contacts.
    pub fn new(plan: &ContactPlan, capacity: usize) -> Self {
        let count = plan.shapes().len();
        let mut partners = vec![Vec::new(); count];
        for (p, pair) in plan.pairs().iter().enumerate() {
            let (low, high) = (pair.first.min(pair.second), pair.first.max(pair.second));
            partners[low].push((high as u32, p as u32));
        }
        partners.iter_mut().for_each(|list| list.sort_unstable());
        let ends = |i: &u32| {
            let form = plan.shapes()[*i as usize].form;
            !matches!(form, Form::Plane | Form::HeightField | Form::TriangleMesh)
        };
        let (finite, endless): (Vec<u32>, Vec<u32>) = (0..count as u32).partition(ends);
        Pile {
            capacity,
            contacts: Vec::with_capacity(capacity),
            wanted: 0,
            placed: vec![Placed::origin(); count],
            order: finite.into_iter().map(|i| (E::zero(), i)).collect(),
            endless,
            partners,
            near: Vec::with_capacity(plan.pairs().len()),
        }
    }

    /// Contacts of the last call, sorted by slot.
    pub fn contacts(&self) -> &[PileContact<E>] {
        &self.contacts
    }

    /// Finds all contacts of one world; see [`crate::collide()`] for the arguments. Does not allocate.
    pub fn collide(
        &mut self,
        plan: &ContactPlan,
        shapes: &ShapeData<E>,
        X_WB: &[Pose<E>],
        reach: E,
    ) -> Option<ContactsDropped> {
        place_shapes(plan, shapes, X_WB, &mut self.placed);
        self.find_near(shapes, reach);
        self.contacts.clear();
        self.wanted = 0;
        let mut start = 0;
        while start < self.near.len() {
            let kind = plan.pairs()[self.near[start] as usize].kind;
            let same = |p: &&u32| plan.pairs()[**p as usize].kind == kind;
            let end = start + self.near[start..].iter().take_while(same).count();
            let job = NearPairs {
                plan,
                shapes,
                reach,
                placed: &self.placed,
                pairs: &self.near[start..end],
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

    /// Sweeps along x over the bounding spheres, each grown by the largest distance at which a pair may matter.
    fn find_near(&mut self, shapes: &ShapeData<E>, reach: E) {
        let largest = |most: E, s: &crate::material::Surface<E>| most.max(s.margin + s.gap);
        let grow = shapes.surfaces.iter().fold(E::zero(), largest) + reach;
        for (low, i) in &mut self.order {
            let shape = &self.placed[*i as usize];
            *low = shape.p.x - shape.bound;
        }
        // NaN sorts somewhere and meets nothing
        self.order.sort_unstable_by(|a, b| a.0.to_f64().total_cmp(&b.0.to_f64()).then(a.1.cmp(&b.1)));
        self.near.clear();
        for (k, (_, i)) in self.order.iter().enumerate() {
            let one = &self.placed[*i as usize];
            let end = one.p.x + one.bound + grow;
            for (_, j) in self.order[k + 1..].iter().take_while(|(low, _)| *low <= end) {
                let other = &self.placed[*j as usize];
                let sum = one.bound + other.bound + grow;
                if (one.p - other.p).norm_squared() <= sum * sum {
                    self.near.extend(pair_of(&self.partners, *i, *j));
                }
            }
            for j in &self.endless {
                self.near.extend(pair_of(&self.partners, *i, *j));
            }
        }
        self.near.sort_unstable(); // by pair, and pairs are sorted by kind
    }
}

fn pair_of(partners: &[Vec<(u32, u32)>], i: u32, j: u32) -> Option<u32> {
    let list = &partners[i.min(j) as usize];
    list.binary_search_by_key(&i.max(j), |entry| entry.0).ok().map(|k| list[k].1)
}

/// Pairs of one kind whose bounding spheres meet.
struct NearPairs<'a, E: Elem> {
    plan: &'a ContactPlan,
    shapes: &'a ShapeData<E>,
    placed: &'a [Placed<E>],
    reach: E,
    pairs: &'a [u32],
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
        for p in job.pairs {
            let (pair, surface) = (&job.plan.pairs()[*p as usize], &job.shapes.surfaces[*p as usize]);
            let sides = Side::both(job.plan, pair, job.placed);
            let slots = &mut found[..pair.slots.len().min(MOST)];
            let distances = [surface.margin, surface.gap + job.reach];
            touch_pair::<E, N>(pair, sides, distances, &mut Vec3::zero(), slots);
            for (k, contact) in slots.iter().enumerate().filter(|(_, contact)| contact.active) {
                *job.wanted += 1;
                if job.contacts.len() < job.capacity {
                    job.contacts.push(PileContact { slot: (pair.slots.start + k) as u32, contact: *contact });
                }
            }
        }
    }
}
