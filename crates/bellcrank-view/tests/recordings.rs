//! What is recorded is what happened, to the written quanta; what is damaged is refused.

use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions};
use bellcrank_view::{Frame, RecordOptions, Recorder, Touching, ViewError, read_recording};
use std::sync::Arc;

fn batch(name: &str, worlds: usize) -> Batch {
    let model = Arc::new(library::by_name(name).expect("shipped").build().expect("sound"));
    Batch::new(model, worlds, BatchOptions::default()).expect("a batch")
}

/// 130 frames, so that there are three blocks.
fn record(name: &str, worlds: usize) -> (Vec<u8>, Vec<Frame>) {
    let mut batch = batch(name, worlds);
    let options = RecordOptions { frames_per_second: 250.0, worlds: (0..worlds).collect() };
    let mut recorder = Recorder::in_memory(&batch, options).expect("a recorder");
    let mut truth = Vec::new();
    for step in 0..130 {
        let time = f64::from(step) * batch.dt();
        recorder.observe(&batch, time).expect("recorded");
        truth.push(Frame::of(&batch, 0..worlds, time, Touching::All).expect("a frame"));
        batch.step(1);
    }
    assert_eq!(recorder.frame_count(), 130);
    (recorder.finish_html().expect("a page"), truth)
}

/// Half a quantum: size / 131072 for positions (chain: 1 m → 8e-6), 0.5 / 32767 for quaternions, 0.5e-4 for joints, 0.5e-3 for
/// their velocities;
/// f32 rounding is below a tenth of that.
#[test]
fn a_recording_gives_back_every_frame() {
    let (html, truth) = record("chain", 3);
    let playback = read_recording(&html).expect("a recording");
    assert_eq!(playback.frames.len(), truth.len());
    let position = playback.header["quanta"]["position"].as_f64().expect("a quantum");
    for (read, meant) in playback.frames.iter().zip(&truth) {
        assert_eq!(read.time, meant.time);
        assert_eq!(read.traces, meant.traces);
        for (body, (a, b)) in read.poses.chunks(7).zip(meant.poses.chunks(7)).enumerate() {
            let apart = |k: usize, sign: f32| f64::from((a[k] - sign * b[k]).abs());
            assert!((0..3).all(|k| apart(k, 1.0) < 0.6 * position), "body {body}: {a:?} {b:?}");
            // q and −q are the same rotation
            let same = |sign: f32| (3..7).all(|k| apart(k, sign) < 0.6 / 32767.0);
            assert!(same(1.0) || same(-1.0), "body {body}: {a:?} {b:?}");
        }
        assert!(read.joints.iter().zip(&meant.joints).all(|(a, b)| (a - b).abs() < 0.6e-4));
        assert_eq!(read.joint_velocities.len(), 30, "ten hinges, three worlds");
        assert!(
            read.joint_velocities.iter().zip(&meant.joint_velocities).all(|(a, b)| (a - b).abs() < 0.6e-3)
        );
    }
}

/// A box of 1 kg at rest: the contact forces add up to 9.81 N upwards, at the height of the plane.
#[test]
fn contacts_carry_the_weight() {
    let mut batch = batch("box", 2);
    let mut recorder = Recorder::in_memory(&batch, RecordOptions::default()).expect("a recorder");
    batch.step(100);
    recorder.observe(&batch, 0.4).expect("recorded");
    let playback = read_recording(&recorder.finish_html().expect("a page")).expect("a recording");
    let quantum = playback.header["quanta"]["force"].as_f64().expect("a quantum") as f32;
    for world in 0..2 {
        let of_world = playback.frames[0].contacts.chunks(7).filter(|c| c[0] as usize == world);
        let contacts: Vec<&[f32]> = of_world.collect();
        assert!((1..=8).contains(&contacts.len()), "{contacts:?}");
        let lift: f32 = contacts.iter().map(|c| c[6]).sum();
        assert!((lift - 9.81).abs() < 8.0 * quantum + 1e-3, "{lift} N");
        assert!(contacts.iter().all(|c| c[3].abs() < 1e-3));
    }
}

#[test]
fn frames_are_taken_at_the_asked_rate_whatever_the_step() {
    let mut batch = batch("pendulum", 1);
    let options = RecordOptions { frames_per_second: 30.0, ..RecordOptions::default() };
    let mut recorder = Recorder::in_memory(&batch, options).expect("a recorder");
    for step in 0..=500 {
        recorder.observe(&batch, f64::from(step) * batch.dt()).expect("recorded"); // two seconds
        batch.step(1);
    }
    assert_eq!(recorder.frame_count(), 61);
}

#[test]
fn every_truncation_is_refused_or_shorter_and_nothing_panics() {
    let (html, _) = record("four_bar", 1);
    let text = String::from_utf8(html).expect("text");
    let start = text.find("octet-stream\">").expect("a recording") + "octet-stream\">".len();
    let end = start + text[start..].find('<').expect("its end");
    let bytes = data_encoding::BASE64.decode(&text.as_bytes()[start..end]).expect("base64");
    assert!(read_recording(&bytes).is_ok());
    for length in (0..bytes.len()).step_by(97) {
        if let Ok(playback) = read_recording(&bytes[..length]) {
            assert!(playback.frames.len() < 130);
        }
    }
    for at in (12..bytes.len()).step_by(41) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let _ = read_recording(&damaged); // any answer but a panic
    }
    assert!(matches!(read_recording(b"GIF89a"), Err(ViewError::BadRecording(_))));
}

#[test]
fn nonsense_is_an_error() {
    let batch = batch("box", 2);
    let with = |frames_per_second, worlds: &[usize]| {
        Recorder::in_memory(&batch, RecordOptions { frames_per_second, worlds: worlds.to_vec() }).err()
    };
    assert!(matches!(with(0.0, &[0]), Some(ViewError::BadRate(_))));
    assert!(matches!(with(f64::NAN, &[0]), Some(ViewError::BadRate(_))));
    assert!(matches!(with(30.0, &[2]), Some(ViewError::Batch(_))));
    let nowhere = std::path::Path::new("/no/such/folder/out.html");
    let error = Recorder::to_file(&batch, RecordOptions::default(), nowhere).err().expect("an error");
    let text = error.to_string();
    assert!(text.starts_with("cannot write /no/such/folder/out.html: "), "{text}");
    assert!(text.ends_with("hint: the folder must exist"), "{text}");
}
