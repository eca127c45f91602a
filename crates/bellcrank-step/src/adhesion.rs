//! Motors that make a body sticky: what touches it is pulled to it along the normals of the contacts.
//!
//! The force of a motor is shared equally between the contacts of its body that are within their gap, and acts on both
//! sides of each. It is known before the step, so that it is an impulse beside gravity; the contacts carry it and rub
//! the more. (MuJoCo's transmission to a body.)

use crate::effort::bound;
use crate::rows::drives::motor_effort;
use crate::state::{Control, State};
use crate::step::scene::Scene;
use crate::workspace::{Touching, Workspace};
use bellcrank_math::{Mask, Real, kernel};
use bellcrank_model::{Model, Target};

/// How far from each other surfaces are at most that touch, beside their gap [m]: hard contacts rest a little apart.
const TOUCH: f64 = 1e-4;

/// A motor, the body that it makes sticky, and its largest force [N].
#[derive(Clone, Copy, Debug)]
pub struct AdhesionLayout {
    pub actuator: usize,
    pub body: usize,
    pub most: f64,
}

/// All of a model.
pub fn adhesion_layouts(model: &Model) -> Vec<AdhesionLayout> {
    let all = model.actuators().iter().enumerate();
    let of = |(actuator, motor): (usize, &bellcrank_model::Actuator)| match &motor.target {
        Target::Body(body) => {
            let most = bound(motor.effort_bounds()[1] * motor.gear.abs());
            Some(AdhesionLayout { actuator, body: body.id().index(), most })
        }
        _ => None,
    };
    all.filter_map(of).collect()
}

/// Adds what they pull to the impulses of a step.
#[kernel]
pub fn push<R: Real>(scene: &Scene<'_, R>, state: &State<R>, control: &Control<R>, ws: &mut Workspace<R>) {
    let Scene { layout, constants, times, .. } = *scene;
    for own in &layout.adhesions {
        let c = &constants.actuators[own.actuator];
        let force = c.gear * motor_effort(c, control, own.actuator, R::zero());
        let force = force.clamp(R::zero(), R::constant(own.most));
        let mut count = R::zero();
        for touching in &ws.touching {
            count += R::select(sticks(scene, own.body, touching), R::one(), R::zero());
        }
        let share = force * times.dt / count.max(R::one());
        for touching in &ws.touching {
            let pull = R::select(sticks(scene, own.body, touching), share, R::zero());
            let contact = &layout.contacts[touching.slot];
            let at = (touching.contact.point_a + touching.contact.point_b) * R::constant(0.5);
            // the normal points from a to b
            for (body, sign) in [(contact.a, R::one()), (Some(contact.b), -R::one())] {
                let Some(b) = body else { continue };
                let p = touching.contact.normal * (pull * sign);
                let L = (at - state.X_WB[b].p).cross(p);
                let impulse = &mut ws.impulse[layout.position[b]];
                for (x, more) in impulse.iter_mut().zip([p.x, p.y, p.z, L.x, L.y, L.z]) {
                    *x += more;
                }
            }
        }
    }
}

/// Lanes in which a contact is one of the body, and near enough.
#[inline(always)]
fn sticks<R: Real>(scene: &Scene<'_, R>, body: usize, touching: &Touching<R>) -> R::Mask {
    let contact: &crate::layout::ContactLayout = &scene.layout.contacts[touching.slot];
    if contact.a != Some(body) && contact.b != body {
        return R::Mask::splat(false);
    }
    let gap = scene.layout.plan.pairs().get(contact.pair).map_or(0.0, |pair| pair.gap);
    touching.contact.active & touching.contact.distance.le(R::constant(gap + TOUCH))
}
