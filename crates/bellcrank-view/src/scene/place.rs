//! Where the worlds stand: rows behind each other, the first world in the middle of the front row.

use super::model::ModelView;

/// Room between neighbours, as a part of the largest model.
const AISLE: f64 = 0.45;
/// Mechanisms that stand on nothing hang this far over the floor, as a part of their size.
const HANG: f64 = 0.35;

/// The floor's height and the offset of every world [m]; `which` is each world's model.
pub(super) fn place_worlds(models: &[ModelView], which: &[usize]) -> (f64, Vec<[f64; 3]>) {
    let floors = models.iter().filter_map(|model| model.floor);
    let floor = floors.fold(f64::INFINITY, f64::min);
    let hang = |model: &ModelView| model.extent.low[2] - HANG * model.extent.size();
    let floor = if floor.is_finite() { floor } else { models.iter().map(hang).fold(f64::INFINITY, f64::min) };
    let widest = |k: usize| {
        models.iter().map(|m| m.extent.high[k] - m.extent.low[k]).fold(0.0, f64::max)
            + AISLE * models.iter().map(|m| m.extent.size()).fold(0.0, f64::max)
    };
    let (depth, width) = (widest(0), widest(1));
    // a rectangle that looks square
    let columns = ((which.len() as f64 * depth / width).sqrt().ceil() as usize).clamp(1, which.len().max(1));
    let place = |(n, &m): (usize, &usize)| {
        let (row, column) = (n / columns, n % columns);
        let extent = &models[m].extent;
        // 0, 1, −1, 2, −2, …: from the middle outwards
        let side = column.div_ceil(2) as f64 * if column % 2 == 1 { 1.0 } else { -1.0 };
        let middle = |k: usize| if which.len() == 1 { 0.0 } else { -0.5 * (extent.low[k] + extent.high[k]) };
        let rise = if models[m].floor.is_some() {
            floor - models[m].floor.unwrap_or(0.0)
        } else {
            floor - hang(&models[m])
        };
        [middle(0) - depth * row as f64, middle(1) + width * side, rise]
    };
    (floor, which.iter().enumerate().map(place).collect())
}
