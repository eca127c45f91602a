//! XML, numbers and mesh files as text.

use bellcrank_math::{Quat, Vec3};
use bellcrank_model::{Mesh, Texture};
use std::fmt::Write;

/// Writes elements with indentation.
#[derive(Default)]
pub(super) struct Xml {
    pub text: String,
    open: Vec<String>,
}

/// Name and value of attributes, in their order.
pub(super) type Attributes<'a> = &'a [(&'a str, String)];

impl Xml {
    pub fn open(&mut self, tag: &str, attributes: Attributes<'_>) {
        self.start(tag, attributes);
        self.text.push_str(">\n");
        self.open.push(tag.to_owned());
    }

    pub fn close(&mut self) {
        if let Some(tag) = self.open.pop() {
            self.indent();
            let _ = writeln!(self.text, "</{tag}>"); // writing to a string cannot fail
        }
    }

    /// Closes an element, or takes it back if nothing was put in it.
    pub fn close_or_drop(&mut self) {
        let start = self.open.last().map_or(String::new(), |tag| format!("<{tag}>\n"));
        if !start.is_empty() && self.text.ends_with(&start) {
            self.open.pop();
            let indent = 2 * self.open.len();
            self.text.truncate(self.text.len() - start.len() - indent);
        } else {
            self.close();
        }
    }

    pub fn leaf(&mut self, tag: &str, attributes: Attributes<'_>) {
        self.start(tag, attributes);
        self.text.push_str("/>\n");
    }

    fn start(&mut self, tag: &str, attributes: Attributes<'_>) {
        self.indent();
        let _ = write!(self.text, "<{tag}");
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
        }
    }

    fn indent(&mut self) {
        self.open.iter().for_each(|_| self.text.push_str("  "));
    }
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\n', "&#10;")
}

/// The shortest text that reads back as the same number.
pub(super) fn number(x: f64) -> String {
    if x == x.trunc() && x.abs() < 1e15 { format!("{}", x as i64) } else { format!("{x:?}") }
}

pub(super) fn numbers(row: &[f64]) -> String {
    row.iter().map(|x| number(*x)).collect::<Vec<_>>().join(" ")
}

/// Red, green, blue, opacity with no more digits than they have.
pub(super) fn color(rgba: [f32; 4]) -> String {
    rgba.map(|x| x.to_string()).join(" ")
}

pub(super) fn vector(v: Vec3) -> String {
    numbers(&v.to_array())
}

/// Angles about the fixed x, y, z axes. Next to the singularity roll takes all of it.
pub(super) fn rpy(R: Quat) -> [f64; 3] {
    let m = R.to_mat3();
    let level = m.x.x.hypot(m.x.y);
    let pitch = (-m.x.z).atan2(level);
    if level < 1e-10 {
        return [(-m.z.y).atan2(m.y.y), pitch, 0.0];
    }
    [m.y.z.atan2(m.z.z), pitch, m.x.y.atan2(m.x.x)]
}

/// A picture as a PNG file.
pub(super) fn png(picture: &Texture) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // writing to memory fails only where sizes disagree, which `Texture::new` has refused; then the file stays empty
    if encoder.write_header().and_then(|mut writer| writer.write_image_data(&picture.rgb)).is_err() {
        bytes.clear();
    }
    bytes
}

/// The triangles as an OBJ file.
pub(super) fn obj(mesh: &Mesh) -> Vec<u8> {
    let mut text = String::new();
    for v in &mesh.vertices {
        let _ = writeln!(text, "v {}", vector(*v));
    }
    for [u, v] in mesh.uvs.iter().flatten() {
        let _ = writeln!(text, "vt {} {}", number((*u).into()), number(1.0 - f64::from(*v))); // from the bottom
    }
    for (t, [a, b, c]) in mesh.triangles.iter().map(|t| t.map(|k| k + 1)).enumerate() {
        let _ = match 3 * t + 1 {
            _ if mesh.uvs.is_empty() => writeln!(text, "f {a} {b} {c}"),
            k => writeln!(text, "f {a}/{k} {b}/{} {c}/{}", k + 1, k + 2),
        };
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urdf::from_rpy;

    #[test]
    fn angles_come_back_even_at_the_singularity() {
        const QUARTER: f64 = std::f64::consts::FRAC_PI_2;
        for pitch in [0.0, 0.3, QUARTER - 1e-4, QUARTER, -QUARTER, QUARTER - 3e-7] {
            for (roll, yaw) in [(0.4, -2.0), (3.0, 0.0), (-1.0, 1.5)] {
                let R = from_rpy([roll, pitch, yaw]);
                let back = from_rpy(rpy(R));
                let error = (R.inverse() * back).vector().norm();
                assert!(error < 1e-9, "{roll} {pitch} {yaw}: {error}");
            }
        }
    }

    #[test]
    fn numbers_read_back_as_the_same_bits() {
        for x in [0.0, 1.0, -2.5, 1e-12, 0.1 + 0.2, 1e300, 123456789.0] {
            assert_eq!(number(x).parse::<f64>(), Ok(x));
        }
        assert_eq!(numbers(&[1.0, 0.5]), "1 0.5");
    }
}
