//! A planning step does not allocate: what it needs was made before.

use bellcrank_control::{Options, Planner, PlantState, Sum, Term};
use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions, ComFree, Precision};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    /// Whether this thread is the one that plans: the harness allocates when it likes.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if WATCHED.try_with(Cell::get).unwrap_or(false) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

struct Counting;

// Safety: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_planning_step_after_the_first_does_not_allocate() {
    let model = Arc::new(library::linkage_hand().build().expect("a shipped mechanism"));
    let options = BatchOptions {
        precision: Precision::F32,
        threads: 1,
        settings: ComFree::default().into(),
        ..BatchOptions::default()
    };
    let batch = Batch::new(model.clone(), 20, options).expect("a batch");
    let mut cost = Sum {
        running: vec![
            Term::Position { body: 1, target: [0.0; 3], weight: [1.0; 3] },
            Term::Orientation { body: 1, target_wxyz: [1.0, 0.0, 0.0, 0.0], weight: 1.0 },
            Term::Posture { coordinates: vec![0, 1], target: vec![0.1, 0.2], weight: 1.0 },
        ],
        terminal: vec![Term::Control { rest: vec![0.0; 12], weight: 1.0 }],
    };
    let planner = Options { horizon: 6, survivors: 0.4, ..Options::default() };
    let mut planner = Planner::new(batch, &cost, planner).expect("a planner");
    let plant = Batch::new(model, 1, BatchOptions::default()).expect("a plant");
    let mut start = PlantState::of(&plant, 0).expect("a state");
    planner.plan(&start, &mut cost, 0.0).expect("a plan"); // the first makes the workspaces
    WATCHED.set(true);
    let before = COUNT.load(Ordering::Relaxed);
    for _ in 0..3 {
        start.read(&plant, 0).expect("the state");
        planner.plan(&start, &mut cost, 0.02).expect("a plan");
    }
    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0);
}
