//! Height fields: from their attributes, from a PNG image or from MuJoCo's own binary files.
//!
//! Whatever they come from, heights are normalised to 0…1 and then scaled by the third number of `size`. Images and
//! attributes list rows from the top of the picture, binary files from the lowest y.

use crate::ImportFaultKind;
use crate::xml::Element;
use bellcrank_model::HeightField;

/// Rows, columns and heights as a file has them, the lowest row first.
pub(super) struct Grid {
    pub rows: usize,
    pub columns: usize,
    pub heights: Vec<f64>,
}

/// More columns or rows than this no attribute may claim.
const MOST: f64 = 1e4;

/// From `nrow`, `ncol` and `elevation`; flat where there is no elevation.
pub(super) fn from_attributes(element: &Element, limit: usize) -> Option<Grid> {
    let size = |name: &str| element.number(name).unwrap_or(0.0).clamp(0.0, MOST) as usize;
    let (rows, columns) = (size("nrow"), size("ncol"));
    check_size(element, rows * columns, limit)?;
    let said = element.numbers("elevation");
    let heights = said.map_or_else(|| vec![0.0; rows * columns], |heights| upside_down(&heights, columns));
    Some(Grid { rows, columns, heights })
}

/// From the content of a file.
pub(super) fn from_file(bytes: &[u8], name: &str, limit: usize) -> Result<Grid, ImportFaultKind> {
    if bytes.starts_with(&[0x89, b'P', b'N', b'G']) {
        from_png(bytes, name, limit)
    } else {
        from_binary(bytes, name, limit)
    }
}

fn from_png(bytes: &[u8], name: &str, limit: usize) -> Result<Grid, ImportFaultKind> {
    let damaged = |how: String| {
        ImportFaultKind::other(
            format!("the image {name:?} cannot be used: {how}"),
            "save it again as a PNG in shades of grey",
        )
    };
    let mut decoder = png::Decoder::new_with_limits(
        std::io::Cursor::new(bytes),
        png::Limits { bytes: 16 * limit.max(1 << 20) },
    );
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|error| damaged(error.to_string()))?;
    let (columns, rows) = (reader.info().width as usize, reader.info().height as usize);
    let (found, most) = ((rows as u64).saturating_mul(columns as u64), limit as u64);
    let size = reader.output_buffer_size().filter(|_| found <= most);
    let Some(size) = size else {
        return Err(ImportFaultKind::TooLarge { what: format!("the image {name:?}"), found, limit: most });
    };
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(|error| damaged(error.to_string()))?;
    let samples = frame.color_type.samples();
    // of a coloured image the red part counts, as in MuJoCo
    let heights: Vec<f64> =
        pixels[..frame.buffer_size()].chunks_exact(samples).map(|pixel| f64::from(pixel[0])).collect();
    Ok(Grid { rows, columns, heights: upside_down(&heights, columns) })
}

/// Two integers, rows and columns, then as many numbers of 32 bits.
fn from_binary(bytes: &[u8], name: &str, limit: usize) -> Result<Grid, ImportFaultKind> {
    let damaged = |how: &str| {
        let what = format!("the height field {name:?} cannot be used: {how}");
        ImportFaultKind::other(
            what,
            "use a PNG image, or MuJoCo's own format of two sizes and their product of numbers",
        )
    };
    let word = |k: usize| bytes.get(4 * k..4 * k + 4).and_then(|b| b.try_into().ok());
    let size = |k: usize| word(k).map(i32::from_le_bytes).and_then(|n| usize::try_from(n).ok());
    let (Some(rows), Some(columns)) = (size(0), size(1)) else { return Err(damaged("it has no sizes")) };
    let count = rows.checked_mul(columns).filter(|n| *n <= limit && bytes.len() == 8 + 4 * n);
    let Some(count) = count else { return Err(damaged("its sizes do not fit its length")) };
    let heights: Option<Vec<f64>> =
        (0..count).map(|k| word(2 + k).map(|b| f64::from(f32::from_le_bytes(b)))).collect();
    let heights = heights.filter(|heights| heights.iter().all(|h| h.is_finite()));
    heights
        .map(|heights| Grid { rows, columns, heights })
        .ok_or_else(|| damaged("a height is not a finite number"))
}

fn upside_down(heights: &[f64], columns: usize) -> Vec<f64> {
    heights.chunks(columns.max(1)).rev().flatten().copied().collect()
}

fn check_size(element: &Element, found: usize, limit: usize) -> Option<()> {
    if found > limit {
        let (found, limit) = (found as u64, limit as u64);
        element.fault(ImportFaultKind::TooLarge { what: "the height field".into(), found, limit });
        return None;
    }
    Some(())
}

/// Normalised to 0…1, then scaled; `size` is half the extent along x and y, and the height of the highest point [m].
pub(super) fn scaled(grid: Grid, [x, y, top]: [f64; 3]) -> HeightField {
    let low = grid.heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = grid.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scale = if high > low { top / (high - low) } else { 0.0 };
    let heights = grid.heights.iter().map(|h| (h - low) * scale).collect();
    HeightField { rows: grid.rows, columns: grid.columns, size: [2.0 * x, 2.0 * y], heights }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(color: png::ColorType, depth: png::BitDepth, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 3);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        bytes
    }

    /// Two columns, three rows from the top: the lowest row of the field is the last of the picture.
    #[test]
    fn images_stand_upside_down_and_fill_the_height() {
        let grey = image(png::ColorType::Grayscale, png::BitDepth::Eight, &[10, 20, 30, 40, 50, 60]);
        let grid = from_file(&grey, "a.png", 100).unwrap();
        assert_eq!((grid.rows, grid.columns), (3, 2));
        assert_eq!(grid.heights, [50.0, 60.0, 30.0, 40.0, 10.0, 20.0]);
        let field = scaled(grid, [1.0, 2.0, 5.0]);
        assert_eq!(field.heights, [4.0, 5.0, 2.0, 3.0, 0.0, 1.0]);
        assert_eq!(field.size, [2.0, 4.0]);
        // the first byte of each number of 16 bits, and the red of each colour
        let deep: Vec<u8> = [10, 20, 30, 40, 50, 60].into_iter().flat_map(|x| [x, 255]).collect();
        let deep = image(png::ColorType::Grayscale, png::BitDepth::Sixteen, &deep);
        assert_eq!(from_file(&deep, "a.png", 100).unwrap().heights[0], 50.0);
        let red: Vec<u8> = [10, 20, 30, 40, 50, 60].into_iter().flat_map(|x| [x, 7, 7]).collect();
        let red = image(png::ColorType::Rgb, png::BitDepth::Eight, &red);
        assert_eq!(from_file(&red, "a.png", 100).unwrap().heights[0], 50.0);
    }

    #[test]
    fn binary_files_are_as_long_as_they_say() {
        let mut bytes = [2i32.to_le_bytes(), 3i32.to_le_bytes()].concat();
        bytes.extend((0..6).flat_map(|x| (x as f32).to_le_bytes()));
        let grid = from_file(&bytes, "a.hf", 100).unwrap();
        assert_eq!((grid.rows, grid.columns, grid.heights[5]), (2, 3, 5.0));
        assert!(from_file(&bytes[..20], "a.hf", 100).is_err());
        assert!(from_file(&bytes, "a.hf", 5).is_err());
        assert!(from_file(&[0xff; 40], "a.hf", 100).is_err());
        assert!(
            from_file(&image(png::ColorType::Grayscale, png::BitDepth::Eight, &[0; 6])[..40], "a", 100)
                .is_err()
        );
    }
}
