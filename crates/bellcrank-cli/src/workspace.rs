//! `bellcrank check --workspace FRAME`: where a frame can be, how well motors hold it there, and a picture.

use super::Error;
use bellcrank::model::Model;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub struct Asked {
    /// Draw poses of the mechanism and tell where this body or site gets to
    #[arg(long, value_name = "FRAME")]
    workspace: Option<String>,
    /// The picture of the workspace
    #[arg(long, value_name = "OUT.svg", default_value = "workspace.svg", requires = "workspace")]
    picture: PathBuf,
}

/// What was found, under the names that scripts rely on.
#[derive(Serialize)]
pub struct Found {
    frame: String,
    poses: usize,
    low_m: [f64; 3],
    high_m: [f64; 3],
    singular_value_min: f64,
    singular_value_max: f64,
    picture: String,
}

impl Asked {
    /// Draws, and writes the picture; nothing where it is not asked for.
    pub fn draw(&self, model: &Model) -> Result<Option<Found>, Error> {
        self.workspace.as_ref().map(|frame| self.found(model, frame)).transpose()
    }

    fn found(&self, model: &Model, frame: &str) -> Result<Found, Error> {
        use bellcrank::kinematics::Workspace;
        /// Poses in a picture.
        const POSES: usize = 3000;
        let space = Workspace::draw::<f64>(model, frame, POSES, 0)
            .map_err(|error| Error::Other(format!("{error}\n  hint: {}", known(model))))?;
        if space.points.is_empty() {
            let hint = "a mechanism without motors and limits has no joint to draw values for";
            return Err(Error::Other(format!(
                "no pose of {} closes within its limits\n  hint: {hint}",
                model.name()
            )));
        }
        std::fs::write(&self.picture, space.svg(&format!("{}: {frame}", model.name())))
            .map_err(|error| Error::Write(self.picture.clone(), error))?;
        let [low, high] = space.bounds();
        Ok(Found {
            frame: frame.to_owned(),
            poses: space.points.len(),
            low_m: low.to_array(),
            high_m: high.to_array(),
            singular_value_min: space.holds.iter().copied().fold(f64::INFINITY, f64::min),
            singular_value_max: space.holds.iter().copied().fold(0.0, f64::max),
            picture: self.picture.display().to_string(),
        })
    }
}

/// Frames by name, the first few of them.
fn known(model: &Model) -> String {
    let names: Vec<&str> = model.bodies().iter().map(|body| body.name.as_str()).collect();
    let sites = model.sites().iter().map(|site| site.name.as_str());
    let all: Vec<&str> = sites.chain(names).collect();
    let more = if all.len() > 12 { ", …" } else { "" };
    format!("there are {}{more}", all[..all.len().min(12)].join(", "))
}

impl Found {
    pub fn told(&self) -> String {
        let [low, high] = [self.low_m, self.high_m];
        let axis = |k: usize, name: &str| format!("{name} {:.3} to {:.3}", low[k], high[k]);
        format!(
            "workspace of {}: {} poses, {}, {}, {} m\n  singular value of motors {:.3} to {:.3}; picture: {}\n",
            self.frame,
            self.poses,
            axis(0, "x"),
            axis(1, "y"),
            axis(2, "z"),
            self.singular_value_min,
            self.singular_value_max,
            self.picture
        )
    }
}
