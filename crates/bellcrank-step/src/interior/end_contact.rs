//! A contact as a smooth function of two poses.
//!
//! Collision tells at the start of the step what is near: a point on each surface and a normal. What these are at the end
//! of the step follows from features that are fixed to the bodies: a *core* point with a radius about it on a round
//! side (a sphere's centre, a capsule's end; a corner has radius zero), and a plane on a flat side. That is exact for
//! spheres, corners and planes, and for other pairs as good as their features hold through one step.
//!
//! | sides | normal | distance |
//! |---|---|---|
//! | A flat | fixed to A | n·(core_B − point_A) − offset |
//! | B flat | fixed to B | n·(point_B − core_A) − offset |
//! | both round | along the line of the cores | ‖core_B − core_A‖ − offset |
//!
//! Both bodies are pushed at the same point, so that angular momentum stays.

use super::Implicit;
use crate::constants::Constants;
use crate::layout::Layout;
use crate::workspace::Touching;
use bellcrank_collide::Form;
use bellcrank_math::{Mask, Mat3, Pose, Real, Twist, Vec3};
use bellcrank_solve::{
    Friction, FrictionCone, FrictionLinearization, MOST_DIRECTIONS, Pyramid, RoundFriction, SlackPair,
};

/// What the normal is fixed to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sides {
    FlatA,
    FlatB,
    Round,
}

/// Friction holds more than the body it acts on: what is joined to that along the ground. So many times its mass counts as much as a unit of
/// velocity, where Newton goes along the central path.
const HEAVY: f64 = 10.0;

/// Rows of a contact at most: the directions of friction, then the normal.
pub const ROWS: usize = MOST_DIRECTIONS + 1;

#[derive(Clone, Copy, Debug)]
pub struct EndContact<R: Real> {
    pub slot: usize,
    pub a: Option<usize>,
    pub b: usize,
    sides: Sides,
    /// Came in at the end of the step.
    pub late: bool,
    /// Directions of friction: 0, 2, 3 or 5.
    pub n: usize,
    /// Cores in the bodies' frames, and the radii about them [m].
    core_a: Vec3<R>,
    core_b: Vec3<R>,
    radius_a: R,
    radius_b: R,
    /// (t, o, n) in the frame of the flat side, or in the world at the start of the step.
    frame: Mat3<R>,
    offset: R,
    pub mu: R,
    /// Lever arms of torsional and rolling friction [m].
    pub arms: [R; 3],
    pub push: SlackPair<R>,
    pub rub: Friction<R>,
    pub line: FrictionLinearization<R>,
    /// At the iterate: (t, o, n), arms from the centres of mass to the contact point and to the cores.
    pub axes: Mat3<R>,
    r_a: Vec3<R>,
    r_b: Vec3<R>,
    rho_a: Vec3<R>,
    rho_b: Vec3<R>,
    inverse_length: R,
    /// Sliding and spinning of B over A.
    slip: Vec3<R>,
    spin: Vec3<R>,
    V_a: Twist<R>,
    V_b: Twist<R>,
}

/// The change of everything with one change of the poses.
pub struct Change<R> {
    /// Of the rows' values: velocities of the directions of friction, then the distance.
    pub rows: [R; ROWS],
    /// Of the wrenches on A and B with all forces held.
    pub wrench: [[R; 6]; 2],
}

/// Radius of a round form.
#[inline(always)]
fn radius<R: Real>(layout: &Layout, constants: &Constants<R>, shape: usize) -> Option<R> {
    let round = matches!(layout.plan.shapes()[shape].form, Form::Sphere | Form::Capsule);
    if round { Some(constants.shapes.size[shape].x) } else { None }
}

impl<R: Real> EndContact<R> {
    /// From what collision found at the start of the step.
    #[inline(always)]
    pub fn new(this: &Implicit<'_, R>, touching: &Touching<R>, X_WB: &[Pose<R>]) -> Self {
        let Implicit { layout, constants, settings, dt, .. } = *this;
        let friction = this.point.friction;
        let (slot, contact) = (touching.slot, &touching.contact);
        let at = &layout.contacts[slot];
        let pair = &layout.plan.pairs()[at.pair];
        let (first, second) =
            if pair.flipped { (pair.second, pair.first) } else { (pair.first, pair.second) };
        let (round_a, round_b) = (radius(layout, constants, first), radius(layout, constants, second));
        let sides = match (round_a.is_some(), round_b.is_some()) {
            (true, true) => Sides::Round,
            (true, false) => Sides::FlatB,
            _ => Sides::FlatA,
        };
        let zero = R::zero();
        let radius_a = if let Some(r) = round_a { r } else { zero };
        let radius_b = if let Some(r) = round_b { r } else { zero };
        let X_WA = match at.a {
            Some(a) => X_WB[a],
            None => Pose::identity(),
        };
        let (X_WBody, n) = (X_WB[at.b], contact.normal);
        let (core_a, core_b) = (n.mul_add(-radius_a, contact.point_a), n.mul_add(radius_b, contact.point_b));
        let (t, o) = contact.tangents();
        let back = |X: Pose<R>, v: Vec3<R>| X.R.rotate_inverse(v);
        let frame = match sides {
            Sides::FlatA => Mat3::from_columns(back(X_WA, t), back(X_WA, o), back(X_WA, n)),
            Sides::FlatB => Mat3::from_columns(back(X_WBody, t), back(X_WBody, o), back(X_WBody, n)),
            Sides::Round => Mat3::from_columns(t, o, n),
        };
        let apart = (core_b - core_a).dot(n);
        // what is deep inside is pushed out no faster than the settings allow
        let deep = dt.mul_add(R::constant(settings.recovery_speed), contact.distance).min(zero);
        let surface = &constants.shapes.surfaces[at.pair];
        let rubs = contact.active & R::constant(1e-9).lt(surface.sliding);
        let mu = R::select(rubs, surface.sliding, R::one());
        let n_rows = if friction == FrictionCone::Frictionless { 0 } else { at.rows - 1 };
        let rubs_at_all = if n_rows == 0 { Mask::splat(false) } else { rubs };
        let rub = match friction {
            FrictionCone::Linear => Friction::Linear(Pyramid::new(n_rows, rubs_at_all)),
            _ => Friction::Round(RoundFriction::new(n_rows, rubs_at_all)),
        };
        let arm = |x: R| R::select(rubs, x / mu, zero);
        let mut lightness = constants.bodies[at.b].mass.recip();
        if let Some(a) = at.a {
            lightness += constants.bodies[a].mass.recip();
        }
        let mass = lightness.recip();
        let (mut push, mut rub) = (SlackPair::new(contact.active), rub);
        push.scale = mass / dt;
        rub.set_scale(mass * R::constant(HEAVY));
        EndContact {
            slot,
            a: at.a,
            b: at.b,
            sides,
            late: false,
            n: n_rows,
            core_a: back(X_WA, core_a - X_WA.p),
            core_b: back(X_WBody, core_b - X_WBody.p),
            radius_a,
            radius_b,
            frame,
            offset: apart - contact.distance + deep,
            mu,
            arms: [arm(surface.torsional), arm(surface.rolling), arm(surface.rolling)],
            push,
            rub,
            line: FrictionLinearization {
                along: [[zero; MOST_DIRECTIONS]; MOST_DIRECTIONS],
                across: [zero; MOST_DIRECTIONS],
            },
            axes: Mat3::from_columns(t, o, n),
            r_a: Vec3::zero(),
            r_b: Vec3::zero(),
            rho_a: Vec3::zero(),
            rho_b: Vec3::zero(),
            inverse_length: R::one(),
            slip: Vec3::zero(),
            spin: Vec3::zero(),
            V_a: Twist::zero(),
            V_b: Twist::zero(),
        }
    }

    /// Takes the features of a contact that is known in plain numbers: they are fixed to the shapes, each of which has a
    /// place on its body in plain numbers and in these.
    pub fn hold(&mut self, known: &EndContact<f64>, a: (Pose, Pose<R>), b: (Pose, Pose<R>)) {
        let point = |(plain, X): (Pose, Pose<R>), p: Vec3| {
            X.transform_point(Vec3::constant(plain.inverse().transform_point(p)))
        };
        let turned =
            |(plain, X): (Pose, Pose<R>), v: Vec3| X.R.rotate(Vec3::constant(plain.R.rotate_inverse(v)));
        (self.core_a, self.core_b) = (point(a, known.core_a), point(b, known.core_b));
        let f = known.frame;
        self.frame = match known.sides {
            Sides::FlatA => Mat3::from_columns(turned(a, f.x), turned(a, f.y), turned(a, f.z)),
            Sides::FlatB => Mat3::from_columns(turned(b, f.x), turned(b, f.y), turned(b, f.z)),
            Sides::Round => Mat3::from_columns(Vec3::constant(f.x), Vec3::constant(f.y), Vec3::constant(f.z)),
        };
        self.offset = R::constant(known.offset);
    }

    /// In the masked lanes it is another contact of the same pair from here on.
    #[inline(always)]
    pub fn become_in(&mut self, lanes: R::Mask, other: &Self) {
        self.late |= lanes.any();
        self.core_a = Vec3::select(lanes, other.core_a, self.core_a);
        self.core_b = Vec3::select(lanes, other.core_b, self.core_b);
        self.frame = Mat3::from_columns(
            Vec3::select(lanes, other.frame.x, self.frame.x),
            Vec3::select(lanes, other.frame.y, self.frame.y),
            Vec3::select(lanes, other.frame.z, self.frame.z),
        );
        self.offset = R::select(lanes, other.offset, self.offset);
        self.mu = R::select(lanes, other.mu, self.mu);
        for k in 0..3 {
            self.arms[k] = R::select(lanes, other.arms[k], self.arms[k]);
        }
        self.push.acts = self.push.acts | (lanes & other.push.acts);
        self.push.unit = R::select(lanes, other.push.unit, self.push.unit);
        self.rub.set_unit_in(lanes, other.rub.unit());
        self.rub.act_in(lanes & other.rub.acts());
        self.begin(lanes, other.push.s);
    }

    /// At this distance, and without a force yet.
    #[inline(always)]
    pub fn begin(&mut self, lanes: R::Mask, distance: R) {
        let none = [R::zero(); MOST_DIRECTIONS];
        self.push.take(lanes, distance, R::zero());
        self.rub.take(lanes, (R::zero(), &none), &none);
    }

    /// Places the contact at the end poses with these velocities. Gives the distance and the velocities of friction.
    #[inline(always)]
    pub fn place(&mut self, X_WB: &[Pose<R>], V: [Twist<R>; 2]) -> (R, [R; MOST_DIRECTIONS]) {
        let X_WA = match self.a {
            Some(a) => X_WB[a],
            None => Pose::identity(),
        };
        let X_WBody = X_WB[self.b];
        (self.rho_a, self.rho_b) = (X_WA.R.rotate(self.core_a), X_WBody.R.rotate(self.core_b));
        let (core_a, core_b) = (X_WA.p + self.rho_a, X_WBody.p + self.rho_b);
        let apart = core_b - core_a;
        let turned =
            |X: Pose<R>, f: Mat3<R>| Mat3::from_columns(X.R.rotate(f.x), X.R.rotate(f.y), X.R.rotate(f.z));
        self.axes = match self.sides {
            Sides::FlatA => turned(X_WA, self.frame),
            Sides::FlatB => turned(X_WBody, self.frame),
            Sides::Round => {
                self.inverse_length = apart.norm().recip();
                carry(self.frame, apart * self.inverse_length)
            }
        };
        let n = self.axes.z;
        let point = match self.sides {
            Sides::FlatB => n.mul_add(self.radius_a, core_a),
            _ => n.mul_add(-self.radius_b, core_b),
        };
        (self.r_a, self.r_b) = (point - X_WA.p, point - X_WBody.p);
        [self.V_a, self.V_b] = V;
        let at_a = self.V_a.linear + self.V_a.angular.cross(self.r_a);
        self.slip = self.V_b.linear + self.V_b.angular.cross(self.r_b) - at_a;
        self.spin = self.V_b.angular - self.V_a.angular;
        let moments = self.moment_axes();
        let mut v = [R::zero(); MOST_DIRECTIONS];
        (v[0], v[1]) = (self.axes.x.dot(self.slip), self.axes.y.dot(self.slip));
        for k in 2..self.n.max(2) {
            v[k] = moments[k - 2].dot(self.spin);
        }
        (apart.dot(n) - self.offset, v)
    }

    /// How fast the distance grows where the contact was placed last.
    #[inline(always)]
    pub fn opening_speed(&self) -> R {
        self.slip.dot(self.axes.z)
    }

    /// Axes of torsional and rolling friction, times their lever arms.
    #[inline(always)]
    fn moment_axes(&self) -> [Vec3<R>; 3] {
        [self.axes.z * self.arms[0], self.axes.x * self.arms[1], self.axes.y * self.arms[2]]
    }

    /// A row's wrench on A and on B; `row` = n is the normal.
    #[inline(always)]
    pub fn row(&self, row: usize) -> [[R; 6]; 2] {
        let direction = if row == self.n {
            self.axes.z
        } else if row == 0 {
            self.axes.x
        } else if row == 1 {
            self.axes.y
        } else {
            let turn = self.moment_axes()[row - 2];
            let zero = R::zero();
            return [
                [zero, zero, zero, -turn.x, -turn.y, -turn.z],
                [zero, zero, zero, turn.x, turn.y, turn.z],
            ];
        };
        let (d, m_a, m_b) = (direction, self.r_a.cross(direction), self.r_b.cross(direction));
        [[-d.x, -d.y, -d.z, -m_a.x, -m_a.y, -m_a.z], [d.x, d.y, d.z, m_b.x, m_b.y, m_b.z]]
    }

    /// Force and moment on B for reactions by row, zero where the contact does not act.
    #[inline(always)]
    pub fn force(&self, reaction: &[R; ROWS]) -> (Vec3<R>, Vec3<R>) {
        let mut F = self.axes.z * reaction[self.n];
        let mut M = Vec3::zero();
        if self.n > 0 {
            F = F + self.axes.x * reaction[0] + self.axes.y * reaction[1];
            let axes = self.moment_axes();
            for k in 2..self.n {
                M += axes[k - 2] * reaction[k];
            }
        }
        (F, M)
    }

    /// The wrenches on A and B.
    #[inline(always)]
    pub fn wrenches(&self, reaction: &[R; ROWS]) -> [[R; 6]; 2] {
        let (F, M) = self.force(reaction);
        let (m_a, m_b) = (self.r_a.cross(F) + M, self.r_b.cross(F) + M);
        [[-F.x, -F.y, -F.z, -m_a.x, -m_a.y, -m_a.z], [F.x, F.y, F.z, m_b.x, m_b.y, m_b.z]]
    }

    /// The present reactions by row.
    #[inline(always)]
    pub fn reactions(&self) -> [R; ROWS] {
        let mut reaction = [R::zero(); ROWS];
        let (acts, b) = (self.rub.acts(), self.rub.friction());
        for k in 0..self.n {
            reaction[k] = R::select(acts, b[k], R::zero());
        }
        reaction[self.n] = R::select(self.push.acts, self.push.gamma, R::zero());
        reaction
    }

    /// How frame and contact point move when the body on `side` (0: A, 1: B) is moved by (δx, δθ) at the end of the
    /// step, and what follows from that.
    #[inline(always)]
    pub fn change(&self, side: usize, dx: Vec3<R>, dtheta: Vec3<R>, force: (Vec3<R>, Vec3<R>)) -> Change<R> {
        let zero = Vec3::zero();
        let n = self.axes.z;
        let rho = if side == 0 { self.rho_a } else { self.rho_b };
        let core = dx + dtheta.cross(rho);
        let (turn, point) = match (self.sides, side) {
            (Sides::FlatA, 0) => (dtheta, dtheta.cross(n) * -self.radius_b),
            (Sides::FlatA, _) => (zero, core),
            (Sides::FlatB, 0) => (zero, core),
            (Sides::FlatB, _) => (dtheta, dtheta.cross(n) * self.radius_a),
            (Sides::Round, 0) => {
                let turn = self.carried(n.cross(core) * -self.inverse_length);
                (turn, turn.cross(n) * -self.radius_b)
            }
            (Sides::Round, _) => {
                let turn = self.carried(n.cross(core) * self.inverse_length);
                (turn, core - turn.cross(n) * self.radius_b)
            }
        };
        let (dr_a, dr_b) = if side == 0 { (point - dx, point) } else { (point, point - dx) };
        let swept = self.V_b.angular.cross(dr_b) - self.V_a.angular.cross(dr_a);
        let mut rows = [R::zero(); ROWS];
        if self.n > 0 {
            rows[0] = turn.cross(self.axes.x).dot(self.slip) + self.axes.x.dot(swept);
            rows[1] = turn.cross(self.axes.y).dot(self.slip) + self.axes.y.dot(swept);
            let axes = self.moment_axes();
            for k in 2..self.n {
                rows[k] = turn.cross(axes[k - 2]).dot(self.spin);
            }
        }
        let arm = if side == 0 { self.r_a } else { self.r_b };
        let opens = n.dot(dx + dtheta.cross(arm));
        rows[self.n] = if side == 0 { -opens } else { opens };
        let (F, M) = force;
        let (dF, dM) = (turn.cross(F), turn.cross(M));
        let m_a = dr_a.cross(F) + self.r_a.cross(dF) + dM;
        let m_b = dr_b.cross(F) + self.r_b.cross(dF) + dM;
        Change {
            rows,
            wrench: [[-dF.x, -dF.y, -dF.z, -m_a.x, -m_a.y, -m_a.z], [dF.x, dF.y, dF.z, m_b.x, m_b.y, m_b.z]],
        }
    }

    /// The turn of a frame that is carried along the shortest turn from z to n, where n itself turns by `turn`: it spins about n
    /// by −z·turn/(1 + z·n).
    #[inline(always)]
    fn carried(&self, turn: Vec3<R>) -> Vec3<R> {
        let (z, n) = (self.frame.z, self.axes.z);
        let scale = (R::one() + z.dot(n)).max(R::constant(1e-6)).recip();
        turn - n * (z.dot(turn) * scale)
    }

    /// The change of the reactions for a change of the rows: −W δ.
    #[inline(always)]
    pub fn answer(&self, rows: &[R; ROWS], stiffness: R) -> [R; ROWS] {
        let mut reaction = [R::zero(); ROWS];
        let normal = -(stiffness * rows[self.n]);
        for i in 0..self.n {
            let mut sum = self.line.across[i] * self.mu * normal;
            for j in 0..self.n {
                sum = self.line.along[i][j].neg_mul_add(rows[j], sum);
            }
            reaction[i] = sum;
        }
        reaction[self.n] = normal;
        reaction
    }
}

/// A frame carried along the shortest turn that takes its third axis to n. Its spin about n does not matter: the friction
/// cone is round.
#[inline(always)]
fn carry<R: Real>(frame: Mat3<R>, n: Vec3<R>) -> Mat3<R> {
    let sum = frame.z + n;
    let scale = (R::one() + frame.z.dot(n)).max(R::constant(1e-6)).recip();
    let turned = |t: Vec3<R>| t - sum * (t.dot(n) * scale);
    Mat3::from_columns(turned(frame.x), turned(frame.y), n)
}
