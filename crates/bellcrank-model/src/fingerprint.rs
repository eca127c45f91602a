//! Which model it is: a number for every part that a step depends on.
//!
//! Names, masses, frames, gains and shapes count; where something was said, how it is coloured, sensors and keyframes do not. Two
//! models with equal fingerprints step alike, and of two that differ the first different part can be named.

use crate::contact::ContactFilter;
use crate::model::Model;
use crate::shape::{Geometry, Shape};
use std::fmt::{Debug, Write};

/// One number per part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Noun and name of the part, as messages call it, and the number of what it is.
    pub parts: Vec<(String, u64)>,
}

/// A checksum of 64 bits: every step (h ⊕ word) · odd, turned, can be undone, so that a change in one word always changes the result,
/// and changes in several go unseen once in 2⁶⁴.
#[derive(Clone, Copy, Debug)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Checksum(0x243f_6a88_85a3_08d3) // the first binary digits of π − 3: nothing up the sleeve
    }
}

impl Checksum {
    /// Takes a number in.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    /// Takes bytes and their number in.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    /// The number.
    pub fn finish(self) -> u64 {
        let x = (self.0 ^ self.0 >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ x >> 32
    }
}

impl Write for Checksum {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

impl Fingerprint {
    /// Of a model.
    pub fn of(model: &Model) -> Self {
        let mut all = Fingerprint::default();
        all.add("the model's", "gravity", &model.gravity());
        all.add("the model's", "medium", &model.medium());
        all.add("the model's", "rules for materials", &model.material_rules());
        all.add("the model's", "compliance", &model.compliance());
        macro_rules! each {
            ($($noun:literal $list:ident),*) => {
                $(for part in model.$list() {
                    let mut part = part.clone();
                    part.place = None;
                    all.add($noun, &format!("{:?}", part.name), &part);
                })*
            };
        }
        each!("body" bodies, "joint" joints, "coupling" couplings, "tendon" tendons, "actuator" actuators, "site" sites);
        model
            .shapes()
            .iter()
            .filter(|shape| shape.collides || shape.in_medium.is_some())
            .for_each(|shape| all.shape(shape));
        for filter in model.filters() {
            match filter {
                ContactFilter::Exclude { a, b, .. } => all.add("exception", "from contact", &(a, b)),
                ContactFilter::Pair { a, b, surface, .. } => {
                    all.add("pair", "that may touch", &(a, b, surface))
                }
            }
        }
        all
    }

    /// The first part in which another fingerprint differs, as in `body "thigh"`.
    pub fn difference(&self, other: &Fingerprint) -> Option<String> {
        let pairs = self.parts.iter().zip(&other.parts);
        let differs = pairs.filter(|(a, b)| a != b).map(|((a, _), (b, _))| match a == b {
            true => format!("{a} is another one"),
            false => format!("it has {b} where {a} is here"),
        });
        let counts = [(&self.parts, "here only"), (&other.parts, "there only")];
        let longer = || {
            let least = self.parts.len().min(other.parts.len());
            counts
                .iter()
                .find_map(|(parts, where_)| parts.get(least).map(|(name, _)| format!("{name} is {where_}")))
        };
        differs.into_iter().next().or_else(longer)
    }

    fn add(&mut self, noun: &str, name: &str, what: &impl Debug) {
        let mut sum = Checksum::default();
        let _ = write!(sum, "{what:?}"); // a checksum takes all that it is given
        self.parts.push((format!("{noun} {name}"), sum.finish()));
    }

    /// Points of meshes as bits: there are too many to write them out.
    fn shape(&mut self, shape: &Shape) {
        let mut sum = Checksum::default();
        let mut plain = Shape { place: None, color: [0.0; 4], texture: None, ..shape.clone() };
        if let Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) = &shape.geometry {
            plain.geometry = Geometry::Plane;
            mesh.vertices.iter().flat_map(|v| v.to_array()).for_each(|x| sum.word(x.to_bits()));
            mesh.triangles.iter().flatten().for_each(|k| sum.word(u64::from(*k)));
        }
        if let Geometry::HeightField(field) = &shape.geometry {
            plain.geometry = Geometry::Plane;
            [field.rows, field.columns].into_iter().for_each(|n| sum.word(n as u64));
            field.heights.iter().chain(&field.size).for_each(|x| sum.word(x.to_bits()));
        }
        let _ = write!(
            sum,
            "{plain:?} {}",
            std::mem::discriminant(&shape.geometry) == std::mem::discriminant(&plain.geometry)
        );
        self.parts.push((format!("shape {:?}", shape.name), sum.finish()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Joint, ModelBuilder, WORLD};
    use bellcrank_math::Vec3;

    fn arm(mass: f64, axis: Vec3, name: &str, line: u32) -> Fingerprint {
        let mut b = ModelBuilder::new("arm");
        b.place(crate::Place::new("arm.urdf", line));
        b.body(Body::new(name).solid_sphere(mass, 0.1));
        b.joint(Joint::revolute("hinge", WORLD, name).placed(Vec3::zero(), axis));
        Fingerprint::of(&b.build().unwrap())
    }

    #[test]
    fn the_first_part_that_differs_is_named() {
        let here = arm(1.0, Vec3::y_axis(), "link", 3);
        let said = |other: Fingerprint| here.difference(&other);
        assert_eq!(said(arm(1.0, Vec3::y_axis(), "link", 99)), None); // where it was said does not count
        assert_eq!(said(arm(1000.0, Vec3::y_axis(), "link", 3)).unwrap(), "body \"link\" is another one");
        assert_eq!(said(arm(1.0, Vec3::x_axis(), "link", 3)).unwrap(), "joint \"hinge\" is another one");
        let renamed = said(arm(1.0, Vec3::y_axis(), "rod", 3)).unwrap();
        assert_eq!(renamed, "it has body \"rod\" where body \"link\" is here");
    }

    /// Every bit of a word counts, and so does the length.
    #[test]
    fn a_checksum_sees_every_bit() {
        let of = |bytes: &[u8]| {
            let mut sum = Checksum::default();
            sum.bytes(bytes);
            sum.finish()
        };
        let plain: Vec<u8> = (0..50).collect();
        for k in 0..plain.len() {
            for bit in 0..8 {
                let mut other = plain.clone();
                other[k] ^= 1 << bit;
                assert_ne!(of(&other), of(&plain), "byte {k}, bit {bit}");
            }
            assert_ne!(of(&plain[..k]), of(&plain));
        }
        assert_ne!(of(&[0; 8]), of(&[0; 9]));
    }
}
