//! Words, numbers, strings, paths and signs of USD text.

use crate::error::ImportFaultKind;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    Number(f64),
    Text(String),
    Path(&'t str),
    Asset(&'t str),
    /// One of `( ) [ ] { } = , ; :`
    Sign(u8),
    End,
}

/// Gives one token after the other, with one to look at in advance.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    pub line: u32,
    next: Option<(Token<'t>, u32)>,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        Lexer { text, at: 0, line: 1, next: None }
    }

    pub fn peek(&mut self) -> Result<&Token<'t>, ImportFaultKind> {
        if self.next.is_none() {
            let before = self.line;
            let token = self.scan()?;
            let after = std::mem::replace(&mut self.line, before);
            self.next = Some((token, after));
        }
        Ok(self.next.as_ref().map_or(&Token::End, |(token, _)| token))
    }

    pub fn take(&mut self) -> Result<Token<'t>, ImportFaultKind> {
        match self.next.take() {
            Some((token, line)) => {
                self.line = line;
                Ok(token)
            }
            None => self.scan(),
        }
    }

    /// Takes the sign if it comes next.
    pub fn takes(&mut self, sign: u8) -> Result<bool, ImportFaultKind> {
        let here = *self.peek()? == Token::Sign(sign);
        if here {
            self.take()?;
        }
        Ok(here)
    }

    pub fn expect(&mut self, sign: u8) -> Result<(), ImportFaultKind> {
        let found = self.take()?;
        if found == Token::Sign(sign) {
            return Ok(());
        }
        Err(unexpected(&found, &format!("{:?}", sign as char)))
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b'#' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                    continue;
                }
                b if b.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn scan(&mut self) -> Result<Token<'t>, ImportFaultKind> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let Some(first) = rest.bytes().next() else { return Ok(Token::End) };
        match first {
            b'"' | b'\'' => self.string(rest),
            b'<' => self.enclosed(rest, 1, ">").map(Token::Path),
            b'@' if rest.starts_with("@@@") => self.enclosed(rest, 3, "@@@").map(Token::Asset),
            b'@' => self.enclosed(rest, 1, "@").map(Token::Asset),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'=' | b',' | b';' | b':' => {
                self.at += 1;
                Ok(Token::Sign(first))
            }
            b'0'..=b'9' | b'-' | b'+' | b'.' => self.number(rest),
            _ if first.is_ascii_alphabetic() || first == b'_' || !first.is_ascii() => Ok(self.word(rest)),
            other => Err(ImportFaultKind::Malformed(format!("{:?} has no meaning here", other as char))),
        }
    }

    fn word(&mut self, rest: &'t str) -> Token<'t> {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-' | '|');
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest.find(|c: char| !part(c)).unwrap_or(rest.len()).max(first);
        self.at += end;
        match &rest[..end] {
            "inf" => Token::Number(f64::INFINITY),
            "nan" => Token::Number(f64::NAN),
            word => Token::Word(word),
        }
    }

    fn number(&mut self, rest: &'t str) -> Result<Token<'t>, ImportFaultKind> {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        let word = &rest[..rest.find(|c: char| !part(c)).unwrap_or(rest.len())];
        self.at += word.len();
        let wrong = || ImportFaultKind::Malformed(format!("{:.40} is not a number", word));
        word.parse().map(Token::Number).map_err(|_| wrong())
    }

    fn enclosed(&mut self, rest: &'t str, skip: usize, end: &str) -> Result<&'t str, ImportFaultKind> {
        let inner = &rest[skip..];
        let length = inner.find(end).filter(|n| !inner[..*n].contains('\n'));
        let Some(length) = length else {
            return Err(ImportFaultKind::Malformed(format!("a path is not closed by {end:?}")));
        };
        self.at += skip + length + end.len();
        Ok(&inner[..length])
    }

    fn string(&mut self, rest: &'t str) -> Result<Token<'t>, ImportFaultKind> {
        let triple = ["\"\"\"", "'''"].into_iter().find(|q| rest.starts_with(q));
        let quote = triple.unwrap_or(&rest[..1]);
        let (mut text, mut escaped) = (String::new(), false);
        let inner = &rest[quote.len()..];
        for (i, c) in inner.char_indices() {
            if !escaped && inner[i..].starts_with(quote) {
                self.at += 2 * quote.len() + i;
                return Ok(Token::Text(text));
            }
            if c == '\n' {
                if triple.is_none() {
                    break;
                }
                self.line += 1;
            }
            if !escaped && c == '\\' {
                escaped = true;
                continue;
            }
            text.push(if escaped && c == 'n' { '\n' } else { c });
            escaped = false;
        }
        Err(ImportFaultKind::Malformed("a string is not closed".into()))
    }
}

pub(super) fn unexpected(found: &Token<'_>, wanted: &str) -> ImportFaultKind {
    let found = match found {
        Token::End => "the end of the file".to_owned(),
        Token::Sign(sign) => format!("{:?}", *sign as char),
        Token::Word(word) => format!("{word:.40}"),
        Token::Number(number) => number.to_string(),
        Token::Text(_) => "a string".into(),
        Token::Path(path) => format!("<{path:.40}>"),
        Token::Asset(asset) => format!("@{asset:.40}@"),
    };
    ImportFaultKind::Malformed(format!("{wanted} is expected here, not {found}"))
}
