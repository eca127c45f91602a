//! Curves over axes, and rows of bars.

use crate::axis::{Axis, Scale, short};
use crate::svg::{Anchor, Svg};

/// A named curve.
pub struct Curve {
    /// Shown in the key; a curve without a name is not.
    pub name: String,
    /// x and y.
    pub points: Vec<[f64; 2]>,
}

/// Curves under one title.
pub struct Chart<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What x is, and how it is laid out.
    pub x: (&'a str, Scale),
    /// What y is, and how it is laid out.
    pub y: (&'a str, Scale),
    /// Drawn in their order.
    pub curves: &'a [Curve],
    /// Whether every point has a mark that tells its numbers.
    pub marks: bool,
    /// Width and height \[px\].
    pub size: [f64; 2],
}

const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Room for the names of curves beside them.
const KEY: f64 = 180.0;
/// Room for a number at the end of an axis.
const MARGIN: f64 = 20.0;

impl Chart<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let right = width - if self.curves.iter().any(|c| !c.name.is_empty()) { KEY } else { MARGIN };
        let column = |k: usize| self.curves.iter().flat_map(move |c| c.points.iter().map(move |p| p[k]));
        let x = Axis::over(self.x.1, column(0), [LEFT, right]);
        let y = Axis::over(self.y.1, column(1), [height - BOTTOM, TOP]);
        let mut svg = Svg::new(self.size, self.title);
        for (value, at) in x.ticks() {
            svg.line([at, TOP], [at, height - BOTTOM]);
            svg.text([at, height - BOTTOM + 18.0], Anchor::Middle, &short(value));
        }
        for (value, at) in y.ticks() {
            svg.line([LEFT, at], [right, at]);
            svg.text([LEFT - 8.0, at + 4.0], Anchor::End, &short(value));
        }
        svg.text([0.5 * (LEFT + right), height - 10.0], Anchor::Middle, self.x.0);
        svg.text_upwards([16.0, 0.5 * (TOP + height - BOTTOM)], self.y.0);
        for (k, curve) in self.curves.iter().enumerate() {
            let drawn = curve.points.iter().filter_map(|p| Some(([x.at(p[0])?, y.at(p[1])?], p)));
            let places: Vec<[f64; 2]> = drawn.clone().map(|(place, _)| place).collect();
            svg.polyline(k, &places);
            for (place, [px, py]) in drawn.filter(|_| self.marks) {
                svg.mark(k, place, &format!("{}: {px} → {py}", curve.name));
            }
            if !curve.name.is_empty() {
                let (left, at) = (right + 14.0, TOP + 12.0 + 20.0 * k as f64);
                svg.polyline(k, &[[left, at], [left + 18.0, at]]);
                svg.text([left + 24.0, at + 4.0], Anchor::Start, &curve.name);
            }
        }
        svg.finish()
    }
}

/// Named values with a bar each, by powers of ten.
pub struct Bars<'a> {
    /// Above the picture.
    pub title: &'a str,
    /// What the bars measure.
    pub unit: &'a str,
    /// From above to below.
    pub rows: &'a [(String, f64)],
}

impl Bars<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let (left, width, height) = (300.0, 720.0, TOP + 20.0 * self.rows.len() as f64 + BOTTOM);
        let x = Axis::over(Scale::Powers, self.rows.iter().map(|row| row.1), [left, width - 70.0]);
        let mut svg = Svg::new([width, height], self.title);
        for (value, at) in x.ticks() {
            svg.line([at, TOP], [at, height - BOTTOM]);
            svg.text([at, height - BOTTOM + 18.0], Anchor::Middle, &short(value));
        }
        svg.text([0.5 * (left + width), height - 10.0], Anchor::Middle, self.unit);
        for (k, (name, value)) in self.rows.iter().enumerate() {
            let (top, long) = (TOP + 20.0 * k as f64, x.at(*value).unwrap_or(left) - left);
            svg.text([left - 8.0, top + 14.0], Anchor::End, name);
            svg.bar([left, top + 3.0], [long, 14.0]);
            svg.text([left + long + 5.0, top + 14.0], Anchor::Start, &format!("{value:.0}"));
        }
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart<'a>(title: &'a str, curves: &'a [Curve]) -> Chart<'a> {
        let (x, y) = (("x", Scale::Linear), ("y", Scale::Powers));
        Chart { title, x, y, curves, marks: true, size: [640.0, 400.0] }
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        let text = chart("a < b", &[]).svg();
        assert!(text.contains("a &lt; b") && text.ends_with("</svg>\n"));
        assert!(Bars { title: "", unit: "", rows: &[] }.svg().ends_with("</svg>\n"));
    }

    /// The middle of 0…2 and of 1…100 is the middle of the frame; what cannot be drawn is left out.
    #[test]
    fn points_lie_where_their_numbers_say() {
        let points = vec![[0.0, 1.0], [1.0, 10.0], [2.0, 100.0], [1.5, f64::NAN], [1.5, -1.0]];
        let text = chart("", &[Curve { name: "force".into(), points }]).svg();
        // x: 70 to 640 − 180, y: 400 − 50 to 40
        assert!(text.contains("points=\"70.0,350.0 265.0,195.0 460.0,40.0\""), "{text}");
        assert_eq!(text.matches("<circle").count(), 3);
    }
}
