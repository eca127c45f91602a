//! Attributes that mean the same on every element: MuJoCo's compliance, and what only its window and its tools use.

use super::notes::Notes;
use crate::xml::Element;

pub(in crate::mjcf) const SOFT: &str = "solref, solimp and their relatives make MuJoCo's constraints soft; ours are hard, unless compliance=\"mujoco\" is asked for";

/// The same of what stays closed when softness is asked for.
pub(in crate::mjcf) const CLOSED: &str = "solref and solimp of couplings, of several connects that are one hinge, and of springs that yield: these stay closed";

/// Elements whose softness is read where it is asked for.
const GIVE_WAY: &[&str] = &["geom", "pair", "joint", "fixed", "spatial", "connect", "weld"];

/// What only shows in MuJoCo's pictures.
pub(in crate::mjcf) const LOOKS: &str = "lights, skies and other looks of MuJoCo's window are not used";

/// What is painted with a picture.
pub(in crate::mjcf) const TEXTURES: &str =
    "textures are drawn in their mean colour, but for pictures on meshes that have texture coordinates";

/// What programs around MuJoCo may look at.
const USER: &str = "user: numbers of the user's own have no meaning here";

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

/// Attributes of MuJoCo's window, where the reader of the element has no use for them.
pub(in crate::mjcf) const WINDOW: &[&str] = &["group", "material", "rgba", "width", "castshadow"];

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

/// Marks an element and what is common to all; the rest is for the reader of the element.
pub(in crate::mjcf) fn mark(element: &Element, notes: &Notes) {
    element.see();
    let lists = [(COMPLIANCE, SOFT), (&["user"][..], USER)];
    for (list, why) in lists {
        let said = list.iter().filter(|name| element.attribute(name).is_some()).count();
        let read = notes.soft && why == SOFT;
        let closed = !GIVE_WAY.contains(&element.tag.as_str()) || element.has("joint1");
        if said > 0 && !read {
            notes.once(element, why);
        } else if said > 0 && (closed || element.has("springyield")) {
            notes.once(element, CLOSED);
        }
    }
}
