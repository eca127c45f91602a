//! A small server for one page: threads and blocking sockets, because a viewer has a handful of clients.

mod guard;
mod http;
mod hub;
mod queue;
mod slots;
mod socket;
mod timed;

pub(crate) use hub::Hub;

use crate::error::ViewError;
use guard::Guard;
use http::{Request, read_request, respond};
use slots::{Slot, Slots};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use timed::Timed;

/// The whole head of a request is here within this time, or it is none.
const REQUEST_TIME: Duration = Duration::from_secs(5);
/// A page is sent within this time.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// How long to wait where the system has no more files or threads to give.
const EXHAUSTED: Duration = Duration::from_millis(50);

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
        let slots = Slots::default();
        for stream in listener.incoming() {
            // too many open files, most likely: others may close some
            let Ok(stream) = stream else {
                std::thread::sleep(EXHAUSTED);
                continue;
            };
            let Some(slot) = slots.admit(&stream) else { continue }; // dropped, which closes it
            let (guard, content) = (guard.clone(), content.clone());
            let client = std::thread::Builder::new().name("viewer client".into()).spawn(move || {
                // a broken connection concerns only its own browser
                let _ = attend(stream, &slot, &guard, &content);
            });
            if client.is_err() {
                std::thread::sleep(EXHAUSTED); // no thread to be had: the connection was closed with its slot
            }
        }
    };
    std::thread::Builder::new().name("viewer".into()).spawn(accept)?;
    Ok(Address { socket, url })
}

fn attend(stream: TcpStream, slot: &Slot, guard: &Guard, content: &Content) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = Timed::new(stream, REQUEST_TIME);
    let request = read_request(&mut stream)?;
    slot.answer();
    stream.within(ANSWER_TIME);
    let Some(request) = request else {
        return respond(&mut stream, "400 Bad Request", "text/plain", b"this is no request\n");
    };
    if let Err(why) = guard.check(&request) {
        return respond(&mut stream, "403 Forbidden", "text/plain; charset=utf-8", why.as_bytes());
    }
    match (request.path.as_str(), content) {
        ("/", Content::Live(_)) => page(&mut stream, crate::page::live().as_bytes()),
        ("/", Content::Recording(html)) => page(&mut stream, html),
        ("/live", Content::Live(hub)) => open_socket(stream, &request, hub, slot),
        _ => respond(&mut stream, "404 Not Found", "text/plain", b"there is only one page: /\n"),
    }
}

/// What becomes of a request on loopback; nothing is answered.
pub(crate) fn judge_request(stream: &mut impl io::Read) {
    let socket = SocketAddr::from(([127, 0, 0, 1], 8000));
    if let (Ok(Some(request)), Ok(guard)) = (read_request(stream), Guard::of(socket)) {
        let _ = guard.check(&request);
    }
}

/// The texts that come over a WebSocket until it ends.
pub(crate) fn read_messages(stream: impl io::Read + io::Write) -> Vec<String> {
    socket::texts(stream)
}

fn page(stream: &mut Timed, html: &[u8]) -> io::Result<()> {
    respond(stream, "200 OK", "text/html; charset=utf-8", html)
}

fn open_socket(mut stream: Timed, request: &Request, hub: &Hub, slot: &Slot) -> io::Result<()> {
    match &request.socket_key {
        Some(key) => {
            http::accept_upgrade(&mut stream, key)?;
            slot.watch();
            socket::serve(stream, hub)
        }
        None => respond(&mut stream, "426 Upgrade Required", "text/plain", b"this is a WebSocket\n"),
    }
}
