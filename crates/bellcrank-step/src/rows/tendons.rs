//! Tendons and motors at sites: lines along which an effort acts on one or more bodies at once. What bounds and rubs them is in `stops`.
//!
//! A line has a rate ℓ̇ = Σ j_b·V_b over its bodies: for a tendon j is the weighted sum of its coordinates' rows, for a
//! motor at a site the wrench that a unit of effort puts on the body. As for a degree of freedom (see `drives`) its
//! impulse is λ = h − m ℓ̇⁺, which is m jᵀj in H and h jᵀ on the right. Where the motors' part of λ would be beyond
//! their bound, they give the bound and the step is solved once more: the effort is a falling function of ℓ̇⁺, so that
//! what is cut off stays beyond its bound.

use crate::constants::{Constants, LineConstants};
use crate::law::{self, Pull};
use crate::layout::{Layout, LineSource, TendonLayout};
use crate::rows::stops::{Stop, mobility};
use crate::rows::{
    couplings,
    drives::{Passive, row_velocity},
};
use crate::settings::Times;
use crate::state::{Control, State};
use crate::workspace::Workspace;
use bellcrank_math::{Inline, Mask, Pose, Quat, Real, Vec3, Wrench};
use bellcrank_model::{Link, Model, Way};

/// One line: λ = h − m ℓ̇.
#[derive(Clone, Debug)]
pub struct TendonRow<R: Real> {
    /// j, by body of its layout.
    pub row: Vec<[R; 6]>,
    /// ℓ and ℓ̇ before the step.
    pub length: R,
    pub rate: R,
    /// Armature, damping, spring.
    pub passive_mass: R,
    pub passive_impulse: R,
    /// Motors.
    pub drive_mass: R,
    pub drive_impulse: R,
    /// Lanes in which the motors give their bound.
    pub cut: R::Mask,
    pub bound: R,
    /// Limits and dry friction.
    pub stops: Vec<Stop<R>>,
    /// Where its places are in the world, if it runs through space.
    pub places: Vec<Pose<R>>,
}

impl<R: Real> TendonRow<R> {
    pub fn blank(layout: &TendonLayout) -> Self {
        TendonRow {
            row: vec![[R::zero(); 6]; layout.bodies.len()],
            length: R::zero(),
            rate: R::zero(),
            passive_mass: R::zero(),
            passive_impulse: R::zero(),
            drive_mass: R::zero(),
            drive_impulse: R::zero(),
            cut: R::Mask::splat(false),
            bound: R::zero(),
            stops: layout.stops.iter().map(|_| Stop::blank()).collect(),
            places: match &layout.source {
                LineSource::Path { way, .. } => vec![Pose::identity(); way.places.len()],
                _ => Vec::new(),
            },
        }
    }

    /// m
    #[inline(always)]
    pub fn mass(&self) -> R {
        let mut mass = self.passive_mass + R::select(self.cut, R::zero(), self.drive_mass);
        for stop in &self.stops {
            mass += stop.acting_mass();
        }
        mass
    }

    /// h
    #[inline(always)]
    pub fn impulse(&self) -> R {
        let mut impulse = self.passive_impulse + R::select(self.cut, self.bound, self.drive_impulse);
        for stop in &self.stops {
            impulse += stop.acting_impulse();
        }
        impulse
    }

    /// What the motors give when the line has this rate.
    #[inline(always)]
    pub fn drive(&self, rate: R) -> R {
        R::select(self.cut, self.bound, self.drive_mass.neg_mul_add(rate, self.drive_impulse))
    }
}

/// j, m and h of every tendon and site motor at the start of the step.
#[inline(always)]
pub fn tendon_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    control: &Control<R>,
    times: Times<R>,
    ws: &mut Workspace<R>,
) {
    let Times { dt, drift, .. } = times;
    for (l, line) in layout.lines.iter().enumerate() {
        let (length, c) = (place_line(layout, constants, state, l, ws), &constants.lines[l]);
        let row = &mut ws.lines[l];
        let mut rate = R::zero();
        for (j, &body) in row.row.iter().zip(&line.bodies) {
            rate += row_velocity(j, &state.V_WB[body].to_array());
        }
        (row.length, row.rate) = (length, rate);
        let (short, stiffness) = pull_of_spring(c, line.slack, length);
        let passive = Passive { armature: c.armature, damping: c.damping, stiffness };
        (row.passive_mass, row.passive_impulse) = passive.row(short, rate, times);
        (row.drive_mass, row.drive_impulse) = (R::zero(), R::zero());
        for &a in &line.motors {
            let motor = &constants.actuators[a];
            let Pull { effort, kp, kd } =
                law::pull((layout, constants), (state, control), a, [length, rate], dt);
            row.drive_mass += motor.gear * motor.gear * dt * kp.mul_add(drift, kd);
            row.drive_impulse = (motor.gear * dt).mul_add(effort, row.drive_impulse);
        }
        if layout.has_torque_speed {
            let own = mobility(constants, state, &line.bodies, row).recip();
            let drive = row.drive_mass.neg_mul_add(rate, row.drive_impulse);
            let more = c.effort.too_steep(rate, dt, own + c.armature, drive);
            row.passive_mass += more;
            row.passive_impulse = more.mul_add(rate, row.passive_impulse);
        }
        // motors without feedback are cut off at once; of the others only the end of the step can tell
        let bare = row.drive_mass.le(R::zero()) & R::zero().le(row.drive_mass);
        let (low, high) = c.effort.bounds(rate, dt);
        let within = row.drive_impulse.clamp(low, high);
        let known = bare & row.drive_impulse.is_finite();
        row.drive_impulse = R::select(known, within, row.drive_impulse);
        row.cut = R::Mask::splat(false);
    }
}

/// How far a spring is short of its rest, and how stiff it is there: not at all where it is slack.
#[inline(always)]
fn pull_of_spring<R: Real>(c: &LineConstants<R>, slack: f64, length: R) -> (R, R) {
    let short = c.rest - length;
    if slack == 0.0 {
        return (short, c.stiffness);
    }
    let taut = short + R::constant(slack);
    let is_slack = short.lt(R::zero()) & R::zero().lt(taut);
    let short = R::select(R::zero().lt(short), short, taut);
    (R::select(is_slack, R::zero(), short), R::select(is_slack, R::zero(), c.stiffness))
}

/// Writes j of a line; gives its length (zero for a site, which has no coordinate).
#[inline(always)]
fn place_line<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    l: usize,
    ws: &mut Workspace<R>,
) -> R {
    let line = &layout.lines[l];
    if let LineSource::Path { way, first, moves, .. } = &line.source {
        return walk(
            (way, moves),
            &constants.places[*first..],
            (&line.bodies, &state.X_WB),
            &mut ws.lines[l],
        );
    }
    let row = &mut ws.lines[l].row;
    match &line.source {
        LineSource::Path { .. } => R::zero(),
        LineSource::Tendon { terms, .. } => {
            couplings::sum_rows(layout, terms, &line.bodies, &ws.joints, row);
            line_length(layout, line, &state.q)
        }
        LineSource::Site { wrench, .. } => {
            let X_WB = state.X_WB[line.bodies[0]];
            let X_BS = constants.lines[l].X_BS;
            let [x, y, z, a, b, c] = *wrench;
            let push = Wrench::new(
                Vec3::new(R::constant(x), R::constant(y), R::constant(z)),
                Vec3::new(R::constant(a), R::constant(b), R::constant(c)),
            );
            row[0] = push.transformed(X_BS).rotated(X_WB.R).to_array();
            R::zero()
        }
    }
}

/// Writes j of a tendon that runs through space; gives its length.
#[inline(always)]
fn walk<R: Real>(
    (way, moves): (&Way, &[Option<usize>]),
    places: &[Pose<R>],
    (bodies, X_WB): (&[usize], &[Pose<R>]),
    line: &mut TendonRow<R>,
) -> R {
    for (k, place) in line.places.iter_mut().enumerate() {
        *place = match moves[k] {
            Some(own) => X_WB[bodies[own]] * places[k],
            None => places[k],
        };
    }
    line.row.fill([R::zero(); 6]);
    let mut length = R::zero();
    for stretch in &way.stretches {
        let (own, pulls) = stretch.pulls(&line.places);
        length += own;
        for pull in &pulls {
            let Some(own) = moves[pull.place] else { continue };
            let moment = (pull.point - X_WB[bodies[own]].p).cross(pull.along);
            let (f, row) = (pull.along, &mut line.row[own]);
            for (x, more) in row.iter_mut().zip([f.x, f.y, f.z, moment.x, moment.y, moment.z]) {
                *x += more;
            }
        }
    }
    length
}

/// The length of a way through space at some poses of the bodies.
pub fn path_length<R: Real>(model: &Model, way: &Way, X_WB: &[Pose<R>]) -> R {
    let place = |(link, X): &(Link, Pose)| {
        let com = link.body().map_or(Vec3::zero(), |body| model.bodies()[body.index()].com);
        let X = Pose::new(X.R, X.p - com);
        let X_BP = Pose::new(Quat::constant(X.R), Vec3::constant(X.p));
        link.body().map_or(X_BP, |body| X_WB[body.index()] * X_BP)
    };
    let places: Vec<Pose<R>> = way.places.iter().map(place).collect();
    let mut length = R::zero();
    R::run(Inline(
        #[inline(always)]
        || {
            for stretch in &way.stretches {
                length += stretch.pulls(&places).0;
            }
        },
    ));
    length
}

/// Σ coefficient · coordinate of a tendon.
#[inline(always)]
pub fn line_length<R: Real>(layout: &Layout, line: &TendonLayout, q: &[R]) -> R {
    let mut length = R::zero();
    if let LineSource::Tendon { terms, .. } = &line.source {
        for (at, coefficient) in terms {
            let own = q[layout.joints[at.joint].first_coordinate + at.dof];
            length = own.mul_add(R::constant(*coefficient), length);
        }
    }
    length
}

/// H += m jᵀj
#[inline(always)]
pub fn add_lines<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    for (line, row) in layout.lines.iter().zip(&ws.lines) {
        couplings::add_row(layout, (&line.bodies, &line.blocks), &row.row, row.mass(), &mut ws.factor);
    }
}

/// x += (h − m ℓ̇⁻) jᵀ
#[inline(always)]
pub fn push_impulses<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    for (line, row) in layout.lines.iter().zip(&ws.lines) {
        let amount = row.mass().neg_mul_add(row.rate, row.impulse());
        couplings::push_row(layout, &line.bodies, &row.row, amount, &mut ws.x);
    }
}

/// x += λ jᵀ, λ = h − m ℓ̇⁻ − m j·Δu.
#[inline(always)]
pub fn push_reactions<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    for (line, row) in layout.lines.iter().zip(&ws.lines) {
        let (change, mass) = (end_rate(layout, line, row, &ws.du), row.mass());
        let amount = mass.neg_mul_add(change, mass.neg_mul_add(row.rate, row.impulse()));
        couplings::push_row(layout, &line.bodies, &row.row, amount, &mut ws.x);
    }
}

/// Gives motors that went beyond their bound the bound; true where there was one.
#[inline(always)]
pub fn cut_off<R: Real>(layout: &Layout, constants: &Constants<R>, dt: R, ws: &mut Workspace<R>) -> R::Mask {
    let mut beyond = R::Mask::splat(false);
    for (l, line) in layout.lines.iter().enumerate() {
        let c = &constants.lines[l];
        let rate = end_rate(layout, line, &ws.lines[l], &ws.u);
        let row = &mut ws.lines[l];
        let (effort, (low, high)) = (row.drive(rate), c.effort.bounds(row.rate, dt));
        let over = !row.cut & (effort.lt(low) | high.lt(effort));
        row.bound = R::select(over, effort.clamp(low, high), row.bound);
        row.cut = row.cut | over;
        beyond = beyond | over;
    }
    beyond
}

/// ℓ̇ at the velocities u.
#[inline(always)]
pub fn end_rate<R: Real>(layout: &Layout, line: &TendonLayout, row: &TendonRow<R>, u: &[[R; 6]]) -> R {
    let mut rate = R::zero();
    for (j, &body) in row.row.iter().zip(&line.bodies) {
        rate += row_velocity(j, &u[layout.position[body]]);
    }
    rate
}
