//! Where the worlds stand: rows behind each other, each filled from the middle outwards.

use super::extent::Extent;
use super::model::ModelView;

/// Room between neighbours, as a part of their size.
const AISLE: f64 = 0.7;
/// Mechanisms that stand on nothing hang this far over the floor, as a part of their size.
const HANG: f64 = 0.35;

/// The floor's height and the offset of every world [m]; `which` is each world's model.
pub(super) fn place_worlds(models: &[ModelView], which: &[usize]) -> (f64, Vec<[f64; 3]>) {
    let floors = models.iter().filter_map(|model| model.floor);
    let floor = floors.fold(f64::INFINITY, f64::min);
    let floor = if floor.is_finite() { floor } else { models.iter().map(hang).fold(f64::INFINITY, f64::min) };
    let rise = |model: &ModelView| floor - model.floor.unwrap_or_else(|| hang(model));
    if let [only] = which {
        return (floor, vec![[0.0, 0.0, rise(&models[*only])]]);
    }
    let mut offsets = Vec::with_capacity(which.len());
    let mut back = 0.0;
    for row in which.chunks(columns(models, which)) {
        let deepest = row.iter().map(|&m| room(&models[m].extent, 0)).fold(0.0, f64::max);
        for (&m, y) in row.iter().zip(row_places(models, row)) {
            let extent = &models[m].extent;
            let middle = |k: usize| 0.5 * (extent.low[k] + extent.high[k]);
            offsets.push([back - middle(0), y - middle(1), rise(&models[m])]);
        }
        back -= deepest;
    }
    (floor, offsets)
}

/// Height of the floor under a mechanism that stands on nothing [m].
fn hang(model: &ModelView) -> f64 {
    model.extent.low[2] - HANG * model.extent.size()
}

/// Length along an axis with half an aisle on either side [m].
fn room(extent: &Extent, axis: usize) -> f64 {
    extent.high[axis] - extent.low[axis] + AISLE * extent.size()
}

/// Worlds to a row, so that the whole looks square.
fn columns(models: &[ModelView], which: &[usize]) -> usize {
    let sum = |axis| which.iter().map(|&m| room(&models[m].extent, axis)).sum::<f64>();
    let count = (which.len() as f64 * sum(0) / sum(1)).sqrt().ceil();
    (count as usize).clamp(1, which.len())
}

/// The middles of a row's worlds: the first at zero, the next to its left, the next to its right, and so on [m].
fn row_places(models: &[ModelView], row: &[usize]) -> Vec<f64> {
    let (mut left, mut right) = (0.0, 0.0);
    let mut places = Vec::with_capacity(row.len());
    for (n, &m) in row.iter().enumerate() {
        let width = room(&models[m].extent, 1);
        if n == 0 {
            (left, right) = (0.5 * width, -0.5 * width);
            places.push(0.0);
        } else if n % 2 == 1 {
            places.push(left + 0.5 * width);
            left += width;
        } else {
            places.push(right - 0.5 * width);
            right -= width;
        }
    }
    places
}
