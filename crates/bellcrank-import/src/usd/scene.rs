//! The composed scene as a flat list of prims with their paths, places and the bodies that carry them.

use super::compose::Scene;
use super::layer::{Prim, Value, entry};
use super::xform::{Affine, local};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::Place;
use std::collections::HashMap;

/// One prim of the scene.
pub(super) struct Node<'a> {
    pub prim: &'a Prim,
    pub path: String,
    /// In the world, in metres, z up.
    pub X_W: Affine,
    /// The nearest node at or above it that is a rigid body.
    pub body: Option<usize>,
    /// The material bound here or above.
    pub material: Option<String>,
    pub place: Place,
}

/// All prims, parents before children.
pub(super) struct Nodes<'a> {
    pub all: Vec<Node<'a>>,
    by_path: HashMap<String, usize>,
    pub units: Units,
}

/// What one unit of the file is.
#[derive(Clone, Copy)]
pub(super) struct Units {
    pub metres: f64,
    pub kilograms: f64,
    /// Turns the file's up axis into z.
    pub upright: Quat,
}

impl Units {
    fn of(scene: &Scene) -> Self {
        let number = |key: &str, default: f64| {
            entry(&scene.metadata, key)
                .and_then(Value::number)
                .filter(|x| *x > 0.0 && x.is_finite())
                .unwrap_or(default)
        };
        let up = entry(&scene.metadata, "upAxis").and_then(Value::text).unwrap_or("Y");
        let quarter = std::f64::consts::FRAC_1_SQRT_2;
        let upright = match up {
            "Z" => Quat::identity(),
            "X" => Quat::from_wxyz([quarter, 0.0, -quarter, 0.0]),
            _ => Quat::from_wxyz([quarter, quarter, 0.0, 0.0]),
        };
        // USD's own default unit is the centimetre
        Units { metres: number("metersPerUnit", 0.01), kilograms: number("kilogramsPerUnit", 1.0), upright }
    }

    /// [kg·m²] of one unit of inertia.
    pub fn inertia(&self) -> f64 {
        self.kilograms * self.metres * self.metres
    }

    fn root(&self) -> Affine {
        let turned = Affine::of_pose(Pose::new(self.upright, Vec3::zero()));
        Affine { L: turned.L * self.metres, t: Vec3::zero() }
    }
}

impl<'a> Nodes<'a> {
    pub fn of(scene: &'a Scene) -> Self {
        let units = Units::of(scene);
        let mut nodes = Nodes { all: Vec::new(), by_path: HashMap::new(), units };
        let mut waiting: Vec<(&Prim, Option<usize>)> = scene.prims.iter().rev().map(|p| (p, None)).collect();
        while let Some((prim, parent)) = waiting.pop() {
            let is_active = entry(&prim.metadata, "active").and_then(Value::text) != Some("false");
            if prim.is_class || prim.is_over && prim.kind.is_empty() || !is_active {
                continue;
            }
            let index = nodes.all.len();
            let node = nodes.node(prim, parent, scene);
            nodes.by_path.insert(node.path.clone(), index);
            nodes.all.push(node);
            waiting.extend(prim.children.iter().rev().map(|child| (child, Some(index))));
        }
        nodes
    }

    fn node(&self, prim: &'a Prim, parent: Option<usize>, scene: &Scene) -> Node<'a> {
        let parent = parent.map(|p| &self.all[p]);
        let path = format!("{}/{}", parent.map_or("", |p| &p.path), prim.name);
        let (own, resets) = local(prim);
        let outer = parent.filter(|_| !resets).map_or(self.units.root(), |p| p.X_W);
        let bound = ["material:binding:physics", "material:binding"]
            .iter()
            .find_map(|name| prim.targets(name).first().map(|path| (*path).to_owned()));
        let is_body = prim.has_api("PhysicsRigidBodyAPI") && prim.is_true("physics:rigidBodyEnabled", true);
        let body = if is_body { Some(self.all.len()) } else { parent.and_then(|p| p.body) };
        let mut place = Place::new(scene.file.clone(), prim.line);
        place.element = format!("<{path}>");
        let material = bound.or_else(|| parent.and_then(|p| p.material.clone()));
        Node { prim, path, X_W: outer.then(own), body, material, place }
    }

    pub fn get(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// X_WL of a node without stretching.
    pub fn pose(&self, node: usize) -> Pose {
        self.all[node].X_W.split().0
    }

    /// A point given in a node's own coordinates, in the frame of its pose: stretching applied.
    pub fn stretched(&self, node: usize, p: Vec3) -> Vec3 {
        let X_W = self.all[node].X_W;
        self.pose(node).R.rotate_inverse(X_W.L * p)
    }
}
