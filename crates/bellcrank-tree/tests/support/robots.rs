//! The seven reference robots with Pinocchio's values, from the folder `shared` beside the repository.

use super::npz::Npz;
use bellcrank_model::Model;
use bellcrank_tree::TreeModel;
use std::path::PathBuf;

pub const NAMES: [&str; 7] = ["ur5", "iiwa14", "xarm7", "go2", "h1", "g1_23", "g1_29"];

/// The folder `shared` beside the repository.
fn shared() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// A robot, its reference values, and where Pinocchio's numbers stand in ours.
pub struct Robot {
    pub name: &'static str,
    pub model: Model,
    pub tree: TreeModel<f64>,
    pub npz: Npz,
    pub meta: serde_json::Value,
    /// Number of states.
    pub states: usize,
    pub floating: bool,
    /// Our place of each of Pinocchio's velocities.
    pub v_place: Vec<usize>,
    pub q_place: Vec<usize>,
}

impl Robot {
    /// Whether the folder `shared` is beside the repository.
    pub fn are_at_hand() -> bool {
        shared().join("refs").is_dir()
    }

    pub fn load(name: &'static str) -> Self {
        let folder = shared();
        let npz = Npz::open(&folder.join(format!("refs/pinocchio_{name}.npz")));
        let meta: serde_json::Value = serde_json::from_str(&npz.meta).expect("JSON");
        let text = std::fs::read_to_string(folder.join(format!("data/urdf/{name}.urdf"))).expect("a URDF");
        let floating = meta["floating_base"] == true;
        let model = super::urdf::load(&text, floating);
        let tree = TreeModel::new(&model);
        let (mut q_place, mut v_place) = (Vec::new(), Vec::new());
        for joint in &meta["joints"].as_array().unwrap()[1..] {
            let joint = joint["name"].as_str().unwrap();
            let slot = if joint == "root_joint" { &tree.slots()[0] } else { tree.slot(joint).expect(joint) };
            if slot.q.len() == 7 {
                q_place.extend([0, 1, 2, 4, 5, 6, 3]); // Pinocchio's quaternion is xyzw
            } else {
                q_place.extend(slot.q.clone());
            }
            v_place.extend(slot.v.clone());
        }
        let states = npz.shape("q")[0];
        Robot { name, model, tree, npz, meta, states, floating, v_place, q_place }
    }

    pub fn all() -> Vec<Robot> {
        NAMES.iter().map(|name| Robot::load(name)).collect()
    }

    pub fn nv(&self) -> usize {
        self.v_place.len()
    }

    /// Pinocchio's configurations in our order.
    pub fn q(&self, name: &str) -> Vec<f64> {
        permute(self.npz.get(name), &self.q_place)
    }

    /// Pinocchio's velocities, or anything like them, in our order.
    pub fn v(&self, name: &str) -> Vec<f64> {
        permute(self.npz.get(name), &self.v_place)
    }

    /// Matrices with columns in velocities' order.
    pub fn columns(&self, name: &str) -> Vec<f64> {
        permute(self.npz.get(name), &self.v_place)
    }

    /// Square matrices in velocities' order.
    pub fn square(&self, name: &str) -> Vec<f64> {
        let n = self.nv();
        let rows = permute(self.npz.get(name), &self.v_place);
        let mut out = vec![0.0; rows.len()];
        for (from, to) in rows.chunks_exact(n * n).zip(out.chunks_exact_mut(n * n)) {
            for (r, row) in from.chunks_exact(n).enumerate() {
                to[self.v_place[r] * n..][..n].copy_from_slice(row);
            }
        }
        out
    }
}

fn permute(data: &[f64], place: &[usize]) -> Vec<f64> {
    let mut out = vec![0.0; data.len()];
    for (from, to) in data.chunks_exact(place.len()).zip(out.chunks_exact_mut(place.len())) {
        for (x, p) in from.iter().zip(place) {
            to[*p] = *x;
        }
    }
    out
}
