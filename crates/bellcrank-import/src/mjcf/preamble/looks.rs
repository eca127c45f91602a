//! Colours: materials, and the pictures of textures.
//!
//! MuJoCo multiplies a texture with its material's colour, which is white unless said. A flat picture covers meshes that say where
//! their corners lie in it; whatever else is textured has the picture's mean colour, so that a robot is seen about as it is.

use crate::ImportFaultKind;
use crate::mjcf::preamble::assets::color;
use crate::xml::Element;
use bellcrank_model::Texture;
use std::sync::Arc;

/// A material: its own colour, and the name of its texture.
#[derive(Clone, Debug)]
pub(super) struct Paint {
    pub color: [f32; 4],
    pub texture: Option<String>,
    /// How often the picture is laid side by side.
    pub repeat: [f32; 2],
}

/// How something looks.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct Look {
    pub color: [f32; 4],
    pub texture: Option<Arc<Texture>>,
}

/// A texture's mean colour, and its pixels where it is a flat picture.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub mean: [f32; 3],
    pub image: Option<Arc<Texture>>,
}

impl Paint {
    /// Of a `<material>`. A layer of colour counts like the attribute.
    pub fn of(element: &Element) -> Self {
        let layer = |layer: &&Element| layer.tag == "layer" && layer.attribute("role") == Some("rgb");
        let layered = element.children.iter().find(layer).and_then(|layer| layer.attribute("texture"));
        let texture = element.attribute("texture").or(layered).map(str::to_owned);
        let said = texture.is_some().then(|| element.vector("texrepeat")).flatten();
        let repeat = said.unwrap_or([1.0; 2]).map(|x: f64| x as f32);
        Paint { color: color(element).unwrap_or([1.0; 4]), texture, repeat }
    }

    /// Its colour on a texture of this mean colour.
    pub fn on(&self, [r, g, b]: [f32; 3]) -> [f32; 4] {
        let [x, y, z, opacity] = self.color;
        [x * r, y * g, z * b, opacity]
    }
}

/// Whether it is one flat picture from a file, rather than six sides or one that MuJoCo makes itself.
pub(super) fn is_laid(element: &Element) -> bool {
    let made = element.attribute("builtin").is_some_and(|kind| kind != "none");
    element.attribute("type") == Some("2d") && !made && element.has("file")
}

/// Marks what [`picture`] reads; the rest stays for the list of what has no effect.
pub(super) fn see(element: &Element) {
    for read in ["name", "type", "file", "builtin", "hflip", "vflip"] {
        element.attribute(read);
    }
}

/// The mean colour of a texture that MuJoCo makes itself: of its two colours, or of one.
pub(super) fn built_in(element: &Element) -> Option<Picture> {
    let kinds = [("none", None), ("flat", Some(false)), ("checker", Some(true)), ("gradient", Some(true))];
    let mixed = element.choice("builtin", &kinds)??;
    let said = |name: &str, usual: f64| element.vector(name).unwrap_or([usual; 3]).map(|x: f64| x as f32);
    let (one, two) = (said("rgb1", 0.8), said("rgb2", 0.5));
    let mean = if mixed { [0, 1, 2].map(|k| 0.5 * (one[k] + two[k])) } else { one };
    Some(Picture { mean, image: None })
}

/// The file of a texture; of a cube its first side.
pub(super) fn file_of(element: &Element) -> Option<&str> {
    let names = ["file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];
    names.into_iter().find_map(|name| element.attribute(name)).filter(|file| !file.is_empty())
}

/// A PNG: the mean of its pixels, each as much as it covers, and the pixels themselves of a flat one.
pub(super) fn picture(
    bytes: &[u8],
    name: &str,
    limit: usize,
    element: &Element,
) -> Result<Picture, ImportFaultKind> {
    let ([width, height], pixels) = decoded(bytes, name, limit)?;
    let mean = mean_color(&pixels);
    if !is_laid(element) {
        return Ok(Picture { mean, image: None });
    }
    let flipped = |how: &str| element.choice(how, &[("true", true), ("false", false)]).unwrap_or(false);
    let (across, down) = (flipped("hflip"), flipped("vflip"));
    let mut rgb = Vec::with_capacity(3 * pixels.len());
    for row in 0..height {
        for column in 0..width {
            let x = if across { width - 1 - column } else { column };
            let y = if down { height - 1 - row } else { row };
            rgb.extend_from_slice(&pixels[y * width + x][..3]);
        }
    }
    let image = Texture::new(width, height, rgb).map(|image| Arc::new(image.bounded()));
    Ok(Picture { mean, image })
}

/// Pixels across and down, and red, green, blue and opacity of each.
fn decoded(bytes: &[u8], name: &str, limit: usize) -> Result<([usize; 2], Vec<[u8; 4]>), ImportFaultKind> {
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
    let mut raw = vec![0; size];
    let frame = reader.next_frame(&mut raw).map_err(|error| damaged(error.to_string()))?;
    let full = |pixel: &[u8]| match *pixel {
        [grey] => [grey, grey, grey, 255],
        [grey, opacity] => [grey, grey, grey, opacity],
        [r, g, b] => [r, g, b, 255],
        [r, g, b, opacity, ..] => [r, g, b, opacity],
        [] => [255; 4],
    };
    let pixels: Vec<[u8; 4]> =
        raw[..frame.buffer_size()].chunks_exact(frame.color_type.samples()).map(full).collect();
    let sides = [frame.width as usize, frame.height as usize];
    if pixels.len() != sides[0] * sides[1] {
        return Err(damaged("it ends too early".into()));
    }
    Ok((sides, pixels))
}

/// White where the image says nothing.
fn mean_color(pixels: &[[u8; 4]]) -> [f32; 3] {
    let (mut sum, mut covered) = ([0.0; 3], 0.0);
    for &[r, g, b, opacity] in pixels {
        let share = f64::from(opacity) / 255.0;
        covered += share;
        for (sum, x) in sum.iter_mut().zip([r, g, b]) {
            *sum += share * f64::from(x) / 255.0;
        }
    }
    if covered > 0.0 { sum.map(|x| (x / covered) as f32) } else { [1.0; 3] }
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
        assert_eq!(mean_color(&decoded(&bytes, "a.png", 100).unwrap().1), [0.5, 0.0, 0.5]);
        assert!(decoded(&bytes[..30], "a.png", 100).is_err());
        assert!(decoded(&[0xff; 40], "a.jpg", 100).is_err());
    }
}
