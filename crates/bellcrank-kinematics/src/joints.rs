//! From configurations of the tree to coordinates of all joints, those that close loops too.

use crate::error::KinematicsError;
use crate::precision::Number;
use crate::robot::Kinematics;
use bellcrank_math::{Elem, Mat3, Pose, Quat, Vec3};
use bellcrank_model::{JointId, JointKind, Link, Model, Target, kinematics};
use bellcrank_tree::FrameId;

/// A joint, as its coordinates are read.
#[derive(Clone, Debug)]
pub(crate) struct Readable {
    pub name: String,
    pub kind: JointKind,
    pub predecessor: Option<usize>,
    pub successor: Option<usize>,
    pub X_PF: Pose,
    pub X_SM: Pose,
}

impl Readable {
    pub fn of(joint: &bellcrank_model::Joint) -> Self {
        let body = |link: &Link| link.body().map(|id| id.index());
        Readable {
            name: joint.name.clone(),
            kind: joint.kind,
            predecessor: body(&joint.predecessor),
            successor: body(&joint.successor),
            X_PF: joint.X_PF,
            X_SM: joint.X_SM,
        }
    }
}

/// A coordinate of a joint, by its place among those of all joints, times a factor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    coordinate: usize,
    factor: f64,
}

/// Coordinates of actuators: gear times the coordinate of a joint, or times the length of a tendon. Nothing for actuators on sites, and for those
/// of ball and free joints, which have no scalar coordinates.
pub(crate) fn drives(model: &Model) -> Vec<Vec<Term>> {
    let term = |joint: JointId, dof: usize, factor: f64| {
        let joints = model.joints();
        let scalar = joints[joint.index()].kind.has_scalar_coordinates();
        let before = joints[..joint.index()].iter().map(|joint| joint.kind.coordinate_count());
        scalar.then(|| Term { coordinate: before.sum::<usize>() + dof, factor })
    };
    let of_actuator = |actuator: &bellcrank_model::Actuator| match &actuator.target {
        Target::Joint { joint, dof } => term(joint.id(), *dof, actuator.gear).into_iter().collect(),
        Target::Tendon(tendon) => (model.tendons()[tendon.id().index()].terms.iter())
            .filter_map(|part| term(part.joint.id(), part.dof, part.coefficient * actuator.gear))
            .collect(),
        Target::Site { .. } | Target::Body(_) => Vec::new(),
    };
    model.actuators().iter().map(of_actuator).collect()
}

impl<E: Number> Kinematics<E> {
    /// What position motors are told so that they hold poses: their own coordinates, gears counted, (n, actuators) from coordinates of all joints as
    /// [`Kinematics::joint_positions`] gives them. Zero for motors that act on a site.
    pub fn target_positions(&self, joint_position: &[E]) -> Vec<E> {
        let rows = joint_position.chunks_exact(self.joint_coordinate_count().max(1));
        let sum = |row: &[E], terms: &[Term]| {
            terms.iter().fold(E::zero(), |sum, term| sum + row[term.coordinate] * E::from_f64(term.factor))
        };
        rows.flat_map(|row| self.drives.iter().map(move |terms| sum(row, terms))).collect()
    }

    /// Number of coordinates of all joints.
    pub fn joint_coordinate_count(&self) -> usize {
        self.joints.iter().map(|joint| joint.kind.coordinate_count()).sum()
    }

    /// Poses X_WL of all bodies, by configuration (n, coordinates of the tree).
    ///
    /// # Errors
    /// When that is no whole number of configurations.
    pub fn body_poses(&self, q: &[E]) -> Result<Vec<Vec<Pose>>, KinematicsError> {
        let tree = self.tree();
        let (bodies, nq) = (tree.body_count(), tree.coordinate_count());
        let names = &tree.frame_names()[..bodies];
        let frames: Result<Vec<_>, _> = names.iter().map(|name| tree.frame(name)).collect();
        let mut numbers = vec![E::zero(); q.len().checked_div(nq).unwrap_or(1) * bodies * 12];
        tree.batch().fk(q, &frames?, &mut numbers)?;
        Ok(numbers
            .chunks_exact(12 * bodies.max(1))
            .map(|row| row.chunks_exact(12).map(pose).collect())
            .collect())
    }

    /// World pose of a frame in one configuration.
    ///
    /// # Errors
    /// When `q` is not one configuration, or there is no such frame.
    pub fn frame_pose(&self, q: &[E], frame: FrameId) -> Result<Pose, KinematicsError> {
        let mut numbers = [E::zero(); 12];
        self.tree().batch().fk(q, &[frame], &mut numbers)?;
        Ok(pose(&numbers))
    }

    /// Coordinates of all joints in the order of the model, (n, [`Kinematics::joint_coordinate_count`]) \[m, rad\]. Angles of joints
    /// in the tree count whole turns; those of joints that close loops are between −π and π.
    ///
    /// # Errors
    /// When `q` is no whole number of configurations.
    pub fn joint_positions(&self, q: &[E]) -> Result<Vec<E>, KinematicsError> {
        let (tree, nq) = (self.tree(), self.tree().coordinate_count());
        let mut all = Vec::new();
        for (row, bodies) in q.chunks_exact(nq.max(1)).zip(self.body_poses(q)?) {
            for (j, joint) in self.joints.iter().enumerate() {
                let slot = tree.slots().iter().find(|slot| slot.joint.is_some_and(|id| id.index() == j));
                if let Some(slot) = slot.filter(|slot| slot.kind.has_scalar_coordinates()) {
                    all.extend_from_slice(&row[slot.q.clone()]);
                    continue;
                }
                let X_W = |body: Option<usize>| body.map_or(Pose::identity(), |b| bodies[b]);
                let X_FM =
                    (X_W(joint.predecessor) * joint.X_PF).inverse_mul(X_W(joint.successor) * joint.X_SM);
                let x = kinematics::coordinates(joint.kind, X_FM);
                all.extend(x[..joint.kind.coordinate_count()].iter().map(|x| E::from_f64(*x)));
            }
        }
        Ok(all)
    }
}

fn pose<E: Elem>(m: &[E]) -> Pose {
    let x = |k: usize| m[k].to_f64();
    let R = Mat3::from_rows([[x(0), x(1), x(2)], [x(4), x(5), x(6)], [x(8), x(9), x(10)]]);
    Pose::new(Quat::from_mat3(R), Vec3::new(x(3), x(7), x(11)))
}
