//! The live server, as a browser and as an intruder see it.

use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions};
use bellcrank_view::{Address, LiveOptions, Running, spawn};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use tungstenite::{Message, WebSocket};

fn show(name: &str) -> Running {
    let model = library::by_name(name).expect("shipped").build().expect("sound");
    let batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
    spawn(batch, None, LiveOptions::default()).expect("a viewer")
}

/// First line of the answer, and the rest.
fn get(address: &Address, path: &str, host: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address.socket).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (first, rest) = text.split_once("\r\n").expect("a first line");
    (first.to_owned(), rest.to_owned())
}

fn connect(address: &Address, origin: &str) -> Result<WebSocket<TcpStream>, String> {
    let stream = TcpStream::connect(address.socket).expect("a connection");
    let host = address.socket.to_string();
    let request = tungstenite::http::Request::builder()
        .uri(format!("ws://{host}/live"))
        .header("Host", &host)
        .header("Origin", origin)
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
        .body(())
        .expect("a request");
    tungstenite::client::client(request, stream).map(|(socket, _)| socket).map_err(|error| error.to_string())
}

fn own(address: &Address) -> WebSocket<TcpStream> {
    connect(address, &format!("http://{}", address.socket)).expect("the own page may connect")
}

/// The next message of this type.
fn next_text(socket: &mut WebSocket<TcpStream>, kind: &str) -> Value {
    loop {
        if let Message::Text(text) = socket.read().expect("a message") {
            let value: Value = serde_json::from_str(text.as_str()).expect("JSON");
            if value["type"] == kind {
                return value;
            }
        }
    }
}

/// Time and first pose of the next frame.
fn next_frame(socket: &mut WebSocket<TcpStream>) -> (f64, Vec<f32>) {
    socket.send(Message::text("ready")).expect("sent");
    loop {
        if let Message::Binary(bytes) = socket.read().expect("a message") {
            let time = f64::from_le_bytes(bytes[24..32].try_into().expect("eight bytes"));
            let number = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("four bytes"));
            return (time, bytes[40..40 + 28].chunks(4).map(number).collect());
        }
    }
}

fn ask(socket: &mut WebSocket<TcpStream>, command: Value) {
    socket.send(Message::text(command.to_string())).expect("sent");
}

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
