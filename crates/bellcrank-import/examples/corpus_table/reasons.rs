//! Reasons as short numbers, with a legend.

use bellcrank_model::Ignored;
use std::collections::BTreeMap;

/// Distinct reasons in the order in which they were met.
#[derive(Default)]
pub struct Reasons {
    known: Vec<(String, usize)>,
}

impl Reasons {
    /// "1, 3 (2×), 7": the reasons of one model.
    pub fn codes(&mut self, ignored: &[Ignored]) -> String {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for one in ignored {
            *counts.entry(self.code(&plain(&one.why))).or_default() += 1;
        }
        for code in counts.keys() {
            self.known[*code].1 += 1;
        }
        let told = counts.into_iter().map(|(code, count)| match count {
            1 => (code + 1).to_string(),
            _ => format!("{} ({count}×)", code + 1),
        });
        told.collect::<Vec<_>>().join(", ")
    }

    fn code(&mut self, reason: &str) -> usize {
        self.known.iter().position(|(known, _)| known == reason).unwrap_or_else(|| {
            self.known.push((reason.to_owned(), 0));
            self.known.len() - 1
        })
    }

    /// All reasons by number.
    pub fn legend(&self) -> String {
        let mut text = String::from("| number | models | reason |\n|---|---|---|\n");
        for (code, (reason, models)) in self.known.iter().enumerate() {
            text.push_str(&format!("| {} | {models} | {reason} |\n", code + 1));
        }
        text
    }
}

/// Without counts, figures and names, so that the same reason reads the same everywhere.
fn plain(why: &str) -> String {
    let counted = why.rfind(" (").filter(|at| why[*at..].contains(" times; first here"));
    let why = counted.map_or(why, |at| &why[..at]);
    let mut text = String::new();
    for (k, part) in why.split('"').enumerate() {
        // every second part was between quotes
        text.push_str(if k % 2 == 0 { part } else { "…" });
    }
    let is_number = |word: &str| word.trim_matches(['(', ')', ',', ';']).parse::<f64>().is_ok();
    let word = |word: &str| if is_number(word) { "…".to_owned() } else { word.to_owned() };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ").replace('|', "/")
}
