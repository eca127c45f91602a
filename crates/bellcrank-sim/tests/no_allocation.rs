//! A step does not allocate: what it needs was made before.

mod common;

use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions, Precision, Settings, Solver};
use common::built;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// Safety: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The report of a call is made once per call: many steps allocate exactly as often as one. Motors push the biped over,
/// so that contacts, limits and effort limits come and go meanwhile. (After a minute the test harness itself would
/// allocate, to say that it waits: the implicit step is slow here, so fewer of them.)
#[test]
fn many_steps_allocate_no_more_than_one() {
    let model = built(library::hybrid_biped());
    let implicit = Solver::variational().into();
    let closed_form = Solver::comfree().into();
    for (settings, steps) in [(Settings::default(), 40), (closed_form, 40), (implicit, 10)] {
        let options = BatchOptions { precision: Precision::F64, threads: 1, ..BatchOptions::default() };
        let mut b = Batch::new(model.clone(), 9, options).unwrap();
        b.set_settings(settings).unwrap();
        count(b, steps);
    }
}

fn count(mut b: Batch, steps: usize) {
    b.step(1); // the first call makes the workspaces
    for world in 0..9 {
        for actuator in 0..12 {
            b.set_target_position(world, actuator, 0.3 * common::noise(world, actuator)).unwrap();
        }
    }
    let mut cost = |steps: usize| {
        let before = COUNT.load(Ordering::Relaxed);
        b.step(steps);
        COUNT.load(Ordering::Relaxed) - before
    };
    let one = cost(1);
    assert!(one > 0, "the report itself is counted");
    for _ in 0..4 {
        assert_eq!(cost(steps), one);
    }
}
