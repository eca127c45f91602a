//! One scene out of layers, references, payloads, inherits and variants.
//!
//! Stronger opinions come first: the prim itself, its chosen variants, what it inherits, what it refers to, its
//! payloads; then weaker sublayers. Files that cannot be read are listed as ignored.

use super::layer::{Layer, Prim, Value, entry};
use super::parse::parse;
use crate::error::ImportError;
use crate::files::{File, Files};
use crate::log::Log;
use crate::options::Limits;
use bellcrank_model::Place;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// How deep references may lead to references.
const DEPTH: usize = 12;
/// Prims, properties and metadata that all references together may copy.
const COPIES: usize = 500_000;
/// Names that all references together may look at: those of a prim's neighbours to find it, and those that the referring
/// prim has already, beside which each reference puts its own.
const LOOKS: usize = 50_000_000;
/// Copying a name into a table takes about as long as comparing this many.
const LOOKS_PER_COPY: usize = 20;
const ENDLESS: &str = "references lead to references without end, or to far too much";

/// A file that was read, by its name.
struct Source {
    file: File,
    layer: Layer,
}

pub(super) struct Composer<'a> {
    files: &'a Files,
    limits: &'a Limits,
    log: &'a Log,
    known: HashMap<String, Result<Rc<Source>, String>>,
    opened: usize,
    copied: usize,
    looks: usize,
}

/// A prim and everything it is made of, in one.
pub(super) struct Scene {
    pub prims: Vec<Prim>,
    pub metadata: Vec<(String, Value)>,
    pub file: Arc<str>,
}

/// Composes the scene of a file that has been parsed.
pub(super) fn compose(file: File, layer: Layer, files: &Files, limits: &Limits, log: &Log) -> Scene {
    let mut composer = Composer { files, limits, log, known: HashMap::new(), opened: 0, copied: 0, looks: 0 };
    let name: Arc<str> = file.name.as_str().into();
    let source = Rc::new(Source { file, layer });
    let mut prims = source.layer.prims.clone();
    let sublayers = entry(&source.layer.metadata, "subLayers").map_or(&[][..], Value::items);
    for sublayer in sublayers {
        if let Value::Asset(path, _) = sublayer
            && let Some(weaker) = composer.open(path, &source, 0)
        {
            merge_children(&mut prims, weaker.layer.prims.clone(), &mut composer.looks);
        }
    }
    for prim in &mut prims {
        let at = format!("/{}", prim.name);
        composer.resolve(prim, &source, &at, 0);
    }
    Scene { prims, metadata: source.layer.metadata.clone(), file: name }
}

impl Composer<'_> {
    /// Replaces references by what they refer to, in this prim and below.
    fn resolve(&mut self, prim: &mut Prim, source: &Rc<Source>, at: &str, depth: usize) {
        if depth > self.limits.depth {
            return prim.children.clear();
        }
        choose_variants(prim, &mut self.looks);
        // first its own children: those that references bring are resolved already
        for child in &mut prim.children {
            let below = format!("{at}/{}", child.name);
            self.resolve(child, source, &below, depth + 1);
        }
        for key in ["inherits", "specializes", "references", "payload"] {
            let Some(value) = entry(&prim.metadata, key).cloned() else { continue };
            for target in value.items() {
                if self.is_exhausted() {
                    self.log.ignore(place_of(prim, source), ENDLESS);
                    break;
                }
                let (file, path) = match target {
                    Value::Path(path) => ("", path.as_str()),
                    Value::Asset(file, path) => (file.as_str(), path.as_str()),
                    _ => continue,
                };
                self.refer(prim, (file, path), source, at, depth);
            }
        }
    }

    fn refer(
        &mut self,
        prim: &mut Prim,
        (file, path): (&str, &str),
        source: &Rc<Source>,
        at: &str,
        depth: usize,
    ) {
        let place = || place_of(prim, source);
        let other = if file.is_empty() { Some(source.clone()) } else { self.open(file, source, prim.line) };
        let Some(other) = other else { return };
        let default =
            entry(&other.layer.metadata, "defaultPrim").and_then(Value::text).map(|n| format!("/{n}"));
        let path = if path.is_empty() { default.unwrap_or_default() } else { path.to_owned() };
        let Some(found) = find(&other.layer.prims, &path, &mut self.looks) else {
            return self.log.ignore(place(), format!("it refers to {path:?}, which is not there"));
        };
        let is_around =
            at == path || at.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if file.is_empty() && is_around {
            return self.log.ignore(place(), "it refers to itself or to a prim around it");
        }
        self.copied += weight(found);
        if self.opened > DEPTH || self.is_exhausted() {
            return self.log.ignore(place(), ENDLESS);
        }
        let mut copy = found.clone();
        self.opened += 1;
        // the copy's own references are relative to its own file
        self.resolve(&mut copy, &other, &path, depth + 1);
        self.opened -= 1;
        copy.is_class = false;
        if path != at {
            redirect(&mut copy, &path, at);
        }
        merge(prim, copy, &mut self.looks);
    }

    /// Whether references have taken all that they may.
    fn is_exhausted(&self) -> bool {
        self.copied > COPIES || self.looks > LOOKS
    }

    /// Another file, read once. What cannot be read is told wherever it is referred to.
    fn open(&mut self, name: &str, by: &Rc<Source>, line: u32) -> Option<Rc<Source>> {
        let key = format!("{:?}/{name}", by.file.folder);
        let known = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let read = self.read(name, by);
                self.known.insert(key, read.clone());
                read
            }
        };
        let place = Place { element: format!("@{name}@"), ..Place::new(&*by.file.name, line) };
        known.map_err(|why| self.log.ignore(place, format!("what it refers to is left out: {why}"))).ok()
    }

    fn read(&self, name: &str, by: &Rc<Source>) -> Result<Rc<Source>, String> {
        let file = self.files.text(name, Some(&by.file)).map_err(|kind| kind.to_string())?;
        let said = |e: ImportError| e.faults.first().map_or(String::new(), |fault| fault.kind.to_string());
        let layer = parse(&file, self.limits).map_err(said)?;
        Ok(Rc::new(Source { file, layer }))
    }
}

fn place_of(prim: &Prim, source: &Source) -> Place {
    Place { element: format!("<{} {:?}>", prim.kind, prim.name), ..Place::new(&*source.file.name, prim.line) }
}

/// The prim at a path; `looks` counts the names that were compared with it.
fn find<'a>(prims: &'a [Prim], path: &str, looks: &mut usize) -> Option<&'a Prim> {
    let mut names = path.trim_start_matches('/').split('/');
    let mut among = |prims: &'a [Prim], name: &str| {
        let at = prims.iter().position(|p| p.name == name);
        *looks += at.map_or(prims.len(), |at| at + 1);
        Some(&prims[at?])
    };
    let mut prim = among(prims, names.next()?)?;
    for name in names {
        prim = among(&prim.children, name)?;
    }
    Some(prim)
}

/// What the chosen variants say becomes part of the prim.
fn choose_variants(prim: &mut Prim, looks: &mut usize) {
    let chosen = match entry(&prim.metadata, "variants") {
        Some(Value::Dictionary(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    for (set, variant, inside) in std::mem::take(&mut prim.variants) {
        let wanted = chosen.iter().find(|(name, _)| *name == set).and_then(|(_, v)| v.text());
        if wanted == Some(&variant) {
            merge(prim, inside, looks);
        }
    }
}

/// Adds what the weaker prim says and the stronger does not; `looks` counts the names that were compared.
fn merge(strong: &mut Prim, weak: Prim, looks: &mut usize) {
    if strong.kind.is_empty() {
        strong.kind = weak.kind;
    }
    *looks += weak.metadata.len() * strong.metadata.len();
    for (key, value) in weak.metadata {
        match strong.metadata.iter_mut().find(|(name, _)| *name == key) {
            None if !matches!(key.as_str(), "references" | "payload" | "inherits" | "specializes") => {
                strong.metadata.push((key, value));
            }
            Some((_, Value::List(items))) if key == "apiSchemas" => {
                items.extend(value.items().iter().cloned())
            }
            _ => {}
        }
    }
    if !weak.properties.is_empty() {
        *looks += LOOKS_PER_COPY * strong.properties.len();
        let known: HashSet<String> = strong.properties.iter().map(|p| p.name.clone()).collect();
        strong.properties.extend(weak.properties.into_iter().filter(|p| !known.contains(&p.name)));
    }
    merge_children(&mut strong.children, weak.children, looks);
    strong.variants.extend(weak.variants);
}

fn merge_children(strong: &mut Vec<Prim>, weak: Vec<Prim>, looks: &mut usize) {
    if weak.is_empty() {
        return;
    }
    *looks += LOOKS_PER_COPY * strong.len();
    let known: HashMap<String, usize> = strong.iter().enumerate().map(|(i, p)| (p.name.clone(), i)).collect();
    for prim in weak {
        match known.get(&prim.name) {
            Some(same) => {
                strong[*same].is_over &= prim.is_over;
                merge(&mut strong[*same], prim, looks);
            }
            None => strong.push(prim),
        }
    }
}

/// How much there is to copy.
fn weight(prim: &Prim) -> usize {
    fn size(value: &Value) -> usize {
        match value {
            Value::Numbers(numbers) => 1 + numbers.len() / 64,
            Value::Text(text) | Value::Path(text) => 1 + text.len() / 512,
            Value::Asset(file, path) => 1 + (file.len() + path.len()) / 512,
            Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
            Value::Dictionary(entries) => 1 + entries.iter().map(|(_, value)| size(value)).sum::<usize>(),
        }
    }
    let properties: usize = prim.properties.iter().map(|p| p.value.as_ref().map_or(1, size)).sum();
    let metadata: usize = prim.metadata.iter().map(|(_, value)| size(value)).sum();
    let variants = prim.variants.iter().map(|(_, _, inside)| inside);
    let inside = prim.children.iter().chain(variants);
    inside.fold(1 + properties + metadata, |sum, prim| sum.saturating_add(weight(prim)))
}

/// Paths into the original become paths into the copy.
fn redirect(prim: &mut Prim, from: &str, to: &str) {
    fn one(value: &mut Value, from: &str, to: &str) {
        match value {
            Value::Path(path) => {
                if let Some(rest) =
                    path.strip_prefix(from).filter(|r| r.is_empty() || r.starts_with(['/', '.']))
                {
                    *path = format!("{to}{rest}");
                }
            }
            Value::List(items) => items.iter_mut().for_each(|item| one(item, from, to)),
            _ => {}
        }
    }
    prim.properties.iter_mut().filter_map(|p| p.value.as_mut()).for_each(|value| one(value, from, to));
    prim.children.iter_mut().for_each(|child| redirect(child, from, to));
}
