//! `bellcrank check`: what a mechanic sees before the robot moves.

use super::Error;
use super::opening::{Opening, in_words};
use super::workspace;
use bellcrank::import::{ImportError, ImportFault};
use bellcrank::model::{Joint, Loop, Model};
use clap::Args;
use serde::Serialize;
use std::io::Write;

/// What `--strict` ends with when there are warnings.
const WARNED: i32 = 3;

#[derive(Args)]
pub struct Check {
    /// A file (.urdf, .xml, .usda, .usdc, .usdz), or the name of a shipped mechanism (`bellcrank models` lists them)
    #[arg(value_parser = super::completions::Named, hide_possible_values = true)]
    file: String,
    #[command(flatten)]
    opening: Opening,
    #[command(flatten)]
    workspace: workspace::Asked,
    /// Print JSON; faults too, then with code 1
    #[arg(long)]
    json: bool,
    /// End with code 3 when there are warnings, or things that are ignored
    #[arg(long)]
    strict: bool,
}

/// The figures, under the names that scripts rely on.
#[derive(Serialize)]
struct Figures {
    model: String,
    bodies: usize,
    joints: usize,
    actuators: usize,
    couplings: usize,
    tendons: usize,
    shapes: usize,
    sensors: usize,
    keyframes: usize,
    loops: usize,
    loop_list: Vec<Cycle>,
    dofs: usize,
    constraint_rows: usize,
    redundant_rows: usize,
    mass_kg: f64,
    gap_m: f64,
    gap_rad: f64,
    ignored: Vec<String>,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<workspace::Found>,
}

/// A loop by name: the joint that closes it, and the way round from that joint's predecessor.
#[derive(Serialize)]
struct Cycle {
    closed_by: String,
    joints: Vec<String>,
    bodies: Vec<String>,
}

impl Figures {
    fn of(model: &Model) -> Self {
        let (gap_m, gap_rad) = model.reference_gap();
        Figures {
            model: model.name().into(),
            bodies: model.bodies().len(),
            joints: model.joints().len(),
            actuators: model.actuators().len(),
            couplings: model.couplings().len(),
            tendons: model.tendons().len(),
            shapes: model.shapes().len(),
            sensors: model.sensors().len(),
            keyframes: model.keyframes().len(),
            loops: model.loops().len(),
            loop_list: model.loops().iter().map(|found| Cycle::of(model, found)).collect(),
            dofs: model.mobility(),
            constraint_rows: model.row_count(),
            redundant_rows: model.redundant_rows(),
            mass_kg: model.mass(),
            gap_m,
            gap_rad,
            ignored: model.ignored().iter().map(|i| format!("{}: {}", i.place, i.why)).collect(),
            warnings: model.warnings().iter().map(ToString::to_string).collect(),
            workspace: None,
        }
    }
}

impl Cycle {
    fn of(model: &Model, found: &Loop) -> Self {
        let joint = |k: usize| &model.joints()[found.joints[k].index()];
        let ends = |joint: &Joint| [joint.predecessor.body(), joint.successor.body()];
        let name = |body: Option<_>| {
            let body = body.map(|id: bellcrank::model::BodyId| model.bodies()[id.index()].name.clone());
            body.unwrap_or_else(|| "world".into())
        };
        // from the closing joint's predecessor over the joint to its successor, and on
        let mut here = ends(joint(0))[0];
        let mut bodies = Vec::new();
        for k in 0..found.joints.len() {
            bodies.push(name(here));
            let [p, s] = ends(joint(k));
            here = if p == here { s } else { p };
        }
        let joints: Vec<String> = (0..found.joints.len()).map(|k| joint(k).name.clone()).collect();
        Cycle { closed_by: joint(0).name.clone(), joints, bodies }
    }

    /// `a –joint– b –joint– a`
    fn told(&self) -> String {
        let steps = self.bodies.iter().zip(&self.joints).map(|(body, joint)| format!("{body} –{joint}– "));
        steps.collect::<String>() + self.bodies.first().map_or("", String::as_str)
    }
}

impl Check {
    pub fn run(self) -> Result<(), Error> {
        let model = match self.opening.open(&self.file) {
            Err(Error::Import(error)) if self.json => {
                print(&format!("{}\n", faults(&self.file, &error)));
                std::process::exit(1);
            }
            Err(error @ Error::UnknownModel(_)) if self.json => {
                print(&format!("{}\n", no_file(&self.file, &error)));
                std::process::exit(1);
            }
            opened => opened?,
        };
        let figures = Figures { workspace: self.workspace.draw(&model)?, ..Figures::of(&model) };
        if self.json {
            // a struct of numbers and texts always has a JSON form
            print(&format!("{}\n", serde_json::json!(figures)));
        } else {
            print(&told(&figures));
        }
        if self.strict && !(figures.warnings.is_empty() && figures.ignored.is_empty()) {
            std::process::exit(WARNED);
        }
        Ok(())
    }
}

/// What is wrong with a file, for programs.
fn faults(file: &str, error: &ImportError) -> serde_json::Value {
    let fault = |fault: &ImportFault| {
        serde_json::json!({
            "file": fault.place.file.to_string(),
            "line": fault.place.line,
            "element": fault.place.element,
            "what": fault.kind.to_string(),
            "hint": in_words(&fault.kind.hint()),
        })
    };
    serde_json::json!({ "file": file, "faults": error.faults.iter().map(fault).collect::<Vec<_>>() })
}

/// The same where there is no such file.
fn no_file(file: &str, error: &Error) -> serde_json::Value {
    let text = error.to_string();
    let (what, hint) = text.split_once("\n  hint: ").unwrap_or((&text, ""));
    serde_json::json!({ "file": file, "faults": [{ "file": file, "line": 0, "element": "", "what": what, "hint": hint }] })
}

/// Prints all at once. A reader that has seen enough (`| head`) is no fault.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn told(f: &Figures) -> String {
    let mut text = format!("{}\n", f.model);
    let mut line = |name: &str, count: usize, more: &str| {
        text += format!("  {name:<16}{count:>6}   {more}").trim_end();
        text.push('\n');
    };
    line("bodies", f.bodies, &format!("{:.4} kg", f.mass_kg));
    line("joints", f.joints, &counted(&[(f.couplings, "coupling"), (f.tendons, "tendon")]));
    line("actuators", f.actuators, "");
    line("shapes", f.shapes, &counted(&[(f.sensors, "sensor"), (f.keyframes, "keyframe")]));
    line("freedoms", f.dofs, "at the reference pose");
    line("constraint rows", f.constraint_rows, &format!("{} redundant", f.redundant_rows));
    line("loops", f.loops, &gap(f));
    for (k, cycle) in f.loop_list.iter().enumerate() {
        text += &format!("    {}. closed by {}: {}\n", k + 1, cycle.closed_by, cycle.told());
    }
    text += &f.workspace.as_ref().map_or(String::new(), workspace::Found::told);
    text + &list("warning", &f.warnings) + &list("ignored", &f.ignored)
}

/// How far joints are open at the reference pose.
fn gap(f: &Figures) -> String {
    match (f.gap_m, f.gap_rad) {
        (m, r) if m < 1e-9 && r < 1e-9 => "all joints closed at the reference pose".into(),
        (m, r) => format!("open by {:.2e} mm, {:.2e}° at the reference pose", m * 1e3, r.to_degrees()),
    }
}

/// "2 couplings, 1 tendon", without what there is none of.
fn counted(parts: &[(usize, &str)]) -> String {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let told = parts.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| format!("{n} {noun}{}", plural(*n)));
    told.collect::<Vec<_>>().join(", ")
}

fn list(noun: &str, lines: &[String]) -> String {
    let plural = if noun == "warning" && lines.len() != 1 { "s" } else { "" };
    let mut text = String::new();
    if !lines.is_empty() {
        text = format!("{} {noun}{plural}\n", lines.len());
    }
    lines.iter().for_each(|line| text += &format!("  {line}\n"));
    text
}
