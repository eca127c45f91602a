//! Records as one page that needs nothing else: pictures, and all figures in tables.

use crate::{Record, Scene};
use bellcrank_plot::{Bars, Chart, Curve, Scale, escape};
use std::fmt::Write;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1f2933; --faint: #d8dde3; --paper: #fff; --bar: #1f6f8b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --faint: #3b444f; --paper: #12161b; --bar: #4aa3c0; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
svg { width: 100%; height: auto; margin: 0.5rem 0; }
svg text { fill: var(--ink); font-size: 12px; } svg .title { font-size: 15px; }
svg line { stroke: var(--faint); } svg polyline { fill: none !important; stroke-width: 2; } svg circle { stroke: none; }
svg .bar { fill: var(--bar); }
.c0 { stroke: #1f8bb0; fill: #1f8bb0; } .c1 { stroke: #e07a3f; fill: #e07a3f; } .c2 { stroke: #8f6fc0; fill: #8f6fc0; }
.c3 { stroke: #4f9d69; fill: #4f9d69; } .c4 { stroke: #d0503f; fill: #d0503f; } .c5 { stroke: #8a93a0; fill: #8a93a0; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; white-space: nowrap; }
th, td { text-align: right; padding: 0.15rem 0.6rem; border-bottom: 1px solid var(--faint); }
th:first-child, td:first-child { text-align: left; }
";

/// The page.
pub fn html(found: &[(&Scene, Vec<Record>)]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>bellcrank bench</title><style>{STYLE}</style></head><body>\n\
         <h1>bellcrank bench</h1>\n<p>Bellcrank {}, {}. Processor time; medians of rounds in turns.</p>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&processor())
    );
    for (scene, records) in found {
        let _ = writeln!(out, "<h2>{}</h2>\n<p>{}</p>", scene.name, escape(scene.about));
        out += &pictures(scene.name, records);
        out += &tables(records);
    }
    out + "</body></html>\n"
}

fn pictures(scene: &str, records: &[Record]) -> String {
    let by = |keys: &[&str], x: &dyn Fn(&Record) -> f64, y: &str| curves(records, keys, x, y);
    let leading = |record: &Record| record.leading_number("model");
    let chart = |title, x, y, curves: Vec<Curve>| {
        let (x, y) = ((x, Scale::Powers), (y, Scale::Powers));
        Chart { title, x, y, curves: &curves, marks: true, size: [720.0, 380.0] }.svg()
    };
    let rate = "world_steps_per_core_second";
    match scene {
        "worlds" => {
            let keys = ["precision", "threads"];
            chart("Throughput per core", "worlds", "world-steps per core-second", by(&keys, &leading, rate))
                + &chart(
                    "Throughput",
                    "worlds",
                    "world-steps per second",
                    by(&keys, &leading, "world_steps_per_second"),
                )
        }
        "chain" => {
            let precision = ["precision"];
            chart("Length of a chain", "links", "world-steps per core-second", by(&precision, &leading, rate))
                + &chart(
                    "Memory",
                    "links",
                    "bytes per world",
                    by(&precision, &leading, "memory_bytes_per_world"),
                )
        }
        "contact" => {
            let contacts = |record: &Record| record.number("contacts_mean");
            let alone: Vec<Record> =
                records.iter().filter(|r| r.number("worlds") == 1.0).map(Record::copy).collect();
            let time = curves(&alone, &["solver"], &contacts, "microseconds_per_step");
            chart("Contacts in one world, f64", "contacts", "µs per step", time)
        }
        _ => bars(scene, records),
    }
}

/// One curve for each combination of the keys' values.
fn curves(records: &[Record], keys: &[&str], x: &dyn Fn(&Record) -> f64, y: &str) -> Vec<Curve> {
    let mut found: Vec<Curve> = Vec::new();
    for record in records {
        let point = [x(record), record.number(y)];
        if !(point[0] > 0.0 && point[1] > 0.0) {
            continue;
        }
        let name = keys.iter().map(|key| record.words(key)).collect::<Vec<_>>().join(", ");
        match found.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => found.push(Curve { name, points: vec![point] }),
        }
    }
    found.iter_mut().for_each(|curve| curve.points.sort_by(|a, b| a[0].total_cmp(&b[0])));
    found
}

/// World-steps or states per core-second of everything that has some.
fn bars(scene: &str, records: &[Record]) -> String {
    let (unit, key) = if scene == "tree" {
        ("states per core-second", "states_per_core_second")
    } else {
        ("world-steps per core-second", "world_steps_per_core_second")
    };
    let named = |record: &Record| {
        let keys = ["model", "operator", "solver", "precision", "lanes", "results", "threads"];
        let words: Vec<String> =
            keys.iter().map(|key| record.words(key)).filter(|word| !word.is_empty()).collect();
        (words.join(", "), record.number(key))
    };
    let rows: Vec<(String, f64)> = records.iter().map(named).filter(|row| row.1 > 0.0).collect();
    if rows.is_empty() { String::new() } else { Bars { title: scene, unit, rows: &rows }.svg() }
}

fn tables(records: &[Record]) -> String {
    let mut out = String::new();
    for alike in records.chunk_by(|a, b| a.keys() == b.keys()) {
        let head: String =
            alike[0].keys().iter().map(|key| format!("<th>{}</th>", key.replace('_', " "))).collect();
        let _ = writeln!(out, "<div class=\"table\"><table><tr>{head}</tr>");
        for record in alike {
            let cells: String =
                record.cells().iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            let _ = writeln!(out, "<tr>{cells}</tr>");
        }
        out += "</table></div>\n";
    }
    out
}

/// What the machine computes with.
fn processor() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {cores} cores, lanes of {}", bellcrank::math::Level::best())
}
