//! The curves of a training as one HTML file: plain SVG, no script, no network.

use crate::curve::Record;
use std::fmt::Write;

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 180.0;
const MARGIN: f64 = 46.0;
/// Points of a line; longer curves are averaged down to this many.
const POINTS: usize = 300;
const COLOURS: [&str; 3] = ["#0f766e", "#b45309", "#7c3aed"];

/// Lines over time, under one title.
struct Plot {
    title: String,
    lines: Vec<(String, Vec<(f64, f64)>)>,
}

/// The page.
pub(crate) fn page(task: &str, seed: u64, curve: &[Record]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{task}, seed {seed}</title>\n\
         <style>body{{font:14px system-ui,sans-serif;margin:2em;color:#1e293b;background:#fff}}\
         svg{{margin:.5em 1em .5em 0}}text{{font:11px system-ui,sans-serif;fill:#475569}}\
         .title{{font-size:13px;fill:#1e293b}}</style>\n<h1>{task}, seed {seed}</h1>\n"
    );
    if let Some(last) = curve.last() {
        let _ = writeln!(
            html,
            "<p>{} updates, {:.2} million transitions, {:.1} minutes, {:.0} transitions/s, learner {:.0} % of the time</p>",
            last.update,
            last.transitions as f64 / 1e6,
            last.seconds / 60.0,
            last.transitions as f64 / last.seconds.max(1e-9),
            100.0 * mean(curve, |r| r.learner_share),
        );
    }
    plots(curve).iter().for_each(|plot| html += &plot.svg());
    html + "</html>\n"
}

fn mean(curve: &[Record], of: impl Fn(&Record) -> f64) -> f64 {
    curve.iter().map(of).sum::<f64>() / curve.len().max(1) as f64
}

/// Points of a figure over minutes, averaged over equal numbers of updates.
fn line(curve: &[Record], of: impl Fn(&[Record]) -> Option<f64>) -> Vec<(f64, f64)> {
    let part = curve.len().div_ceil(POINTS).max(1);
    let point = |records: &[Record]| Some((records[records.len() - 1].seconds / 60.0, of(records)?));
    curve.chunks(part).filter_map(point).collect()
}

fn plots(curve: &[Record]) -> Vec<Plot> {
    let per_episode = |of: fn(&Record) -> f64| {
        line(curve, move |part| {
            let episodes: f64 = part.iter().map(|r| r.episodes).sum();
            (episodes > 0.0).then(|| part.iter().map(of).sum::<f64>() / episodes)
        })
    };
    let every = |of: &dyn Fn(&Record) -> f64| line(curve, |part| Some(mean(part, of)));
    let one = |title: &str, points| Plot { title: title.into(), lines: vec![(String::new(), points)] };
    let error = |k: usize| {
        line(curve, |part| {
            Some(part.iter().filter_map(|r| r.tracking_error).map(|e| e[k]).sum::<f64>() / part.len() as f64)
        })
    };
    let mut plots = vec![
        one("return of an episode", per_episode(|r| r.return_sum)),
        one("length of an episode [actions]", per_episode(|r| r.length_sum)),
        one("part of the episodes that ended by a fall", per_episode(|r| r.falls)),
    ];
    if curve.iter().any(|r| r.tracking_error.is_some()) {
        let names = ["forward [m/s]", "sideways [m/s]", "turning [rad/s]"];
        let lines = names.iter().enumerate().map(|(k, name)| ((*name).into(), error(k))).collect();
        plots.push(Plot { title: "tracking error, at every instant and with exploration".into(), lines });
    }
    plots.push(one("transitions per second", every(&|r| r.transitions_per_second)));
    plots.push(one("learner's part of the time", every(&|r| r.learner_share)));
    plots.push(one("Kullback–Leibler divergence of an update", every(&|r| r.kl)));
    plots.push(one("learning rate", every(&|r| r.learning_rate)));
    plots.push(one("standard deviation of actions", every(&|r| r.deviation)));
    plots.push(one("loss of the critic", every(&|r| r.value_loss)));
    plots.push(one("difference from the mirror image", every(&|r| r.mirror_loss)));
    let names: Vec<&String> = curve.last().map(|r| r.terms.keys().collect()).unwrap_or_default();
    for name in names {
        plots.push(one(
            &format!("reward: {name}"),
            every(&|r| r.terms.get(name).copied().unwrap_or_default()),
        ));
    }
    plots
}

impl Plot {
    fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|(_, points)| points).filter(|p| p.1.is_finite());
        let longest = points().map(|p| p.0).fold(1e-9, f64::max);
        let low = points().map(|p| p.1).fold(0.0, f64::min);
        let high = points().map(|p| p.1).fold(0.0, f64::max);
        let high = if high > low { high } else { low + 1.0 };
        let x = |t: f64| MARGIN + (WIDTH - MARGIN - 10.0) * t / longest;
        let y = |v: f64| HEIGHT - 24.0 - (HEIGHT - 50.0) * (v - low) / (high - low);
        let mut svg = format!(
            "<svg width=\"{WIDTH}\" height=\"{HEIGHT}\"><text class=\"title\" x=\"{MARGIN}\" y=\"14\">{}</text>",
            self.title
        );
        for v in [low, 0.5 * (low + high), high] {
            let _ = write!(
                svg,
                "<path d=\"M{MARGIN} {0:.1}H{WIDTH}\" stroke=\"#e2e8f0\"/><text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{3}</text>",
                y(v),
                MARGIN - 5.0,
                y(v) + 4.0,
                short(v)
            );
        }
        for (k, (name, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let drawn: Vec<String> = points
                .iter()
                .filter(|p| p.1.is_finite())
                .map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1)))
                .collect();
            let _ = write!(
                svg,
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{}\"/>",
                drawn.join(" ")
            );
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"28\" style=\"fill:{colour}\">{name}</text>",
                MARGIN + 110.0 * k as f64
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\">{longest:.1} min</text></svg>",
            HEIGHT - 8.0
        );
        svg
    }
}

/// A number in few characters.
fn short(v: f64) -> String {
    match v.abs() {
        0.0 => "0".into(),
        a if a >= 1e4 => format!("{:.0}k", v / 1e3),
        a if a >= 100.0 => format!("{v:.0}"),
        a if a >= 1.0 => format!("{v:.1}"),
        a if a >= 1e-3 => format!("{v:.3}"),
        _ => format!("{v:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_curve_and_needs_no_network() {
        let record = |k: u64| Record {
            update: k,
            transitions: 100 * k,
            seconds: k as f64,
            episodes: 1.0,
            return_sum: 5.0 * k as f64,
            tracking_error: Some([0.1, 0.2, 0.3]),
            terms: [("alive".to_owned(), 0.5)].into(),
            ..Record::default()
        };
        let text = page("walk", 3, &(1..1000).map(record).collect::<Vec<_>>());
        assert!(
            ["walk, seed 3", "return of an episode", "reward: alive", "sideways"]
                .iter()
                .all(|x| text.contains(x))
        );
        assert!(!text.contains("http") && !text.contains("NaN") && text.len() < 200_000, "{}", text.len());
        assert!(page("walk", 3, &[]).contains("</html>"));
    }
}
