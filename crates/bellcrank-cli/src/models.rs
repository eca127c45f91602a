//! `bellcrank models`

use super::Error;
use super::say::say;
use bellcrank::model::library;
use clap::Args;

#[derive(Args)]
pub struct Models {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Models {
    pub fn run(self) -> Result<(), Error> {
        if self.json {
            let list: Vec<_> = library::ALL
                .iter()
                .map(|(name, about, _)| serde_json::json!({ "name": name, "about": about }))
                .collect();
            say(serde_json::Value::from(list));
        } else {
            for (name, about, _) in library::ALL {
                say(format_args!("{name:<20} {about}"));
            }
        }
        Ok(())
    }
}
