//! Samples that are given up take no time, and the others never notice.

use crate::slider::{GoToOne, worlds};
use bellcrank_control::hand::{Hand, Object};
use bellcrank_control::{
    Action, Cost, CostError, Method, Near, Options, Planner, PlantState, Seen, Sum, Temperature, Term,
    Unusable,
};
use bellcrank_math::{Quat, Vec3};
use bellcrank_sim::{Batch, BatchOptions, Precision, Quantity};

/// How many worlds went on by step, and which samples.
struct Counts<C> {
    cost: C,
    worlds: Vec<usize>,
    samples: Vec<usize>,
}

impl<C: Cost> Cost for Counts<C> {
    fn needs(&self) -> Vec<Quantity> {
        self.cost.needs()
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        assert_eq!((seen.sample.len(), total.len()), (seen.worlds, seen.worlds));
        self.worlds.push(seen.worlds);
        self.samples = seen.sample.to_vec();
        self.cost.running(seen, total)
    }

    fn terminal(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        self.cost.terminal(seen, total)
    }
}

fn options() -> Options {
    Options {
        method: Method::Mppi { temperature: Temperature::Relative(0.2) },
        horizon: 20,
        sigma: vec![5.0],
        action: Action::Increment { limit: 4.0 },
        ..Options::default()
    }
}

/// Of 70 samples, nine blocks of eight worlds, three in ten go on after ten of twenty steps: 21, and the plan at hand, which are three
/// blocks. What those cost, and where they go, has the bits that it has when nobody is given up, whatever the number of threads.
#[test]
fn those_that_go_on_have_the_same_bits() {
    let run = |survivors: f64, threads: usize| {
        let mut cost = Counts { cost: GoToOne, worlds: Vec::new(), samples: Vec::new() };
        let mut planner =
            Planner::new(worlds(70, threads), &cost, Options { survivors, ..options() }).unwrap();
        planner.watch(vec![Near { body: 0, point: Vec3::zero() }]).unwrap();
        let state = PlantState::of(&worlds(1, 1), 0).unwrap();
        let plan = planner.plan(&state, &mut cost, 0.0).unwrap();
        (planner, plan, cost)
    };
    let (all, whole, every) = run(1.0, 1);
    assert_eq!(every.worlds, [70; 20]);
    assert_eq!((whole.usable, whole.hopeless), (70, 0));
    for threads in [1, 3] {
        let (few, plan, cost) = run(0.3, threads);
        let left = plan.usable;
        assert!(left == 21 || left == 22, "{left}");
        assert_eq!(plan.hopeless, 70 - left);
        assert_eq!(plan.trouble.map(|t| (t.why, t.step)), Some((Unusable::Hopeless, 9)));
        assert_eq!(cost.worlds[..10], [70; 10]);
        assert_eq!(cost.worlds[10..], [left; 10]);
        for sample in 0..70 {
            let (mine, full) = (few.costs()[sample], all.costs()[sample]);
            let steps = if mine.is_finite() { 20 } else { 10 };
            assert_eq!(mine.is_finite(), cost.samples.contains(&sample));
            assert!(!mine.is_finite() || mine.to_bits() == full.to_bits(), "{sample}: {mine}, not {full}");
            assert_eq!(few.paths().unwrap().of(sample, 0), &all.paths().unwrap().of(sample, 0)[..steps]);
        }
        assert!(few.costs()[0].is_finite(), "the plan at hand goes on");
    }
    assert!(all.paths().unwrap().of(70, 0).is_empty() && all.paths().unwrap().of(0, 1).is_empty());
}

/// The same of worlds with contacts, loops and memory of earlier steps, in lanes of 32 bits.
#[test]
fn hands_that_go_on_have_the_same_bits() {
    let hand = Hand::linkage();
    let model = hand.holding(Object::Cube).unwrap();
    let target = ([0.0, 0.0, 0.03], Quat::from_axis_angle(Vec3::z_axis(), 1.0).to_wxyz());
    let run = |survivors: f64| {
        let mut cost = hand.options().weights.cost(&hand, &model, target).unwrap();
        let settings = hand.options().settings;
        let batch = BatchOptions {
            dt: Some(0.004),
            precision: Precision::F32,
            threads: 1,
            settings,
            ..BatchOptions::default()
        };
        let how = Options { horizon: 8, survivors, ..hand.options().planner };
        let mut planner = Planner::new(Batch::new(model.clone(), 80, batch).unwrap(), &cost, how).unwrap();
        let plant = Batch::new(model.clone(), 1, BatchOptions::default()).unwrap();
        planner.plan(&PlantState::of(&plant, 0).unwrap(), &mut cost, 0.0).unwrap();
        planner.costs().to_vec()
    };
    let (all, few) = (run(1.0), run(0.25));
    let left = few.iter().filter(|cost| cost.is_finite()).count();
    assert!((20..=21).contains(&left), "{left}");
    for (mine, full) in few.iter().zip(&all).filter(|(mine, _)| mine.is_finite()) {
        assert_eq!(mine.to_bits(), full.to_bits());
    }
}

/// Σ u² over twenty steps with a deviation of 5 is 25 χ²₂₀, whose mean is 500: beyond 400 are seven in ten, and those that are far beyond
/// it are there long before the end.
#[test]
fn a_bound_saves_the_time_of_those_beyond_it() {
    let effort = Sum { running: vec![Term::Control { rest: vec![0.0], weight: 1.0 }], terminal: vec![] };
    let mut cost = Counts { cost: effort, worlds: Vec::new(), samples: Vec::new() };
    let how = Options { hopeless: 400.0, action: Action::Absolute, ..options() };
    let mut planner = Planner::new(worlds(64, 1), &cost, how).unwrap();
    let state = PlantState::of(&worlds(1, 1), 0).unwrap();
    let plan = planner.plan(&state, &mut cost, 0.0).unwrap();
    assert!((8..32).contains(&plan.usable) && plan.usable + plan.hopeless == 64, "{plan:?}");
    assert!(cost.worlds.is_sorted_by(|a, b| a >= b), "{:?}", cost.worlds);
    let last = *cost.worlds.last().unwrap();
    assert!((plan.usable..=40).contains(&last), "{:?}", cost.worlds);
}
