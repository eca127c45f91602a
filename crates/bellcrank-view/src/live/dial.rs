//! Numbers that the page may turn while the program runs: what a walking robot is told, say.

use serde::Serialize;

/// A number with its bounds, shown as a slider and turned by two keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dial {
    /// As in `forward`.
    pub name: &'static str,
    /// As in `m/s`.
    pub unit: &'static str,
    /// Smallest and largest.
    pub range: [f64; 2],
    /// Keys that make it smaller and larger.
    pub keys: [&'static str; 2],
    /// Now; none while it is left to chance.
    pub value: Option<f64>,
}

impl Dial {
    /// Turns it, as far as its bounds let it; none leaves it to chance again. Numbers that are none are passed over.
    pub(crate) fn turn(&mut self, value: Option<f64>) {
        if value.is_none_or(f64::is_finite) {
            self.value = value.map(|x| x.clamp(self.range[0], self.range[1]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dials_stay_within_their_bounds() {
        let mut dial =
            Dial { name: "forward", unit: "m/s", range: [-0.5, 0.5], keys: ["s", "w"], value: None };
        dial.turn(Some(2.0));
        assert_eq!(dial.value, Some(0.5));
        dial.turn(Some(f64::NAN));
        assert_eq!(dial.value, Some(0.5));
        dial.turn(None);
        assert_eq!(dial.value, None);
    }
}
