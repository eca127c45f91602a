//! A connection whose reads and writes end at a given time, however slowly the other side drips.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

pub(super) struct Timed {
    stream: TcpStream,
    /// Until when the next reads and writes must be done.
    until: Instant,
    /// How long a single read waits at most.
    patience: Option<Duration>,
}

impl Timed {
    pub fn new(stream: TcpStream, time: Duration) -> Self {
        Timed { stream, until: Instant::now() + time, patience: None }
    }

    /// What follows must be done within this time.
    pub fn within(&mut self, time: Duration) {
        self.until = Instant::now() + time;
    }

    /// A single read ends after this time and may be tried again; the time for all is without effect on reading then.
    pub fn set_patience(&mut self, patience: Duration) -> io::Result<()> {
        self.patience = Some(patience);
        self.stream.set_read_timeout(self.patience)
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Timed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.patience.is_none() {
            self.stream.set_read_timeout(Some(self.left()?))?;
        }
        self.stream.read(into)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// One byte every 50 ms keeps every single read alive, but not all of them together.
    #[test]
    fn a_dripping_client_does_not_move_the_deadline() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let drip = std::thread::spawn(move || {
            let mut client = TcpStream::connect(address).expect("a connection");
            while client.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let (stream, _) = listener.accept().expect("a client");
        let start = Instant::now();
        let mut timed = Timed::new(stream, Duration::from_millis(400));
        let mut byte = [0];
        let ended = loop {
            if let Err(error) = timed.read_exact(&mut byte) {
                break error;
            }
            assert!(start.elapsed() < Duration::from_secs(2), "it reads on after its time");
        };
        assert!(matches!(ended.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock), "{ended}");
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        drop(timed);
        let _ = drip.join();
    }
}
