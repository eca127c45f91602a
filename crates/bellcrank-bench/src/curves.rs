//! Curves and bars as SVG, on axes of powers of ten. Colours come from the page's style sheet.

use std::fmt::Write;

/// A named curve or row of bars.
pub struct Curve {
    pub name: String,
    pub points: Vec<[f64; 2]>,
}

/// A picture.
pub struct Chart {
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    pub curves: Vec<Curve>,
}

/// Named values with a bar each.
pub struct Bars {
    pub title: String,
    /// What the bars measure.
    pub unit: &'static str,
    pub rows: Vec<(String, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// A span in powers of ten and where it lies on the picture.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Over all values above zero; at least one power of ten wide.
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let logs = values.filter(|x| *x > 0.0 && x.is_finite()).map(f64::log10);
        let (low, high) = logs.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        if low > high {
            return Axis { low: 0.0, high: 1.0, from, to };
        }
        let (low, high) = (low.floor(), high.ceil());
        Axis { low, high: if high > low { high } else { low + 1.0 }, from, to }
    }

    fn at(&self, x: f64) -> f64 {
        let share = (x.max(1e-300).log10() - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.low as i32..=self.high as i32).map(|power| 10_f64.powi(power))
    }
}

impl Chart {
    pub fn svg(&self) -> String {
        let column = |k: usize| self.curves.iter().flat_map(move |c| c.points.iter().map(move |p| p[k]));
        let x = Axis::over(column(0), LEFT, WIDTH - RIGHT);
        let y = Axis::over(column(1), HEIGHT - BOTTOM, TOP);
        let mut out = open(HEIGHT, &self.title);
        for tick in x.ticks() {
            let at = x.at(tick);
            line(&mut out, [at, TOP, at, HEIGHT - BOTTOM]);
            text(&mut out, [at, HEIGHT - BOTTOM + 18.0], "middle", &power(tick));
        }
        for tick in y.ticks() {
            let at = y.at(tick);
            line(&mut out, [LEFT, at, WIDTH - RIGHT, at]);
            text(&mut out, [LEFT - 8.0, at + 4.0], "end", &power(tick));
        }
        text(&mut out, [0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 10.0], "middle", self.x);
        let side = 0.5 * (TOP + HEIGHT - BOTTOM);
        let _ = write!(
            out,
            "<text class=\"axis\" text-anchor=\"middle\" transform=\"rotate(-90 18 {side})\" x=\"18\" y=\"{side}\">{}</text>",
            self.y
        );
        for (k, curve) in self.curves.iter().enumerate() {
            let points: Vec<String> =
                curve.points.iter().map(|p| format!("{:.1},{:.1}", x.at(p[0]), y.at(p[1]))).collect();
            let _ = write!(out, "<polyline class=\"c{}\" points=\"{}\"/>", k % 6, points.join(" "));
            for p in &curve.points {
                let (cx, cy) = (x.at(p[0]), y.at(p[1]));
                let _ = write!(
                    out,
                    "<circle class=\"c{}\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3\"><title>{}: {} → {}</title></circle>",
                    k % 6,
                    escape(&curve.name),
                    p[0],
                    p[1]
                );
            }
            let (at, key) = (TOP + 12.0 + 20.0 * k as f64, WIDTH - RIGHT + 14.0);
            let _ = write!(out, "<polyline class=\"c{}\" points=\"{key},{at} {},{at}\"/>", k % 6, key + 18.0);
            text(&mut out, [key + 24.0, at + 4.0], "start", &curve.name);
        }
        out + "</svg>\n"
    }
}

impl Bars {
    pub fn svg(&self) -> String {
        let left = 300.0;
        let height = TOP + 20.0 * self.rows.len() as f64 + BOTTOM;
        let x = Axis::over(self.rows.iter().map(|row| row.1), left, WIDTH - 70.0);
        let mut out = open(height, &self.title);
        for tick in x.ticks() {
            line(&mut out, [x.at(tick), TOP, x.at(tick), height - BOTTOM]);
            text(&mut out, [x.at(tick), height - BOTTOM + 18.0], "middle", &power(tick));
        }
        text(&mut out, [0.5 * (left + WIDTH), height - 10.0], "middle", self.unit);
        for (k, (name, value)) in self.rows.iter().enumerate() {
            let top = TOP + 20.0 * k as f64;
            text(&mut out, [left - 8.0, top + 14.0], "end", name);
            let wide = x.at(*value) - left;
            let _ = write!(
                out,
                "<rect class=\"bar\" x=\"{left}\" y=\"{}\" width=\"{wide:.1}\" height=\"14\"/>",
                top + 3.0
            );
            text(&mut out, [left + wide + 5.0, top + 14.0], "start", &format!("{value:.0}"));
        }
        out + "</svg>\n"
    }
}

fn open(height: f64, title: &str) -> String {
    let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    let _ = write!(out, "<text class=\"title\" x=\"12\" y=\"22\">{}</text>", escape(title));
    out
}

fn line(out: &mut String, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = write!(out, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
}

fn text(out: &mut String, [x, y]: [f64; 2], anchor: &str, words: &str) {
    let _ = write!(
        out,
        "<text class=\"axis\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escape(words)
    );
}

/// 1000 → "1k", 0.01 → "0.01".
fn power(x: f64) -> String {
    match x {
        x if x >= 1e9 => format!("{:.0}G", x / 1e9),
        x if x >= 1e6 => format!("{:.0}M", x / 1e6),
        x if x >= 1e3 => format!("{:.0}k", x / 1e3),
        x if x >= 1e-3 => format!("{x}"),
        x => format!("{x:.0e}"),
    }
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 to 40 spans the powers 1, 10, 100; 10 is its middle.
    #[test]
    fn an_axis_spans_whole_powers_of_ten() {
        let axis = Axis::over([3.0, 40.0].into_iter(), 0.0, 200.0);
        assert_eq!(axis.ticks().collect::<Vec<_>>(), [1.0, 10.0, 100.0]);
        assert!((axis.at(10.0) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        let chart = Chart { title: "a < b".into(), x: "x", y: "y", curves: Vec::new() };
        assert!(chart.svg().contains("a &lt; b") && chart.svg().ends_with("</svg>\n"));
    }
}
