//! Poses looked at without the solver under test.

use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{JointKind, Model, kinematics, library};
use bellcrank_tree::TreeModel;

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
