//! The page, one file: built from `web/src` by `web/build.sh`, committed, and part of the binary.

use std::io::{self, Read, Write};

const PAGE: &str = include_str!("../web/dist/page.html");

/// Where a recording goes.
const SLOT: &str = "<!--recording-->";

/// An element that holds the recording as base64; the page looks for its id.
const OPEN: &str = "<script id=\"recording\" type=\"application/octet-stream\">";
const CLOSE: &str = "</script>";

/// The page that connects to the server it came from.
pub fn live() -> &'static str {
    PAGE
}

/// Bytes of the page without a recording.
pub fn size() -> usize {
    PAGE.len()
}

/// Writes the page with a recording inside.
///
/// # Errors
/// When reading or writing fails.
pub fn write_recorded(mut recording: impl Read, mut out: impl Write) -> io::Result<()> {
    let (before, after) = PAGE.split_once(SLOT).ok_or_else(|| io::Error::other("the page has no slot"))?;
    out.write_all(before.as_bytes())?;
    out.write_all(OPEN.as_bytes())?;
    let mut block = vec![0; 3 << 16]; // a multiple of three, so that blocks need no padding between them
    loop {
        let count = fill(&mut recording, &mut block)?;
        out.write_all(data_encoding::BASE64.encode(&block[..count]).as_bytes())?;
        if count < block.len() {
            break;
        }
    }
    out.write_all(CLOSE.as_bytes())?;
    out.write_all(after.as_bytes())
}

/// The recording inside a page, if there is one.
pub(crate) fn find_recording(html: &str) -> Option<Vec<u8>> {
    let (_, rest) = html.split_once(OPEN)?;
    let (text, _) = rest.split_once(CLOSE)?;
    data_encoding::BASE64.decode(text.as_bytes()).ok()
}

/// Reads until the block is full or the source is empty.
fn fill(source: &mut impl Read, block: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < block.len() {
        match source.read(&mut block[count..])? {
            0 => break,
            n => count += n,
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_into_the_page_is_found_again() {
        let bytes: Vec<u8> = (0..500_000_u32).map(|x| (x.wrapping_mul(x) >> 7) as u8).collect();
        let mut html = Vec::new();
        write_recorded(&bytes[..], &mut html).expect("written");
        let html = String::from_utf8(html).expect("text");
        assert!(html.starts_with("<!doctype html>"));
        assert_eq!(find_recording(&html), Some(bytes));
        assert_eq!(find_recording(live()), None);
    }
}
