//! A browser, as tests play it.
#![allow(dead_code)] // each test uses its own part

use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions};
use bellcrank_view::{Address, LiveOptions, Running, spawn};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use tungstenite::{Message, WebSocket};

pub fn show(name: &str) -> Running {
    let model = library::by_name(name).expect("shipped").build().expect("sound");
    let batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
    spawn(batch, None, LiveOptions::default()).expect("a viewer")
}

/// First line of the answer, and the rest.
pub fn get(address: &Address, path: &str, host: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address.socket).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (first, rest) = text.split_once("\r\n").expect("a first line");
    (first.to_owned(), rest.to_owned())
}

pub fn connect(address: &Address, origin: &str) -> Result<WebSocket<TcpStream>, String> {
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

pub fn own(address: &Address) -> WebSocket<TcpStream> {
    connect(address, &format!("http://{}", address.socket)).expect("the own page may connect")
}

/// The next message of this type.
pub fn next_text(socket: &mut WebSocket<TcpStream>, kind: &str) -> Value {
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
pub fn next_frame(socket: &mut WebSocket<TcpStream>) -> (f64, Vec<f32>) {
    socket.send(Message::text("ready")).expect("sent");
    loop {
        if let Message::Binary(bytes) = socket.read().expect("a message") {
            let time = f64::from_le_bytes(bytes[28..36].try_into().expect("eight bytes"));
            let number = |b: &[u8]| f32::from_le_bytes(b.try_into().expect("four bytes"));
            return (time, bytes[44..44 + 28].chunks(4).map(number).collect());
        }
    }
}

pub fn ask(socket: &mut WebSocket<TcpStream>, command: Value) {
    socket.send(Message::text(command.to_string())).expect("sent");
}
