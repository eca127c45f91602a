//! Numbers in text.

use crate::error::ImportFaultKind;

/// Numbers separated by white space. `limit` bounds how many are read.
///
/// # Errors
/// When a word is not a number, is not a number by name (`nan`), or there are too many. Infinity is accepted
/// here; what must be finite is checked by the caller.
pub fn parse_numbers(attribute: &str, text: &str, limit: usize) -> Result<Vec<f64>, ImportFaultKind> {
    let mut numbers = Vec::new();
    for word in text.split_ascii_whitespace() {
        if numbers.len() >= limit {
            let found = text.split_ascii_whitespace().count();
            return Err(ImportFaultKind::WrongCount {
                attribute: attribute.into(),
                found,
                expected: format!("at most {limit}"),
            });
        }
        numbers.push(parse_number(attribute, word)?);
    }
    Ok(numbers)
}

/// One number; `nan` is refused, infinity is not.
pub(super) fn parse_number(attribute: &str, word: &str) -> Result<f64, ImportFaultKind> {
    let attribute = attribute.to_owned();
    match word.parse::<f64>() {
        Ok(value) if value.is_nan() => Err(ImportFaultKind::NotFinite { attribute, text: clipped(word) }),
        Ok(value) => Ok(value),
        Err(_) => Err(ImportFaultKind::NotANumber { attribute, text: clipped(word) }),
    }
}

/// At most a line of it, for messages.
pub(super) fn clipped(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
