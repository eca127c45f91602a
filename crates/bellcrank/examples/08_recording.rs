//! Recording: what a batch does becomes one HTML page that plays in any browser. Twin of `examples/08_recording.py`.

use bellcrank::prelude::*;
use bellcrank::sim::Quantity;
use bellcrank::view::{RecordOptions, Recorder, read_recording};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let model = library::by_name("jansen_leg").ok_or("there is no such mechanism")?.build()?;
    let motors = model.actuators().len();
    let mut batch = Batch::new(model.into(), 4, BatchOptions::default())?;
    let speeds: Vec<f64> = (0..4 * motors).map(|k| 2.0 + (k / motors) as f64).collect(); // each world its own
    batch.write(Quantity::TargetVelocity, &speeds)?;

    let path = std::env::temp_dir().join("bellcrank_recording_rs.html");
    let mut recorder = Recorder::to_file(&batch, RecordOptions::default(), &path)?;
    recorder.observe(&batch, 0.0)?;
    for step in 1..=250 {
        batch.step(1);
        recorder.observe(&batch, f64::from(step) * batch.dt())?; // takes a frame when one is due
    }
    let frames = recorder.frame_count();
    recorder.finish()?;
    println!("1 s, {frames} frames: {}", path.display());

    // 30 frames per second and the first one
    let played = read_recording(&std::fs::read(&path)?)?;
    assert_eq!((frames, played.frames.len()), (31, 31));
    std::fs::remove_file(&path)?;
    Ok(())
}
