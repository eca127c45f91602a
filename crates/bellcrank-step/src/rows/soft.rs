//! Rows that give way: what MuJoCo's law is as a bias and a compliance of one step.
//!
//! a = −b v − k d r + R f (see [`bellcrank_model::Softness`]) over a step of Δt, with v⁺ = v + Δt a and λ = Δt f where the row holds,
//! is v⁺ − v (1 − b Δt) + Δt k d r − R λ = 0: a row with the bias −v (1 − b Δt) + Δt k d r and a compliance that pushes back, R.

use crate::constants::Constants;
use crate::layout::Layout;
use crate::rows::{drives::row_velocity, joint_pose};
use crate::state::State;
use crate::workspace::JointRows;
use bellcrank_math::Real;
use bellcrank_model::{Compliance, SoftRow, Softness, kinematics};

/// Impedances lie between these: a row is never quite hard, nor without any effect.
const IMPEDANCE: [f64; 2] = [1e-4, 0.9999];
/// Less mobility or width than this is none.
const LEAST: f64 = 1e-15;

/// Of one row in one step.
#[derive(Clone, Copy)]
pub struct Yield<R> {
    pub bias: R,
    pub compliance: R,
}

/// What the rows of a contact share in one step.
#[derive(Clone, Copy)]
pub struct ContactYield<R> {
    /// 1 − b Δt
    keeps: R,
    /// Δt k d r
    way_back: R,
    normal: R,
    friction: R,
}

/// d at some depth.
#[inline(always)]
pub fn impedance<R: Real>(law: &Softness, gap: R) -> R {
    let [low, high, width, midpoint, power] = law.impedance;
    let [low, high] = [low, high].map(|d| d.clamp(IMPEDANCE[0], IMPEDANCE[1]));
    if width < LEAST || low == high {
        return R::constant(0.5 * (low + high));
    }
    let x = (gap.abs() * R::constant(1.0 / width)).min(R::one());
    let (midpoint, power) = (midpoint.clamp(IMPEDANCE[0], IMPEDANCE[1]), power.max(1.0));
    let rising = to_the(x, power) * R::constant(midpoint.powf(1.0 - power));
    let falling =
        to_the(R::one() - x, power).neg_mul_add(R::constant((1.0 - midpoint).powf(1.0 - power)), R::one());
    let y = R::select(x.le(R::constant(midpoint)), rising, falling);
    y.mul_add(R::constant(high - low), R::constant(low))
}

/// x to a whole power, and what lies between two of them in a straight line: lanes have no logarithm.
#[inline(always)]
fn to_the<R: Real>(x: R, power: f64) -> R {
    let whole = power.min(64.0).floor();
    let mut product = R::one();
    for _ in 0..whole as usize {
        product *= x;
    }
    let rest = R::constant(power.min(64.0) - whole);
    (product * x - product).mul_add(rest, product)
}

/// k and b for a step of Δt: a time constant is never below two steps.
#[inline(always)]
fn gains<R: Real>(law: &Softness, dt: R) -> [R; 2] {
    let [time, ratio] = law.reference;
    let high = law.impedance[1].clamp(IMPEDANCE[0], IMPEDANCE[1]);
    if time <= 0.0 || ratio <= 0.0 {
        return [R::constant(-time / (high * high)), R::constant(-ratio / high)];
    }
    let time = (dt + dt).max(R::constant(time));
    let stiffness = (time * time * R::constant(high * high * ratio * ratio)).recip();
    [stiffness, R::constant(2.0) / (time * R::constant(high))]
}

/// (1 − d)/d A
#[inline(always)]
fn compliance<R: Real>(d: R, mobility: R) -> R {
    ((R::one() - d) / d * mobility).max(R::constant(LEAST))
}

/// A limit or dry friction with this gap (none for friction) and rate before a step of Δt.
#[inline(always)]
pub fn row<R: Real>(soft: &SoftRow, gap: R, rate: R, dt: R) -> Yield<R> {
    let (d, [stiffness, damping]) = (impedance(&soft.law, gap), gains(&soft.law, dt));
    let keeps = damping.neg_mul_add(dt, R::one());
    Yield {
        bias: (dt * stiffness * d * gap) - keeps * rate,
        compliance: compliance(d, R::constant(soft.mobility)),
    }
}

/// Makes the rows of joints that give way what their law says, at the poses and velocities before the step.
#[inline(always)]
pub fn held_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    dt: R,
    joints: &mut [JointRows<R>],
) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let Some(held) = &joint.held else { continue };
        let (_, _, X_FM) = joint_pose(joint, &constants.joints[j], &state.X_WB);
        let (gaps, rows) = (kinematics::residual(joint.kind, X_FM), &mut joints[j]);
        let count = joint.kind.row_count();
        let mut square = R::zero();
        for gap in &gaps[..count] {
            square = gap.mul_add(*gap, square);
        }
        let (d, [stiffness, damping]) = (impedance(&held.law, square.sqrt()), gains(&held.law, dt));
        let keeps = damping.neg_mul_add(dt, R::one());
        for i in 0..count {
            let mut rate = row_velocity(&rows.s[i], &state.V_WB[joint.successor].to_array());
            if let Some(p) = joint.predecessor {
                rate += row_velocity(&rows.p[i], &state.V_WB[p].to_array());
            }
            let mobility = held.mobility[usize::from(i >= joint.kind.position_row_count())];
            rows.weight[i] = compliance(d, R::constant(mobility)).recip();
            rows.rate[i] = dt * stiffness * d * gaps[i] - keeps * rate;
            rows.target[i] = gaps[i];
        }
    }
}

impl<R: Real> ContactYield<R> {
    /// A contact with this distance, this coefficient of sliding, and so many edges of a pyramid.
    ///
    /// An edge n ± μ t of the pyramid gives way by R_e = 2 μ² R₀, R₀ being that of its own mobility A (1 + μ²). E edges together yield
    /// R_e/E along the normal, and two opposite ones R_e/(2 μ²) = R₀ along their tangent.
    #[inline(always)]
    pub fn of(soft: &SoftRow, all: Compliance, edges: usize, [distance, mu, dt]: [R; 3]) -> Self {
        let (d, [stiffness, damping]) = (impedance(&soft.law, distance), gains(&soft.law, dt));
        let (mobility, ratio) = (R::constant(soft.mobility), R::constant(1.0 / all.friction_ratio));
        let mut normal = compliance(d, mobility);
        let mut friction = normal * ratio;
        if all.pyramid {
            let rubs = R::zero().lt(mu);
            let own = compliance(d, mu.mul_add(mu, R::one()) * mobility);
            let of_edges = own * mu * mu * ratio * R::constant(2.0 / edges as f64);
            normal = R::select(rubs, of_edges, normal);
            friction = R::select(rubs, own * ratio, friction);
        }
        ContactYield {
            keeps: damping.neg_mul_add(dt, R::one()),
            way_back: dt * stiffness * d * distance,
            normal,
            friction,
        }
    }

    /// The row along the normal.
    #[inline(always)]
    pub fn normal(&self, rate: R) -> Yield<R> {
        Yield { bias: self.keeps.neg_mul_add(rate, self.way_back), compliance: self.normal }
    }

    /// A row of friction.
    #[inline(always)]
    pub fn friction(&self, rate: R) -> Yield<R> {
        Yield { bias: -(self.keeps * rate), compliance: self.friction }
    }
}
