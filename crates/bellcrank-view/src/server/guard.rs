//! Who may connect.
//!
//! On loopback: only pages that came from this server. The `Host` header must name the local machine (a foreign name
//! that resolves to it is refused: DNS rebinding) and `Origin`, which browsers send with every WebSocket, must be this server.
//! Elsewhere: only who knows the token, which is new for every start and part of the printed address.

use super::http::Request;
use std::io;
use std::net::{IpAddr, SocketAddr};

pub(super) struct Guard {
    port: u16,
    /// Needed beyond loopback.
    token: Option<String>,
}

impl Guard {
    pub fn of(socket: SocketAddr) -> io::Result<Self> {
        let token = if socket.ip().is_loopback() { None } else { Some(new_token()?) };
        Ok(Guard { port: socket.port(), token })
    }

    /// What to type into a browser on this machine.
    pub fn url(&self, socket: SocketAddr) -> String {
        let shown = if socket.ip().is_unspecified() { "localhost".to_owned() } else { host_text(socket) };
        match &self.token {
            None => format!("http://{shown}:{}/", self.port),
            Some(token) => format!("http://{shown}:{}/?token={token}", self.port),
        }
    }

    /// Whether a request may be answered; the error is the text of the refusal.
    pub fn check(&self, request: &Request) -> Result<(), &'static str> {
        let host = request.host.as_deref().unwrap_or_default();
        match &self.token {
            None if !self.is_local(host) => {
                return Err("this viewer answers only to localhost\n");
            }
            Some(token)
                if !request.query.split('&').any(|part| part.strip_prefix("token=") == Some(token)) =>
            {
                return Err("the address needs the token that the viewer printed: …/?token=…\n");
            }
            _ => {}
        }
        let foreign =
            |origin: &str| origin.strip_prefix("http://").or(origin.strip_prefix("https://")) != Some(host);
        match request.origin.as_deref() {
            Some(origin) if foreign(origin) => Err("this viewer answers only to its own page\n"),
            _ => Ok(()),
        }
    }

    fn is_local(&self, host: &str) -> bool {
        // numbers, read as such: "127.0.0.1.evil.example" and "127.a.b.c" are names that anybody may own
        if let Ok(address) = host.parse::<SocketAddr>() {
            return address.ip().is_loopback() && address.port() == self.port;
        }
        if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
            return address.is_loopback() && self.port == 80;
        }
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        name.eq_ignore_ascii_case("localhost") && port.parse() == Ok(self.port)
    }
}

fn host_text(socket: SocketAddr) -> String {
    match socket {
        SocketAddr::V4(v4) => v4.ip().to_string(),
        SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
    }
}

fn new_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(data_encoding::HEXLOWER.encode(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(host: &str, origin: Option<&str>, query: &str) -> Request {
        Request {
            host: Some(host.into()),
            origin: origin.map(str::to_owned),
            query: query.into(),
            ..Request::default()
        }
    }

    #[test]
    fn on_loopback_only_the_own_page_may_connect() {
        let guard = Guard::of("127.0.0.1:8000".parse().expect("an address")).expect("a guard");
        assert_eq!(guard.url("127.0.0.1:8000".parse().expect("an address")), "http://127.0.0.1:8000/");
        for host in ["localhost:8000", "LocalHost:8000", "127.0.0.1:8000", "127.8.9.10:8000", "[::1]:8000"] {
            assert!(guard.check(&request(host, None, "")).is_ok(), "{host}");
            assert!(guard.check(&request(host, Some(&format!("http://{host}")), "")).is_ok(), "{host}");
        }
        let foreign = [
            "evil.example:8000",
            "localhost:8001",
            "localhost",
            "127.evil.example:8000",
            "127.x.evil.example:8000",
            "127.0.0.evil:8000",
            "127.0.0.1.evil.example:8000",
            "127.1:8000",
            "0127.0.0.1:8000",
            "localhost.evil.example:8000",
            "localhost.:8000",
            "[::1].evil.example:8000",
            "[::ffff:10.0.0.1]:8000",
            "0.0.0.0:8000",
            "10.0.0.1:8000",
            "evil@127.0.0.1:8000",
            "127.0.0.1:8000:8000",
            "",
        ];
        for host in foreign {
            assert!(guard.check(&request(host, None, "")).is_err(), "{host}");
        }
        assert!(guard.check(&request("localhost:8000", Some("http://evil.example"), "")).is_err());
        assert!(guard.check(&request("localhost:8000", Some("null"), "")).is_err());
    }

    #[test]
    fn elsewhere_the_token_is_needed() {
        let socket: SocketAddr = "0.0.0.0:8000".parse().expect("an address");
        let guard = Guard::of(socket).expect("a guard");
        let url = guard.url(socket);
        let (_, query) = url.split_once('?').expect("a token");
        assert_eq!(query.len(), "token=".len() + 32);
        assert!(guard.check(&request("robot.lab:8000", Some("http://robot.lab:8000"), query)).is_ok());
        for wrong in ["", "token=", "token=0123", &format!("x{query}")] {
            assert!(guard.check(&request("robot.lab:8000", None, wrong)).is_err(), "{wrong}");
        }
        assert!(guard.check(&request("robot.lab:8000", Some("http://evil.example"), query)).is_err());
    }
}
