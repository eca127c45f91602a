//! One lane of a block's state as a list of numbers, and back.

use crate::state::{Control, State};
use bellcrank_math::{Elem, Mask, Real};

/// Calls `f` on every number of state and control, always in the same order; to be read, or to be written.
macro_rules! visit {
    ($state:ident, $control:ident, $f:ident, $iter:ident $(, $mutable:tt)?) => {
        for X in &$($mutable)? $state.X_WB {
            let (R, p) = (&$($mutable)? X.R, &$($mutable)? X.p);
            $f(&$($mutable)? R.w);
            $f(&$($mutable)? R.x);
            $f(&$($mutable)? R.y);
            $f(&$($mutable)? R.z);
            $f(&$($mutable)? p.x);
            $f(&$($mutable)? p.y);
            $f(&$($mutable)? p.z);
        }
        for V in &$($mutable)? $state.V_WB {
            let (v, w) = (&$($mutable)? V.linear, &$($mutable)? V.angular);
            $f(&$($mutable)? v.x);
            $f(&$($mutable)? v.y);
            $f(&$($mutable)? v.z);
            $f(&$($mutable)? w.x);
            $f(&$($mutable)? w.y);
            $f(&$($mutable)? w.z);
        }
        for rest in &$($mutable)? $state.p_rest {
            $f(&$($mutable)? rest.x);
            $f(&$($mutable)? rest.y);
            $f(&$($mutable)? rest.z);
        }
        $state.q.$iter().for_each(&mut $f);
        $state.scalar_impulse.$iter().for_each(&mut $f);
        $state.contact_impulse.$iter().flatten().for_each(&mut $f);
        $state.contact_name.$iter().flatten().for_each(&mut $f);
        $state.joint_impulse.$iter().flatten().for_each(&mut $f);
        $state.activation.$iter().for_each(&mut $f);
        $f(&$($mutable)? $state.interval);
        $control.target_position.$iter().for_each(&mut $f);
        $control.target_velocity.$iter().for_each(&mut $f);
        $control.effort.$iter().for_each(&mut $f);
        $control.wrench.$iter().flatten().for_each(&mut $f);
    };
}

fn each<R: Real>(state: &mut State<R>, control: &mut Control<R>, mut f: impl FnMut(&mut R)) {
    visit!(state, control, f, iter_mut, mut);
}

/// All numbers of a lane, and at last whether it runs.
pub fn read_lane<R: Real>(state: &State<R>, control: &Control<R>, lane: usize) -> Vec<f64> {
    let mut values = Vec::new();
    add_lane(state, control, lane, &mut values);
    values
}

/// The same, at the end of a list.
pub fn add_lane<R: Real>(state: &State<R>, control: &Control<R>, lane: usize, values: &mut Vec<f64>) {
    let mut push = |x: &R| values.push(x.lane(lane).to_f64());
    visit!(state, control, push, iter);
    values.push((state.alive.bits() >> lane & 1) as f64);
}

/// All lanes from one list; false when the number of values does not fit, and nothing is changed then.
pub fn write_all_lanes<R: Real>(state: &mut State<R>, control: &mut Control<R>, values: &[f64]) -> bool {
    let mut count = 0;
    each(state, control, |_| count += 1);
    if values.len() != count + 1 {
        return false;
    }
    let mut next = values.iter();
    each(state, control, |x| *x = next.next().map_or(*x, |value| R::constant(*value)));
    state.alive = R::Mask::splat(values[count] != 0.0);
    true
}

/// All lanes at once, from one list per lane; lanes beyond the last list are copies of it. False as below.
pub fn write_lanes<R: Real<Elem = f64>>(
    state: &mut State<R>,
    control: &mut Control<R>,
    worlds: &[&[f64]],
) -> bool {
    let (mut count, mut index) = (0, 0);
    each(state, control, |_| count += 1);
    if worlds.is_empty() || worlds.iter().any(|values| values.len() != count + 1) {
        return false;
    }
    let of = |lane: usize| worlds[lane.min(worlds.len() - 1)];
    let mut numbers = [0.0; 64];
    let numbers = &mut numbers[..R::LANES];
    each(state, control, |x| {
        for (lane, number) in numbers.iter_mut().enumerate() {
            *number = of(lane)[index];
        }
        *x = R::load(numbers);
        index += 1;
    });
    let runs = (0..R::LANES).filter(|lane| of(*lane)[count] != 0.0).fold(0, |bits, lane| bits | 1 << lane);
    state.alive = R::Mask::from_bits(runs);
    true
}

/// All lanes of another block.
pub fn copy_lanes<R: Real>(
    state: &mut State<R>,
    control: &mut Control<R>,
    from: &State<R>,
    told: &Control<R>,
) {
    state.copy_from(from);
    control.copy_from(told);
}

/// The reverse; false when the number of values does not fit, and nothing is changed then.
pub fn write_lane<R: Real>(
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
            x.set_lane(lane, Elem::from_f64(*value));
        }
    });
    let one = R::Mask::from_bits(1 << lane);
    let runs = R::Mask::splat(values[count] != 0.0);
    state.alive = (state.alive & !one) | (one & runs);
    true
}
