//! `#[kernel]`: a function that enters the instruction set of its numbers by itself.
//!
//! Everything numeric in Bellcrank is generic over [`Real`] and `#[inline(always)]`, and gets its vector instructions from the
//! function into which it is inlined. A kernel is such a function:
//!
//! ```text
//! #[kernel]
//! fn add_joints<R: Real>(layout: &Layout, ws: &mut Workspace<R>) { … }
//! ```
//!
//! is compiled as
//!
//! ```text
//! fn add_joints<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
//!     R::run(Inline(#[inline(always)] || { … }))
//! }
//! ```
//!
//! Kernels call each other as any function does. Each is compiled for itself, which keeps the compiler quick and lets it use all
//! cores. Where the number is not called `R`, the attribute says how: `#[kernel(E)]`.
//!
//! [`Real`]: https://docs.rs/bellcrank-math
#![forbid(unsafe_code)]

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Runs the function's body inside the instruction set of its number, `R` unless the attribute names another.
#[proc_macro_attribute]
pub fn kernel(number: TokenStream, function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    let body = match tokens.pop() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
        _ => return fault("#[kernel] goes before a function with a body"),
    };
    let number = if number.is_empty() { source("R") } else { number };
    let closure = join([source("#[inline(always)] ||"), TokenTree::Group(body).into()]);
    let work = join([source("::bellcrank_math::Inline"), round(closure)]);
    let number = join([source("<"), number, source("as ::bellcrank_math::Real>::run")]);
    let call = join([number, round(work)]);
    tokens.push(TokenTree::Group(Group::new(Delimiter::Brace, call)));
    tokens.into_iter().collect()
}

/// Source text as tokens. Those of this file are all well formed.
fn source(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

fn join<const N: usize>(parts: [TokenStream; N]) -> TokenStream {
    parts.into_iter().flatten().collect()
}

fn round(inside: TokenStream) -> TokenStream {
    TokenTree::Group(Group::new(Delimiter::Parenthesis, inside)).into()
}

fn fault(text: &str) -> TokenStream {
    source(&format!("compile_error!({text:?});"))
}
