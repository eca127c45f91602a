//! Pictures on surfaces.

/// A picture that is laid over the triangles of a mesh. Like colours it is only seen: no step depends on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Red, green and blue of each pixel in sRGB, row by row from the top.
    pub rgb: Vec<u8>,
    /// How often it is laid side by side, across and down, within texture coordinates from 0 to 1.
    pub repeat: [f32; 2],
}

impl Texture {
    /// Most pixels across or down: finer ones cost a page more than they show.
    pub const MOST: usize = 1024;

    /// A picture that is laid out once; `None` if the number of bytes is not that of its pixels, or it has none.
    pub fn new(width: usize, height: usize, rgb: Vec<u8>) -> Option<Self> {
        let bytes = width.checked_mul(height)?.checked_mul(3)?;
        (bytes > 0 && rgb.len() == bytes).then_some(Texture { width, height, rgb, repeat: [1.0; 2] })
    }

    /// The mean of all pixels, 0 to 1.
    pub fn mean(&self) -> [f32; 3] {
        let mut sum = [0_u64; 3];
        for pixel in self.rgb.chunks_exact(3) {
            sum.iter_mut().zip(pixel).for_each(|(sum, x)| *sum += u64::from(*x));
        }
        let whole = 255.0 * (self.rgb.len() / 3).max(1) as f64;
        sum.map(|x| (x as f64 / whole) as f32)
    }

    /// The picture with at most [`Texture::MOST`] pixels across and down: squares of pixels become their mean.
    pub fn bounded(self) -> Self {
        let side = self.width.max(self.height).div_ceil(Self::MOST);
        if side <= 1 {
            return self;
        }
        let (width, height) = (self.width.div_ceil(side), self.height.div_ceil(side));
        let mut rgb = Vec::with_capacity(3 * width * height);
        for row in 0..height {
            for column in 0..width {
                let (mut sum, mut count) = ([0_usize; 3], 0);
                for y in row * side..((row + 1) * side).min(self.height) {
                    for x in column * side..((column + 1) * side).min(self.width) {
                        let at = 3 * (y * self.width + x);
                        sum.iter_mut().zip(&self.rgb[at..]).for_each(|(sum, x)| *sum += usize::from(*x));
                        count += 1;
                    }
                }
                rgb.extend(sum.map(|sum| ((sum + count / 2) / count) as u8));
            }
        }
        Texture { width, height, rgb, repeat: self.repeat }
    }

    /// The pixel at texture coordinates, which go on beyond 0 and 1: the nearest one.
    pub fn at(&self, [u, v]: [f32; 2]) -> [u8; 3] {
        let index = |t: f32, repeat: f32, count: usize| {
            let t = t * repeat;
            (((t - t.floor()) * count as f32) as usize).min(count.saturating_sub(1)) // a NaN becomes 0
        };
        let at = index(v, self.repeat[1], self.height) * self.width + index(u, self.repeat[0], self.width);
        match self.rgb.get(3 * at..3 * at + 3) {
            Some(&[r, g, b]) => [r, g, b],
            _ => [255; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chess(side: usize) -> Texture {
        let pixel =
            |k: usize| if (k % side + k / side).is_multiple_of(2) { [255, 0, 0] } else { [0, 0, 255] };
        Texture::new(side, side, (0..side * side).flat_map(pixel).collect()).expect("all pixels")
    }

    #[test]
    fn coordinates_begin_at_the_top_left_and_go_on_for_ever() {
        let mut texture = chess(2);
        assert_eq!(texture.at([0.1, 0.1]), [255, 0, 0]);
        assert_eq!(texture.at([0.9, 0.1]), [0, 0, 255]);
        assert_eq!(texture.at([-0.1, 5.1]), [0, 0, 255]);
        texture.repeat = [2.0, 1.0];
        assert_eq!(texture.at([0.3, 0.1]), [0, 0, 255]);
        assert_eq!(texture.at([f32::NAN, f32::INFINITY]), [255, 0, 0]);
    }

    #[test]
    fn large_pictures_become_smaller_and_keep_their_mean() {
        assert_eq!(chess(4).mean(), [0.5, 0.0, 0.5]);
        let small = chess(2 * Texture::MOST).bounded();
        assert_eq!((small.width, small.height), (Texture::MOST, Texture::MOST));
        assert_eq!(small.at([0.5, 0.5]), [128, 0, 128]);
        assert!(Texture::new(2, 2, vec![0; 11]).is_none() && Texture::new(0, 2, vec![]).is_none());
    }
}
