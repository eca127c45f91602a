//! Reachable poses, found without the solver under test.

use bellcrank_kinematics::Kinematics;
use bellcrank_math::{Pose, Quat, Random, Vec3};
use bellcrank_model::{JointKind, Model, kinematics, library};
use bellcrank_tree::{Consistency, TreeModel};

pub fn model(name: &str) -> Model {
    library::by_name(name).expect("shipped").build().expect("builds")
}

/// Largest row of c(q) of the whole tree, by the tree's own operator.
pub fn gap(tree: &TreeModel<f64>, q: &[f64]) -> f64 {
    let rows = tree.loops.rows;
    let (mut c, mut G) = (vec![0.0; rows], vec![0.0; rows * tree.dof_count()]);
    tree.batch().loop_closure(q, &mut c, &mut G).expect("sizes");
    c.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// World poses of frames.
pub fn frames(tree: &TreeModel<f64>, q: &[f64], names: &[&str]) -> Vec<Pose> {
    let ids: Vec<_> = names.iter().map(|name| tree.frame(name).expect("there")).collect();
    let mut numbers = vec![0.0; 12 * ids.len()];
    tree.batch().fk(q, &ids, &mut numbers).expect("sizes");
    let pose = |m: &[f64]| {
        let R =
            bellcrank_math::Mat3::from_rows([[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]);
        Pose::new(Quat::from_mat3(R), Vec3::new(m[3], m[7], m[11]))
    };
    numbers.chunks_exact(12).map(pose).collect()
}

/// Whether every scalar coordinate of every joint, closing ones too, is within its limits to `slack`; worked out from the poses of
/// bodies alone.
pub fn within_limits(model: &Model, tree: &TreeModel<f64>, q: &[f64], slack: f64) -> bool {
    let names: Vec<&str> = model.bodies().iter().map(|body| body.name.as_str()).collect();
    let bodies = frames(tree, q, &names);
    model.joints().iter().all(|joint| {
        if !joint.kind.has_scalar_coordinates() || joint.kind == JointKind::Fixed {
            return true;
        }
        let X_WP = joint.predecessor.body().map_or(Pose::identity(), |body| bodies[body.index()]);
        let X_WS = joint.successor.body().map_or(Pose::identity(), |body| bodies[body.index()]);
        let X_FM = (X_WP * joint.X_PF).inverse_mul(X_WS * joint.X_SM);
        let x = kinematics::coordinates(joint.kind, X_FM);
        joint.dofs.iter().enumerate().all(|(d, dof)| {
            let turn = core::f64::consts::TAU;
            let turns: &[f64] = if joint.kind.is_angle(d) { &[0.0, turn, -turn] } else { &[0.0] };
            turns.iter().any(|t| x[d] + t >= dof.limits[0] - slack && x[d] + t <= dof.limits[1] + slack)
        })
    })
}

/// Poses that close and keep all limits. Without loops: every joint anywhere in its range (±1 rad or 0.1 m about the rest where it
/// has none). With loops: a walk of random steps of up to `stride` \[rad; a tenth of it in m\], each closed by the tree's own Newton iteration; what
/// does not close or leaves its limits is not taken.
pub fn reachable(
    model: &Model,
    robot: &Kinematics<f64>,
    (count, stride, loops): (usize, f64, f64),
    accept: impl Fn(&[f64]) -> bool,
) -> Vec<Vec<f64>> {
    let tree = robot.tree();
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut now = robot.rest().to_vec();
    for attempt in 0..30 * count {
        if found.len() == count {
            break;
        }
        let mut random = Random::new(11, attempt, 0);
        let open = if tree.loops.rows == 0 {
            anywhere(robot, &mut random)
        } else {
            stroll(tree, &now, stride, &mut random)
        };
        let base: Vec<usize> =
            tree.slots().iter().filter(|s| s.kind == JointKind::Free).flat_map(|s| s.v.clone()).collect();
        let (mut q, mut left) = (open.clone(), vec![0.0]);
        let options = Consistency { held: base, iterations: 20 };
        tree.batch().constraint_consistent(&open, &options, [&mut q, &mut left]).expect("sizes");
        if gap(tree, &q) < loops && within_limits(model, tree, &q, 0.0) && accept(&q) {
            now.clone_from(&q);
            found.push(q);
        }
    }
    assert_eq!(found.len(), count, "{}: too few poses close within limits", model.name());
    found
}

fn anywhere(robot: &Kinematics<f64>, random: &mut Random) -> Vec<f64> {
    let (tree, limits, mut q) = (robot.tree(), robot.limits(), robot.rest().to_vec());
    for slot in tree.slots().iter().filter(|slot| slot.kind.has_scalar_coordinates()) {
        for (d, (k, v)) in slot.q.clone().zip(slot.v.clone()).enumerate() {
            let reach = if slot.kind.is_angle(d) { 1.0 } else { 0.1 };
            let low = if limits[v][0].is_finite() { limits[v][0] } else { q[k] - reach };
            let high = if limits[v][1].is_finite() { limits[v][1] } else { q[k] + reach };
            q[k] = random.between(low, high);
        }
    }
    q
}

fn stroll(tree: &TreeModel<f64>, now: &[f64], stride: f64, random: &mut Random) -> Vec<f64> {
    let (mut delta, mut q) = (vec![0.0; tree.dof_count()], now.to_vec());
    for slot in tree.slots().iter().filter(|slot| slot.kind != JointKind::Free) {
        for (d, v) in slot.v.clone().enumerate() {
            let angle = slot.kind == JointKind::Spherical || slot.kind.is_angle(d);
            delta[v] = random.between(-1.0, 1.0) * if angle { stride } else { 0.1 * stride };
        }
    }
    tree.batch().integrate(now, &delta, &mut q).expect("sizes");
    q
}
