//! Models as bytes, every number exact: to send them to another process, or to keep them.
//!
//! `BCMODEL`, a version, the parts one after the other, and a checksum of it all. Texts and lists have their number in front, numbers are
//! little-endian. What is read is built again, with all checks: bytes that mean harm are refused like any other file.

mod codec;
mod parts;

use crate::error::ImportFaultKind;
use bellcrank_model::{Checksum, ContactFilter, Faults, Model, ModelBuilder};
use codec::{Pack, Reader};

const MAGIC: &[u8; 7] = b"BCMODEL";
const VERSION: u8 = 4;

/// Why bytes are no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnpackError {
    /// They are damaged, or of another version.
    #[error("these bytes are no model: {0}")]
    Damaged(&'static str),
    /// Their parts make no model.
    #[error(transparent)]
    Faults(#[from] Faults),
}

impl From<UnpackError> for ImportFaultKind {
    fn from(error: UnpackError) -> Self {
        ImportFaultKind::other(error.to_string(), "pack the model again with this version")
    }
}

/// The whole model; [`unpack`] gives it back.
pub fn pack(model: &Model) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    model.name().to_owned().pack(&mut out);
    model.gravity().pack(&mut out);
    model.time_step().pack(&mut out);
    model.material_rules().pack(&mut out);
    model.medium().pack(&mut out);
    model.compliance().pack(&mut out);
    pack_all(model.bodies(), &mut out);
    pack_all(model.joints(), &mut out);
    pack_all(model.couplings(), &mut out);
    pack_all(model.tendons(), &mut out);
    pack_all(model.actuators(), &mut out);
    pack_all(model.shapes(), &mut out);
    pack_all(model.sites(), &mut out);
    pack_all(model.cameras(), &mut out);
    pack_all(model.sensors(), &mut out);
    pack_all(model.keyframes(), &mut out);
    pack_all(model.filters(), &mut out);
    pack_all(model.ignored(), &mut out);
    checksum(&out).pack(&mut out);
    out
}

/// A packed model.
///
/// # Errors
/// When the bytes are damaged, of another version, or make no model.
pub fn unpack(bytes: &[u8]) -> Result<Model, UnpackError> {
    let bad = UnpackError::Damaged;
    let rest = bytes.strip_prefix(MAGIC).ok_or(bad("they do not begin like one"))?;
    let (version, _) = rest.split_first().ok_or(bad("they are cut off"))?;
    if *version != VERSION {
        return Err(bad("they were written by another version"));
    }
    let (content, sum) = bytes.split_last_chunk::<8>().ok_or(bad("they are cut off"))?;
    if checksum(content) != u64::from_le_bytes(*sum) {
        return Err(bad("their checksum does not fit"));
    }
    let mut reader = Reader::new(&content[MAGIC.len() + 1..]);
    let builder = read(&mut reader).filter(|_| reader.is_empty());
    Ok(builder.ok_or(bad("a part cannot be read"))?.build()?)
}

fn read(reader: &mut Reader<'_>) -> Option<ModelBuilder> {
    let mut builder = ModelBuilder::new(String::unpack(reader)?);
    builder.gravity(Pack::unpack(reader)?);
    builder.time_step(Pack::unpack(reader)?);
    builder.material_rules(Pack::unpack(reader)?);
    builder.medium(Pack::unpack(reader)?);
    builder.compliance(Pack::unpack(reader)?);
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.body(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.joint(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.coupling(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.tendon(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.actuator(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.shape(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.site(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.camera(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.sensor(part));
    Vec::unpack(reader)?.into_iter().for_each(|part| _ = builder.keyframe(part));
    for filter in Vec::<ContactFilter>::unpack(reader)? {
        match filter {
            ContactFilter::Exclude { a, b, place } => _ = builder.place(place).exclude(a, b),
            ContactFilter::Pair { a, b, surface, place } => _ = builder.place(place).pair_with(a, b, surface),
        }
    }
    for bellcrank_model::Ignored { place, why } in Vec::unpack(reader)? {
        builder.ignore(place, why);
    }
    Some(builder)
}

fn pack_all<T: Pack>(parts: &[T], out: &mut Vec<u8>) {
    (parts.len() as u64).pack(out);
    parts.iter().for_each(|part| part.pack(out));
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Checksum::default();
    sum.bytes(bytes);
    sum.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::{Fingerprint, library};

    /// Nothing gets lost: not a bit of a number, nor a place, a colour or a warning.
    #[test]
    fn every_shipped_model_is_the_same_after_packing() {
        for name in library::names() {
            let model = library::by_name(name).expect("shipped").build().expect("sound");
            let bytes = pack(&model);
            let back = unpack(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(Fingerprint::of(&back), Fingerprint::of(&model), "{name}");
            assert_eq!(pack(&back), bytes, "{name}");
            assert_eq!((back.bodies(), back.joints()), (model.bodies(), model.joints()), "{name}");
            assert_eq!((back.shapes(), back.sensors()), (model.shapes(), model.sensors()), "{name}");
            assert_eq!((back.keyframes(), back.warnings()), (model.keyframes(), model.warnings()), "{name}");
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = pack(&library::four_bar().build().expect("sound"));
        for end in 0..bytes.len() {
            assert!(unpack(&bytes[..end]).is_err());
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1 << (at % 8);
            assert!(unpack(&other).is_err(), "byte {at}");
        }
    }

    /// Bytes whose checksum fits, as a forger makes them: a model or an error, never a panic.
    #[test]
    fn forged_bytes_do_no_harm() {
        let bytes = pack(&library::hybrid_biped().build().expect("sound"));
        let content = &bytes[..bytes.len() - 8];
        let mut dice = 1_u64;
        for _ in 0..3_000 {
            let mut forged = content.to_vec();
            for _ in 0..3 {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = 8 + (dice >> 33) as usize % (forged.len() - 8);
                forged[at] = (dice >> 24) as u8;
            }
            checksum(&forged).pack(&mut forged);
            let _ = unpack(&forged);
        }
    }
}
