//! From names to indices.

use crate::builder::Parts;
use crate::fault::{Fault, FaultKind, Place};
use crate::ids::{
    ActuatorId, BodyId, CameraId, CouplingId, Id, JointId, KeyframeId, Link, Ref, SensorId, ShapeId, SiteId,
    TendonId,
};
use std::collections::HashMap;

/// Every part by its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub bodies: Table<BodyId>,
    pub joints: Table<JointId>,
    pub couplings: Table<CouplingId>,
    pub tendons: Table<TendonId>,
    pub actuators: Table<ActuatorId>,
    pub shapes: Table<ShapeId>,
    pub sites: Table<SiteId>,
    pub cameras: Table<CameraId>,
    pub sensors: Table<SensorId>,
    pub keyframes: Table<KeyframeId>,
    /// Empty and repeated names.
    pub duplicates: Vec<Fault>,
}

/// One kind of part by its name.
#[derive(Clone, Debug)]
pub(crate) struct Table<I> {
    ids: HashMap<String, I>,
    count: usize,
}

impl<I> Default for Table<I> {
    fn default() -> Self {
        Table { ids: HashMap::new(), count: 0 }
    }
}

impl Names {
    pub fn of(parts: &Parts) -> Self {
        let mut faults = Vec::new();
        macro_rules! table {
            ($list:ident) => {
                Table::of(parts.$list.iter().map(|part| (part.name.as_str(), said(&part.place))), &mut faults)
            };
        }
        Names {
            bodies: table!(bodies),
            joints: table!(joints),
            couplings: table!(couplings),
            tendons: table!(tendons),
            actuators: table!(actuators),
            shapes: table!(shapes),
            sites: table!(sites),
            cameras: table!(cameras),
            sensors: table!(sensors),
            keyframes: table!(keyframes),
            duplicates: faults,
        }
    }

    /// The link with its body as an index; says so when there is none of that name.
    pub fn link(&self, link: &mut Link, place: &Place, faults: &mut Vec<Fault>) -> bool {
        match link {
            Link::World => true,
            Link::Body(body) => self.bodies.resolve(body, place, faults),
        }
    }
}

/// Where a part was described.
pub(crate) fn said(place: &Option<Place>) -> Place {
    place.clone().unwrap_or_else(|| Place::new("model", 0))
}

impl<I: Id> Table<I> {
    fn of<'a>(parts: impl Iterator<Item = (&'a str, Place)>, faults: &mut Vec<Fault>) -> Self {
        let mut places: HashMap<String, Place> = HashMap::new();
        let mut table = Table::default();
        for (index, (name, place)) in parts.enumerate() {
            table.count += 1;
            if name.is_empty() {
                faults.push(Fault { place, kind: FaultKind::EmptyName });
            } else if let Some(first) = places.get(name) {
                let first = format!("{}:{}", first.file, first.line);
                faults.push(Fault { place, kind: FaultKind::DuplicateName { noun: I::NOUN, first } });
            } else {
                table.ids.insert(name.to_owned(), I::new(index));
                places.insert(name.to_owned(), place);
            }
        }
        table
    }

    pub fn get(&self, name: &str) -> Option<I> {
        self.ids.get(name).copied()
    }

    /// Makes the reference an index; says so when nothing has that name or number.
    pub fn resolve(&self, reference: &mut Ref<I>, place: &Place, faults: &mut Vec<Fault>) -> bool {
        let kind = match reference {
            Ref::Id(id) if id.index() < self.count => return true,
            Ref::Id(id) => FaultKind::DanglingId { noun: I::NOUN, index: id.index(), count: self.count },
            Ref::Name(name) => match self.get(name) {
                Some(id) => {
                    *reference = Ref::Id(id);
                    return true;
                }
                None => {
                    let nearest = nearest(name, self.ids.keys());
                    FaultKind::DanglingName { noun: I::NOUN, name: name.clone(), nearest }
                }
            },
        };
        faults.push(Fault { place: place.clone(), kind });
        false
    }
}

/// Longer names are not compared: the distance costs the product of the lengths.
const COMPARED_LENGTH: usize = 200;

/// The most similar known name, if it could be a slip of the pen. Ties go to the alphabetically first.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<String> {
    if name.len() > COMPARED_LENGTH {
        return None;
    }
    let allowed = (name.chars().count() / 3).max(2);
    known
        .filter(|other| other.len() <= COMPARED_LENGTH)
        .map(|other| (edit_distance(name, other), other))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, other)| other.clone())
}

/// Levenshtein's distance: insertions, deletions and changes of one character.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
