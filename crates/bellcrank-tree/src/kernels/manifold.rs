//! The configuration manifold: q ⊕ δ and its inverse.
//!
//! Scalars add. A ball turns by the exponential of the body-fixed rotation vector, R ← R exp(θ). A free node moves
//! on SE(3): R ← R exp(θ), p ← p + R J_l(θ) d, as if the twist (d, θ) stayed the same for one unit of time.

use crate::model::TreeModel;
use crate::node::Motion;
use bellcrank_math::{Elem, Quat, Real, Vec3, so3};

#[inline(always)]
fn quaternion<R: Real>(q: &[R]) -> Quat<R> {
    Quat::from_wxyz([q[0], q[1], q[2], q[3]])
}

#[inline(always)]
fn vector<R: Real>(v: &[R]) -> Vec3<R> {
    Vec3::new(v[0], v[1], v[2])
}

/// out = q ⊕ δ, with quaternions normalised.
#[inline(always)]
pub fn integrate<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, q: &[R], delta: &[R], out: &mut [R]) {
    for node in &tree.nodes {
        let (k, v) = (node.q, node.v);
        match node.motion {
            Motion::Ball => {
                let turned = quaternion(&q[k..]) * so3::exp(vector(&delta[v..]));
                out[k..k + 4].copy_from_slice(&turned.normalized().to_wxyz());
            }
            Motion::Free => {
                let (rotation, theta) = (quaternion(&q[k + 3..]), vector(&delta[v + 3..]));
                let moved = rotation.rotate(so3::left_jacobian(theta) * vector(&delta[v..]));
                out[k..k + 3].copy_from_slice(&(vector(&q[k..]) + moved).to_array());
                let turned = rotation * so3::exp(theta);
                out[k + 3..k + 7].copy_from_slice(&turned.normalized().to_wxyz());
            }
            _ => out[k] = q[k] + delta[v],
        }
    }
}

/// δ with from ⊕ δ = to, turning the short way.
#[inline(always)]
pub fn difference<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, from: &[R], to: &[R], delta: &mut [R]) {
    for node in &tree.nodes {
        let (k, v) = (node.q, node.v);
        match node.motion {
            Motion::Ball => {
                let turn = so3::log(quaternion(&from[k..]).inverse() * quaternion(&to[k..]));
                delta[v..v + 3].copy_from_slice(&turn.to_array());
            }
            Motion::Free => {
                let rotation = quaternion(&from[k + 3..]);
                let theta = so3::log(rotation.inverse() * quaternion(&to[k + 3..]));
                let moved = rotation.rotate_inverse(vector(&to[k..]) - vector(&from[k..]));
                let linear = so3::left_jacobian_inverse(theta) * moved;
                delta[v..v + 3].copy_from_slice(&linear.to_array());
                delta[v + 3..v + 6].copy_from_slice(&theta.to_array());
            }
            _ => delta[v] = to[k] - from[k],
        }
    }
}
