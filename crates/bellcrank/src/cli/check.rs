//! `bellcrank check`

use super::say::say;
use super::{Error, open};
use bellcrank::model::{JointId, Model};
use clap::Args;
use serde::Serialize;

#[derive(Args)]
pub struct Check {
    /// A file (.urdf, .xml, .usda), or the name of a shipped mechanism (`bellcrank models` lists them)
    file: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The figures, under the names that scripts rely on.
#[derive(Serialize)]
struct Figures {
    model: String,
    bodies: usize,
    joints: usize,
    actuators: usize,
    loops: usize,
    dofs: usize,
    redundant_rows: usize,
    mass_kg: f64,
    ignored: Vec<String>,
    warnings: Vec<String>,
}

impl Figures {
    fn of(model: &Model) -> Self {
        Figures {
            model: model.name().into(),
            bodies: model.bodies().len(),
            joints: model.joints().len(),
            actuators: model.actuators().len(),
            loops: model.loops().len(),
            dofs: model.mobility(),
            redundant_rows: model.redundant_rows(),
            mass_kg: model.mass(),
            ignored: model.ignored().iter().map(|i| format!("{}: {}", i.place, i.why)).collect(),
            warnings: model.warnings().iter().map(ToString::to_string).collect(),
        }
    }
}

impl Check {
    pub fn run(self) -> Result<(), Error> {
        let model = open(&self.file)?;
        let figures = Figures::of(&model);
        if self.json {
            // a struct of numbers and texts always has a JSON form
            say(serde_json::json!(figures));
        } else {
            print_figures(&model, &figures);
        }
        Ok(())
    }
}

fn print_figures(model: &Model, figures: &Figures) {
    say(&figures.model);
    say(format_args!("  bodies          {:>6}   {:.4} kg", figures.bodies, figures.mass_kg));
    say(format_args!("  joints          {:>6}   {} actuated", figures.joints, figures.actuators));
    say(format_args!("  loops           {:>6}", figures.loops));
    say(format_args!("  freedoms        {:>6}   at the reference pose", figures.dofs));
    say(format_args!("  constraint rows {:>6}   {} redundant", model.row_count(), figures.redundant_rows));
    let (metres, radians) = model.reference_gap();
    say(format_args!("  open by         {:>6.0e} m, {:.0e} rad at the reference pose", metres, radians));
    for (k, closed) in model.loops().iter().enumerate() {
        let name = |joint: &JointId| model.joints()[joint.index()].name.as_str();
        let names: Vec<&str> = closed.joints.iter().map(name).collect();
        say(format_args!("  loop {}: {}", k + 1, names.join(" – ")));
    }
    for (title, lines) in [("ignored", &figures.ignored), ("warning", &figures.warnings)] {
        lines.iter().for_each(|line| say(format_args!("  {title}: {line}")));
    }
}
