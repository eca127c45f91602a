//! Dynamics as a function of inertial parameters: everything is linear in them.
//!
//! A body's ten parameters, about its link frame's origin in its axes, in Pinocchio's order:
//! (m, h_x, h_y, h_z, J_xx, J_xy, J_yy, J_xz, J_yz, J_zz), h = m c.
//!
//! The virtual power of a body's inertial force along a motion W is W·(I A + V ×* I V) = W·I A + (W × V)·I V, and
//! X·I Z = m x·z + h·(x × z_ω + z × x_ω) + x_ωᵀ J z_ω with x, z the linear and x_ω, z_ω the angular parts.

use super::kinematics::WorldPose;
use super::world::World;
use crate::model::{Frame, TreeModel};
use crate::node::{WORLD, lift, lift_matrix};
use bellcrank_math::{Elem, Mat3, Real, Twist, Vec3};

/// The ten derivatives of W·(I A + V ×* I V).
#[inline(always)]
pub fn products<R: Real>(W: Twist<R>, V: Twist<R>, A: Twist<R>) -> [R; 10] {
    let turned = W.cross(V);
    let (x, xw, z, zw) = (W.linear, W.angular, A.linear, A.angular);
    let (y, yw, v, vw) = (turned.linear, turned.angular, V.linear, V.angular);
    let mass = x.dot(z) + y.dot(v);
    let h = x.cross(zw) + z.cross(xw) + y.cross(vw) + v.cross(yw);
    // x zᵀ + y vᵀ of the angular parts; off the diagonal both halves count
    let outer = Mat3::outer(xw, zw) + Mat3::outer(yw, vw);
    let both = outer + outer.transpose();
    [mass, h.x, h.y, h.z, outer.x.x, both.y.x, outer.y.y, both.z.x, both.z.y, outer.z.z]
}

/// A motion of a node, told in a link frame L on it.
#[inline(always)]
pub fn to_link<E: Elem, R: Real<Elem = E>>(R_NL: &Mat3<E>, p_NL: Vec3<E>, V: Twist<R>) -> Twist<R> {
    let (rotation, V) = (lift_matrix::<R>(R_NL), V.at_point(lift(p_NL)));
    Twist::new(rotation.transpose_mul(V.linear), rotation.transpose_mul(V.angular))
}

/// The joint-torque regressor Y(q, v, a): τ = Y π, with π the parameters of all bodies; nv × 10·bodies by rows.
///
/// `world` must hold velocities, and accelerations with weight. Entries of bodies that a joint does not carry are
/// not touched: keep them zero.
#[inline(always)]
pub fn regressor<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, world: &World<R>, Y: &mut [R]) {
    let width = 10 * tree.body_count();
    for (b, frame) in tree.frames[..tree.body_count()].iter().enumerate() {
        let Some(i) = frame.node else { continue };
        let pose = world.poses[i];
        let (V, A) = (tell(pose, frame, world.V[i]), tell(pose, frame, world.A[i]));
        let mut m = i;
        while m != WORLD {
            let node = &tree.nodes[m];
            for k in node.v..node.v + node.motion.dofs() {
                let row = products(tell(pose, frame, world.S[k]), V, A);
                Y[k * width + 10 * b..][..10].copy_from_slice(&row);
            }
            m = node.parent;
        }
    }
}

/// A motion about O in world axes, told in a link frame on the node with that pose.
#[inline(always)]
fn tell<E: Elem, R: Real<Elem = E>>(pose: WorldPose<R>, frame: &Frame<E>, V: Twist<R>) -> Twist<R> {
    let V = V.at_point(pose.p);
    let V_N = Twist::new(pose.R.transpose_mul(V.linear), pose.R.transpose_mul(V.angular));
    to_link(&frame.R, frame.p, V_N)
}
