//! Which format a file is in.

use crate::error::{ImportError, ImportFaultKind};
use crate::xml::Document;
use std::path::Path;

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `<robot>`, with `<loop_joint>` for loops.
    Urdf,
    /// MuJoCo's `<mujoco>`.
    Mjcf,
    /// USD text with UsdPhysics.
    Usd,
}

impl Format {
    /// By the file's ending; `.xml` and unknown endings by what the file starts with.
    pub fn detect(path: &Path, bytes: &[u8]) -> Option<Format> {
        let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            Some("urdf") => Some(Format::Urdf),
            Some("mjcf") => Some(Format::Mjcf),
            Some("usda" | "usd" | "usdc" | "usdz") => Some(Format::Usd),
            _ => Format::of_content(bytes),
        }
    }

    /// By the first element, or the first line of USD.
    fn of_content(bytes: &[u8]) -> Option<Format> {
        let start = &bytes[..bytes.len().min(1 << 16)];
        let text = String::from_utf8_lossy(start);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with("#usda") {
            return Some(Format::Usd);
        }
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            rest = &rest[at..];
            if let Some(comment) = rest.strip_prefix("<!--") {
                rest = &comment[comment.find("-->")?..];
            } else if rest.starts_with("<?") || rest.starts_with("<!") {
                rest = &rest[2..];
            } else {
                return [("<robot", Format::Urdf), ("<mujoco", Format::Mjcf)]
                    .into_iter()
                    .find(|(tag, _)| rest.starts_with(tag))
                    .map(|(_, format)| format);
            }
        }
        None
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Format::Urdf => "URDF",
            Format::Mjcf => "MJCF",
            Format::Usd => "USD",
        }
    }

    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Urdf => "urdf",
            Format::Mjcf => "xml",
            Format::Usd => "usda",
        }
    }

    /// The root element must be the format's own.
    pub(crate) fn check_root(self, document: &Document) -> Result<(), ImportError> {
        let root = &document.root;
        root.see();
        let wanted: &[&str] = match self {
            Format::Mjcf => &["mujoco", "mujocoinclude"],
            _ => &["robot"],
        };
        if wanted.contains(&root.tag.as_str()) {
            return Ok(());
        }
        let wanted = if self == Format::Mjcf { "<mujoco>" } else { "<robot>" };
        let kind = ImportFaultKind::WrongFormat { expected: self.name(), wanted, found: root.tag.clone() };
        let mut place = root.place();
        place.element.clear();
        Err(ImportError::one(place, kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides_where_the_ending_does_not() {
        let detect = |text: &str| Format::detect(Path::new("robot.xml"), text.as_bytes());
        assert_eq!(detect("<?xml version='1.0'?>\n<!-- <mujoco> -->\n<robot name='a'/>"), Some(Format::Urdf));
        assert_eq!(detect("<mujoco/>"), Some(Format::Mjcf));
        assert_eq!(detect("#usda 1.0\n"), Some(Format::Usd));
        assert_eq!(detect("<sdf/>"), None);
        assert_eq!(detect("<!-- never closed"), None);
        assert_eq!(Format::detect(Path::new("a.URDF"), b""), Some(Format::Urdf));
        assert_eq!(Format::detect(Path::new("a.usdz"), b"PK"), Some(Format::Usd));
    }
}
