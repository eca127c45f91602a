//! A small server for one page: threads and blocking sockets, because a viewer has a handful of clients.

mod guard;
mod http;
mod hub;
mod socket;

pub(crate) use hub::Hub;

use crate::error::ViewError;
use guard::Guard;
use http::{Request, read_request, respond};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Connections at the same time; a browser opens a few.
const MOST_CONNECTIONS: usize = 64;

/// Where the page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Where the server listens.
    pub socket: SocketAddr,
    /// What to type into the browser, with the token where one is needed.
    pub url: String,
}

/// What is served.
#[derive(Clone)]
pub(crate) enum Content {
    /// The page, and a WebSocket at `/live`.
    Live(Arc<Hub>),
    /// A recorded page.
    Recording(Arc<[u8]>),
}

/// Listens on a thread of its own until the program ends.
pub(crate) fn start(bind: IpAddr, port: u16, content: Content) -> Result<Address, ViewError> {
    let wanted = SocketAddr::new(bind, port);
    let fault = |source| ViewError::Listen { address: wanted.to_string(), source };
    let listener = TcpListener::bind(wanted).map_err(fault)?;
    let socket = listener.local_addr().map_err(fault)?;
    let guard = Arc::new(Guard::of(socket).map_err(fault)?);
    let url = guard.url(socket);
    let accept = move || {
        let open = Arc::new(AtomicUsize::new(0));
        for stream in listener.incoming().flatten() {
            if open.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
                continue; // dropped, which closes it
            }
            open.fetch_add(1, Ordering::Relaxed);
            let (guard, content, open) = (guard.clone(), content.clone(), open.clone());
            std::thread::spawn(move || {
                // a broken connection concerns only its own browser
                let _ = attend(stream, &guard, &content);
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    };
    std::thread::Builder::new().name("viewer".into()).spawn(accept)?;
    Ok(Address { socket, url })
}

fn attend(mut stream: TcpStream, guard: &Guard, content: &Content) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.set_write_timeout(Some(Duration::from_secs(10)))?;
    stream.set_nodelay(true)?;
    let Some(request) = read_request(&mut stream)? else {
        return respond(&mut stream, "400 Bad Request", "text/plain", b"this is no request\n");
    };
    if let Err(why) = guard.check(&request) {
        return respond(&mut stream, "403 Forbidden", "text/plain; charset=utf-8", why.as_bytes());
    }
    match (request.path.as_str(), content) {
        ("/", Content::Live(_)) => page(&mut stream, crate::page::live().as_bytes()),
        ("/", Content::Recording(html)) => page(&mut stream, html),
        ("/live", Content::Live(hub)) => open_socket(stream, &request, hub),
        _ => respond(&mut stream, "404 Not Found", "text/plain", b"there is only one page: /\n"),
    }
}

fn page(stream: &mut TcpStream, html: &[u8]) -> io::Result<()> {
    respond(stream, "200 OK", "text/html; charset=utf-8", html)
}

fn open_socket(mut stream: TcpStream, request: &Request, hub: &Hub) -> io::Result<()> {
    match &request.socket_key {
        Some(key) => {
            http::accept_upgrade(&mut stream, key)?;
            socket::serve(stream, hub)
        }
        None => respond(&mut stream, "426 Upgrade Required", "text/plain", b"this is a WebSocket\n"),
    }
}
