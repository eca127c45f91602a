//! What the caller of an import may choose.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// How to read a robot.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What carries the root link of a URDF file, which cannot say so itself.
    pub base: Base,
    /// Whether links on fixed joints become part of the link that carries them.
    pub fixed_joints: FixedJoints,
    /// Where `package://name/...` is, by name. Packages around the model's own folder are found without.
    pub packages: BTreeMap<String, PathBuf>,
    /// Folders from which files may be read besides the model's own.
    pub folders: Vec<PathBuf>,
    /// Files by name, for models that are not on disk. They are looked up before the disk.
    pub memory: BTreeMap<String, Vec<u8>>,
    /// Leaves all mesh files unread; shapes made of them are listed as ignored.
    pub skip_meshes: bool,
    /// A mesh file that is not there is a fault. Otherwise its shape is left out and listed as ignored.
    pub require_meshes: bool,
    /// Gives links that move without mass, or with an inertia that no body has, the nearest that can move, and lists
    /// them as ignored. Otherwise they are faults.
    pub mend_inertia: bool,
    /// Motors without gains hold their joints by gains from the inertia that they move ([`bellcrank_model::ModelBuilder::hold`]): most URDF files
    /// say only how strong motors are.
    pub hold: bool,
    /// How hard contacts and limits are.
    pub compliance: Compliance,
    /// A planner's file (SRDF) for a URDF: links that it says never touch do not, and its named states are keyframes.
    pub srdf: Option<PathBuf>,
    /// Bounds against hostile files.
    pub limits: Limits,
}

/// What carries the root link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// The root link is bolted to the world.
    #[default]
    Fixed,
    /// The root link moves freely, by a free joint from the world.
    Floating,
}

/// How hard contacts and limits are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compliance {
    /// Exactly: what a file says of softness is listed as ignored.
    #[default]
    Hard,
    /// As soft as MuJoCo makes them: `solref`, `solimp`, `impratio` and the form of the cone are honoured at contacts, limits, dry
    /// friction and loops. Couplings, and loops that several points hold, stay closed.
    Mujoco,
}

/// What becomes of fixed joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixedJoints {
    /// The link becomes part of the link that carries it: its mass, its shapes, and a site of its name.
    #[default]
    Merge,
    /// Every link with a mass is a body of its own, held by a fixed joint.
    Keep,
}

/// Bounds against hostile files. The defaults are far above any robot.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size of one text file [bytes].
    pub text_bytes: u64,
    /// Size of one mesh file [bytes].
    pub mesh_bytes: u64,
    /// Size of all files together [bytes].
    pub total_bytes: u64,
    /// Nesting of elements.
    pub depth: usize,
    /// Elements of one file.
    pub elements: u32,
    /// Vertices or triangles of one mesh.
    pub mesh_parts: usize,
    /// Files that one model may include, each counted as often as it is included.
    pub includes: usize,
    /// Bodies of the model.
    pub bodies: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            text_bytes: 64 << 20,
            mesh_bytes: 128 << 20,
            total_bytes: 1 << 30,
            depth: 128,
            elements: 1_000_000,
            mesh_parts: 2_000_000,
            includes: 1_000,
            bodies: 10_000,
        }
    }
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Options::default()
    }

    /// What carries the root link of a URDF file.
    pub fn base(mut self, base: Base) -> Self {
        self.base = base;
        self
    }

    /// Whether links on fixed joints become part of the link that carries them.
    pub fn fixed_joints(mut self, fixed_joints: FixedJoints) -> Self {
        self.fixed_joints = fixed_joints;
        self
    }

    /// How hard contacts and limits are.
    pub fn compliance(mut self, compliance: Compliance) -> Self {
        self.compliance = compliance;
        self
    }

    /// Mends masses and inertias that no body has.
    pub fn mend_inertia(mut self) -> Self {
        self.mend_inertia = true;
        self
    }

    /// Says where `package://name/...` is.
    pub fn package(mut self, name: impl Into<String>, folder: impl Into<PathBuf>) -> Self {
        self.packages.insert(name.into(), folder.into());
        self
    }

    /// Names a planner's file (SRDF) for a URDF.
    pub fn srdf(mut self, path: impl Into<PathBuf>) -> Self {
        self.srdf = Some(path.into());
        self
    }

    /// Allows files of another folder.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Gives a file by name, for models that are not on disk.
    pub fn file(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.memory.insert(name.into(), bytes.into());
        self
    }
}
