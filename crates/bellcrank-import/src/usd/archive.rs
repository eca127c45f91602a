//! USD archives (`.usdz`): zip files whose members are stored as they are. The first member is the scene.

use crate::error::ImportFaultKind;
use crate::files::{File, Files};
use std::collections::BTreeMap;

/// How such a file starts.
pub(super) const START: &[u8] = b"PK\x03\x04";

/// More members than this no robot has.
const MEMBERS: usize = 10_000;

/// The scene, and the files beside it.
pub(super) fn open(archive: &File, files: &Files) -> Result<(File, Files), ImportFaultKind> {
    let members = members(&archive.bytes).ok_or_else(|| damaged("its table of contents cannot be read"))?;
    let mut content = BTreeMap::new();
    let mut first = None;
    for Member { name, method, data } in members {
        if method != 0 {
            return Err(damaged("a member is compressed, which the format forbids"));
        }
        first.get_or_insert_with(|| File::new(format!("{}[{name}]", archive.name), data.to_vec()));
        content.insert(name, data.to_vec());
    }
    let first = first.ok_or_else(|| damaged("it is empty"))?;
    Ok((first, files.holding(content)))
}

struct Member<'a> {
    name: String,
    method: u16,
    data: &'a [u8],
}

fn damaged(how: &str) -> ImportFaultKind {
    ImportFaultKind::other(
        format!("the USD archive cannot be read: {how}"),
        "pack it again: usdzip robot.usdz robot.usda",
    )
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?).into())
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
}

/// All members, by the table at the end of the file.
fn members(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    const END: &[u8] = b"PK\x05\x06";
    // behind the end mark there may be a comment of 64 KiB
    let from = bytes.len().saturating_sub(22 + 65_536);
    let end = from + bytes[from..].windows(4).rposition(|window| window == END)?;
    let (count, mut at) = (u16_at(bytes, end + 10)?, u32_at(bytes, end + 16)?);
    let mut members = Vec::new();
    for _ in 0..count.min(MEMBERS) {
        if bytes.get(at..at + 4)? != b"PK\x01\x02" {
            return None;
        }
        let (method, size) = (u16_at(bytes, at + 10)?, u32_at(bytes, at + 20)?);
        let lengths = [28, 30, 32].map(|offset| u16_at(bytes, at + offset));
        let [name, extra, comment] = [lengths[0]?, lengths[1]?, lengths[2]?];
        let local = u32_at(bytes, at + 42)?;
        let title = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned();
        let start = local + 30 + u16_at(bytes, local + 26)? + u16_at(bytes, local + 28)?;
        let data = bytes.get(start..start.checked_add(size)?)?;
        members.push(Member { name: title, method: method as u16, data });
        at += 46 + name + extra + comment;
    }
    Some(members)
}
