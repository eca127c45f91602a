//! The attributes of the format, so that a slip of the pen is noticed and what is left out is said.
//!
//! An attribute is *read* (it has its effect), *soft* (MuJoCo's compliance, listed once), or *plain decoration*
//! (how things look in MuJoCo's viewer, or hints to its solver's memory), which no simulation can miss.

use super::notes::Notes;
use crate::xml::Element;

pub(in crate::mjcf) const SOFT: &str =
    "solref, solimp and their relatives make MuJoCo's constraints soft; ours are hard";

/// What only shows in MuJoCo's pictures.
pub(in crate::mjcf) const LOOKS: &str =
    "cameras, lights, textures and other looks of MuJoCo's window are not used";

/// Attributes of compliance, on whatever element.
const COMPLIANCE: &[&str] = &[
    "solref",
    "solimp",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "solmix",
    "springyield",
];

/// Attributes without influence on motion, on whatever element.
const DECORATION: &[&str] = &["user", "class", "group", "material", "rgba", "width", "castshadow"];

/// Attributes that are read, or listed by the code that reads the element.
const READ: &[(&str, &[&str])] = &[
    (
        "joint",
        &[
            "name",
            "type",
            "pos",
            "axis",
            "range",
            "limited",
            "ref",
            "springref",
            "stiffness",
            "damping",
            "armature",
            "frictionloss",
            "actuatorfrcrange",
            "actuatorfrclimited",
            "actuatorgravcomp",
            "springdamper",
            "margin",
            "align",
        ],
    ),
    ("freejoint", &["name", "align"]),
    (
        "geom",
        &[
            "name",
            "type",
            "pos",
            "quat",
            "euler",
            "axisangle",
            "xyaxes",
            "zaxis",
            "size",
            "fromto",
            "mesh",
            "hfield",
            "mass",
            "density",
            "shellinertia",
            "contype",
            "conaffinity",
            "condim",
            "friction",
            "margin",
            "gap",
            "priority",
            "fitscale",
            "fluidshape",
            "fluidcoef",
            "adhesion",
            "surfacevel",
        ],
    ),
    (
        "site",
        &["name", "type", "pos", "quat", "euler", "axisangle", "xyaxes", "zaxis", "size", "fromto", "mesh"],
    ),
    (
        "inertial",
        &["pos", "quat", "euler", "axisangle", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"],
    ),
    (
        "mesh",
        &[
            "name",
            "file",
            "scale",
            "vertex",
            "face",
            "normal",
            "texcoord",
            "refpos",
            "refquat",
            "inertia",
            "smoothnormal",
            "maxhullvert",
            "content_type",
            "builtin",
            "params",
        ],
    ),
    (
        "material",
        &[
            "name",
            "texture",
            "texrepeat",
            "texuniform",
            "emission",
            "specular",
            "shininess",
            "reflectance",
            "metallic",
            "roughness",
        ],
    ),
    ("hfield", &["name", "file", "nrow", "ncol", "size", "elevation", "content_type"]),
    ("equality", &["active"]),
    ("connect", &["name", "active", "body1", "body2", "anchor", "site1", "site2"]),
    ("weld", &["name", "active", "body1", "body2", "anchor", "relpose", "site1", "site2", "torquescale"]),
    ("pair", &["name", "geom1", "geom2", "condim", "friction", "margin", "gap", "adhesion"]),
    ("exclude", &["name", "body1", "body2"]),
    (
        "tendon",
        &[
            "name",
            "limited",
            "range",
            "stiffness",
            "damping",
            "frictionloss",
            "armature",
            "springlength",
            "margin",
            "actuatorfrclimited",
            "actuatorfrcrange",
            "active",
            "tendon1",
            "tendon2",
            "polycoef",
        ],
    ),
    ("key", &["name", "time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat"]),
];

/// Actuators of every kind share these; each kind's own come with it.
const ACTUATOR: &[&str] = &[
    "name",
    "joint",
    "jointinparent",
    "tendon",
    "site",
    "refsite",
    "body",
    "slidersite",
    "cranksite",
    "cranklength",
    "gear",
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
    "actlimited",
    "actrange",
    "dyntype",
    "gaintype",
    "biastype",
    "dynprm",
    "gainprm",
    "biasprm",
    "actdim",
    "actearly",
    "lengthrange",
    "inheritrange",
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "area",
    "diameter",
    "bias",
    "gain",
    "armature",
    "damping",
    "delay",
    "nsample",
    "interp",
    "range",
    "force",
    "scale",
    "lmin",
    "lmax",
    "vmax",
    "fpmax",
    "fvmax",
    "tausmooth",
    "ki",
    "imax",
    "slewmax",
    "posrange",
    "velrange",
    "ffrange",
    "input",
    "motorconst",
    "resistance",
    "inductance",
    "nominal",
    "saturation",
    "cogging",
    "controller",
    "lugre",
    "thermal",
    "plugin",
    "instance",
];

/// The tags of actuators.
pub(in crate::mjcf) const ACTUATORS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "orientation",
    "pid",
    "dcmotor",
    "plugin",
];

/// Marks the attributes of an element that the format knows; the others stay to be reported.
pub(in crate::mjcf) fn mark(element: &Element, notes: &Notes) {
    element.see();
    let tag = match element.tag.as_str() {
        "spatial" | "fixed" => "tendon",
        "joint" if element.has("joint1") || element.has("polycoef") => "equality",
        tag => tag,
    };
    let read = READ.iter().find(|(known, _)| *known == tag).map_or(&[][..], |(_, list)| list);
    let actuator = ACTUATORS.contains(&tag);
    for attribute in &element.attributes {
        let name = attribute.name.as_str();
        if COMPLIANCE.contains(&name) {
            notes.once(element, SOFT);
        }
        let known = read.contains(&name)
            || DECORATION.contains(&name)
            || COMPLIANCE.contains(&name)
            || (actuator && ACTUATOR.contains(&name))
            || (tag == "equality" && ["name", "joint1", "joint2", "polycoef"].contains(&name));
        if known {
            element.attribute(name);
        }
    }
}
