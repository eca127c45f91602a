//! One lane of a block's state as a list of numbers, and back.

use crate::state::{Control, State};
use bellcrank_math::{Elem, Mask, Real};

/// Calls `f` on every number of state and control, always in the same order.
fn each<R: Real>(state: &mut State<R>, control: &mut Control<R>, mut f: impl FnMut(&mut R)) {
    for X in &mut state.X_WB {
        let (R, p) = (&mut X.R, &mut X.p);
        for x in [&mut R.w, &mut R.x, &mut R.y, &mut R.z, &mut p.x, &mut p.y, &mut p.z] {
            f(x);
        }
    }
    for V in &mut state.V_WB {
        let (v, w) = (&mut V.linear, &mut V.angular);
        for x in [&mut v.x, &mut v.y, &mut v.z, &mut w.x, &mut w.y, &mut w.z] {
            f(x);
        }
    }
    state.q.iter_mut().for_each(&mut f);
    state.scalar_impulse.iter_mut().for_each(&mut f);
    state.contact_impulse.iter_mut().flatten().for_each(&mut f);
    state.contact_slot.iter_mut().for_each(&mut f);
    state.joint_impulse.iter_mut().flatten().for_each(&mut f);
    control.target_position.iter_mut().for_each(&mut f);
    control.target_velocity.iter_mut().for_each(&mut f);
    control.effort.iter_mut().for_each(&mut f);
    control.wrench.iter_mut().flatten().for_each(&mut f);
}

/// All numbers of a lane, and at last whether it runs.
pub(crate) fn read_lane<R: Real>(state: &State<R>, control: &Control<R>, lane: usize) -> Vec<f64> {
    let (mut state, mut control) = (state.clone(), control.clone());
    let mut values = Vec::new();
    each(&mut state, &mut control, |x| values.push(x.lane(lane).to_f64()));
    values.push((state.alive.bits() >> lane & 1) as f64);
    values
}

/// The reverse; false when the number of values does not fit, and nothing is changed then.
pub(crate) fn write_lane<R: Real>(
    state: &mut State<R>,
    control: &mut Control<R>,
    lane: usize,
    values: &[f64],
) -> bool {
    let mut count = 0;
    each(state, control, |_| count += 1);
    if values.len() != count + 1 {
        return false;
    }
    let mut next = values.iter();
    each(state, control, |x| {
        if let Some(value) = next.next() {
            *x = x.with_lane(lane, Elem::from_f64(*value));
        }
    });
    let one = R::Mask::from_bits(1 << lane);
    let runs = R::Mask::splat(values[count] != 0.0);
    state.alive = (state.alive & !one) | (one & runs);
    true
}
