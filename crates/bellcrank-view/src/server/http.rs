//! As much of HTTP as one page needs.

use std::io::{self, Read, Write};
use tungstenite::handshake::derive_accept_key;

/// A longer request head is refused [bytes].
const LONGEST_HEAD: usize = 16 << 10;

/// The page may run its own script and styles and talk to its own server; nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      connect-src 'self'; img-src data: blob:; frame-ancestors *";

/// What matters of a request.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Request {
    pub path: String,
    pub query: String,
    pub host: Option<String>,
    pub origin: Option<String>,
    /// `Sec-WebSocket-Key` of an upgrade.
    pub socket_key: Option<String>,
}

/// Reads a request's head; `None` when it is not one.
pub(super) fn read_request(stream: &mut impl Read) -> io::Result<Option<Request>> {
    let mut head = Vec::new();
    let mut block = [0; 2048];
    loop {
        let count = stream.read(&mut block)?;
        if count == 0 || head.len() + count > LONGEST_HEAD {
            return Ok(None);
        }
        let looked_at = head.len().saturating_sub(3);
        head.extend(&block[..count]);
        if head[looked_at..].windows(4).any(|end| end == b"\r\n\r\n") {
            return Ok(parse(&head));
        }
    }
}

pub(super) fn parse(head: &[u8]) -> Option<Request> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    if !parsed.parse(head).ok()?.is_complete() || parsed.method != Some("GET") {
        return None;
    }
    let target = parsed.path?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let value = |name: &str| {
        let header = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(header.value).ok().map(|text| text.trim().to_owned())
    };
    let upgrade = value("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket"));
    Some(Request {
        path: path.into(),
        query: query.into(),
        host: value("host"),
        origin: value("origin"),
        socket_key: value("sec-websocket-key").filter(|_| upgrade),
    })
}

pub(super) fn respond(stream: &mut impl Write, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    stream.flush()
}

pub(super) fn accept_upgrade(stream: &mut impl Write, key: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n\r\n",
        derive_accept_key(key.as_bytes())
    )?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_and_rubbish_is_not() {
        let text = b"GET /live?token=x HTTP/1.1\r\nHost: localhost:1\r\nUpgrade: WebSocket\r\n\
                     Sec-WebSocket-Key: abc\r\nOrigin: http://localhost:1\r\n\r\n";
        let request = parse(text).expect("a request");
        assert_eq!((request.path.as_str(), request.query.as_str()), ("/live", "token=x"));
        assert_eq!(request.socket_key.as_deref(), Some("abc"));
        assert_eq!(request.origin.as_deref(), Some("http://localhost:1"));
        assert_eq!(parse(b"POST / HTTP/1.1\r\n\r\n"), None);
        assert_eq!(parse(b"\x16\x03\x01\r\n\r\n"), None);
    }
}
