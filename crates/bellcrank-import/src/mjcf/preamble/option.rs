//! `<option>` and the sections that only MuJoCo itself needs.

use crate::Options;
use crate::mjcf::sections::sensors::MAGNETIC;
use crate::mjcf::vocabulary::known::LOOKS;
use crate::mjcf::vocabulary::notes::Notes;
use crate::xml::Element;
use bellcrank_math::Vec3;
use bellcrank_model::{Compliance, MaterialRules, Medium, ModelBuilder};

/// What holds for the whole model.
#[derive(Clone, Copy, Debug)]
pub(in crate::mjcf) struct World {
    pub gravity: Vec3,
    pub time_step: f64,
    /// Contacts are switched on.
    pub contacts: bool,
    /// The field of magnetometers.
    pub magnetic: Vec3,
    /// What surrounds the bodies.
    pub medium: Medium,
    /// Where the caller asks for it.
    pub compliance: Option<Compliance>,
}

/// How MuJoCo solves; we solve differently.
const SOLVER: &[&str] = &[
    "integrator",
    "cone",
    "jacobian",
    "solver",
    "iterations",
    "tolerance",
    "ls_iterations",
    "ls_tolerance",
    "noslip_iterations",
    "noslip_tolerance",
    "mpr_iterations",
    "mpr_tolerance",
    "ccd_iterations",
    "ccd_tolerance",
    "sdf_iterations",
    "sdf_initpoints",
    "impratio",
    "apirate",
    "o_margin",
    "o_solref",
    "o_solimp",
    "o_friction",
    "sleep_tolerance",
    "actuatorgroupdisable",
];

/// Flags that say how MuJoCo computes, not what it simulates.
const SOLVER_FLAGS: &[&str] = &[
    "warmstart",
    "refsafe",
    "eulerdamp",
    "override",
    "energy",
    "fwdinv",
    "invdiscrete",
    "multiccd",
    "island",
    "midphase",
    "nativeccd",
    "autoreset",
    "diagexact",
    "ipc",
    "sleep",
    "speculative",
    "sensor",
    "sensornoise",
];

/// Flags that switch off what is simulated, which ours does not.
const OBEYED_FLAGS: [&str; 9] = [
    "constraint",
    "equality",
    "frictionloss",
    "limit",
    "clampctrl",
    "actuation",
    "spring",
    "damper",
    "filterparent",
];

impl World {
    pub fn read(root: &Element, options: &Options, notes: &Notes) -> Self {
        let soft = options.compliance == crate::Compliance::Mujoco;
        let mut world = World {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            time_step: 0.002,
            contacts: true,
            magnetic: MAGNETIC,
            medium: Medium::default(),
            compliance: soft.then_some(Compliance { friction_ratio: 1.0, pyramid: true }),
        };
        for element in root.children_named("option") {
            if let Some(gravity) = element.vector("gravity") {
                world.gravity = Vec3::from_array(gravity);
            }
            if let Some(field) = element.vector("magnetic") {
                world.magnetic = Vec3::from_array(field);
            }
            if let Some(step) = element.number("timestep") {
                world.time_step = step;
            }
            if let Some(compliance) = &mut world.compliance {
                read_compliance(compliance, element);
            }
            if SOLVER.iter().filter(|name| element.attribute(name).is_some()).count() > 0 {
                notes.once(
                    element,
                    "options of MuJoCo's own solver and integrator: ours are chosen by the caller",
                );
            }
            if let Some(wind) = element.vector("wind") {
                world.medium.wind = Vec3::from_array(wind);
            }
            for (name, of) in
                [("density", &mut world.medium.density), ("viscosity", &mut world.medium.viscosity)]
            {
                *of = element.number(name).unwrap_or(*of);
            }
            element.children_named("flag").for_each(|flag| world.flags(flag, notes));
        }
        world
    }

    fn flags(&mut self, flag: &Element, notes: &Notes) {
        let disabled = |name: &str| flag.attribute(name) == Some("disable");
        if disabled("gravity") {
            self.gravity = Vec3::zero();
        }
        if disabled("contact") {
            self.contacts = false;
        }
        if SOLVER_FLAGS.iter().filter(|name| flag.attribute(name).is_some()).count() > 0 {
            notes.once(flag, "flags of MuJoCo's own computation: they change nothing of what is simulated");
        }
        for name in OBEYED_FLAGS {
            if disabled(name) {
                notes.ignore(flag, format!("{name}=\"disable\": it stays switched on here"));
            }
        }
    }

    pub fn apply(&self, builder: &mut ModelBuilder) {
        builder.medium(self.medium).compliance(self.compliance);
        builder.gravity(self.gravity).time_step(self.time_step).material_rules(MaterialRules::MJCF);
    }
}

/// How soft contacts are made of normal and friction.
fn read_compliance(compliance: &mut Compliance, option: &Element) {
    if let Some(ratio) = option.number("impratio") {
        compliance.friction_ratio = ratio;
    }
    if let Some(pyramid) = option.choice("cone", &[("pyramidal", true), ("elliptic", false)]) {
        compliance.pyramid = pyramid;
    }
}

/// Marks sections that hold nothing to simulate.
pub(in crate::mjcf) fn skip_sections(root: &Element, notes: &Notes) {
    for element in &root.children {
        match element.tag.as_str() {
            "size" => element.ignore("sizes of MuJoCo's own memory"),
            "visual" | "statistic" => {
                element.see_all();
                notes.once(element, LOOKS);
            }
            "custom" => element.ignore("custom numbers and texts have no meaning of their own"),
            "extension" => element.ignore("plugins of MuJoCo are not run"),
            "deformable" => element.ignore("soft bodies and skins are not simulated"),
            _ => {}
        }
    }
}
