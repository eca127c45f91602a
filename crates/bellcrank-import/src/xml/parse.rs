//! From bytes to a tree of elements.

use super::element::{Attribute, Element};
use crate::error::{ImportError, ImportFaultKind};
use crate::files::File;
use crate::log::Log;
use crate::options::Limits;
use bellcrank_model::Place;
use roxmltree::{Error, ParsingOptions};
use std::rc::Rc;
use std::sync::Arc;

/// Prefixes that a file may use without declaring them (`<xacro:...>`, `<controller:...>`).
const UNDECLARED_PREFIXES: usize = 16;
/// Attributes of one file.
const ATTRIBUTES_IN_ALL: usize = 2_000_000;
/// No robot needs more on one element; the check for repeated names costs the square of the number.
const ATTRIBUTES: usize = 500;

/// One XML file.
#[derive(Debug)]
pub struct Document {
    /// The file's name, as it appears in places.
    pub file: Arc<str>,
    /// The outermost element.
    pub root: Element,
}

impl Document {
    /// Reads a file within the limits.
    ///
    /// # Errors
    /// When the file is not well-formed, has a document type definition, or is too large or too deep.
    pub fn parse(file: &File, limits: &Limits, log: &Rc<Log>) -> Result<Document, ImportError> {
        let name: Arc<str> = file.name.as_str().into();
        let fail = |line: u32, kind| ImportError::one(Place::new(name.clone(), line), kind);
        let found = file.bytes.len() as u64;
        if found > limits.text_bytes {
            let what = "the file [bytes]".to_owned();
            return Err(fail(0, ImportFaultKind::TooLarge { what, found, limit: limits.text_bytes }));
        }
        let mut text = decode(&file.bytes, &name, log);
        if let Some(line) = crowded_tag(&text) {
            let (what, found) = ("the number of attributes of an element".to_owned(), ATTRIBUTES as u64 + 1);
            return Err(fail(line, ImportFaultKind::TooLarge { what, found, limit: ATTRIBUTES as u64 }));
        }
        for _ in 0..=UNDECLARED_PREFIXES {
            let options =
                ParsingOptions { allow_dtd: false, nodes_limit: limits.elements, ..Default::default() };
            let undeclared = match roxmltree::Document::parse_with_options(&text, options) {
                Ok(tree) => {
                    let lines = LineTable::of(&text);
                    let reader = Reader { file: name.clone(), lines, limits, log, text: &text };
                    let root = reader.element(tree.root_element(), None, 1)?;
                    return Ok(Document { file: name, root });
                }
                Err(Error::UnknownNamespace(prefix, _)) => prefix,
                Err(error) => return Err(fail(error.pos().row, trouble_of(&error, limits))),
            };
            declare(&mut text, &undeclared);
        }
        Err(fail(0, ImportFaultKind::Malformed("too many prefixes without a namespace".into())))
    }

    /// Lists every element and attribute that nobody read as ignored.
    pub fn report_unread(&self) {
        self.root.report_unread();
    }
}

/// UTF-8 without its mark; other bytes become a replacement character, and that is said.
fn decode(bytes: &[u8], name: &Arc<str>, log: &Log) -> String {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let line = 1 + text.split('\u{fffd}').next().map_or(0, |start| start.matches('\n').count() as u32);
        log.ignore(Place::new(name.clone(), line), "bytes that are not UTF-8 were replaced");
    }
    text.trim_start_matches('\u{feff}').to_owned()
}

/// The line of a tag with absurdly many attributes. An equals sign in a value or a comment counts too, which
/// does no harm at this size.
fn crowded_tag(text: &str) -> Option<u32> {
    let (mut line, mut equals, mut start, mut all) = (1, 0, 1, 0);
    for byte in text.bytes() {
        match byte {
            b'\n' => line += 1,
            b'<' | b'>' => (equals, start) = (0, line),
            b'=' => (equals, all) = (equals + 1, all + 1),
            _ => {}
        }
        if equals > ATTRIBUTES || all > ATTRIBUTES_IN_ALL {
            return Some(start);
        }
    }
    None
}

/// Declares a prefix on the root element. The line structure stays as it was.
fn declare(text: &mut String, prefix: &str) {
    if let Some(at) = root_name_end(text) {
        text.insert_str(at, &format!(" xmlns:{prefix}=\"undeclared:{prefix}\""));
    }
}

/// The offset just behind the root element's name.
fn root_name_end(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        if rest.starts_with("<!--") {
            at += rest.find("-->")?;
        } else if rest.starts_with("<?") || rest.starts_with("<!") {
            at += 2;
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/')?;
            return Some(at + end);
        }
    }
}

fn trouble_of(error: &Error, limits: &Limits) -> ImportFaultKind {
    match error {
        Error::DtdDetected => ImportFaultKind::DocumentType,
        Error::NodesLimitReached | Error::AttributesLimitReached | Error::NamespacesLimitReached => {
            let limit = u64::from(limits.elements);
            ImportFaultKind::TooLarge { what: "the number of elements".into(), found: limit + 1, limit }
        }
        Error::NoRootNode => ImportFaultKind::Malformed("the file has no elements".into()),
        other => ImportFaultKind::Malformed(other.to_string()),
    }
}

/// Where lines start, so that finding a line number is quick.
struct LineTable(Vec<usize>);

impl LineTable {
    fn of(text: &str) -> Self {
        let after_breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        LineTable(std::iter::once(0).chain(after_breaks).collect())
    }

    fn line(&self, offset: usize) -> u32 {
        self.0.partition_point(|start| *start <= offset) as u32
    }
}

struct Reader<'a> {
    file: Arc<str>,
    lines: LineTable,
    limits: &'a Limits,
    log: &'a Rc<Log>,
    text: &'a str,
}

impl Reader<'_> {
    /// Recursive; the depth is bounded first, so the stack is safe here and wherever the tree is walked.
    fn element(
        &self,
        node: roxmltree::Node<'_, '_>,
        owner: Option<&Rc<str>>,
        depth: usize,
    ) -> Result<Element, ImportError> {
        let line = self.lines.line(node.range().start);
        if depth > self.limits.depth {
            let place = Place::new(self.file.clone(), line);
            return Err(ImportError::one(place, ImportFaultKind::TooDeep(self.limits.depth)));
        }
        let attributes = node.attributes().map(|a| Attribute::new(a.name(), a.value(), self.log)).collect();
        let tag = self.qualified(node);
        let mut element = Element::new(tag, self.file.clone(), line, self.log.clone());
        element.attributes = attributes;
        element.owner = owner.cloned();
        // the root's name is the robot's: every element would carry it
        let own: Option<Rc<str>> = element.title().filter(|_| depth > 1).map(Rc::from);
        let owner = own.as_ref().or(owner);
        for child in node.children() {
            if child.is_element() {
                element.children.push(self.element(child, owner, depth + 1)?);
            } else if child.is_text() {
                element.text.push_str(child.text().unwrap_or(""));
            }
        }
        Ok(element)
    }

    /// The name with its prefix, as written.
    fn qualified(&self, node: roxmltree::Node<'_, '_>) -> String {
        let rest = &self.text[node.range().start + 1..];
        let end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(rest.len());
        rest[..end].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Document, ImportError> {
        let file = File::new("robot.urdf", text.as_bytes().to_vec());
        Document::parse(&file, &Limits::default(), &Rc::new(Log::default()))
    }

    #[test]
    fn elements_know_their_lines() {
        let document = parse("<?xml version='1.0'?>\n<a>\n  <b/>\n\n  <c x='1'/>text</a>").unwrap();
        let lines: Vec<_> = document.root.children.iter().map(|e| (e.tag.as_str(), e.line)).collect();
        assert_eq!(lines, [("b", 3), ("c", 5)]);
        assert_eq!(document.root.text.trim(), "text");
    }

    #[test]
    fn prefixes_without_a_declaration_are_kept_as_written() {
        let document = parse("<!-- x --><robot\n name='a'><controller:ros/><xacro:if/></robot>").unwrap();
        let tags: Vec<_> = document.root.children.iter().map(|e| e.tag.as_str()).collect();
        assert_eq!(tags, ["controller:ros", "xacro:if"]);
        assert_eq!(document.root.attribute("name"), Some("a"));
    }

    #[test]
    fn entity_bombs_are_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY y '&x;&x;&x;'>]><a>&y;</a>";
        assert_eq!(parse(bomb).unwrap_err().faults[0].kind, ImportFaultKind::DocumentType);
        let outside = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>";
        assert_eq!(parse(outside).unwrap_err().faults[0].kind, ImportFaultKind::DocumentType);
    }

    #[test]
    fn deep_nesting_is_refused_before_the_stack_is_used_up() {
        let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
        assert_eq!(parse(&deep).unwrap_err().faults[0].kind, ImportFaultKind::TooDeep(128));
    }

    #[test]
    fn an_element_with_very_many_attributes_is_refused() {
        let attributes: String = (0..50_000).map(|i| format!(" a{i}='1'")).collect();
        let error = parse(&format!("<a>\n<b{attributes}/></a>")).unwrap_err();
        assert!(matches!(error.faults[0].kind, ImportFaultKind::TooLarge { .. }));
        assert_eq!(error.faults[0].place.line, 2);
    }
}
