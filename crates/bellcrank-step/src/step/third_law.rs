//! Newton's third law: what happens inside a mechanism that floats does not move the whole of it.
//!
//! Two things would, a little, in every step. In 32 bits the rows of a joint are rounded on either body for itself, and forces of
//! redundant loops, which are far larger than it takes to move the bodies, leave 2⁻²⁴ of their moments. And poses that are mended after a
//! step move masses that have velocities. What is left is known without any reaction, since impulses inside add up to nothing,
//!
//! Σ w = 0 and Σ (r × w + τ) = 0, with (w, τ) = Δt f − M Δu of each body,
//!
//! so that a rigid motion of the component, which opens no joint, sets it right.

use crate::constants::{BodyConstants, Constants};
use crate::layout::Layout;
use crate::state::State;
use crate::step::{motion, scene::Scene};
use crate::workspace::Workspace;
use bellcrank_math::{Pose, Real, Sym3, Vec3, kernel};

/// Bodies of one component as if they were one: mass, centre and inertia about it.
#[derive(Clone, Copy)]
pub struct Whole<R> {
    pub mass: R,
    pub center: Vec3<R>,
    pub inertia: Sym3<R>,
}

/// mass and moment += those of one body, the moment about `origin`.
#[inline(always)]
pub fn add_mass<R: Real>(
    body: &BodyConstants<R>,
    p: Vec3<R>,
    origin: Vec3<R>,
    (mass, moment): (&mut R, &mut Vec3<R>),
) {
    *mass += body.mass;
    *moment += (p - origin) * body.mass;
}

/// The centre of all, from their mass and moment about `origin`.
#[inline(always)]
pub fn center<R: Real>(mass: R, moment: Vec3<R>, origin: Vec3<R>) -> Vec3<R> {
    origin + moment * mass.recip()
}

/// The inertia about `center` with that of one body.
#[inline(always)]
pub fn add_inertia<R: Real>(
    body: &BodyConstants<R>,
    X_WB: Pose<R>,
    center: Vec3<R>,
    inertia: Sym3<R>,
) -> Sym3<R> {
    let inertia = inertia + body.inertia.rotated(X_WB.R.to_mat3());
    inertia + Sym3::point_mass(body.mass, X_WB.p - center)
}

/// p and L += what Newton's law misses of one body, L about `center`.
#[inline(always)]
pub fn add_missing<R: Real>(x: &[R; 6], arm: Vec3<R>, (p, L): (&mut Vec3<R>, &mut Vec3<R>)) {
    let w = Vec3::new(x[0], x[1], x[2]);
    *p += w;
    *L += arm.cross(w) + Vec3::new(x[3], x[4], x[5]);
}

/// Δu of a body += the motion (v, ω) of the whole, in some lanes; the body is `arm` away from the centre.
#[inline(always)]
pub fn add_motion<R: Real>(
    (v, w): (Vec3<R>, Vec3<R>),
    arm: Vec3<R>,
    lanes: R::Mask,
    [u_start, du, u]: [&mut [R; 6]; 3],
) {
    let at = v + w.cross(arm);
    for (i, change) in [at.x, at.y, at.z, w.x, w.y, w.z].into_iter().enumerate() {
        du[i] += R::select(lanes, change, R::zero());
        u[i] = u_start[i] + du[i];
    }
}

impl<R: Real> Whole<R> {
    #[inline(always)]
    fn of(bodies: &[usize], constants: &Constants<R>, poses: &[Pose<R>]) -> Self {
        let (mut mass, mut moment, mut inertia) = (R::zero(), Vec3::zero(), Sym3::zero());
        let origin = poses[bodies[0]].p; // near, so that differences are small
        for &b in bodies {
            add_mass(&constants.bodies[b], poses[b].p, origin, (&mut mass, &mut moment));
        }
        let center = center(mass, moment, origin);
        for &b in bodies {
            inertia = add_inertia(&constants.bodies[b], poses[b], center, inertia);
        }
        Whole { mass, center, inertia }
    }

    /// Velocities at the centre with momentum p, and L about the centre.
    #[inline(always)]
    pub fn motion(&self, p: Vec3<R>, L: Vec3<R>) -> (Vec3<R>, Vec3<R>) {
        (p * self.mass.recip(), motion::turn_by(self.inertia, Vec3::zero(), R::zero(), L))
    }
}

/// Takes what inner forces left in the momentum of floating components out of Δu, in some lanes.
#[kernel]
pub fn balance<R: Real>(scene: &Scene<'_, R>, lanes: R::Mask, state: &State<R>, ws: &mut Workspace<R>) {
    let Scene { layout, constants, .. } = *scene;
    let turn = scene.times.turn();
    motion::missing_impulses(constants, layout, turn, ws);
    for bodies in &layout.afloat {
        let whole = Whole::of(bodies, constants, &state.X_WB);
        let (mut p, mut L) = (Vec3::zero(), Vec3::zero());
        for &b in bodies {
            add_missing(&ws.x[layout.position[b]], state.X_WB[b].p - whole.center, (&mut p, &mut L));
        }
        let motion = whole.motion(p, L);
        for &b in bodies {
            let k = layout.position[b];
            let own = [&mut ws.u_start[k], &mut ws.du[k], &mut ws.u[k]];
            add_motion(motion, state.X_WB[b].p - whole.center, lanes, own);
        }
    }
}

/// Gives floating components the angular momentum that they had in the poses `before`, in some lanes.
#[inline(always)]
pub fn keep_momentum<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    lanes: R::Mask,
    state: &mut State<R>,
    before: &[Pose<R>],
) {
    for bodies in &layout.afloat {
        let (old, new) = (Whole::of(bodies, constants, before), Whole::of(bodies, constants, &state.X_WB));
        let (mut L, mut p) = (Vec3::zero(), Vec3::zero());
        for &b in bodies {
            p += state.V_WB[b].linear * constants.bodies[b].mass;
        }
        let v = p * new.mass.recip(); // of the whole, lest what is rounded off the centres be multiplied by all of its momentum
        for &b in bodies {
            let (body, V, was, is) = (&constants.bodies[b], state.V_WB[b], before[b], state.X_WB[b]);
            // one difference of small numbers, not two of large ones
            let moved = (was.p - old.center) - (is.p - new.center);
            let spin = |X: Pose<R>| X.R.rotate(body.inertia * X.R.rotate_inverse(V.angular));
            L += moved.cross((V.linear - v) * body.mass) + (spin(was) - spin(is));
        }
        let (_, w) = new.motion(Vec3::zero(), L);
        let w = Vec3::select(lanes, w, Vec3::zero());
        for &b in bodies {
            let arm = state.X_WB[b].p - new.center;
            state.V_WB[b].linear += w.cross(arm);
            state.V_WB[b].angular += w;
        }
    }
}
