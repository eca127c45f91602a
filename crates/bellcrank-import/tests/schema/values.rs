//! A value of every attribute that is not its default.

/// Attributes that no scene can have: they are faults.
pub const REFUSED: &[(&str, &str)] = &[("compiler", "coordinate"), ("compiler", "autolimits")];

/// A value for an attribute of an element.
pub fn of(path: &str, attribute: &str) -> &'static str {
    let tag = path.rsplit('/').next().unwrap_or(path);
    match (path, attribute) {
        ("worldbody/body/geom" | "default/geom", "type") => return "cylinder",
        ("worldbody/body/geom" | "default/geom", "mesh") => return "m",
        ("worldbody/body/joint" | "default/joint", "type") => return "slide",
        ("worldbody/body/joint" | "default/joint", "ref" | "springref") => return "10",
        ("worldbody/body/site" | "default/site", "type") => return "ellipsoid",
        ("asset/mesh", "vertex") => return "0 0 0 1 0 0 0 1 0 0 0 1",
        ("asset/mesh", "face") => return "0 2 1 0 1 3 0 3 2 1 2 3",
        ("asset/mesh", "file") => return "folder/m.obj",
        ("asset/mesh", "params") => return "1 2",
        ("asset/mesh" | "default/mesh", "scale") => return "2 2 2",
        ("asset/mesh" | "default/mesh", "inertia") => return "shell",
        ("asset/hfield", "size") => return "2 2 2 2",
        ("asset/mesh" | "asset/hfield" | "asset/material" | "asset/model", "name") | ("default", "class") => {
            return "n";
        }
        ("worldbody/body/camera", "name") => return "other",
        ("worldbody/body/inertial", "quat") => return "1 1 0 0",
        ("worldbody/body/joint", "name") => return "p",
        ("worldbody/body/site", "name") => return "n",
        ("sensor/ballquat" | "sensor/ballangvel", "joint") => return "ball",
        ("asset/hfield", "nrow" | "ncol") => return "2",
        ("asset/hfield", "file") => return "h.bin",
        ("asset/model", "file") => return "child.xml",
        ("asset/material" | "default/material", "rgba") => return "0 0 1 1",
        ("option", "gravity" | "magnetic" | "wind") => return "1 2 3",
        ("option", "density" | "viscosity") => return "1.2",
        ("compiler", "settotalmass") => return "20",
        ("compiler", "boundmass" | "boundinertia") => return ".5",
        (
            "option/flag",
            "override" | "energy" | "fwdinv" | "invdiscrete" | "multiccd" | "ipc" | "sleep" | "speculative",
        ) => {
            return "enable";
        }
        ("option/flag", _) => return "disable",
        (_, "ctrlrange") if path.ends_with("adhesion") || path.ends_with("damper") => return "0 3",
        ("worldbody/body/attach", "body") => return "limb",
        ("worldbody/body/attach", "frame") => return "corner",
        ("worldbody/body/attach", "prefix") => return "other_",
        ("worldbody/body/replicate", "count") => return "3",
        ("equality/weld", "anchor") => return "1 2 3",
        (_, "body2") if path.starts_with("equality") => return "w",
        (_, "objname") if path.starts_with("sensor") => return "sb",
        (_, "friction") if path.ends_with("pair") => return ".7 .7 .1 .1 .1",
        (_, "range") if path.starts_with("actuator/muscle") || path.starts_with("default/muscle") => {
            return ".8 1.1";
        }
        (_, "timeconst") if path.ends_with("muscle") => return ".02 .05",
        (_, "fluidcoef") => return ".1 .2 .3 .4 .5",
        (_, "inductance") => return ".3",
        (_, "nominal") => return "24 .5 300",
        (_, "motorconst") => return ".3 .4",
        (_, "lmin" | "lmax" | "fvmax") => return if attribute == "lmin" { ".4" } else { "1.7" },
        (_, "gain") => return "3",
        (_, "data") if path.starts_with("sensor") => return "dist",
        _ => {}
    }
    let named = named(attribute);
    if named.is_empty() { default_for(tag, attribute) } else { named }
}

fn default_for(_tag: &str, attribute: &str) -> &'static str {
    panic!("no value for {attribute:?}")
}

/// Values by the attribute's name alone; numbers where nothing else is said.
fn named(attribute: &str) -> &'static str {
    match attribute {
        "name" | "model" | "class" | "childclass" | "objtype" | "reftype" => match attribute {
            "model" => "c",
            "class" | "childclass" => "other",
            "objtype" | "reftype" => "site",
            _ => "renamed",
        },
        "joint" | "jointinparent" => "q",
        "joint1" => "q",
        "joint2" => "p",
        "tendon" | "tendon1" => "t",
        "tendon2" => "u",
        "site" | "cranksite" | "site2" | "objname" => "sb",
        "site1" => "sa",
        "refsite" | "slidersite" | "sidesite" | "refname" => "fixed",
        "geom" | "geom1" => "gb",
        "geom2" => "gw",
        "body" | "body1" | "body2" | "subtree1" | "subtree2" => "b",
        "actuator" => "drive",
        "mesh" => "m",
        "hfield" => "h",
        "material" => "red",
        "active" | "limited" | "autolimits" | "actuatorfrclimited" | "ctrllimited" | "actlimited"
        | "forcelimited" => "false",
        "shellinertia" | "mocap" | "balanceinertia" | "fitaabb" | "strippath" | "alignfree" | "align"
        | "discardvisual" | "fusestatic" | "saveinertial" | "actuatorgravcomp" | "actearly" | "fuse"
        | "simple" | "inertiafromgeom" => "true",
        "angle" => "radian",
        "coordinate" => "global",
        "eulerseq" => "zyx",
        "meshdir" | "assetdir" | "texturedir" => "folder",
        "inertiagrouprange" => "0 0",
        "usethread" | "savecanonical" | "savecompiled" | "passthrough" => "true",
        "conflict" => "merge",
        "texrepeat" => "2 3",
        "mode" => "track",
        "target" => "b",
        "projection" => "orthographic",
        "output" => "depth",
        "focal" | "sensorsize" => ".04 .04",
        "focalpixel" | "resolution" => "400 400",
        "principal" | "principalpixel" => ".1 .1",
        "axis" | "zaxis" => "1 0 0",
        "quat" | "refquat" => "0 1 0 0",
        "euler" => "10 20 30",
        "axisangle" => "1 0 0 50",
        "xyaxes" => "0 1 0 1 0 0",
        "pos" | "refpos" | "offset" | "anchor" => "1 2 3",
        "size" => ".3 .4 .5",
        "fromto" => "0 0 0 0 1 1",
        "range" | "ctrlrange" | "forcerange" | "actuatorfrcrange" | "actrange" | "lengthrange"
        | "posrange" | "velrange" | "ffrange" => "-.7 .7",
        "friction" => ".3",
        "solref" | "solreflimit" | "solreffriction" | "o_solref" => ".03 1",
        "solimp" | "solimplimit" | "solimpfriction" | "o_solimp" => ".8 .9 .001",
        "o_friction" => "1 1 .005 .0001 .0001",
        "springdamper" => ".1 .5",
        "springlength" => ".3",
        "polycoef" => ".1 2",
        "relpose" => "1 2 3 1 0 0 0",
        "diaginertia" => "1 2 2",
        "fullinertia" => "1 2 2 .1 .1 .1",
        "gear" => "3",
        "gainprm" => "4",
        "biasprm" => "1 2 3",
        "dynprm" => ".1",
        "dyntype" => "filter",
        "gaintype" => "affine",
        "biastype" => "affine",
        "input" => "position",
        "fluidshape" => "ellipsoid",
        "type" => "sphere",
        "rgba" => "0 0 1 1",
        "qpos" => "1 .1 0 0 0 1 0 0 0 1 0 0 0",
        "qvel" => "1 2 1 2 3 4 5 6 7 8 9",
        "ctrl" => "2",
        "mpos" => "1 2 3",
        "mquat" => "0 1 0 0",
        "condim" => "6",
        "contype" | "conaffinity" => "2",
        "elevation" => "0 3 0 1",
        "nrow" | "ncol" => "4",
        "count" => "3",
        "sep" => "-",
        "prefix" => "x_",
        "frame" => "corner",
        "interp" => "linear",
        "builtin" => "sphere",
        "normal" | "texcoord" => "0 0 1 0 0 1 0 0 1 0 0 1",
        "vertex" | "face" => "0 1 2",
        "integrator" => "RK4",
        "cone" => "elliptic",
        "jacobian" => "sparse",
        "solver" => "CG",
        "content_type" => "model/obj",
        "gravity" => "0 0 -1",
        "sleep" => "never",
        "inheritrange" => ".5",
        "kp" | "kv" | "ki" => "7",
        _ => "2",
    }
}
