//! How a mechanism is read: the options that every command with a file has.

use super::Error;
use bellcrank::import::{Base, Compliance, FixedJoints, ImportError, Options, load, load_builder};
use bellcrank::model::{Model, ModelBuilder, library};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Reading the file")]
pub struct Opening {
    /// What carries the root link of a URDF file
    #[arg(long, value_enum, default_value_t = Carrier::Fixed)]
    pub base: Carrier,
    /// Where package://NAME is; may be given again
    #[arg(long = "package", value_name = "NAME=FOLDER", value_parser = package)]
    pub packages: Vec<(String, PathBuf)>,
    /// A folder that files may be read from besides the model's own; may be given again
    #[arg(long = "folder", value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Give masses and inertias that no body has the nearest that can move
    #[arg(long)]
    pub mend_inertia: bool,
    /// Keep links on fixed joints as bodies of their own
    #[arg(long)]
    pub keep_fixed_joints: bool,
    /// Motors that only give effort hold their joints, with gains from the inertia that they move
    #[arg(long)]
    pub hold: bool,
    /// How hard contacts and limits are: exactly, or as soft as MuJoCo makes them (MJCF)
    #[arg(long, value_enum, default_value_t = Softness::Hard)]
    pub compliance: Softness,
    /// A planner's file for a URDF: links that never touch, named states
    #[arg(long, value_name = "FILE.srdf")]
    pub srdf: Option<PathBuf>,
}

/// The robot of a task, where it does not ship.
#[derive(Args, Clone, Default)]
pub struct Brought {
    /// The robot's file, for tasks whose robot does not ship (`dr_legs_walk`)
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

impl Brought {
    /// Its file, if one was given.
    pub fn file(&self) -> Option<PathBuf> {
        self.model.clone()
    }

    /// The robot, if one was given.
    pub fn robot(&self) -> Result<Option<ModelBuilder>, Error> {
        let read = |path: &PathBuf| load_builder(path, &Options::default()).map_err(Error::Import);
        self.model.as_ref().map(read).transpose()
    }
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
pub enum Carrier {
    /// Bolted to the world
    #[default]
    Fixed,
    /// Free to move
    Floating,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
pub enum Softness {
    /// Nothing gives way
    #[default]
    Hard,
    /// As soft as in MuJoCo
    Mujoco,
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, folder) = text.split_once('=').ok_or("it must be NAME=FOLDER")?;
    Ok((name.to_owned(), folder.into()))
}

impl Opening {
    fn options(&self) -> Options {
        let base = if self.base == Carrier::Floating { Base::Floating } else { Base::Fixed };
        let fixed_joints = if self.keep_fixed_joints { FixedJoints::Keep } else { FixedJoints::Merge };
        Options {
            base,
            fixed_joints,
            packages: self.packages.iter().cloned().collect(),
            folders: self.folders.clone(),
            mend_inertia: self.mend_inertia,
            hold: self.hold,
            compliance: match self.compliance {
                Softness::Hard => Compliance::Hard,
                Softness::Mujoco => Compliance::Mujoco,
            },
            srdf: self.srdf.clone(),
            ..Options::default()
        }
    }

    /// A model from a file (`.urdf`, `.xml`, `.usda`, `.usdc`, `.usdz`), or the shipped mechanism of that name.
    pub fn open(&self, name: &str) -> Result<Model, Error> {
        if let Some(mut builder) = library::by_name(name) {
            if self.hold {
                builder.hold().map_err(Error::Faults)?;
            }
            return builder.build().map_err(Error::Faults);
        }
        if !Path::new(name).exists() {
            return Err(Error::UnknownModel(name.into()));
        }
        load(name, &self.options()).map_err(Error::Import)
    }
}

/// The faults with the options of the library in the words of the command line.
pub fn told(error: &ImportError) -> String {
    in_words(&error.to_string())
}

/// A hint in the words of the command line.
pub fn in_words(text: &str) -> String {
    text.replace("load with the option mend_inertia", "give --mend-inertia")
        .replace("add its folder to the option folders", "give --folder FOLDER")
        .replace("the option packages takes", "--package takes")
}
