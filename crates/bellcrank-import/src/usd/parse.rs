//! The grammar of USD text: layers, prims, properties, values.

use super::archive;
use super::binary;
use super::layer::{Layer, Prim, Property, Value};
use super::lex::{Lexer, Token, unexpected};
use crate::error::{ImportError, ImportFaultKind};
use crate::files::File;
use crate::options::Limits;
use bellcrank_model::Place;
use std::cell::Cell;

/// Properties, entries and list items of one file.
const SAID: usize = 2_000_000;

/// Reads a file within the limits.
pub(super) fn parse(file: &File, limits: &Limits) -> Result<Layer, ImportError> {
    let fail = |line, kind| ImportError::one(Place::new(file.name.as_str(), line), kind);
    let found = file.bytes.len() as u64;
    if found > limits.text_bytes {
        let what = "the file [bytes]".to_owned();
        return Err(fail(0, ImportFaultKind::TooLarge { what, found, limit: limits.text_bytes }));
    }
    if file.bytes.starts_with(binary::START) {
        return binary::parse(file, limits);
    }
    if file.bytes.starts_with(archive::START) {
        let what = "an archive within a scene is not read";
        return Err(fail(0, ImportFaultKind::other(what, "unpack it: unzip robot.usdz")));
    }
    let text = String::from_utf8_lossy(&file.bytes);
    let text = text.trim_start_matches('\u{feff}');
    if !text.starts_with("#usda") {
        let found = text.chars().take(12).filter(|c| !c.is_control()).collect();
        return Err(fail(
            1,
            ImportFaultKind::WrongFormat { expected: "USD text", wanted: "#usda 1.0", found },
        ));
    }
    let mut parser = Parser { lexer: Lexer::new(text), limits, prims: 0, said: 0 };
    let layer = parser.layer();
    let line = parser.lexer.line;
    layer.map_err(|kind| fail(line, kind))
}

type Parsed<T> = Result<T, ImportFaultKind>;

struct Parser<'t, 'l> {
    lexer: Lexer<'t>,
    limits: &'l Limits,
    prims: u32,
    /// Properties, entries and list items so far.
    said: usize,
}

impl Parser<'_, '_> {
    fn layer(&mut self) -> Parsed<Layer> {
        let metadata = if self.lexer.takes(b'(')? { self.metadata(0)? } else { Vec::new() };
        let mut layer = Layer { metadata, prims: Vec::new() };
        loop {
            match self.lexer.take()? {
                Token::End => return Ok(layer),
                Token::Word(word @ ("def" | "over" | "class")) => layer.prims.push(self.prim(word, 1)?),
                Token::Word("reorder") => self.skip_statement()?,
                Token::Sign(b';') => {}
                other => return Err(unexpected(&other, "def, over or class")),
            }
        }
    }

    /// `key = value` until the closing bracket; `prepend` and its like are dropped, strings are comments.
    fn metadata(&mut self, depth: usize) -> Parsed<Vec<(String, Value)>> {
        let mut entries = Vec::new();
        loop {
            match self.lexer.take()? {
                Token::Sign(b')') => return Ok(entries),
                Token::Sign(b';' | b',') | Token::Text(_) => {}
                Token::Word("prepend" | "append" | "add" | "delete" | "reorder") => {}
                Token::Word(key) => {
                    let key = key.to_owned();
                    self.lexer.expect(b'=')?;
                    self.count()?;
                    entries.push((key, self.value(depth + 1)?));
                }
                other => return Err(unexpected(&other, "a name or \")\"")),
            }
        }
    }

    fn prim(&mut self, specifier: &str, depth: usize) -> Parsed<Prim> {
        self.check_depth(depth)?;
        self.prims += 1;
        if self.prims > self.limits.elements {
            let limit = u64::from(self.limits.elements);
            return Err(ImportFaultKind::TooLarge {
                what: "the number of prims".into(),
                found: limit + 1,
                limit,
            });
        }
        let mut prim =
            Prim { is_class: specifier == "class", is_over: specifier == "over", ..Prim::default() };
        prim.name = match self.lexer.take()? {
            Token::Word(kind) => {
                prim.kind = kind.to_owned();
                self.text()?
            }
            Token::Text(name) => name,
            other => return Err(unexpected(&other, "a type or a name")),
        };
        prim.line = self.lexer.line;
        if self.lexer.takes(b'(')? {
            prim.metadata = self.metadata(depth)?;
        }
        self.lexer.expect(b'{')?;
        self.body(&mut prim, depth)?;
        Ok(prim)
    }

    fn body(&mut self, prim: &mut Prim, depth: usize) -> Parsed<()> {
        loop {
            match self.lexer.take()? {
                Token::Sign(b'}') => return Ok(()),
                Token::Sign(b';') => {}
                Token::Word(word @ ("def" | "over" | "class")) => {
                    let child = self.prim(word, depth + 1)?;
                    prim.children.push(child);
                }
                Token::Word("reorder") => self.skip_statement()?,
                Token::Word("variantSet") => self.variant_set(prim, depth + 1)?,
                Token::Word(word) => {
                    let word = word.to_owned();
                    self.property(&word, prim, depth)?;
                }
                other => return Err(unexpected(&other, "a property, a prim or \"}\"")),
            }
        }
    }

    fn variant_set(&mut self, prim: &mut Prim, depth: usize) -> Parsed<()> {
        self.check_depth(depth)?;
        let set = self.text()?;
        self.lexer.expect(b'=')?;
        self.lexer.expect(b'{')?;
        while !self.lexer.takes(b'}')? {
            let variant = self.text()?;
            let mut inside = Prim::default();
            if self.lexer.takes(b'(')? {
                inside.metadata = self.metadata(depth)?;
            }
            self.lexer.expect(b'{')?;
            self.body(&mut inside, depth + 1)?;
            prim.variants.push((set.clone(), variant, inside));
        }
        Ok(())
    }

    /// `custom uniform float3[] name = value (metadata)`, or `rel name = <path>`; the first word is taken.
    fn property(&mut self, first: &str, prim: &mut Prim, depth: usize) -> Parsed<()> {
        const BEFORE: [&str; 9] =
            ["custom", "uniform", "varying", "config", "prepend", "append", "add", "delete", "reorder"];
        let mut word = first.to_owned();
        while BEFORE.contains(&word.as_str()) {
            word = self.word()?;
        }
        // now `word` is the type or `rel`
        if self.lexer.takes(b'[')? {
            self.lexer.expect(b']')?;
        }
        self.count()?;
        let name = self.word()?;
        let line = self.lexer.line;
        let value = if self.lexer.takes(b'=')? { Some(self.value(depth + 1)?) } else { None };
        if self.lexer.takes(b'(')? {
            self.metadata(depth)?;
        }
        match name.split_once('.') {
            Some((_, "timeSamples")) => {} // motion over time is not a property of the mechanism
            Some((base, "connect")) => prim.set(format!("{base}.connect"), value, line),
            _ => prim.set(name, value, line),
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Parsed<Value> {
        self.check_depth(depth)?;
        match self.lexer.take()? {
            Token::Number(number) => Ok(Value::Numbers(vec![number])),
            Token::Text(text) => Ok(Value::Text(text)),
            Token::Word(word) => Ok(Value::Text(word.to_owned())),
            Token::Path(path) => Ok(Value::Path(path.to_owned())),
            Token::Asset(file) => {
                let file = file.to_owned();
                let path = match self.lexer.peek()? {
                    Token::Path(path) => (*path).to_owned(),
                    _ => return self.after_asset(file, String::new(), depth),
                };
                self.lexer.take()?;
                self.after_asset(file, path, depth)
            }
            Token::Sign(b'(') => self.numbers(b')', depth),
            Token::Sign(b'[') => match self.lexer.peek()? {
                Token::Number(_) | Token::Sign(b'(') => self.numbers(b']', depth),
                _ => self.list(depth),
            },
            Token::Sign(b'{') => self.dictionary(depth),
            other => Err(unexpected(&other, "a value")),
        }
    }

    /// A reference may carry metadata in brackets.
    fn after_asset(&mut self, file: String, path: String, depth: usize) -> Parsed<Value> {
        if *self.lexer.peek()? == Token::Sign(b'(') && depth > 1 {
            self.lexer.take()?;
            self.metadata(depth)?;
        }
        Ok(Value::Asset(file, path))
    }

    /// Numbers in any number of brackets, as one row.
    fn numbers(&mut self, end: u8, depth: usize) -> Parsed<Value> {
        let mut row = Vec::new();
        let mut open = vec![end];
        while let Some(closing) = open.last().copied() {
            match self.lexer.take()? {
                Token::Number(number) => row.push(number),
                Token::Sign(b',') => {}
                Token::Sign(sign) if sign == closing => {
                    open.pop();
                }
                Token::Sign(b'(') => open.push(b')'),
                Token::Sign(b'[') => open.push(b']'),
                Token::Word("None") | Token::Text(_) => {} // a block, or strings in a tuple: no numbers
                other => return Err(unexpected(&other, "a number")),
            }
            self.check_depth(depth + open.len())?;
        }
        Ok(Value::Numbers(row))
    }

    fn list(&mut self, depth: usize) -> Parsed<Value> {
        let mut items = Vec::new();
        while !self.lexer.takes(b']')? {
            self.count()?;
            items.push(self.value(depth + 1)?);
            self.lexer.takes(b',')?;
        }
        Ok(Value::List(items))
    }

    /// `{ string key = value }`, or `{ 0: value }` for samples over time, which are read over.
    fn dictionary(&mut self, depth: usize) -> Parsed<Value> {
        let mut entries = Vec::new();
        loop {
            match self.lexer.take()? {
                Token::Sign(b'}') => return Ok(Value::Dictionary(entries)),
                Token::Sign(b',' | b';') => {}
                Token::Number(_) => {
                    self.lexer.expect(b':')?;
                    self.value(depth + 1)?;
                }
                Token::Word(_) => {
                    if self.lexer.takes(b'[')? {
                        self.lexer.expect(b']')?;
                    }
                    let key = match self.lexer.take()? {
                        Token::Word(key) => key.to_owned(),
                        Token::Text(key) => key,
                        other => return Err(unexpected(&other, "a key")),
                    };
                    self.lexer.expect(b'=')?;
                    self.count()?;
                    entries.push((key, self.value(depth + 1)?));
                }
                other => return Err(unexpected(&other, "a key or \"}\"")),
            }
        }
    }

    /// `reorder nameChildren = [...]` and the like.
    fn skip_statement(&mut self) -> Parsed<()> {
        self.word()?;
        if self.lexer.takes(b'=')? {
            self.value(1)?;
        }
        Ok(())
    }

    fn word(&mut self) -> Parsed<String> {
        match self.lexer.take()? {
            Token::Word(word) => Ok(word.to_owned()),
            other => Err(unexpected(&other, "a name")),
        }
    }

    fn text(&mut self) -> Parsed<String> {
        match self.lexer.take()? {
            Token::Text(text) => Ok(text),
            other => Err(unexpected(&other, "a name in quotes")),
        }
    }

    /// Bounds how much there is to keep.
    fn count(&mut self) -> Parsed<()> {
        self.said += 1;
        if self.said > SAID {
            let (what, limit) = ("the number of properties and values".to_owned(), SAID as u64);
            return Err(ImportFaultKind::TooLarge { what, found: limit + 1, limit });
        }
        Ok(())
    }

    fn check_depth(&self, depth: usize) -> Parsed<()> {
        if depth > self.limits.depth { Err(ImportFaultKind::TooDeep(self.limits.depth)) } else { Ok(()) }
    }
}

impl Prim {
    fn set(&mut self, name: String, value: Option<Value>, line: u32) {
        self.properties.push(Property { name, value, line, read: Cell::new(false) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Layer, ImportError> {
        parse(&File::new("a.usda", text.as_bytes().to_vec()), &Limits::default())
    }

    #[test]
    fn prims_properties_and_metadata_are_told_apart() {
        let layer = read(
            "#usda 1.0\n(\n  metersPerUnit = 0.01\n  doc = \"\"\"two\nlines\"\"\"\n)\n\
             def Xform \"a\" (\n prepend apiSchemas = [\"PhysicsMassAPI\"]\n customData = { string dofs = \"x\" }\n)\n{\n\
             uniform token[] xformOpOrder = [\"xformOp:translate\"] # comment\n\
             custom float3[] p = [(1, 2, 3), (4, 5, 6)] ( interpolation = \"vertex\" )\n\
             rel physics:body0 = </a/b>\n float x.timeSamples = { 0: 1, 1: 2, }\n def \"b\" { }\n}\n",
        )
        .unwrap();
        let a = &layer.prims[0];
        assert!(a.has_api("PhysicsMassAPI"));
        assert_eq!(a.row("p"), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
        assert_eq!(a.targets("physics:body0"), ["/a/b"]);
        assert_eq!((a.line, a.children[0].name.as_str()), (7, "b"));
        assert_eq!(a.properties.len(), 3);
    }

    #[test]
    fn what_is_not_usd_is_refused_with_its_line() {
        let line = |text: &str| read(text).unwrap_err().faults[0].place.line;
        assert_eq!(line("<robot/>"), 1);
        assert_eq!(line("#usda 1.0\ndef Xform \"a\"\n{\n  float x = )\n}"), 4);
        assert_eq!(line("#usda 1.0\ndef \"a\"\n{\n"), 4);
        assert!(read("PXR-USDC").is_err());
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = "#usda 1.0\n".to_owned() + &"def \"a\" {".repeat(100_000);
        assert_eq!(read(&deep).unwrap_err().faults[0].kind, ImportFaultKind::TooDeep(128));
        let deep = "#usda 1.0\ndef \"a\" { float x = ".to_owned() + &"(".repeat(100_000);
        assert_eq!(read(&deep).unwrap_err().faults[0].kind, ImportFaultKind::TooDeep(128));
    }
}
