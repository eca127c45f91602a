//! MJCF: damaged files end in a model or in an error, never in a crash.
//!
//! Good files are damaged at random, always in the same way; `BELLCRANK_FUZZ_SECONDS` asks for more than the second
//! that a plain test run takes. A damaged text that crashes is printed.

use bellcrank_import::{Format, Options, loads};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// A small generator of pseudo-random numbers (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

const VALUES: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "-inf",
    "4294967296",
    "1 2",
    "",
    "x",
    "true",
    "0 0 0",
    "1 0 0 0",
    "world",
    "mesh",
    "free",
    "ball",
    "1e9",
    "0.5 0.5 0.5 0.5 0.5 0.5 0.5",
];

/// One small damage: a value, a word, or a piece of the text.
fn damage(text: &mut String, chance: &mut Chance) {
    let quotes: Vec<usize> = text.match_indices('"').map(|(i, _)| i).collect();
    let tags: Vec<usize> = text.match_indices('<').map(|(i, _)| i).collect();
    match chance.below(6) {
        0..=2 if quotes.len() >= 2 => {
            let k = chance.below(quotes.len() / 2) * 2;
            text.replace_range(quotes[k] + 1..quotes[k + 1], VALUES[chance.below(VALUES.len())]);
        }
        3 if quotes.len() >= 4 => {
            let (a, b) = (chance.below(quotes.len() / 2) * 2, chance.below(quotes.len() / 2) * 2);
            let value = text[quotes[b] + 1..quotes[b + 1]].to_owned();
            text.replace_range(quotes[a] + 1..quotes[a + 1], &value);
        }
        4 if tags.len() >= 2 => {
            let (a, b) = (chance.below(tags.len()), chance.below(tags.len()));
            let piece = text[tags[a]..].split_inclusive('>').next().unwrap_or("").to_owned();
            text.insert_str(tags[b], &piece);
        }
        _ if tags.len() >= 2 => {
            let a = tags[chance.below(tags.len())];
            let length = text[a..].split_inclusive('>').next().map_or(0, str::len);
            text.replace_range(a..a + length, "");
        }
        _ => {}
    }
}

/// Our own small models, and the shared robots if they are there.
fn texts() -> Vec<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![here.join("tests/mjcf")];
    let shared = here.join("../../../shared/data/menagerie");
    folders.extend(std::fs::read_dir(shared).into_iter().flatten().flatten().map(|entry| entry.path()));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let mut paths: Vec<_> = files.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "xml"));
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

#[test]
fn damaged_files_end_in_a_model_or_an_error() {
    let seconds = std::env::var("BELLCRANK_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let texts = texts();
    let hand =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf/hand.xml")).unwrap_or_default();
    let options = Options { skip_meshes: true, ..Options::new().file("hand.xml", hand) };
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    let (mut tried, mut loaded, mut slowest) = (0, 0, Duration::ZERO);
    while start.elapsed().as_secs_f64() < seconds {
        let mut text = texts[chance.below(texts.len())].clone();
        for _ in 0..=chance.below(4) {
            damage(&mut text, &mut chance);
        }
        let begin = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| loads(&text, Format::Mjcf, &options).is_ok()));
        slowest = slowest.max(begin.elapsed());
        tried += 1;
        match result {
            Ok(fine) => loaded += usize::from(fine),
            Err(_) => panic!("this text crashes the reader:\n{text}"),
        }
    }
    println!("{tried} damaged files, {loaded} of them still load, the slowest took {slowest:?}");
}
