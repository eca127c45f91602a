//! Elements of a picture. Colours are written as attributes and as classes (`c0` to `c5`, `bar`, `axis`, `title`), so that a picture stands
//! alone and a page's style sheet can still change it.

use std::fmt::{Display, Write};

/// Colours of curves, one after the other.
pub const COLORS: [&str; 6] = ["#1f8bb0", "#e07a3f", "#8f6fc0", "#4f9d69", "#c44536", "#6b7280"];

/// A picture that grows.
pub struct Svg(String);

/// Where a text's point is: at its start, in its middle, or at its end.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// An empty picture of this width and height \[px\] with a title.
    pub fn new([width, height]: [f64; 2], title: &str) -> Self {
        let mut svg = Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" \
             font-family=\"system-ui,sans-serif\" font-size=\"12\">\n"
        ));
        svg.add(format_args!(
            "<text class=\"title\" x=\"12\" y=\"22\" font-size=\"15\">{}</text>",
            escape(title)
        ));
        svg
    }

    fn add(&mut self, element: impl Display) {
        let _ = writeln!(self.0, "{element}"); // a string takes everything
    }

    /// A thin line of a grid.
    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#d8dee6\"/>"
        ));
    }

    /// Words at a point.
    pub fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.add(format_args!(
            "<text class=\"axis\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#555\">{}</text>",
            escape(words)
        ));
    }

    /// Words that read upwards, about a point.
    pub fn text_upwards(&mut self, [x, y]: [f64; 2], words: &str) {
        self.add(format_args!(
            "<text class=\"axis\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"#555\" \
             transform=\"rotate(-90 {x:.1} {y:.1})\">{}</text>",
            escape(words)
        ));
    }

    /// A curve in the colour of its number; the second is dashed, so that one shows through the other.
    pub fn polyline(&mut self, k: usize, points: &[[f64; 2]]) {
        let list: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let (k, dash) = (k % COLORS.len(), if k == 1 { " stroke-dasharray=\"8 5\"" } else { "" });
        self.add(format_args!(
            "<polyline class=\"c{k}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{dash} points=\"{}\" style=\"fill:none\"/>",
            COLORS[k],
            list.join(" ")
        ));
    }

    /// A point of a curve, with a text that shows under the mouse.
    pub fn mark(&mut self, k: usize, [x, y]: [f64; 2], note: &str) {
        let k = k % COLORS.len();
        self.add(format_args!(
            "<circle class=\"c{k}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{}\"><title>{}</title></circle>",
            COLORS[k],
            escape(note)
        ));
    }

    /// A small dot of any colour.
    pub fn dot(&mut self, [x, y]: [f64; 2], color: impl Display) {
        self.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.4\" fill=\"{color}\"/>"));
    }

    /// A bar from its corner at the upper left.
    pub fn bar(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        self.add(format_args!(
            "<rect class=\"bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            COLORS[0]
        ));
    }

    /// The whole picture.
    pub fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}

/// A text that may stand in SVG and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
