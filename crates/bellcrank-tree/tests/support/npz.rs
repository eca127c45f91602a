//! Reading numpy's archives: a zip of arrays, each a short header and the numbers in C order.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Arrays of `f64` by name, and the text `meta`.
pub struct Npz {
    arrays: HashMap<String, (Vec<usize>, Vec<f64>)>,
    pub meta: String,
}

impl Npz {
    pub fn open(path: &Path) -> Self {
        let mut archive = zip::ZipArchive::new(File::open(path).expect("readable")).expect("a zip");
        let (mut arrays, mut meta) = (HashMap::new(), String::new());
        for i in 0..archive.len() {
            let mut entry = archive.by_index(i).expect("an entry");
            let name = entry.name().trim_end_matches(".npy").to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("readable");
            let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize; // format 1.0
            let header = String::from_utf8_lossy(&bytes[10..10 + length]).into_owned();
            let data = &bytes[10 + length..];
            if header.contains("<f8") {
                let numbers =
                    data.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
                arrays.insert(name, (shape(&header), numbers));
            } else {
                meta = data
                    .chunks_exact(4)
                    .filter_map(|b| char::from_u32(u32::from_le_bytes(b.try_into().unwrap())))
                    .filter(|c| *c != '\0')
                    .collect();
            }
        }
        Npz { arrays, meta }
    }

    pub fn get(&self, name: &str) -> &[f64] {
        &self.arrays[name].1
    }

    pub fn shape(&self, name: &str) -> &[usize] {
        &self.arrays[name].0
    }
}

fn shape(header: &str) -> Vec<usize> {
    let inside = header.split('(').nth(1).and_then(|rest| rest.split(')').next()).unwrap_or("");
    inside.split(',').filter_map(|n| n.trim().parse().ok()).collect()
}
