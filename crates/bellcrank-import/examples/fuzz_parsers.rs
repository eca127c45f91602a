//! Feeds spoilt files to all parsers for a while: `fuzz_parsers SECONDS [SEED] [urdf|mjcf|usd|mesh] [FILE...]`.
//!
//! A panic writes the file that caused it to the temporary folder and ends with code 1; so does a file that takes
//! longer than ten seconds. Files named on the command line are spoilt besides the built-in ones.

#[path = "../tests/mutate/mod.rs"]
mod mutate;

use bellcrank_import::Format;
use mutate::{Dice, Parser, feed, mutated, seeds};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: u64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(10);
    let seed: u64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(1);
    let which = arguments.next().unwrap_or_default();
    let mut seeds: Vec<_> = seeds().into_iter().filter(|(parser, _)| wanted(*parser, &which)).collect();
    seeds.extend(arguments.filter_map(|file| Some((parser_of(&file)?, std::fs::read(&file).ok()?))));
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut dice = Dice(seed.max(1));
    let (mut count, mut slowest) = (0u64, Duration::ZERO);
    while Instant::now() < end {
        let (parser, original) = &seeds[dice.below(seeds.len())];
        let bytes = mutated(original, &mut dice);
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| feed(*parser, &bytes));
        let took = start.elapsed();
        if outcome.is_err() || took > Duration::from_secs(10) {
            let file = std::env::temp_dir().join(format!("bellcrank_fuzz_{count}"));
            let saved = std::fs::write(&file, &bytes).is_ok();
            eprintln!(
                "{parser:?} {took:?} panicked: {}; saved {saved} in {}",
                outcome.is_err(),
                file.display()
            );
            std::process::exit(1);
        }
        slowest = slowest.max(took);
        count += 1;
    }
    println!("{count} files, the slowest took {slowest:?}, {}", memory());
}

fn wanted(parser: Parser, which: &str) -> bool {
    match (parser, which) {
        (_, "") => true,
        (Parser::Robot(format), name) => format.name().eq_ignore_ascii_case(name),
        (Parser::Mesh(_), name) => name == "mesh",
    }
}

fn parser_of(file: &str) -> Option<Parser> {
    match file.rsplit('.').next()? {
        "urdf" => Some(Parser::Robot(Format::Urdf)),
        "xml" => Some(Parser::Robot(Format::Mjcf)),
        "usda" => Some(Parser::Robot(Format::Usd)),
        "stl" => Some(Parser::Mesh("a.stl")),
        "obj" => Some(Parser::Mesh("a.obj")),
        "dae" => Some(Parser::Mesh("a.dae")),
        "glb" => Some(Parser::Mesh("a.glb")),
        _ => None,
    }
}

/// The most memory that was in use, where the system tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    peak.map_or("memory unknown".to_owned(), |line| line.split_whitespace().collect::<Vec<_>>().join(" "))
}
