//! Spoils bytes for a while: `bellcrank-fuzz SECONDS|COUNTx [SEED] [TARGET...]`; all targets, each its share of the time, when none is named.
//! `bellcrank-fuzz FILE TARGET` feeds one file as it is: what did harm before.
//!
//! `10000x` feeds that many inputs to each target instead: the same inputs on every machine, which is what a check of each commit needs.
//! A panic, or bytes that take longer than ten seconds, end it with code 1; the bytes are written to the folder for temporary files, and belong
//! into `fuzz/corpus` once the fault is mended.
#![forbid(unsafe_code)]

use bellcrank_fuzz::mutate::{Dice, mutated};
use bellcrank_fuzz::{Target, seeds};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(bytes) = words.first().and_then(|file| std::fs::read(file).ok()) {
        let target = words.get(1).and_then(|name| Target::ALL.into_iter().find(|t| t.name() == *name));
        let Some(target) = target else { return no_such_target() };
        target.feed(&bytes);
        return ExitCode::SUCCESS;
    }
    let seed: u64 = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    let named: Vec<&String> = words.iter().skip(2).collect();
    let chosen: Vec<Target> = Target::ALL
        .into_iter()
        .filter(|target| named.is_empty() || named.contains(&&target.name()))
        .collect();
    if chosen.is_empty() {
        return no_such_target();
    }
    let Some(budget) = budget(words.first().map_or("60", String::as_str), chosen.len()) else {
        eprintln!("say how long: seconds in all (60) or inputs of each target (10000x)");
        return ExitCode::from(2);
    };
    let mut total = 0;
    for target in chosen {
        match spoil(target, seed.max(1), budget) {
            Ok((count, slowest)) => {
                total += count;
                println!("{:<17} {count:>9} inputs, the slowest took {slowest:.1?}", target.name());
            }
            Err(file) => {
                eprintln!("{}: see {file}", target.name());
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{total} inputs, {}", memory());
    ExitCode::SUCCESS
}

fn no_such_target() -> ExitCode {
    eprintln!("no such target; there are {}", Target::ALL.map(Target::name).join(", "));
    ExitCode::from(2)
}

/// When a target has had enough.
#[derive(Clone, Copy)]
enum Budget {
    Inputs(u64),
    Time(Duration),
}

fn budget(word: &str, targets: usize) -> Option<Budget> {
    match word.strip_suffix('x') {
        Some(count) => count.parse().ok().map(Budget::Inputs),
        None => {
            let seconds: f64 = word.parse().ok()?;
            Duration::try_from_secs_f64(seconds / targets as f64).ok().map(Budget::Time)
        }
    }
}

/// How many inputs were survived and how long the slowest took, or the file of one that was not.
fn spoil(target: Target, seed: u64, budget: Budget) -> Result<(u64, Duration), String> {
    let (seeds, begun) = (seeds(target), Instant::now());
    let mut dice = Dice(seed);
    let (mut count, mut slowest) = (0, Duration::ZERO);
    while match budget {
        Budget::Inputs(most) => count < most,
        Budget::Time(share) => begun.elapsed() < share,
    } {
        let bytes = mutated(&seeds[dice.below(seeds.len())], &mut dice);
        let (mut survived, mut took) = feed(target, &bytes);
        if survived && took > PATIENCE {
            (survived, took) = feed(target, &bytes); // a busy machine is slow once, bytes that do harm are slow again
        }
        if !survived || took > PATIENCE {
            let file = std::env::temp_dir().join(format!("bellcrank_{}_{seed}_{count}", target.name()));
            let saved = std::fs::write(&file, &bytes).is_ok();
            let what = if survived { "took too long" } else { "panicked" };
            return Err(format!("{} ({what} after {took:.1?}; written: {saved})", file.display()));
        }
        slowest = slowest.max(took);
        count += 1;
    }
    Ok((count, slowest))
}

/// Whether the bytes were survived, and how long it took.
fn feed(target: Target, bytes: &[u8]) -> (bool, Duration) {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| target.feed(bytes)));
    (outcome.is_ok(), start.elapsed())
}

/// The most memory that was in use, where the system tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    peak.map_or("memory unknown".to_owned(), |line| line.split_whitespace().collect::<Vec<_>>().join(" "))
}
