//! One browser: scene first, then the newest frame each time it has drawn the last one.

use super::hub::Hub;
use std::io;
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::protocol::{Role, WebSocket, WebSocketConfig};
use tungstenite::{Error, Message};

/// The page asks for the next frame with this; a slow browser skips frames instead of falling behind.
const READY: &str = "ready";

/// Commands are short [bytes].
const LONGEST_COMMAND: usize = 64 << 10;

/// How long to listen before looking for news.
const PATIENCE: Duration = Duration::from_millis(3);

pub(super) fn serve(stream: TcpStream, hub: &Hub) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let config = WebSocketConfig::default().max_message_size(Some(LONGEST_COMMAND));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    hub.come();
    // an error here is a browser that went away
    let _ = converse(&mut socket, hub);
    hub.go();
    Ok(())
}

fn converse(socket: &mut WebSocket<TcpStream>, hub: &Hub) -> Result<(), Error> {
    socket.send(Message::text(hub.scene.clone()))?;
    let (mut ready, mut frame_seen, mut state_seen) = (false, 0, 0);
    loop {
        match socket.read() {
            Ok(Message::Text(text)) if text.as_str() == READY => ready = true,
            Ok(Message::Text(text)) => hub.command(text.as_str().to_owned()),
            Ok(Message::Close(_)) => return Ok(()),
            Ok(_) => {}
            Err(Error::Io(error)) if would_block(&error) => {}
            Err(error) => return Err(error),
        }
        let state = hub.state();
        if state.number > state_seen {
            state_seen = state.number;
            socket.send(Message::text(state.message.as_str()))?;
        }
        let frame = hub.frame();
        if ready && frame.number > frame_seen {
            (ready, frame_seen) = (false, frame.number);
            hub.take();
            socket.send(Message::binary(frame.message.as_slice().to_vec()))?;
        }
    }
}

fn would_block(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
