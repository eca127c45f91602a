//! The product of a cotangent with all columns, by one solve with the transposed factor.

use super::Solved;
use super::columns::{Columns, Entry, Rows};
use super::solve_columns::{ENOUGH, REFINEMENTS, subtract};
use bellcrank_math::Vec3;
use bellcrank_step::layout::Layout;
use bellcrank_step::rows::drives::row_velocity;

/// ȳ · (all columns), with ȳ by row as the Jacobian has them: Hᵀ z = ū and ζ = w J₂ z, refined by
/// Hᵀ z = ū − Cᵀ ζ, ζ += w J₂ z; then each column gives z · push − ζ · rest and what end poses move by themselves.
#[inline(always)]
pub(crate) fn pull_back(layout: &Layout, columns: &Columns, solved: &Solved, cotangent: &[f64]) -> Vec<f64> {
    let (ws, own, dt) = (&solved.ws, &solved.own, solved.inputs.dt);
    let rows = Rows::of(layout);
    let mut all = vec![[0.0; 6]; rows.all];
    let mut given = vec![[0.0; 6]; rows.joints];
    for (b, &k) in layout.position.iter().enumerate() {
        let y = &cotangent[12 * b..12 * b + 12];
        let turned = own.bodies[b].turn.transpose_mul(Vec3::new(y[3], y[4], y[5])).to_array();
        for i in 0..3 {
            given[k][i] = dt.mul_add(y[i], y[6 + i]);
            given[k][3 + i] = dt.mul_add(turned[i], y[9 + i]);
        }
        all[rows.ends + b].copy_from_slice(&y[..6]);
    }
    let mut z = given.clone();
    for round in 0..=REFINEMENTS {
        if round > 0 {
            z.copy_from_slice(&given);
            pull_multipliers(layout, solved, &all[rows.joints..], &mut z);
        }
        own.lu.solve_transposed(&own.pattern, &mut z);
        let mut widest = 0.0_f64;
        for (j, joint) in layout.joints.iter().enumerate() {
            let start = &ws.joints[j];
            for i in 0..joint.kind.row_count() {
                let rate = bellcrank_step::interior::rate(layout, joint, (start, i), &z);
                widest = widest.max(rate.abs());
                all[rows.joints + j][i] += start.weight[i] * rate;
            }
        }
        for (c, coupling) in layout.couplings.iter().enumerate() {
            let each = ws.couplings[c].iter().zip(&coupling.bodies);
            let rate: f64 = each.map(|(row, b)| row_velocity(row, &z[layout.position[*b]])).sum();
            widest = widest.max(rate.abs());
            all[rows.couplings + c][0] += ws.coupling_weight[c] * rate;
        }
        let fastest = z.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
        if widest <= ENOUGH * fastest {
            break;
        }
    }
    all[..rows.joints].copy_from_slice(&z);
    for held in &mut all[rows.joints..rows.ends] {
        *held = held.map(|x| -x);
    }
    let each = |column: usize| {
        let dot = |e: &Entry| row_velocity(&e.value, &all[e.row as usize]);
        columns.of(column).iter().map(dot).sum()
    };
    (0..columns.count()).map(each).collect()
}

/// z −= Cᵀ ζ
#[inline(always)]
fn pull_multipliers(layout: &Layout, solved: &Solved, held: &[[f64; 6]], z: &mut [[f64; 6]]) {
    let own = &solved.own;
    for (j, joint) in layout.joints.iter().enumerate() {
        let end = &own.joints[j];
        for i in 0..joint.kind.row_count() {
            subtract(&mut z[layout.position[joint.successor]], &end.s[i], held[j][i]);
            if let Some(p) = joint.predecessor {
                subtract(&mut z[layout.position[p]], &end.p[i], held[j][i]);
            }
        }
    }
    for (c, coupling) in layout.couplings.iter().enumerate() {
        for (row, b) in own.couplings[c].row.iter().zip(&coupling.bodies) {
            subtract(&mut z[layout.position[*b]], row, held[layout.joints.len() + c][0]);
        }
    }
}
