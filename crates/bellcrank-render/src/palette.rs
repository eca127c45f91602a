//! Pictures in 255 colours, and only what changed: what a GIF needs to be small.
//!
//! The colours are chosen once, from the first picture, so that what does not move keeps its colour and costs nothing afterwards.

use crate::picture::Picture;
use color_quant::NeuQuant;

/// Colours besides "as before".
const COLORS: usize = 255;
/// Number of the colour that means "as before".
pub(crate) const SAME: u8 = 255;
/// One pixel in so many is looked at where colours are chosen: 1 is best, 30 fastest.
const SKIPPED: i32 = 3;
/// A pixel keeps its colour unless it changes by more than this (squared, over three bytes): less is noise of sampling.
const NOTICED: i32 = 48;

/// See the module.
pub(crate) struct Palette {
    /// Red, green and blue of each colour.
    pub colors: Vec<u8>,
    /// By the five upper bits of red, green and blue: the nearest colour and one, or zero where nobody asked yet.
    nearest: Vec<u16>,
    chooser: NeuQuant,
    /// What the film shows by now.
    shown: Vec<u8>,
}

impl Palette {
    pub fn of(picture: &Picture) -> Self {
        let rgba: Vec<u8> = picture.rgb.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect();
        let chooser = NeuQuant::new(SKIPPED, COLORS, &rgba);
        let mut colors = chooser.color_map_rgb();
        colors.resize(3 * (COLORS + 1), 0);
        Palette { colors, nearest: vec![0; 1 << 15], chooser, shown: Vec::new() }
    }

    /// Numbers of colours, [`SAME`] where nothing changed since the last picture.
    pub fn numbers(&mut self, picture: &Picture) -> Vec<u8> {
        let first = self.shown.is_empty();
        self.shown.resize(picture.rgb.len(), 0);
        let mut numbers = Vec::with_capacity(picture.rgb.len() / 3);
        for at in (0..picture.rgb.len()).step_by(3) {
            let pixel = [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]];
            let old = &self.shown[at..at + 3];
            let change: i32 =
                pixel.iter().zip(old).map(|(a, b)| (i32::from(*a) - i32::from(*b)).pow(2)).sum();
            if !first && change <= NOTICED {
                numbers.push(SAME);
                continue;
            }
            let number = self.nearest(pixel);
            self.shown[at..at + 3].copy_from_slice(&self.colors[3 * usize::from(number)..][..3]);
            numbers.push(number);
        }
        numbers
    }

    fn nearest(&mut self, [r, g, b]: [u8; 3]) -> u8 {
        let key = usize::from(r >> 3) << 10 | usize::from(g >> 3) << 5 | usize::from(b >> 3);
        if self.nearest[key] == 0 {
            self.nearest[key] = 1 + self.chooser.index_of(&[r, g, b, 255]).min(COLORS - 1) as u16;
        }
        (self.nearest[key] - 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(square: usize) -> Picture {
        let (width, height) = (40, 30);
        let mut rgb: Vec<u8> = (0..width * height).flat_map(|k| [200 + (k % 40) as u8, 210, 220]).collect();
        for y in 5..15 {
            for x in square..square + 10 {
                rgb[3 * (y * width + x)..][..3].copy_from_slice(&[180, 40, 30]);
            }
        }
        Picture { width, height, rgb }
    }

    /// After every picture the film shows it within what 255 colours and five bits leave: 8 of 256 for a channel, twice where
    /// colours are shared.
    #[test]
    fn what_is_shown_is_the_picture_and_what_stands_still_is_not_written() {
        let mut palette = Palette::of(&picture(0));
        for (k, square) in [0, 3, 6, 6].into_iter().enumerate() {
            let picture = picture(square);
            let numbers = palette.numbers(&picture);
            let worst = picture.rgb.iter().zip(&palette.shown).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(worst <= Some(16), "{worst:?}");
            let written = numbers.iter().filter(|n| **n != SAME).count();
            match k {
                0 => assert_eq!(written, 1200),
                3 => assert!(written <= 1200 / 4, "{written}"), // colours that were not met well enough
                _ => assert!((60..400).contains(&written), "{written}"),
            }
        }
    }
}
