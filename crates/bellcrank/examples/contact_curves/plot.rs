//! Curves as SVG.

use std::fmt::Write;

/// A named curve.
pub struct Curve {
    pub name: String,
    pub points: Vec<[f64; 2]>,
}

/// What is on the axes.
pub struct Axes<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    /// Powers of ten on the y axis.
    pub logarithmic: bool,
}

const COLORS: [&str; 6] = ["#1f6f8b", "#e07a3f", "#7b5ea7", "#4f9d69", "#c44536", "#6b7280"];
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 180.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// One picture with all curves.
pub fn svg(axes: &Axes<'_>, curves: &[Curve]) -> String {
    let height = |y: f64| if axes.logarithmic { y.max(1e-9).log10() } else { y };
    let all = || curves.iter().flat_map(|c| c.points.iter().map(|p| [p[0], height(p[1])]));
    let span = |k: usize| {
        let (low, high) = all().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[k]), b.max(p[k])));
        let low = if k == 1 && !axes.logarithmic { low.min(0.0) } else { low };
        if axes.logarithmic && k == 1 { (low.floor(), high.ceil()) } else { (low, high.max(low + 1e-9)) }
    };
    let (xs, ys) = (span(0), span(1));
    let at_x = |x: f64| LEFT + (x - xs.0) / (xs.1 - xs.0) * (WIDTH - LEFT - RIGHT);
    let at_y = |y: f64| HEIGHT - BOTTOM - (y - ys.0) / (ys.1 - ys.0) * (HEIGHT - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"22\" \
         font-size=\"15\">{}</text>\n",
        axes.title
    );
    for k in 0..=4 {
        let share = f64::from(k) / 4.0;
        let (x, y) = (xs.0 + share * (xs.1 - xs.0), ys.0 + share * (ys.1 - ys.0));
        let label = if axes.logarithmic { format!("1e{y:.1}") } else { short(y) };
        let (px, py, bottom) = (at_x(x), at_y(y), HEIGHT - BOTTOM);
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{py:.1}\" x2=\"{:.1}\" y2=\"{py:.1}\" stroke=\"#e5e7eb\"/>\n<text x=\"{:.1}\" \
             y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n<text x=\"{px:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            py + 4.0,
            bottom + 18.0,
            short(x)
        );
    }
    let (middle, foot) = (0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 12.0);
    let _ = writeln!(out, "<text x=\"{middle}\" y=\"{foot}\" text-anchor=\"middle\">{}</text>", axes.x);
    let side = 0.5 * (TOP + HEIGHT - BOTTOM);
    let _ = writeln!(
        out,
        "<text x=\"16\" y=\"{side}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {side})\">{}</text>",
        axes.y
    );
    for (k, curve) in curves.iter().enumerate() {
        let color = COLORS[k % COLORS.len()];
        let points: Vec<String> =
            curve.points.iter().map(|p| format!("{:.1},{:.1}", at_x(p[0]), at_y(height(p[1])))).collect();
        let (x, y) = (WIDTH - RIGHT + 12.0, TOP + 12.0 + 20.0 * k as f64);
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\n<line x1=\"{x}\" \
             y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{color}\" stroke-width=\"3\"/>\n<text x=\"{}\" \
             y=\"{}\">{}</text>",
            points.join(" "),
            x + 18.0,
            x + 24.0,
            y + 4.0,
            curve.name
        );
    }
    out + "</svg>\n"
}

fn short(x: f64) -> String {
    if x.abs() >= 100.0 {
        format!("{x:.0}")
    } else {
        format!("{:.3}", x).trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}
