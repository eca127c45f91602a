//! What the search remembers from call to call saves work and changes nothing.

use crate::common::*;
use bellcrank_collide::{Contact, Contacts, ShapeData, collide};
use bellcrank_math::{Elem, LaneJob, Level, Mask, Pose, Quat, Real, Vec3};
use bellcrank_model::Geometry;

const STEPS: usize = 60;

/// Two solids that wander about each other in every lane; all numbers of all active contacts.
struct Walk<'a> {
    scene: &'a Scene,
    remember: bool,
}

impl<E: Elem> LaneJob<E> for Walk<'_> {
    type Output = Vec<u64>;
    fn run<R: Real<Elem = E>>(self) -> Vec<u64> {
        let data = ShapeData::of(&self.scene.plan, &self.scene.parameters, 0).splat::<R>();
        let mut kept = Contacts::new(&self.scene.plan);
        let mut bits = Vec::new();
        // one lane alone walks as far as eight do together
        for step in 0..STEPS * 8 / R::LANES.min(8) {
            let mut fresh = Contacts::new(&self.scene.plan);
            let contacts = if self.remember { &mut kept } else { &mut fresh };
            let poses = self.scene.body_poses([Pose::identity(), lanes(|lane| place(lane, step))]);
            collide(&self.scene.plan, &data, &poses, R::constant(0.005), contacts);
            for slot in contacts.slots() {
                (0..R::LANES).for_each(|lane| note(slot, lane, &mut bits));
            }
        }
        bits
    }
}

/// A curve through contact and out of it again, another one for each lane.
fn place(lane: usize, step: usize) -> Pose {
    let t = 0.11 * step as f64 + 0.7 * lane as f64;
    let far = 0.22 + 0.14 * (1.3 * t).sin();
    let turned = bellcrank_math::so3::exp(Vec3::new(0.9 * t, (0.5 * t).sin(), 0.4));
    Pose::new(turned, Vec3::new(far * t.cos(), far * t.sin(), 0.05 * (2.0 * t).sin()))
}

fn lanes<R: Real>(pose: impl Fn(usize) -> Pose) -> Pose<R> {
    let pick = |of: fn(Pose) -> f64| R::from_lanes(|lane| Elem::from_f64(of(pose(lane))));
    Pose::new(
        Quat::from_wxyz([pick(|X| X.R.w), pick(|X| X.R.x), pick(|X| X.R.y), pick(|X| X.R.z)]),
        Vec3::new(pick(|X| X.p.x), pick(|X| X.p.y), pick(|X| X.p.z)),
    )
}

fn note<R: Real>(slot: &Contact<R>, lane: usize, bits: &mut Vec<u64>) {
    let active = slot.active.bits() >> lane & 1;
    bits.push(u64::from(active));
    if active == 1 {
        let vectors = [slot.point_a, slot.point_b, slot.normal];
        let numbers = vectors.into_iter().flat_map(|v| [v.x, v.y, v.z]).chain([slot.distance]);
        bits.extend(numbers.map(|x| x.lane(lane).to_f64().to_bits()));
    }
}

#[test]
fn remembered_directions_change_no_contact() {
    let solids = solids();
    for (i, (name, a)) in solids.iter().enumerate() {
        for (other, b) in &solids[i..] {
            let scene = Scene::new(a, b);
            if scene.plan.hint_count() == 0 {
                continue;
            }
            let walk = |remember| Walk { scene: &scene, remember };
            let level = Level::best();
            let (with, without) = (level.f64(walk(true)), level.f64(walk(false)));
            assert!(with == without, "{name} and {other} in f64");
            assert!(level.f32(walk(true)) == level.f32(walk(false)), "{name} and {other} in f32");
            let touching = without.iter().filter(|bit| **bit == 1).count();
            assert!(touching > 10, "{name} and {other}: {touching} contacts, the test says little");
        }
    }
    let convex =
        |(_, g): &&(&str, Geometry)| matches!(g, Geometry::Cylinder { .. } | Geometry::ConvexMesh(_));
    assert!(solids.iter().filter(convex).count() >= 2);
}
