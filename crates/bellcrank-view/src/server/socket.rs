//! One browser: scene first, then the newest frame each time it has drawn the last one.

use super::hub::{Hub, Watcher};
use super::timed::Timed;
use std::io;
use std::time::{Duration, Instant};
use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};
use tungstenite::{Error, Message};

/// The page asks for the next frame with this; a slow browser skips frames instead of falling behind.
const READY: &str = "ready";

/// Commands are short [bytes].
const LONGEST_COMMAND: usize = 64 << 10;

/// How long to listen before looking for news.
const PATIENCE: Duration = Duration::from_millis(3);

/// A browser that has not taken a message in this time is gone.
const SEND_TIME: Duration = Duration::from_secs(10);

/// Messages that a browser may send within [`ROUND`]; what comes faster waits in its own socket.
const MOST_MESSAGES: usize = 64;
const ROUND: Duration = Duration::from_millis(16);

pub(super) fn serve(mut stream: Timed, hub: &Hub) -> io::Result<()> {
    stream.set_patience(PATIENCE)?;
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config()));
    let watcher = hub.come();
    // an error here is a browser that went away
    let _ = converse(&mut socket, hub, &watcher);
    Ok(())
}

/// The texts of a connection until it ends.
pub(super) fn texts(stream: impl io::Read + io::Write) -> Vec<String> {
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config()));
    let mut found = Vec::new();
    while let Ok(message) = socket.read() {
        if let Message::Text(text) = message {
            found.push(text.as_str().to_owned());
        }
    }
    found
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(LONGEST_COMMAND)).max_frame_size(Some(LONGEST_COMMAND))
}

fn converse(socket: &mut WebSocket<Timed>, hub: &Hub, watcher: &Watcher<'_>) -> Result<(), Error> {
    send(socket, Message::text(hub.scene.clone()))?;
    let (mut ready, mut frame_seen, mut state_seen, mut lines_seen) = (false, 0, 0, 0);
    let (mut round, mut messages) = (Instant::now(), 0);
    loop {
        socket.get_mut().within(SEND_TIME); // reading answers pings and closes
        messages += 1;
        match socket.read() {
            Ok(Message::Text(text)) if text.as_str() == READY => ready = true,
            Ok(Message::Text(text)) => hub.command(watcher, text.as_str().to_owned()),
            Ok(Message::Close(_)) => return Ok(()),
            Ok(_) => {}
            Err(Error::Io(error)) if would_block(&error) => messages = 0,
            Err(error) => return Err(error),
        }
        let state = hub.state();
        if state.number > state_seen {
            state_seen = state.number;
            send(socket, Message::text(state.message.as_str()))?;
        }
        let frame = hub.frame();
        if ready && frame.number > frame_seen {
            let lines = hub.lines();
            if lines.number > lines_seen {
                lines_seen = lines.number;
                send(socket, Message::text(lines.message.as_str()))?;
            }
            (ready, frame_seen) = (false, frame.number);
            hub.take();
            send(socket, Message::binary(frame.message.as_slice().to_vec()))?;
        }
        if round.elapsed() >= ROUND {
            (round, messages) = (Instant::now(), 0);
        } else if messages >= MOST_MESSAGES {
            std::thread::sleep(ROUND.saturating_sub(round.elapsed()));
        }
    }
}

fn send(socket: &mut WebSocket<Timed>, message: Message) -> Result<(), Error> {
    socket.get_mut().within(SEND_TIME);
    socket.send(message)
}

fn would_block(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
