//! Which of its numbers a sensor gives, and in which form.

/// From what is measured to what a [`crate::Sensor`] gives: bounds ∘ (scale · part + offset), number by number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Show {
    /// Which numbers.
    pub part: Part,
    /// Times this.
    pub scale: f64,
    /// Plus this, in the unit of the numbers.
    pub offset: f64,
    /// Cut to this range; infinite for none.
    pub bounds: [f64; 2],
}

/// Some of the numbers of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    All,
    /// A few in a row.
    Numbers {
        /// The first of them.
        first: usize,
        /// How many.
        count: usize,
    },
    /// An axis (0, 1, 2 for x, y, z) of the rotation that the last four numbers are, wxyz: 3.
    Axis(usize),
}

impl Default for Show {
    fn default() -> Self {
        Show { part: Part::All, scale: 1.0, offset: 0.0, bounds: [f64::NEG_INFINITY, f64::INFINITY] }
    }
}

impl Show {
    /// What is given of a measurement. A part that the measurement does not have is empty, which no model contains.
    pub fn of(&self, measured: &[f64]) -> Vec<f64> {
        let part = match self.part {
            Part::All => measured.to_vec(),
            Part::Numbers { first, count } => {
                measured.get(first..first.saturating_add(count)).unwrap_or(&[]).to_vec()
            }
            Part::Axis(k) => measured.last_chunk().map_or_else(Vec::new, |wxyz| axis(*wxyz, k)),
        };
        let [low, high] = self.bounds;
        part.into_iter().map(|x| (self.scale * x + self.offset).max(low).min(high)).collect()
    }

    /// How many numbers it gives of `measured` ones; `None` where it asks for more than there are.
    pub fn count(&self, measured: usize) -> Option<usize> {
        match self.part {
            Part::All => Some(measured),
            Part::Numbers { first, count } => {
                (count > 0 && first.checked_add(count)? <= measured).then_some(count)
            }
            Part::Axis(k) => (k < 3 && measured >= 4).then_some(3),
        }
    }
}

/// A column of the rotation matrix.
fn axis(wxyz: [f64; 4], k: usize) -> Vec<f64> {
    let unit = [0, 1, 2].map(|i| if i == k { 1.0 } else { 0.0 });
    let turned = bellcrank_math::Quat::from_wxyz(wxyz).rotate(bellcrank_math::Vec3::from_array(unit));
    turned.to_array().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter turn about z takes x to y.
    #[test]
    fn parts_are_scaled_then_cut() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let pose = [1.0, 2.0, 3.0, half, 0.0, 0.0, half];
        let show = |part| Show { part, ..Show::default() };
        assert_eq!(show(Part::All).of(&pose), pose);
        assert_eq!(show(Part::Numbers { first: 1, count: 2 }).of(&pose), [2.0, 3.0]);
        let x = show(Part::Axis(0)).of(&pose);
        assert!(x.iter().zip([0.0, 1.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-15), "{x:?}");
        let cut = Show {
            scale: -2.0,
            offset: 1.0,
            bounds: [-4.0, 0.0],
            ..show(Part::Numbers { first: 0, count: 3 })
        };
        assert_eq!(cut.of(&pose), [-1.0, -3.0, -4.0]);
    }

    #[test]
    fn parts_that_are_not_there_are_noticed() {
        let numbers = |first, count| Show { part: Part::Numbers { first, count }, ..Show::default() };
        assert_eq!(numbers(3, 3).count(6), Some(3));
        assert_eq!(numbers(4, 3).count(6), None);
        assert_eq!(numbers(0, 0).count(6), None);
        assert_eq!(numbers(usize::MAX, 2).count(6), None);
        assert_eq!(Show { part: Part::Axis(3), ..Show::default() }.count(7), None);
    }
}
