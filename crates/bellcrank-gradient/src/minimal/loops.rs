//! Which freedoms of the spanning tree are independent where loops close, and how the others follow.

use super::tree::{Dense, Freedom, Tree};
use bellcrank_math::Pose;

/// Entries below this share of the largest count as zero.
pub(crate) const SMALL: f64 = 1e-9;

/// Rows that loops and couplings ask of the freedoms of the tree: L δq = 0.
pub(crate) fn closure_rows(tree: &Tree<'_>, X_WB: &[Pose], T: &Dense) -> Dense {
    let mut L = Dense { columns: T.columns, values: Vec::new() };
    let mut add = |terms: &[(usize, [f64; 6])]| {
        let row = L.rows();
        L.values.resize(L.values.len() + T.columns, 0.0);
        for (body, six) in terms {
            (0..6).for_each(|i| L.add_row(row, six[i], T, 6 * body + i));
        }
    };
    let sides = |joint: usize, row: &([f64; 6], [f64; 6])| {
        let layout = &tree.layout.joints[joint];
        let on_p = layout.predecessor.map(|p| (p, row.1));
        [Some((layout.successor, row.0)), on_p].into_iter().flatten().collect::<Vec<_>>()
    };
    for joint in tree.closing() {
        let layout = &tree.layout.joints[joint];
        let rows = tree.joint_rows(layout, joint, X_WB);
        rows[..layout.kind.row_count()].iter().for_each(|row| add(&sides(joint, row)));
    }
    for coupling in &tree.layout.couplings {
        let mut terms = Vec::new();
        for (at, coefficient) in &coupling.terms {
            let layout = &tree.layout.joints[at.joint];
            let row = tree.joint_rows(layout, at.joint, X_WB)[layout.kind.row_count() + at.dof];
            let scaled = |six: [f64; 6]| six.map(|x| x * coefficient);
            terms.extend(sides(at.joint, &(scaled(row.0), scaled(row.1))));
        }
        add(&terms);
    }
    L
}

/// How likely a freedom is to be kept as a coordinate: bases always, driven joints if possible.
pub(crate) fn reluctance(tree: &Tree<'_>, freedoms: &[Freedom]) -> Vec<f64> {
    let driven = |joint: usize, dof: usize| tree.model.actuators().iter().any(|a| a.drives(joint, dof));
    let weight = |freedom: &Freedom| match *freedom {
        Freedom::Base { .. } => 1e-6,
        Freedom::Joint { joint, dof } if driven(joint, dof) => 1e-2,
        Freedom::Joint { .. } => 1.0,
    };
    freedoms.iter().map(weight).collect()
}

/// Eliminates with complete pivoting, columns weighed: gives the dependent columns and how they follow,
/// δq_dependent = F δq. Columns of weight zero are never taken; the second part is the largest entry, as a share of all, that
/// rows without a pivot still ask of them.
pub(crate) fn eliminate(mut L: Dense, weight: &[f64]) -> (Vec<(usize, Vec<f64>)>, f64) {
    let (rows, columns) = (L.rows(), L.columns);
    let largest = L.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    loop {
        let free = |r: &usize| pivots.iter().all(|p| p.0 != *r);
        let mut best = (0.0, 0, 0);
        for r in (0..rows).filter(free) {
            for c in 0..columns {
                let size = L.get(r, c).abs();
                if size > SMALL * largest && size * weight[c] > best.0 {
                    best = (size * weight[c], r, c);
                }
            }
        }
        let (size, r, c) = best;
        if size <= 0.0 {
            break;
        }
        let scale = 1.0 / L.get(r, c);
        L.row_mut(r).iter_mut().for_each(|x| *x *= scale);
        let pivot = L.row(r).to_vec();
        for other in (0..rows).filter(|o| *o != r) {
            let factor = L.get(other, c);
            if factor != 0.0 {
                L.row_mut(other).iter_mut().zip(&pivot).for_each(|(y, x)| *y -= factor * x);
                L.row_mut(other)[c] = 0.0;
            }
        }
        pivots.push((r, c));
    }
    let follows = |&(r, c): &(usize, usize)| {
        let mut row: Vec<f64> = L.row(r).iter().map(|x| -x).collect();
        pivots.iter().for_each(|p| row[p.1] = 0.0);
        (c, row)
    };
    let open = (0..rows).filter(|r| pivots.iter().all(|p| p.0 != *r)).flat_map(|r| L.row(r));
    let left = open.fold(0.0_f64, |m, x| m.max(x.abs()));
    (pivots.iter().map(follows).collect(), if largest > 0.0 { left / largest } else { 0.0 })
}

/// T G: how all bodies move with the independent freedoms alone; `dependent` as [`eliminate`] gives it.
pub(crate) fn reduce(T: &Dense, dependent: &[(usize, Vec<f64>)], independent: &[usize]) -> Dense {
    let mut out = Dense::zero(T.rows(), independent.len());
    for row in 0..T.rows() {
        let own = T.row(row);
        for (k, &column) in independent.iter().enumerate() {
            let mut sum = own[column];
            for (d, follows) in dependent {
                sum += own[*d] * follows[column];
            }
            out.row_mut(row)[k] = sum;
        }
    }
    out
}
