//! `bellcrank convert`: a mechanism in another format.

use super::Error;
use super::opening::Opening;
use super::say::say;
use bellcrank::import::{Exported, to_mjcf, to_urdf, to_usd};
use bellcrank::model::Model;
use clap::Args;
use std::path::{Path, PathBuf};

/// What `--strict` ends with when something is left out.
const LEFT_OUT: i32 = 3;

#[derive(Args)]
pub struct Convert {
    /// A file (.urdf, .xml, .usda, .usdc, .usdz), or the name of a shipped mechanism (`bellcrank models` lists them)
    #[arg(value_parser = super::completions::Named, hide_possible_values = true)]
    file: String,
    /// What is written: .urdf, .xml (MJCF) or .usda; meshes are written beside it
    out: PathBuf,
    #[command(flatten)]
    opening: Opening,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// End with code 3 when the other format cannot say everything
    #[arg(long)]
    strict: bool,
}

impl Convert {
    pub fn run(self) -> Result<(), Error> {
        let write = writer(&self.out)?;
        let model = self.opening.open(&self.file)?;
        let exported = write(&model);
        let written = put(&exported, &self.out)?;
        if self.json {
            say(
                serde_json::json!({ "model": model.name(), "written": written, "left_out": exported.left_out }),
            );
        } else {
            written.iter().for_each(|path| say(format!("wrote {path}")));
            exported.left_out.iter().for_each(|what| say(format!("left out: {what}")));
        }
        if self.strict && !exported.left_out.is_empty() {
            std::process::exit(LEFT_OUT);
        }
        Ok(())
    }
}

/// The format follows from the ending.
fn writer(out: &Path) -> Result<fn(&Model) -> Exported, Error> {
    let ending = out.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "urdf" => Ok(to_urdf),
        "xml" | "mjcf" => Ok(to_mjcf),
        "usda" | "usd" => Ok(to_usd),
        _ => Err(Error::UnknownFormat(out.display().to_string())),
    }
}

fn put(exported: &Exported, out: &Path) -> Result<Vec<String>, Error> {
    let folder = out.parent().unwrap_or(Path::new(""));
    let files = exported.files.iter().map(|(name, bytes)| (folder.join(name), bytes.as_slice()));
    let mut written = Vec::new();
    for (path, bytes) in [(out.to_path_buf(), exported.text.as_bytes())].into_iter().chain(files) {
        std::fs::write(&path, bytes).map_err(|error| Error::Write(path.clone(), error))?;
        written.push(path.display().to_string());
    }
    Ok(written)
}
