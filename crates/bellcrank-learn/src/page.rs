//! The curves of a training as one HTML file: plain SVG, no script, no network.

use crate::curve::Record;
use bellcrank_plot::{Chart, Curve, Scale};
use std::fmt::Write;

/// Points of a line; longer curves are averaged down to this many.
const POINTS: usize = 300;

/// Lines over time, under one title.
struct Plot {
    title: String,
    curves: Vec<Curve>,
}

/// The page.
pub(crate) fn page(task: &str, seed: u64, curve: &[Record]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{task}, seed {seed}</title>\n\
         <style>body{{font:14px system-ui,sans-serif;margin:2em;color:#1e293b;background:#fff}}\
         svg{{margin:.5em 1em .5em 0}}.title{{font-size:13px;fill:#1e293b}}</style>\n<h1>{task}, seed {seed}</h1>\n"
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
fn line(curve: &[Record], of: impl Fn(&[Record]) -> Option<f64>) -> Vec<[f64; 2]> {
    let part = curve.len().div_ceil(POINTS).max(1);
    let point = |records: &[Record]| Some([records[records.len() - 1].seconds / 60.0, of(records)?]);
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
    let one = |title: &str, points| Plot {
        title: title.into(),
        curves: vec![Curve { name: String::new(), points }],
    };
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
        let curve = |(k, name): (usize, &&str)| Curve { name: (*name).into(), points: error(k) };
        let curves = names.iter().enumerate().map(curve).collect();
        plots.push(Plot { title: "tracking error, at every instant and with exploration".into(), curves });
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
        let (x, y) = (("minutes", Scale::Linear), ("", Scale::Linear));
        let size = if self.curves.len() > 1 { [620.0, 220.0] } else { [460.0, 220.0] };
        Chart { title: &self.title, x, y, curves: &self.curves, marks: false, size }.svg()
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
        let fetched = ["href", "src=", "url(", "<script"].iter().any(|word| text.contains(word));
        assert!(!fetched && !text.contains("NaN") && text.len() < 200_000, "{}", text.len());
        assert!(page("walk", 3, &[]).contains("</html>"));
    }
}
