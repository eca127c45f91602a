//! Pictures on meshes, as the page and files read them.

use bellcrank_model::Texture;
use data_encoding::BASE64;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// Pictures that several shapes share are sent once. They are packed only when the scene is told: whoever draws it wants pixels.
#[derive(Clone, Debug, Default)]
pub(crate) struct PictureTable {
    known: Vec<Arc<Texture>>,
}

impl PictureTable {
    /// Its number in the scene.
    pub fn number(&mut self, picture: &Arc<Texture>) -> usize {
        let known = self.known.iter().position(|other| Arc::ptr_eq(other, picture));
        known.unwrap_or_else(|| {
            self.known.push(picture.clone());
            self.known.len() - 1
        })
    }
}

impl Serialize for PictureTable {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.known.len()))?;
        self.known.iter().try_for_each(|picture| list.serialize_element(&PictureView(picture)))?;
        list.end()
    }
}

struct PictureView<'a>(&'a Texture);

impl Serialize for PictureView<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(2))?;
        map.serialize_entry("png", &BASE64.encode(&png(self.0)))?;
        map.serialize_entry("repeat", &self.0.repeat)?;
        map.end()
    }
}

/// A picture as a PNG file.
pub fn png(picture: &Texture) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width as u32, picture.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // writing to memory fails only where the number of bytes is not that of the pixels; then there is nothing to see
    if encoder.write_header().and_then(|mut writer| writer.write_image_data(&picture.rgb)).is_err() {
        bytes.clear();
    }
    bytes
}
