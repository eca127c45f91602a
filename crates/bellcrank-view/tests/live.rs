//! The live server, as a browser and as an intruder see it.

#[path = "live/browser.rs"]
mod browser;

use bellcrank_sim::{Batch, BatchOptions};
use bellcrank_view::{Line, Live, LiveOptions};
use browser::{ask, connect, get, next_frame, next_text, own, show};
use serde_json::json;

#[test]
fn the_page_is_for_this_machine_only() {
    let running = show("pendulum");
    let host = running.address.socket.to_string();
    let (status, rest) = get(&running.address, "/", &host);
    assert!(status.contains("200") && rest.contains("<!doctype html>"), "{status}");
    assert!(rest.contains("Content-Security-Policy: default-src 'none'"));
    assert!(get(&running.address, "/", "evil.example").0.contains("403"));
    assert!(get(&running.address, "/etc/passwd", &host).0.contains("404"));
    assert!(get(&running.address, "/live", &host).0.contains("426"));
    assert!(connect(&running.address, "http://evil.example").is_err());
    running.stop().expect("it ran");
}

#[test]
fn a_browser_sees_the_scene_and_moving_frames_and_can_pause_them() {
    let running = show("pendulum");
    let mut socket = own(&running.address);
    let scene = next_text(&mut socket, "scene");
    assert_eq!(scene["scene"]["models"][0]["name"], "pendulum");
    let (first, _) = next_frame(&mut socket);
    let mut last = first;
    while last < first + 0.1 {
        last = next_frame(&mut socket).0;
    }
    ask(&mut socket, json!({ "type": "pause" }));
    while next_text(&mut socket, "state")["playing"] != false {}
    ask(&mut socket, json!({ "type": "step", "count": 3 }));
    next_text(&mut socket, "state");
    ask(&mut socket, json!({ "type": "reset", "worlds": [] }));
    next_text(&mut socket, "state");
    while next_frame(&mut socket).0 != 0.0 {}
    let batch = running.stop().expect("it ran");
    assert_eq!(batch.worlds(), 1);
}

#[test]
fn nonsense_is_answered_and_the_show_goes_on() {
    let running = show("four_bar");
    let mut socket = own(&running.address);
    next_text(&mut socket, "state");
    for (command, answer) in [
        (json!({ "type": "explode" }), "something unknown"),
        (json!({ "type": "target", "worlds": [7], "actuator": 0, "value": 1.0 }), "there is no world 7"),
        (
            json!({ "type": "target", "worlds": [0], "actuator": 5, "value": 1.0 }),
            "there is no actuator number 5",
        ),
        (json!({ "type": "joint", "world": 0, "joint": 50, "value": 1.0 }), "there is no joint number 50"),
        (
            json!({ "type": "drag", "world": 0, "body": 9, "anchor": [0, 0, 0], "target": [0, 0, 0] }),
            "no body number 9",
        ),
        (json!({ "type": "joint", "world": 0, "joint": 3, "value": 2.5 }), "does not close"),
    ] {
        ask(&mut socket, command);
        let note = next_text(&mut socket, "state")["note"].to_string();
        assert!(note.contains(answer), "{note}");
    }
    running.stop().expect("it ran");
}

/// The spring pulls with k · 0.2 m = 71 N at 1 kg (see `drag`), seven times its weight: the box leaves the ground.
#[test]
fn a_dragged_box_rises_and_falls_again() {
    let running = show("box");
    let mut socket = own(&running.address);
    let (_, pose) = next_frame(&mut socket);
    ask(
        &mut socket,
        json!({ "type": "drag", "world": 0, "body": 0, "anchor": [0, 0, 0], "target": [0, 0, pose[2] + 0.2] }),
    );
    while next_frame(&mut socket).1[2] < pose[2] + 0.1 {}
    ask(&mut socket, json!({ "type": "release" }));
    while next_frame(&mut socket).1[2] > pose[2] + 1e-3 {}
    running.stop().expect("it ran");
}

/// Lines come with the frame of their time, those of the last call in place of earlier ones.
#[test]
fn lines_are_drawn_with_the_frames_that_somebody_else_makes() {
    let model = bellcrank_model::library::by_name("pendulum").expect("shipped").build().expect("sound");
    let mut batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
    let mut live = Live::start(&batch, LiveOptions::default()).expect("a viewer");
    let address = live.address().clone();
    let browser = std::thread::spawn(move || {
        let mut socket = own(&address);
        next_text(&mut socket, "scene");
        next_frame(&mut socket);
        socket.send(tungstenite::Message::text("ready")).expect("sent");
        next_text(&mut socket, "lines")
    });
    let mut step = 0.0_f32;
    while !browser.is_finished() {
        step += 1.0;
        batch.step(1);
        let line =
            Line { world: 0, points: vec![[0.0, 0.0, step], [1.0, 0.0, step]], color: [1.0, 0.5, 0.0] };
        live.draw(&[line]);
        live.attend(&mut batch).expect("no commands");
        live.show(&batch, f64::from(step) * batch.dt()).expect("a frame");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let seen = browser.join().expect("a browser");
    let (lines, height) = (&seen["lines"], &seen["lines"][0]["points"][0][2]);
    assert_eq!(lines.as_array().map(Vec::len), Some(1), "{seen}");
    assert_eq!((&lines[0]["world"], &lines[0]["color"]), (&json!(0), &json!([1.0, 0.5, 0.0])));
    assert!(height.as_f64().is_some_and(|z| z >= 1.0 && z <= f64::from(step)), "{seen}");
}
