//! Files and text into models.

use crate::builder::ModelBuilder;
use crate::error::{Problem, said};
use crate::model::Model;
use crate::options::Options as Keywords;
use bellcrank::import::{self, Base, Compliance, FixedJoints, Format, Options};
use bellcrank::model::library as shipped;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Reads a robot from a file, or makes the shipped mechanism of that name.
#[pyfunction]
#[pyo3(signature = (path, **options))]
pub fn load(py: Python<'_>, path: PathBuf, options: Option<&Bound<'_, PyDict>>) -> PyResult<Model> {
    let options = read_options(py, "load", options)?;
    if let Some(builder) = by_name(&path) {
        return Ok(Model::new(builder.build().map_err(Problem::from)?));
    }
    let loaded = py.detach(|| import::load(path, &options));
    Ok(Model::new(loaded.map_err(Problem::from)?))
}

/// Reads a robot from text.
#[pyfunction]
#[pyo3(signature = (text, format, **options))]
pub fn loads(
    py: Python<'_>,
    text: &str,
    format: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Model> {
    let (options, format) = (read_options(py, "loads", options)?, read_format(format)?);
    let loaded = py.detach(|| import::loads(text, format, &options));
    Ok(Model::new(loaded.map_err(Problem::from)?))
}

/// Like `load`, but parts may be added before the model is built.
#[pyfunction]
#[pyo3(signature = (path, **options))]
pub fn load_builder(
    py: Python<'_>,
    path: PathBuf,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ModelBuilder> {
    let options = read_options(py, "load_builder", options)?;
    if let Some(builder) = by_name(&path) {
        return Ok(ModelBuilder::wrap(builder));
    }
    Ok(ModelBuilder::wrap(import::load_builder(path, &options).map_err(Problem::from)?))
}

/// Like `loads`, but parts may be added before the model is built.
#[pyfunction]
#[pyo3(signature = (text, format, **options))]
pub fn loads_builder(
    py: Python<'_>,
    text: &str,
    format: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ModelBuilder> {
    let (options, format) = (read_options(py, "loads_builder", options)?, read_format(format)?);
    Ok(ModelBuilder::wrap(import::loads_builder(text, format, &options).map_err(Problem::from)?))
}

/// The shipped mechanisms: name and one line about each.
#[pyfunction]
pub fn library() -> Vec<(&'static str, &'static str)> {
    shipped::ALL.iter().map(|(name, about, _)| (*name, *about)).collect()
}

/// As on the command line: a shipped name goes before a file.
fn by_name(path: &std::path::Path) -> Option<bellcrank::model::ModelBuilder> {
    path.to_str().and_then(shipped::by_name)
}

fn read_format(format: &str) -> PyResult<Format> {
    match format {
        "urdf" => Ok(Format::Urdf),
        "mjcf" | "xml" => Ok(Format::Mjcf),
        "usda" | "usd" => Ok(Format::Usd),
        _ => Err(said("WrongValue", format!("there is no format {format:?}"), "urdf, mjcf or usda")),
    }
}

fn read_options(py: Python<'_>, what: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut o = Keywords::new(py, what.to_owned(), given)?;
    let choice = |name: &str, value: Option<String>, first: &str, second: &str| match value.as_deref() {
        None => Ok(false),
        Some(value) if value == first => Ok(false),
        Some(value) if value == second => Ok(true),
        Some(value) => {
            let text = format!("{what}: {name}={value:?} is neither {first:?} nor {second:?}");
            Err(said("WrongValue", text, ""))
        }
    };
    let base = o.typed::<String>("base", "a text")?;
    let fixed = o.typed::<String>("fixed_joints", "a text")?;
    let compliance = o.typed::<String>("compliance", "a text")?;
    let packages = o.typed::<BTreeMap<String, PathBuf>>("packages", "a dict of names and folders")?;
    let folders = o.typed::<Vec<PathBuf>>("folders", "a list of folders")?;
    let memory = o.typed::<BTreeMap<String, Vec<u8>>>("memory", "a dict of names and bytes")?;
    let options = Options {
        base: if choice("base", base, "fixed", "floating")? { Base::Floating } else { Base::Fixed },
        fixed_joints: match choice("fixed_joints", fixed, "merge", "keep")? {
            true => FixedJoints::Keep,
            false => FixedJoints::Merge,
        },
        packages: packages.unwrap_or_default(),
        folders: folders.unwrap_or_default(),
        memory: memory.unwrap_or_default(),
        skip_meshes: o.typed("skip_meshes", "True or False")?.unwrap_or(false),
        require_meshes: o.typed("require_meshes", "True or False")?.unwrap_or(false),
        mend_inertia: o.typed("mend_inertia", "True or False")?.unwrap_or(false),
        compliance: match choice("compliance", compliance, "hard", "mujoco")? {
            true => Compliance::Mujoco,
            false => Compliance::Hard,
        },
        hold: o.typed("hold", "True or False")?.unwrap_or(false),
        srdf: o.typed("srdf", "a file")?,
        ..Options::default()
    };
    o.finish()?;
    Ok(options)
}
