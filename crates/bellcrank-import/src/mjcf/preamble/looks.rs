//! Colours: materials, and textures as their mean colour.
//!
//! MuJoCo multiplies a texture with its material's colour, which is white unless said. Pictures are not drawn here; what is textured
//! has their mean colour instead, so that a robot is seen about as it is.

use crate::ImportFaultKind;
use crate::mjcf::preamble::assets::color;
use crate::xml::Element;

/// A material: its own colour, and the name of its texture.
#[derive(Clone, Debug)]
pub(super) struct Paint {
    pub color: [f32; 4],
    pub texture: Option<String>,
}

impl Paint {
    /// Of a `<material>`. A layer of colour counts like the attribute.
    pub fn of(element: &Element) -> Self {
        let layer = |layer: &&Element| layer.tag == "layer" && layer.attribute("role") == Some("rgb");
        let layered = element.children.iter().find(layer).and_then(|layer| layer.attribute("texture"));
        let texture = element.attribute("texture").or(layered).map(str::to_owned);
        Paint { color: color(element).unwrap_or([1.0; 4]), texture }
    }

    /// Its colour on a texture of this mean colour.
    pub fn on(&self, [r, g, b]: [f32; 3]) -> [f32; 4] {
        let [x, y, z, opacity] = self.color;
        [x * r, y * g, z * b, opacity]
    }
}

/// The mean colour of a texture that MuJoCo makes itself: of its two colours, or of one.
pub(super) fn built_in(element: &Element) -> Option<[f32; 3]> {
    let kinds = [("none", None), ("flat", Some(false)), ("checker", Some(true)), ("gradient", Some(true))];
    let mixed = element.choice("builtin", &kinds)??;
    let said = |name: &str, usual: f64| element.vector(name).unwrap_or([usual; 3]).map(|x: f64| x as f32);
    let (one, two) = (said("rgb1", 0.8), said("rgb2", 0.5));
    Some(if mixed { [0, 1, 2].map(|k| 0.5 * (one[k] + two[k])) } else { one })
}

/// The file of a texture; of a cube its first side.
pub(super) fn file_of(element: &Element) -> Option<&str> {
    let names = ["file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];
    names.into_iter().find_map(|name| element.attribute(name)).filter(|file| !file.is_empty())
}

/// The mean of all pixels of a PNG, each as much as it covers; white where the image says nothing.
pub(super) fn mean_color(bytes: &[u8], name: &str, limit: usize) -> Result<[f32; 3], ImportFaultKind> {
    let damaged = |how: String| {
        let what = format!("the image {name:?} cannot be used: {how}");
        ImportFaultKind::other(what, "save it again as a PNG, or take the texture out")
    };
    let limits = png::Limits { bytes: 16 * limit.max(1 << 20) };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|error| damaged(error.to_string()))?;
    let size = reader.output_buffer_size().filter(|size| *size <= 64 * limit);
    let size = size.ok_or_else(|| damaged("it is too large".into()))?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(|error| damaged(error.to_string()))?;
    let samples = frame.color_type.samples();
    let (mut sum, mut covered) = ([0.0; 3], 0.0);
    for pixel in pixels[..frame.buffer_size()].chunks_exact(samples) {
        let [r, g, b, opacity] = match *pixel {
            [grey] => [grey, grey, grey, 255],
            [grey, opacity] => [grey, grey, grey, opacity],
            [r, g, b] => [r, g, b, 255],
            [r, g, b, opacity, ..] => [r, g, b, opacity],
            [] => continue,
        };
        let share = f64::from(opacity) / 255.0;
        covered += share;
        for (sum, x) in sum.iter_mut().zip([r, g, b]) {
            *sum += share * f64::from(x) / 255.0;
        }
    }
    Ok(if covered > 0.0 { sum.map(|x| (x / covered) as f32) } else { [1.0; 3] })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red and blue, and a green that is not seen: half of each.
    #[test]
    fn the_mean_counts_what_covers() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 3, 1);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let pixels = [255, 0, 0, 255, 0, 0, 255, 255, 0, 255, 0, 0];
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        assert_eq!(mean_color(&bytes, "a.png", 100).unwrap(), [0.5, 0.0, 0.5]);
        assert!(mean_color(&bytes[..30], "a.png", 100).is_err());
        assert!(mean_color(&[0xff; 40], "a.jpg", 100).is_err());
    }
}
