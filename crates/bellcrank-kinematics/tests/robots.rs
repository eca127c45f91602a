//! The robots whose goals are counted.

use crate::reachable::{Reachable, reachable, targets};
use crate::support::{frames, gap, model, within_limits};
use bellcrank_kinematics::{Goal, Kinematics, Settings};
use bellcrank_math::Vec3;
use bellcrank_model::Model;

/// A robot, and what of it is to be reached.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub robot: &'static str,
    /// In the folder `shared/data` beside the repository; otherwise a shipped model.
    pub file: Option<&'static str>,
    pub frame: &'static str,
    pub with_orientation: bool,
    /// Passive joints are drawn before motors, whose boxes hold few poses that close.
    pub passive_first: bool,
    /// Loops are closed to 1e-9, or, where the file's numbers contradict each other, as far as they can be and to this \[m and rad\].
    pub floor: f64,
}

const fn shipped(robot: &'static str, frame: &'static str, with_orientation: bool) -> Case {
    Case { robot, file: None, frame, with_orientation, passive_first: false, floor: 0.0 }
}

const fn from_file(robot: &'static str, file: &'static str, frame: &'static str) -> Case {
    Case { robot, file: Some(file), frame, with_orientation: false, passive_first: false, floor: 0.0 }
}

pub const CASES: &[Case] = &[
    shipped("arm", "tool", false),
    shipped("arm", "tool", true),
    shipped("delta", "tool", false),
    shipped("stewart", "top", true),
    shipped("five_bar_quadruped", "front_left_toe", false),
    Case { passive_first: true, ..shipped("hybrid_biped", "left_foot", false) },
    Case { passive_first: true, ..shipped("hybrid_biped", "left_foot", true) },
    shipped("humanoid", "left_hand", false),
    shipped("humanoid", "left_foot", false),
    shipped("humanoid", "left_foot", true),
    from_file("cassie", "menagerie/agility_cassie/scene.xml", "left-foot"),
    from_file("2f85", "menagerie/robotiq_2f85/scene.xml", "left_follower"),
    from_file("2f85", "menagerie/robotiq_2f85/scene.xml", "left_pad"),
    Case {
        passive_first: true,
        floor: 1e-6,
        ..from_file("dr_legs", "dr_legs/dr_legs_with_boxes.usda", "foot_l")
    },
];

/// What was counted.
#[derive(Clone, Debug)]
pub struct Counted {
    pub drawn: Reachable,
    /// Share solved by one descent from the rest pose, by all descents from it, and with restarts from random poses.
    pub descent: f64,
    pub once: f64,
    pub again: f64,
    /// Mean steps of the first search.
    pub steps: f64,
}

impl Case {
    fn loops(&self) -> f64 {
        self.floor.max(1e-9)
    }

    pub fn load(&self) -> Model {
        let Some(file) = self.file else { return model(self.robot) };
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let options = bellcrank_import::Options::default();
        bellcrank_import::load(root.join(file), &options).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Share of solved goals without and with restarts. What the solver calls solved is looked at again by the tree's own operators:
    /// position to 1 µm, loops, every joint's limits.
    pub fn count(&self, count: usize) -> Counted {
        let model = self.load();
        let robot = at_keyframe(&model);
        let drawn = reachable(&model, &robot, (self.frame, self.passive_first), count, self.loops());
        let wanted = targets(robot.tree(), &drawn.poses, self.frame, self.with_orientation);
        let usual = Settings { loop_floor: self.floor, ..Settings::default() };
        let without = Settings { restarts: 0, ..usual };
        let (descent, _) = self.solved((&model, &robot), &wanted, Settings { detours: 0, ..without });
        let (once, steps) = self.solved((&model, &robot), &wanted, without);
        let (again, _) = self.solved((&model, &robot), &wanted, usual);
        Counted { drawn, descent, once, again, steps }
    }

    fn solved(
        &self,
        (model, robot): (&Model, &Kinematics<f64>),
        wanted: &[f64],
        settings: Settings,
    ) -> (f64, f64) {
        let mut goals = vec![Goal::position(self.frame)];
        if self.with_orientation {
            goals.push(Goal::orientation(self.frame));
        }
        let problem = robot.problem(&goals, settings).expect("goals");
        let found = problem.solve(wanted, &[]).expect("sizes");
        let (tree, nq, width) = (robot.tree(), robot.tree().coordinate_count(), problem.target_width());
        let count = found.solved.len();
        for i in (0..count).filter(|i| found.solved[*i]) {
            let q = &found.q[i * nq..(i + 1) * nq];
            let want = Vec3::from_array([0, 1, 2].map(|k| wanted[i * width + k]));
            let far = (frames(tree, q, &[self.frame])[0].p - want).norm();
            assert!(far < 1.001e-6, "{} {i}: {far} m off", self.robot);
            assert!(gap(tree, q) < 1.001 * self.loops(), "{} {i}: open by {}", self.robot, gap(tree, q));
            assert!(within_limits(model, tree, q, 1.001 * self.loops()), "{} {i}: beyond limits", self.robot);
        }
        let share = found.solved.iter().filter(|solved| **solved).count() as f64 / count as f64;
        (share, found.iterations.iter().map(|n| f64::from(*n)).sum::<f64>() / count as f64)
    }
}

/// At rest as its first keyframe says, closed.
pub fn at_keyframe(model: &Model) -> Kinematics<f64> {
    let robot = Kinematics::<f64>::new(model);
    let told = model.keyframes().first().map_or(robot.rest().to_vec(), |keyframe| robot.keyframe(keyframe));
    let (mut q, mut left) = (told.clone(), [0.0]);
    let options = Default::default();
    robot.tree().batch().constraint_consistent(&told, &options, [&mut q, &mut left]).expect("sizes");
    robot.with_rest(&q)
}
