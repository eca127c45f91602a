//! The live server under attack: it keeps its memory, serves others and ends when it is told to.

#[path = "live/browser.rs"]
mod browser;

use browser::{ask, get, next_frame, next_text, own, show};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::Message;

/// Resident memory of this program [bytes], where the system tells it.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * 4096)
}

fn assert_ends_within_a_second(show: bellcrank_view::Running) {
    let start = Instant::now();
    show.stop().expect("a batch");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

/// A page of another name that resolves to this machine (DNS rebinding) is refused, as a page and as a WebSocket.
#[test]
fn foreign_names_that_look_like_addresses_are_refused() {
    let show = show("pendulum");
    let port = show.address.socket.port();
    for host in ["127.x.evil.example", "127.0.0.evil", "127.0.0.1.evil.example"] {
        for path in ["/", "/live"] {
            assert!(get(&show.address, path, &format!("{host}:{port}")).0.contains("403"), "{host}{path}");
        }
    }
    assert!(get(&show.address, "/", &format!("localhost:{port}")).0.contains("200"));
}

/// A hundred connections that send their request byte by byte hold no slot that a browser needs.
#[test]
fn dripping_clients_keep_nobody_out() {
    let show = show("pendulum");
    let mut slow: Vec<TcpStream> = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(show.address.socket).expect("a connection");
        let _ = stream.write_all(b"GET / HT");
        slow.push(stream);
    }
    let host = show.address.socket.to_string();
    for _ in 0..4 {
        slow.iter_mut().for_each(|stream| _ = stream.write_all(b"x"));
        let start = Instant::now();
        assert!(get(&show.address, "/", &host).0.contains("200"));
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }
    // the head as a whole has a deadline, whatever drips in meanwhile
    let mut last = slow.pop().expect("one");
    last.set_read_timeout(Some(Duration::from_millis(300))).expect("a timeout");
    let start = Instant::now();
    let ended = loop {
        if last.write_all(b"x").is_err() || matches!(last.read(&mut [0]), Ok(0)) {
            break true;
        }
        if start.elapsed() > Duration::from_secs(20) {
            break false;
        }
    };
    assert!(ended, "a request that never ends is ended");
    assert_ends_within_a_second(show);
}

/// Clients that never read, and far more clients than there are slots.
#[test]
fn clients_that_never_read_and_two_hundred_others_do_no_harm() {
    let show = show("hybrid_biped");
    let before = memory();
    let mut deaf: Vec<_> = (0..20).map(|_| own(&show.address)).collect();
    // each asks for frames and states that it will never take
    for _ in 0..50 {
        for socket in &mut deaf {
            ask(socket, json!({ "type": "speed", "value": 1.0 }));
            let _ = socket.send(Message::text("ready"));
        }
    }
    let crowd: Vec<_> = (0..200).map(|_| TcpStream::connect(show.address.socket)).collect();
    let mut mine = own(&show.address);
    let first = next_frame(&mut mine).0;
    let start = Instant::now();
    while next_frame(&mut mine).0 <= first {
        assert!(start.elapsed() < Duration::from_secs(5), "time stands still");
    }
    if let (Some(before), Some(after)) = (before, memory()) {
        assert!(after < before + (200 << 20), "{} MB", (after - before) >> 20);
    }
    drop(crowd);
    assert_ends_within_a_second(show);
}

/// Three clients send commands as fast as they can, the slowest that there are; another one is served meanwhile.
#[test]
fn a_flood_of_commands_keeps_nobody_out_and_does_not_delay_the_end() {
    let show = show("four_bar");
    let before = memory();
    let floods: Vec<_> = (0..3)
        .map(|_| {
            let mut socket = own(&show.address);
            std::thread::spawn(move || {
                let start = Instant::now();
                let mut sent = 0_u64;
                while start.elapsed() < Duration::from_secs(4) {
                    let turn = json!({ "type": "joint", "world": 0, "joint": 0, "value": (sent % 7) as f64 });
                    if socket.write(Message::text(turn.to_string())).is_err() {
                        break;
                    }
                    sent += 1;
                }
                sent
            })
        })
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    let start = Instant::now();
    assert!(get(&show.address, "/", &show.address.socket.to_string()).0.contains("200"));
    let mut mine = own(&show.address);
    next_text(&mut mine, "state");
    ask(&mut mine, json!({ "type": "speed", "value": 0.25 }));
    while next_text(&mut mine, "state")["speed"] != 0.25 {
        assert!(start.elapsed() < Duration::from_secs(8), "a command waits for the flood");
    }
    if let (Some(before), Some(after)) = (before, memory()) {
        assert!(after < before + (100 << 20), "{} MB", (after - before) >> 20);
    }
    assert_ends_within_a_second(show);
    floods.into_iter().for_each(|flood| _ = flood.join());
}
