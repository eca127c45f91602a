//! The answer once more in dual numbers: what stays as it was found when the equations are evaluated again.

use super::{Many, Solved, Source, Wrt};
use bellcrank_collide::Contact;
use bellcrank_math::{Pose, Real};
use bellcrank_model::ShapeId;
use bellcrank_sim::BatchError;
use bellcrank_step::constants::Constants;
use bellcrank_step::interior::{EndContact, Implicit, InteriorWorkspace, is_searched};
use bellcrank_step::workspace::{JointRows, Touching, Workspace};

/// The same rows as constants.
pub(super) fn copy_rows(rows: &mut JointRows<Many>, known: &JointRows<f64>) {
    let fixed = Many::constant_of;
    for i in 0..6 {
        for k in 0..6 {
            rows.s[i][k] = fixed(known.s[i][k]);
            rows.p[i][k] = fixed(known.p[i][k]);
        }
        rows.weight[i] = fixed(known.weight[i]);
        rows.rate[i] = fixed(known.rate[i]);
        rows.target[i] = fixed(known.target[i]);
    }
}

/// Drives that gave their bound give it still.
pub(super) fn keep_bounds(solved: &Solved, dt: Many, ws: &mut Workspace<Many>) {
    for (row, known) in ws.dofs.iter_mut().zip(&solved.ws.dofs) {
        if row.drive_mass.value > 0.0 && known.drive_mass == 0.0 {
            row.drive_mass = Many::zero();
            row.drive_impulse = dt * Many::constant_of(known.drive_impulse / solved.inputs.dt);
        }
    }
    for (row, known) in ws.lines.iter_mut().zip(&solved.ws.lines) {
        row.cut = known.cut;
        row.bound = dt * Many::constant_of(known.bound / solved.inputs.dt);
    }
}

/// Velocities and forces of the answer, as constants.
pub(super) fn copy_iterate(solved: &Solved, ws: &mut Workspace<Many>, own: &mut InteriorWorkspace<Many>) {
    let fixed = Many::constant_of;
    for (u, known) in ws.u.iter_mut().zip(&solved.ws.u) {
        *u = known.map(fixed);
    }
    for (rows, known) in own.joints.iter_mut().zip(&solved.own.joints) {
        rows.lambda = known.lambda.map(fixed);
    }
    for (c, known) in own.couplings.iter_mut().zip(&solved.own.couplings) {
        c.lambda = fixed(known.lambda);
    }
    for (touch, known) in own.touches.iter_mut().zip(&solved.own.touches) {
        touch.push.gamma = fixed(known.push.gamma);
        touch.rub.set_friction(&known.rub.friction().map(fixed));
    }
    for (row, known) in own.pushes.iter_mut().zip(&solved.own.pushes) {
        row.push.gamma = fixed(known.push.gamma);
    }
    for (row, known) in own.rubs.iter_mut().zip(&solved.own.rubs) {
        row.rub.b = known.rub.b.map(fixed);
    }
}

/// The contacts of the answer, of which some may have come in at the end of the step; features are still to be held.
pub(super) fn match_contacts(
    this: &Implicit<'_, Many>,
    X_WB: &[Pose<Many>],
    answer: &InteriorWorkspace<f64>,
    own: &mut InteriorWorkspace<Many>,
) {
    let slots = answer.touches.iter().map(|touch| touch.slot);
    if own.touches.iter().map(|touch| touch.slot).eq(slots.clone()) {
        return;
    }
    let found = std::mem::take(&mut own.touches);
    own.touches.extend(slots.map(|slot| match found.iter().find(|touch| touch.slot == slot) {
        Some(touch) => *touch,
        None => {
            let contact = Contact { active: true, ..Contact::none() };
            let touching = Touching { slot, contact, guess: [Many::zero(); 6] };
            EndContact::new(this, &touching, X_WB)
        }
    }));
}

/// What a search has found stays on its shapes: a point on one, a plane on the other.
pub(super) fn hold_features(
    source: &Source<'_>,
    answer: &InteriorWorkspace<f64>,
    plain: &Constants<f64>,
    constants: &Constants<Many>,
    own: &mut InteriorWorkspace<Many>,
) {
    for (touch, known) in own.touches.iter_mut().zip(&answer.touches) {
        let pair = &source.layout.plan.pairs()[source.layout.contacts[known.slot].pair];
        if is_searched(pair.kind) || known.late {
            let (a, b) = if pair.flipped { (pair.second, pair.first) } else { (pair.first, pair.second) };
            let at = |shape: usize| (plain.shapes.X_BG[shape], constants.shapes.X_BG[shape]);
            touch.hold(known, at(a), at(b));
        }
    }
}

/// Sizes of shapes whose contacts are found by a search have no derivative.
pub(super) fn check_pairs(
    source: &Source<'_>,
    own: &InteriorWorkspace<f64>,
    wrt: &[Wrt],
) -> Result<(), BatchError> {
    for touch in &own.touches {
        let pair = &source.layout.plan.pairs()[source.layout.contacts[touch.slot].pair];
        let sized = |wrt: &Wrt| match wrt {
            Wrt::ShapeSize { shape, .. } => [pair.shape_a.index(), pair.shape_b.index()].contains(shape),
            _ => false,
        };
        if (is_searched(pair.kind) || touch.late) && wrt.iter().any(sized) {
            let name = |shape: ShapeId| source.model.shapes()[shape.index()].name.clone();
            return Err(BatchError::NoDerivative(format!(
                "the contact of {:?} and {:?} is found by a search: it has no derivative with respect to their sizes; leave \
                 these out, or use primitive shapes",
                name(pair.shape_a),
                name(pair.shape_b)
            )));
        }
    }
    Ok(())
}
