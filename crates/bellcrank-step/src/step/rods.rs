//! Thin rods between ball joints, in 32 bits.
//!
//! A body that is held at points of one line only turns freely about that line, with the inertia I_a = nᵀ M n of the motion
//! n = (a × (c − p), a), a the line's direction, p a point of it and c the centre of mass. In H = M + Jᵀ S⁻¹ J this number stands
//! beside w r² of the rows that hold the points, which are 1/ε times heavier than the body and r away from its centre. A push rod has
//! I_a of 4e-6 kg·m² where 2⁻²⁴ w r² is 1e-5: what H says of the turn about its line is then rounding, and a correction by H⁻¹ may
//! make it a thousand times too large.
//!
//! But held rows have no part in that motion, J n = 0, so that only dampers and springs of the joints couple it, H n = M n + Σ m j (jᵀ n). Hence
//! H is given a stout rod (as much inertia about the line as across it), and the turn is solved for by itself before H⁻¹ is
//! asked: δ = nᵀ x / (nᵀ H n), Δu ← Δu + n δ, x ← x − H n δ. What is left of x has no part along n, and the stoutness of the rod in H
//! does not matter. Rods with shapes keep their own inertia, since contacts are solved with H⁻¹.

use crate::layout::Layout;
use crate::rows::drives::row_velocity;
use crate::state::State;
use crate::step::scene::Scene;
use crate::workspace::Workspace;
use bellcrank_math::{Elem, Real, Vec3, kernel};
use bellcrank_model::{JointKind, Model};

/// A body that only balls hold, all on one line.
#[derive(Clone, Debug, PartialEq)]
pub struct RodLayout {
    pub body: usize,
    /// The joint at one end, and the one at the other; where a single ball holds it, the line goes through its centre of mass.
    pub ends: [Option<usize>; 2],
    /// Joints with a damper or a spring.
    pub soft: Vec<usize>,
}

/// A rod is thin if it has less than this share of the inertia across its line about it.
const THIN: f64 = 0.01;

/// Thin rods of a model that nothing but balls and their dampers acts on.
pub fn rods(model: &Model, layout: &Layout) -> Vec<RodLayout> {
    let mut joints_of = vec![Vec::new(); model.bodies().len()];
    for (j, joint) in layout.joints.iter().enumerate() {
        for body in joint.predecessor.into_iter().chain([joint.successor]) {
            joints_of[body].push(j);
        }
    }
    let pushed = pushed_bodies(model, layout);
    let candidates = joints_of.iter().enumerate().filter(|(body, _)| !pushed[*body]);
    candidates.filter_map(|(body, joints)| rod(model, layout, body, joints)).collect()
}

/// By body: whether a contact, a limit, a motor or a coupling acts on it.
fn pushed_bodies(model: &Model, layout: &Layout) -> Vec<bool> {
    let mut pushed = vec![false; model.bodies().len()];
    let touched = layout.contacts.iter().flat_map(|contact| contact.a.into_iter().chain([contact.b]));
    let limited = layout.scalars.iter().map(|scalar| &layout.joints[scalar.at.joint]);
    let limited = limited.flat_map(|joint| joint.predecessor.into_iter().chain([joint.successor]));
    let pulled = layout.lines.iter().flat_map(|line| line.bodies.iter().copied());
    let coupled = layout.couplings.iter().flat_map(|coupling| coupling.bodies.iter().copied());
    touched.chain(limited).chain(pulled).chain(coupled).for_each(|body| pushed[body] = true);
    pushed
}

fn rod(model: &Model, layout: &Layout, body: usize, joints: &[usize]) -> Option<RodLayout> {
    let only_balls = joints.iter().all(|j| layout.joints[*j].kind == JointKind::Spherical);
    if joints.is_empty() || joints.len() > 2 || !only_balls {
        return None;
    }
    let soft = joints.iter().copied().filter(|j| layout.joints[*j].soft).collect();
    let rod = RodLayout { body, ends: [Some(joints[0]), joints.get(1).copied()], soft };
    is_thin(model, layout, &rod).then_some(rod)
}

fn is_thin(model: &Model, layout: &Layout, rod: &RodLayout) -> bool {
    let own = &model.bodies()[rod.body];
    let Some(inertia) = own.inertia else { return false };
    let point = |end: Option<usize>| {
        end.map_or(Vec3::zero(), |j| {
            let (X_PF, X_SM) = model.joint_frames(bellcrank_model::JointId::new(j));
            if layout.joints[j].successor == rod.body { X_SM.p } else { X_PF.p }
        })
    };
    let (p, way) = (point(rod.ends[0]), point(rod.ends[1]) - point(rod.ends[0]));
    let length = way.norm();
    if length < 1e-6 {
        return false;
    }
    let a = way * (1.0 / length);
    let about = a.dot(inertia * a) + own.mass * a.cross(p).norm_squared();
    about < THIN * (inertia.xx + inertia.yy + inertia.zz)
}

/// Whether numbers are so short that rods need care.
#[inline(always)]
fn is_needed<R: Real>(layout: &Layout) -> bool {
    !layout.rods.is_empty() && R::Elem::EPSILON.to_f64() > 1e-10
}

/// H += κ a aᵀ for every thin rod, κ its inertia across its line; notes the lines.
#[kernel]
pub fn stiffen<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>) {
    let layout = scene.layout;
    if !is_needed::<R>(layout) {
        return;
    }
    for (r, rod) in layout.rods.iter().enumerate() {
        let (k, X_WB) = (layout.position[rod.body], state.X_WB[rod.body]);
        let mut points = [Vec3::zero(); 2]; // from the centre of mass, in world axes
        for (point, end) in points.iter_mut().zip(rod.ends) {
            if let Some(j) = end {
                let joint = &scene.constants.joints[j];
                let is_successor = layout.joints[j].successor == rod.body;
                *point = X_WB.R.rotate(if is_successor { joint.X_SM.p } else { joint.X_PF.p });
            }
        }
        let way = points[1] - points[0];
        let a = way * way.norm_squared().max(R::constant(f32::MIN_POSITIVE as f64)).sqrt().recip();
        let v = points[0].cross(a);
        ws.rods[r] = [v.x, v.y, v.z, a.x, a.y, a.z];
        let inertia = &ws.spin[k].inertia;
        let stout = (inertia.xx + inertia.yy + inertia.zz) * R::constant(0.5);
        let block = ws.factor.diagonal_mut(k);
        for row in 3..6 {
            for column in 3..=row {
                let along = ws.rods[r][row] * ws.rods[r][column];
                block[row][column] = stout.mul_add(along, block[row][column]);
            }
        }
    }
}

/// Turns rods about their lines by what x asks for, in some lanes, and takes it out of x.
#[kernel]
pub fn turn<R: Real>(scene: &Scene<'_, R>, lanes: R::Mask, ws: &mut Workspace<R>) {
    let layout = scene.layout;
    if !is_needed::<R>(layout) {
        return;
    }
    for (r, rod) in layout.rods.iter().enumerate() {
        let (k, n, mass) = (layout.position[rod.body], ws.rods[r], scene.constants.bodies[rod.body].mass);
        let L = ws.spin[k].inertia * Vec3::new(n[3], n[4], n[5]);
        let momentum = [mass * n[0], mass * n[1], mass * n[2], L.x, L.y, L.z]; // M n
        let mut whole = row_velocity(&momentum, &n);
        for &j in &rod.soft {
            let (rows, count) = (&ws.joints[j], layout.joints[j].kind.row_count());
            for i in count..6 {
                let rate = row_velocity(side(layout, j, rod.body, &rows.s[i], &rows.p[i]), &n);
                whole = (rows.weight[i] * rate).mul_add(rate, whole);
            }
        }
        let turn = R::select(lanes, row_velocity(&n, &ws.x[k]) / whole, R::zero());
        for i in 0..6 {
            ws.du[k][i] = n[i].mul_add(turn, ws.du[k][i]);
            ws.u[k][i] = ws.u_start[k][i] + ws.du[k][i];
            ws.x[k][i] = momentum[i].neg_mul_add(turn, ws.x[k][i]);
        }
        for &j in &rod.soft {
            follow(layout, j, rod.body, &n, turn, ws);
        }
    }
}

/// What the dampers of joint `j` answer when the rod turns, in its reactions and in x of both bodies.
#[inline(always)]
fn follow<R: Real>(layout: &Layout, j: usize, body: usize, n: &[R; 6], turn: R, ws: &mut Workspace<R>) {
    let (joint, rows) = (&layout.joints[j], &ws.joints[j]);
    for i in joint.kind.row_count()..6 {
        let rate = row_velocity(side(layout, j, body, &rows.s[i], &rows.p[i]), n);
        let change = -(rows.weight[i] * rate * turn);
        ws.reaction[j][i] += change;
        for c in 3..6 {
            let on_s = &mut ws.x[layout.position[joint.successor]][c];
            *on_s = rows.s[i][c].mul_add(change, *on_s);
            if let Some(p) = joint.predecessor {
                let on_p = &mut ws.x[layout.position[p]][c];
                *on_p = rows.p[i][c].mul_add(change, *on_p);
            }
        }
    }
}

/// The side of a row that acts on the body.
#[inline(always)]
fn side<'a, R: Real>(layout: &Layout, j: usize, body: usize, s: &'a [R; 6], p: &'a [R; 6]) -> &'a [R; 6] {
    if layout.joints[j].successor == body { s } else { p }
}
