//! `bellcrank export`

use super::Error;
use super::say::say;
use bellcrank::learn::Policy;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Export {
    /// A policy's file, or the name of one that ships (`biped_walk`)
    policy: String,
    /// The ONNX file to write
    #[arg(value_name = "OUT.onnx")]
    out: PathBuf,
}

impl Export {
    pub fn run(self) -> Result<(), Error> {
        let (policy, _) = Policy::open(&self.policy).map_err(Error::Learn)?;
        policy.export_onnx(&self.out).map_err(Error::Learn)?;
        let (n, m) = policy.ends();
        say(format_args!("{}: observations (batch, {n}) → actions (batch, {m})", self.out.display()));
        Ok(())
    }
}
