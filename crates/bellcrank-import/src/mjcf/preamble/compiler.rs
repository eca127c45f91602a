//! `<compiler>`: how the rest of the file is to be understood.

use crate::mjcf::vocabulary::notes::Notes;
use crate::xml::Element;
use bellcrank_math::{Quat, Vec3};

/// What `<compiler>` says, with MuJoCo's defaults.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct Compiler {
    /// Angles are in degrees.
    pub degrees: bool,
    /// Letters x, y, z; capitals turn about fixed axes.
    pub euler: [char; 3],
    /// Folder of meshes and height fields.
    pub mesh_folder: String,
    pub texture_folder: String,
    /// Only the last part of a file's name counts.
    pub strip_path: bool,
    /// A range makes a limit.
    pub auto_limits: bool,
    /// Mass from geoms: always, never, or where no `<inertial>` is given.
    pub inertia_from_geoms: Option<bool>,
    /// Groups of geoms that have mass.
    pub inertia_groups: [f64; 2],
    /// Inertias that belong to no rigid body are made round.
    pub balance_inertia: bool,
    /// Least mass of a body [kg].
    pub bound_mass: f64,
    /// Least principal moment of a body [kg·m²].
    pub bound_inertia: f64,
    /// All masses are scaled to this sum [kg].
    pub total_mass: Option<f64>,
    /// Geoms fitted to meshes enclose their bounding box instead of having their inertia.
    pub fit_aabb: bool,
    /// Frames of free bodies are moved to their principal axes where their joint does not say.
    pub align_free: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Compiler {
            degrees: true,
            euler: ['x', 'y', 'z'],
            mesh_folder: String::new(),
            texture_folder: String::new(),
            strip_path: false,
            auto_limits: true,
            inertia_from_geoms: None,
            inertia_groups: [0.0, 5.0],
            balance_inertia: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
            fit_aabb: false,
            align_free: false,
        }
    }
}

/// Attributes that change nothing here.
const WITHOUT_EFFECT: &[&str] = &[
    "usethread",
    "saveinertial",
    "savecanonical",
    "savecompiled",
    "discardvisual",
    "fusestatic",
    "conflict",
    "passthrough",
    "convexhull",
];

impl Compiler {
    /// All `<compiler>` elements of a file, the later ones on top.
    pub fn read(root: &Element, notes: &Notes) -> Self {
        let mut compiler = Compiler::default();
        for element in root.children_named("compiler") {
            compiler.angles(element);
            compiler.folders(element);
            compiler.masses(element);
            if let Some(word) = element.boolean("autolimits") {
                compiler.auto_limits = word;
            }
            if let Some(word) = element.boolean("fitaabb") {
                compiler.fit_aabb = word;
            }
            if let Some(word) = element.boolean("alignfree") {
                compiler.align_free = word;
            }
            if WITHOUT_EFFECT.iter().filter(|name| element.attribute(name).is_some()).count() > 0 {
                notes.once(
                    element,
                    "options of MuJoCo's own compiler: they change nothing of what is simulated",
                );
            }
            if element.attribute("exactmeshinertia") == Some("true") {
                notes.ignore(
                    element,
                    "exactmeshinertia is no longer part of the format: use <mesh inertia=\"exact\">",
                );
            }
            element.children_named("lengthrange").for_each(|e| e.ignore("only muscles have length ranges"));
        }
        compiler
    }

    fn angles(&mut self, element: &Element) {
        if let Some(degrees) = element.choice("angle", &[("degree", true), ("radian", false)]) {
            self.degrees = degrees;
        }
        if let Some(text) = element.attribute("eulerseq") {
            let letters: Vec<char> = text.chars().collect();
            match <[char; 3]>::try_from(letters) {
                Ok(letters) if letters.iter().all(|c| "xyzXYZ".contains(*c)) => self.euler = letters,
                _ => element.fault_said(
                    format!("eulerseq={text:?} is not three of x, y, z, X, Y, Z"),
                    "small letters turn with the body, capitals about fixed axes: eulerseq=\"xyz\"",
                ),
            }
        }
        if element.attribute("coordinate") == Some("global") {
            element.fault_said(
                "coordinate=\"global\" is no longer part of the format",
                "load and save the file once with MuJoCo 2.3.3 or older, which writes local coordinates",
            );
        }
    }

    fn folders(&mut self, element: &Element) {
        // meshdir and texturedir win over assetdir within one element
        if let Some(folder) = element.attribute("assetdir") {
            self.mesh_folder = folder.to_owned();
            self.texture_folder = folder.to_owned();
        }
        if let Some(folder) = element.attribute("texturedir") {
            self.texture_folder = folder.to_owned();
        }
        if let Some(folder) = element.attribute("meshdir") {
            self.mesh_folder = folder.to_owned();
        }
        if let Some(word) = element.boolean("strippath") {
            self.strip_path = word;
        }
    }

    fn masses(&mut self, element: &Element) {
        let words = [("auto", None), ("true", Some(true)), ("false", Some(false))];
        if let Some(word) = element.choice("inertiafromgeom", &words) {
            self.inertia_from_geoms = word;
        }
        if let Some(range) = element.vector("inertiagrouprange") {
            self.inertia_groups = range;
        }
        if let Some(word) = element.boolean("balanceinertia") {
            self.balance_inertia = word;
        }
        if let Some(mass) = element.number("boundmass") {
            self.bound_mass = mass;
        }
        if let Some(inertia) = element.number("boundinertia") {
            self.bound_inertia = inertia;
        }
        if let Some(mass) = element.number("settotalmass") {
            self.total_mass = (mass > 0.0).then_some(mass);
        }
    }

    /// An angle of the file in radians.
    pub fn angle(&self, angle: f64) -> f64 {
        if self.degrees { angle.to_radians() } else { angle }
    }

    /// The rotation of three Euler angles of the file.
    pub fn euler(&self, angles: [f64; 3]) -> Quat {
        let mut rotation = Quat::identity();
        for (letter, angle) in self.euler.into_iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => Vec3::x_axis(),
                'y' => Vec3::y_axis(),
                _ => Vec3::z_axis(),
            };
            let turn = Quat::from_axis_angle(axis, self.angle(angle));
            rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
        }
        rotation
    }

    /// Where a mesh or height field file is, relative to the model.
    pub fn mesh_path(&self, file: &str) -> String {
        self.path_in(&self.mesh_folder, file)
    }

    /// Where an image is, relative to the model.
    pub fn texture_path(&self, file: &str) -> String {
        self.path_in(&self.texture_folder, file)
    }

    fn path_in(&self, folder: &str, file: &str) -> String {
        let file = if self.strip_path { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
        match folder.trim_end_matches('/') {
            "" => file.to_owned(),
            folder => format!("{folder}/{file}"),
        }
    }
}
