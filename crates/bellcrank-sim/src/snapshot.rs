//! A world's state as bytes, to resume bit for bit.
//!
//! Format, little endian, texts and lists with their number in front: `BCSN`, format version; the program's version; precision in bits; time
//! step; name of the solver and a number of its settings; the models, each with its name and the numbers of its parts ([`Fingerprint`]); worlds, each
//! with the number of its model and its values as `f64` (exact for both precisions); and a checksum of all before it. What is
//! damaged is refused, and so is what belongs to another batch, with the difference named.

use crate::batch::{Batch, BatchError};
use bellcrank_model::{Checksum, Fingerprint};
use bellcrank_step::group::Precision;
use bellcrank_step::settings as engine;
use std::fmt::Write;

const MAGIC: [u8; 4] = *b"BCSN";
const VERSION: u32 = 4;
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// What a snapshot says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotHead {
    /// The program that wrote it.
    pub program: String,
    /// Floating-point precision: f64 or f32.
    pub precision: Precision,
    /// Step [s].
    pub dt: f64,
    /// Name of the solver, and a number of all settings.
    pub solver: (String, u64),
    /// Models by name.
    pub models: Vec<(String, Fingerprint)>,
    /// The model of each world.
    pub worlds: Vec<usize>,
}

impl SnapshotHead {
    /// What a batch's snapshots say.
    pub(crate) fn of(batch: &Batch) -> Self {
        let named = |model: &std::sync::Arc<bellcrank_model::Model>| {
            (model.name().to_owned(), Fingerprint::of(model))
        };
        SnapshotHead {
            program: PROGRAM.to_owned(),
            precision: batch.precision(),
            dt: batch.dt(),
            solver: solver(batch),
            models: batch.models().iter().map(named).collect(),
            worlds: (0..batch.worlds()).filter_map(|world| batch.find(world).ok()).map(|(g, _)| g).collect(),
        }
    }

    /// Why a snapshot with the other head is not one of this batch, whatever its solver, step and precision.
    fn other_model(&self, other: &SnapshotHead) -> Option<String> {
        let (here, there) = (self.worlds.len(), other.worlds.len());
        if here != there {
            return Some(format!("it has {there} worlds where {here} are here"));
        }
        let mut pairs: Vec<(usize, usize)> =
            self.worlds.iter().copied().zip(other.worlds.iter().copied()).collect();
        pairs.dedup();
        for (here, there) in pairs {
            let (Some((name, own)), Some((its, theirs))) = (self.models.get(here), other.models.get(there))
            else {
                return Some("a world of it is of a model that it does not have".into());
            };
            if let Some(what) = own.difference(theirs) {
                let version = match other.program == PROGRAM {
                    true => String::new(),
                    false => format!(" (it was written by bellcrank {}, this is {PROGRAM})", other.program),
                };
                return Some(format!("it is of the model {its:?}, not of {name:?} as here: {what}{version}"));
            }
        }
        None
    }

    /// Why a batch of the same models would not go on bit for bit.
    fn other_way(&self, other: &SnapshotHead) -> Option<String> {
        let way = "; take its state with Batch::adopt (Python: restore(blob, exact=False)), without the promise of equal bits";
        if self.precision != other.precision {
            return Some(format!("it is in {:?}, the batch in {:?}{way}", other.precision, self.precision));
        }
        if self.dt.to_bits() != other.dt.to_bits() {
            return Some(format!("its time step is {} s, the batch's {} s{way}", other.dt, self.dt));
        }
        let ((here, own), (there, theirs)) = (&self.solver, &other.solver);
        if here != there {
            return Some(format!("its solver is {there}, the batch's {here}{way}"));
        }
        (own != theirs).then(|| format!("its solver {there} has other settings{way}"))
    }

    /// Refuses what is not of this batch; with `exact` also what would not resume bit for bit.
    pub(crate) fn check(&self, other: &SnapshotHead, exact: bool) -> Result<(), BatchError> {
        let why = self.other_model(other).or_else(|| self.other_way(other).filter(|_| exact));
        why.map_or(Ok(()), |why| Err(BatchError::BadSnapshot(why)))
    }
}

/// The name of what finds reactions, and a number of everything that the result depends on.
fn solver(batch: &Batch) -> (String, u64) {
    // as the engine has them: a default that is written out is the same as one that is not
    let settings = batch.settings().for_precision(batch.precision());
    let mut sum = Checksum::default();
    let _ = write!(sum, "{:?}", engine::Settings { metrics: false, ..settings }); // measuring changes nothing
    (batch.settings().solver.name().to_owned(), sum.finish())
}

/// Writes a snapshot.
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub fn new(head: &SnapshotHead) -> Self {
        let mut writer = Writer { bytes: MAGIC.to_vec() };
        writer.bytes.extend(VERSION.to_le_bytes());
        writer.text(&head.program);
        writer.number(match head.precision {
            Precision::F64 => 64,
            Precision::F32 => 32,
        });
        writer.number(head.dt.to_bits());
        writer.text(&head.solver.0);
        writer.number(head.solver.1);
        writer.number(head.models.len() as u64);
        for (name, fingerprint) in &head.models {
            writer.text(name);
            writer.number(fingerprint.parts.len() as u64);
            for (part, number) in &fingerprint.parts {
                writer.text(part);
                writer.number(*number);
            }
        }
        writer.number(head.worlds.len() as u64);
        head.worlds.iter().for_each(|model| writer.number(*model as u64));
        writer
    }

    fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    pub fn world(&mut self, values: &[f64]) {
        self.number(values.len() as u64);
        self.bytes.reserve(8 * values.len());
        values.iter().for_each(|x| self.bytes.extend(x.to_bits().to_le_bytes()));
    }

    pub fn finish(mut self) -> Vec<u8> {
        let mut sum = Checksum::default();
        sum.bytes(&self.bytes);
        self.number(sum.finish());
        self.bytes
    }
}

/// Reads a whole snapshot: what it says of itself, and one list of values per world.
pub(crate) fn read(bytes: &[u8]) -> Result<(SnapshotHead, Vec<Vec<f64>>), BatchError> {
    let bad = |why: &str| BatchError::BadSnapshot(why.to_owned());
    let rest = bytes.strip_prefix(&MAGIC).ok_or_else(|| bad("it does not begin like one"))?;
    let cut = || bad("it is cut off");
    let mut reader = Reader { rest };
    let version = u32::from_le_bytes(reader.take().ok_or_else(cut)?);
    if version != VERSION {
        return Err(BatchError::BadSnapshot(format!(
            "it has format {version}, this program reads format {VERSION}; write it again with this version"
        )));
    }
    let (content, sum) = bytes.split_last_chunk::<8>().ok_or_else(cut)?;
    let mut expected = Checksum::default();
    expected.bytes(content);
    if expected.finish() != u64::from_le_bytes(*sum) {
        return Err(bad("it is damaged: its checksum does not fit"));
    }
    reader.rest = content.get(8..).ok_or_else(cut)?;
    let head = reader.head().ok_or_else(cut)?;
    let all: Option<Vec<Vec<f64>>> = head.worlds.iter().map(|_| reader.values()).collect();
    let all = all.ok_or_else(cut)?;
    if reader.rest.is_empty() { Ok((head, all)) } else { Err(bad("there is more in it than the worlds")) }
}

/// What is left to read. Numbers of things are bounded by the bytes that there are.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.rest.split_first_chunk::<N>()?;
        self.rest = tail;
        Some(*head)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// A number of things of at least so many bytes each.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len() / size).then_some(count)
    }

    fn text(&mut self) -> Option<String> {
        let count = self.count(1)?;
        let (text, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn values(&mut self) -> Option<Vec<f64>> {
        let count = self.count(8)?;
        let (values, rest) = self.rest.split_at_checked(8 * count)?;
        self.rest = rest;
        Some(values.as_chunks::<8>().0.iter().map(|eight| f64::from_le_bytes(*eight)).collect())
    }

    fn head(&mut self) -> Option<SnapshotHead> {
        let program = self.text()?;
        let precision = match self.number()? {
            64 => Precision::F64,
            32 => Precision::F32,
            _ => return None,
        };
        let dt = f64::from_bits(self.number()?);
        let solver = (self.text()?, self.number()?);
        let models = (0..self.count(16)?).map(|_| self.model()).collect::<Option<_>>()?;
        let worlds =
            (0..self.count(16)?).map(|_| usize::try_from(self.number()?).ok()).collect::<Option<_>>()?;
        Some(SnapshotHead { program, precision, dt, solver, models, worlds })
    }

    fn model(&mut self) -> Option<(String, Fingerprint)> {
        let name = self.text()?;
        let parts =
            (0..self.count(16)?).map(|_| Some((self.text()?, self.number()?))).collect::<Option<_>>()?;
        Some((name, Fingerprint { parts }))
    }
}
