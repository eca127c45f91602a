//! Small scenes in which one element of the format has a meaning.

/// Files that the scenes name.
pub const FILES: &[(&str, &str)] = &[
    ("m.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
    ("folder/m.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
    ("folder/folder/m.obj", "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
    ("h.bin", "\u{2}\0\0\0\u{2}\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    (
        "child.xml",
        "<mujoco model='child'><worldbody><frame name='corner' pos='0 3 0'><body name='limb'><joint name='k'/>\
         <geom size='.1'/></body></frame><geom name='step' size='.3'/></worldbody></mujoco>",
    ),
];

/// A document with one element of interest.
pub struct Scene {
    tag: String,
    attributes: Vec<(&'static str, &'static str)>,
    /// What stands inside the element.
    content: &'static str,
    /// What is opened around it on the same line, outermost first.
    around: Vec<String>,
    /// The whole document, with `@` for the line under test.
    document: String,
}

impl Scene {
    /// The document with the attribute.
    pub fn with(&self, attribute: &str, value: &str) -> String {
        let others = self.attributes.iter().filter(|(name, _)| *name != attribute);
        self.text(others.copied().chain([(attribute, value)]))
    }

    /// The document without it.
    pub fn without(&self, attribute: &str) -> String {
        self.text(self.attributes.iter().filter(|(name, _)| *name != attribute).copied())
    }

    /// The document without the whole element.
    pub fn absent(&self) -> String {
        // what says something of its own stays
        let around = self.around.iter().filter(|tag| tag.contains(' ')).cloned().collect();
        self.document.replace('@', &nested(around, ""))
    }

    fn text<'a>(&self, attributes: impl Iterator<Item = (&'a str, &'a str)>) -> String {
        let said: String = attributes.map(|(name, value)| format!(" {name}=\"{value}\"")).collect();
        let element = format!("<{}{said}>{}</{}>", self.tag, self.content, self.tag);
        self.document.replace('@', &nested(self.around.clone(), &element))
    }
}

fn nested(around: Vec<String>, element: &str) -> String {
    // sections stay around what stands in them
    let around = match around.first().map(String::as_str) {
        Some(tag) if tag.starts_with("fixed") => [vec!["tendon".to_owned()], around].concat(),
        Some(tag) if tag.starts_with("m") => [vec!["asset".to_owned()], around].concat(),
        _ => around,
    };
    let open: String = around.iter().map(|tag| format!("<{tag}>")).collect();
    let close = |tag: &String| format!("</{}>", tag.split(' ').next().unwrap_or(tag));
    let close: String = around.iter().rev().map(close).collect();
    format!("{open}{element}{close}")
}

/// Attributes that are told by a common reason, which does not name each.
pub fn is_common_reason(why: &str, attribute: &str) -> bool {
    let reasons: &[(&str, &[&str])] = &[
        ("options of MuJoCo's own solver", OPTIONS),
        ("options of MuJoCo's own compiler", COMPILER),
        ("flags of MuJoCo's own computation", FLAGS),
        ("looks of MuJoCo's window", LOOKS),
        ("make MuJoCo's constraints soft", SOFT),
        ("gravity compensation acts on the body", &["actuatorgravcomp"]),
    ];
    reasons.iter().any(|(reason, names)| names.contains(&attribute) && why.contains(reason))
}

const OPTIONS: &[&str] = &[
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
    "ccd_iterations",
    "ccd_tolerance",
    "sdf_iterations",
    "sdf_initpoints",
    "impratio",
    "o_margin",
    "o_solref",
    "o_solimp",
    "o_friction",
    "sleep_tolerance",
    "actuatorgroupdisable",
];
const COMPILER: &[&str] = &[
    "usethread",
    "saveinertial",
    "savecanonical",
    "savecompiled",
    "discardvisual",
    "fusestatic",
    "conflict",
    "passthrough",
];
const FLAGS: &[&str] = &[
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
];
const LOOKS: &[&str] = &[
    "group",
    "material",
    "rgba",
    "width",
    "castshadow",
    "texturedir",
    "texture",
    "texrepeat",
    "texuniform",
    "emission",
    "specular",
    "shininess",
    "reflectance",
    "metallic",
    "roughness",
    "role",
    "normal",
    "texcoord",
    "smoothnormal",
];
const SOFT: &[&str] = &[
    "solref",
    "solimp",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "solmix",
    "springyield",
];

const ASSETS: &str = "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 2 0 0 0 3'/><material name='red' rgba='1 0 0 1'/>\
    <hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 2 3'/><model name='c' file='child.xml'/></asset>";

/// A chain of two bodies, a free one, and all that may be named; `%` is where more of the tree may stand.
fn tree(joint: &str, geom: &str, more: &str) -> String {
    format!(
        "<worldbody><geom name='floor' type='plane' size='1 1 1'/><site name='fixed' pos='1 2 3'/>\
         <body name='a' pos='0 0 1'>{joint}{geom}<site name='sa' pos='.1 0 0' size='.02'/>\
         <body name='b' pos='.5 0 0'><joint name='q' axis='0 1 0' range='-50 50'/><geom name='gb' type='cylinder' size='.1 .1'/>\
         <site name='sb' pos='0 0 .1'/></body></body>\
         <body name='f' pos='0 1 1'><freejoint name='root'/><geom name='gf' type='box' size='.1 .2 .3'/></body>\
         <body name='w' pos='0 2 1'><joint name='ball' type='ball'/><geom name='gw' type='capsule' size='.1 .1' pos='.1 0 0'/></body>{more}</worldbody>"
    )
}

/// A class that changes something of every element.
const CLASSES: &str = "<default><default class='other'><mesh scale='3 3 3'/><material rgba='.1 .1 .1 1'/>\
    <joint damping='3' armature='3'/><geom friction='.1' density='5'/><site size='.7 .7 .7'/><camera fovy='20'/><pair condim='1'/>\
    <equality active='false'/><tendon damping='5'/><motor gear='5' forcerange='-9 9'/></default></default>";

const JOINT: &str = "<joint name='p' axis='0 1 0'/>";
const GEOM: &str = "<geom name='ga' type='capsule' size='.1 .2' pos='.2 0 0'/>";
const TENDONS: &str = "<tendon><fixed name='t' range='-1 1' stiffness='3'><joint joint='p' coef='2'/><joint joint='q' coef='1'/></fixed>\
    <fixed name='u'><joint joint='q' coef='1'/></fixed></tendon>";
const MOTORS: &str = "<actuator><motor name='drive' joint='p'/></actuator>";

fn document(parts: &[&str]) -> String {
    format!("<mujoco>{CLASSES}{}</mujoco>", parts.concat())
}

/// The scene for an element of the table.
pub fn scene(path: &str, attribute: &str) -> Scene {
    let tag = path.rsplit('/').next().unwrap_or(path);
    let whole = tree(JOINT, GEOM, "");
    let plain = |section: &str| document(&[ASSETS, section, &whole, TENDONS, MOTORS]);
    let (document, around, attributes, content) = match path {
        "mujoco" => return root(),
        "option/flag" => (plain("@"), vec!["option"], vec![], ""),
        "compiler/lengthrange" => (plain("@"), vec!["compiler"], vec![], ""),
        "compiler" | "option" => (compiled(attribute), vec![], vec![], ""),
        path if path.starts_with("default") => return default(path, tag, attribute),
        "asset/mesh" => (
            document(&["@", &tree(JOINT, "<geom name='ga' type='mesh' mesh='n'/>", "")]),
            vec!["asset"],
            vec![("name", "n"), ("file", "m.obj")],
            "",
        ),
        "asset/mesh/plugin" => (plain("@"), vec!["asset", "mesh name='n' file='m.obj'"], vec![], ""),
        "asset/mesh/plugin/config" => {
            (plain("@"), vec!["asset", "mesh name='n' file='m.obj'", "plugin"], vec![], "")
        }
        "asset/hfield" => (
            document(&["@", &tree(JOINT, GEOM, "<geom name='ground' type='hfield' hfield='n'/>")]),
            vec!["asset"],
            vec![("name", "n"), ("nrow", "2"), ("ncol", "2"), ("size", "1 1 1 1"), ("elevation", "0 1 2 4")],
            "",
        ),
        "asset/material" => (
            document(&["@", &tree(JOINT, "<geom name='ga' size='.1' material='n'/>", "")]),
            vec!["asset"],
            if attribute == "class" { vec![("name", "n")] } else { vec![("name", "n"), ("rgba", "0 1 0 1")] },
            "",
        ),
        "asset/material/layer" => (plain("@"), vec!["asset", "material name='n'"], vec![], ""),
        "asset/model" => (
            document(&["@", &tree(JOINT, GEOM, "<attach model='n' prefix='x_'/>")]),
            vec!["asset"],
            vec![("name", "n"), ("file", "child.xml")],
            "",
        ),
        path if path.starts_with("worldbody") => return part_of_tree(path, tag, attribute),
        "contact/pair" => (plain("@"), vec!["contact"], vec![("geom1", "ga"), ("geom2", "gf")], ""),
        "contact/exclude" => (plain("@"), vec!["contact"], vec![("body1", "a"), ("body2", "f")], ""),
        "tendon/fixed" => (
            document(&[ASSETS, &whole, "@", MOTORS]),
            vec!["tendon"],
            vec![("name", "v"), ("range", "-1 1"), ("stiffness", "3"), ("actuatorfrcrange", "-2 2")],
            "<joint joint='p' coef='2'/><joint joint='q' coef='1'/>",
        ),
        "tendon/fixed/joint" => (
            document(&[ASSETS, &whole, "@", MOTORS]),
            vec!["tendon", "fixed name='v'"],
            vec![("joint", "p"), ("coef", "2")],
            "",
        ),
        "tendon/spatial" => (
            document(&[ASSETS, &whole, "@", MOTORS]),
            vec!["tendon"],
            vec![("name", "v"), ("range", "-1 1"), ("stiffness", "3"), ("actuatorfrcrange", "-2 2")],
            "<site site='sa'/><site site='fixed'/>",
        ),
        "tendon/spatial/site" => (plain(&spatial("<site site='sa'/>@")), vec![], vec![("site", "fixed")], ""),
        "tendon/spatial/geom" => {
            (plain(&spatial("<site site='sa'/>@<site site='fixed'/>")), vec![], vec![("geom", "gb")], "")
        }
        "tendon/spatial/pulley" => {
            let both = "<site site='sa'/><site site='fixed'/>";
            (plain(&spatial(&format!("{both}@{both}"))), vec![], vec![("divisor", "3")], "")
        }
        path if path.starts_with("equality") => return equality(path, tag, attribute),
        path if path.starts_with("actuator") => return actuator(path, tag, attribute),
        path if path.starts_with("sensor") => return sensor(path, tag, attribute),
        "keyframe/key" => (plain("@"), vec!["keyframe"], vec![("name", "home")], ""),
        _ => return generic(path, tag),
    };
    let around = around.into_iter().map(str::to_owned).collect();
    Scene { tag: tag.to_owned(), attributes, content, around, document }
}

/// A tendon that goes by these.
fn spatial(path: &str) -> String {
    format!("<tendon><spatial name='v'>{path}</spatial></tendon>")
}

fn root() -> Scene {
    let content = "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody>";
    Scene { tag: "mujoco".into(), attributes: vec![], content, around: vec![], document: "@".into() }
}

/// A scene in which each option of the compiler changes something.
fn compiled(attribute: &str) -> String {
    let parts = "<asset><mesh name='n' file='folder/m.obj'/><texture name='t' type='2d' file='x.png'/><material name='t' texture='t'/></asset>\
        <worldbody><body name='a' euler='10 20 30'><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .3'/>\
        <joint name='p' range='0 2'/><geom size='.1' group='2' material='t'/></body>\
        <body name='k' pos='0 1 0'><freejoint/><geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/><geom size='.01' group='1' pos='0 0 1'/></body>\
        <body name='m' pos='0 2 0'><freejoint/><geom type='box' mesh='n'/></body></worldbody>\
        <keyframe><key qpos='0 0 0 1 1 0 0 0 0 0 1 1 0 0 0'/></keyframe>";
    // only one attribute lets an impossible inertia pass
    let moments = if attribute == "balanceinertia" { ".1 .1 .3" } else { ".1 .1 .15" };
    let sensor = "<site name='s' pos='0 0 0'/></body><body name='k'";
    let parts = parts.replace(".1 .1 .3", moments).replacen("</body><body name='k'", sensor, 1);
    format!("<mujoco>@{parts}<sensor><magnetometer site='s'/></sensor></mujoco>")
}

fn default(path: &str, tag: &str, attribute: &str) -> Scene {
    let inner = path.strip_prefix("default/").unwrap_or("");
    // the same scene as of the element itself, which now says nothing
    let mut scene = match inner {
        "" => {
            let document = document(&["@", &tree(JOINT, "<geom name='ga' size='.1' class='n'/>", "")]);
            let content = "<geom friction='.2'/>";
            let attributes = vec![("class", "n")];
            return Scene {
                tag: "default".into(),
                attributes,
                content,
                around: vec!["default".into()],
                document,
            };
        }
        "material/layer" | "texture" | "light" => return generic(path, tag),
        "mesh" => scene("asset/mesh", attribute),
        "material" => scene("asset/material", attribute),
        "joint" | "geom" | "site" | "camera" => scene(&format!("worldbody/body/{inner}"), attribute),
        "pair" => scene("contact/pair", attribute),
        "equality" => scene("equality/connect", attribute),
        "tendon" => scene("tendon/fixed", attribute),
        kind => scene(&format!("actuator/{kind}"), attribute),
    };
    // the element with what else it needs
    scene.document = scene.without(attribute).replacen("<mujoco>", "<mujoco>@", 1);
    (scene.around, scene.tag, scene.content) = (vec!["default".into()], tag.to_owned(), "");
    scene.attributes.clear();
    scene
}

fn part_of_tree(path: &str, tag: &str, attribute: &str) -> Scene {
    let all =
        |joint: &str, geom: &str, more: &str| document(&[ASSETS, &tree(joint, geom, more), TENDONS, MOTORS]);
    let (document, attributes, content) = match path {
        "worldbody/body" => (
            all(JOINT, GEOM, "@"),
            vec![("name", "n"), ("pos", "1 1 1")],
            match attribute {
                "mocap" => "<geom name='g' size='.1' pos='.1 .2 .3'/>",
                _ => "<joint name='j'/><geom name='g' size='.1' pos='.1 .2 .3'/>",
            },
        ),
        "worldbody/body/inertial" => {
            let mut attributes = vec![("mass", "2"), ("diaginertia", "1 2 2.5"), ("pos", "0 0 .1")];
            attributes.retain(|(name, _)| *name != "diaginertia" || attribute != "fullinertia");
            (all(&format!("@{JOINT}"), GEOM, ""), attributes, "")
        }
        "worldbody/body/joint" => (
            all("@", GEOM, ""),
            vec![
                ("name", "p"),
                ("axis", "0 1 0"),
                ("range", "-40 40"),
                ("stiffness", "2"),
                ("actuatorfrcrange", "-3 3"),
            ],
            "",
        ),
        "worldbody/body/freejoint" => (
            all(
                JOINT,
                GEOM,
                "<body name='n' pos='3 3 3'>@<geom name='g' type='box' size='.1 .2 .3' pos='.5 .6 .7' euler='10 20 30'/></body>",
            ),
            vec![],
            "",
        ),
        "worldbody/body/geom" => (
            all(JOINT, "@", ""),
            match attribute {
                "fluidcoef" => vec![("name", "ga"), ("size", ".1"), ("fluidshape", "ellipsoid")],
                _ => vec![("name", "ga"), ("type", "capsule"), ("size", ".1 .2"), ("pos", ".2 0 0")],
            },
            "",
        ),
        "worldbody/body/attach" => (all(JOINT, GEOM, "@"), vec![("model", "c"), ("prefix", "x_")], ""),
        "worldbody/body/site" => (
            // the zone of a touch sensor: its form counts
            all(JOINT, &format!("{GEOM}@"), "")
                .replace("</mujoco>", "<sensor><touch name='zone' site='n'/></sensor></mujoco>"),
            match attribute {
                "class" => vec![("name", "n"), ("type", "box")],
                _ => vec![("name", "n"), ("type", "box"), ("size", ".1 .2 .3"), ("pos", ".1 0 0")],
            },
            "",
        ),
        "worldbody/body/camera" => {
            (all(JOINT, &format!("{GEOM}@"), ""), [vec![("name", "n")], with_camera(attribute)].concat(), "")
        }
        "worldbody/body/frame" => (
            all(JOINT, GEOM, "@"),
            vec![("pos", "1 2 3")],
            "<body name='n'><joint/><geom size='.1' pos='0 0 1'/></body>",
        ),
        "worldbody/body/replicate" => (
            all(JOINT, GEOM, "@"),
            vec![("count", "2"), ("offset", "0 0 1")],
            "<body name='n'><joint/><geom size='.1' pos='0 0 1'/></body>",
        ),
        _ => {
            let inside = path.strip_prefix("worldbody/body/").unwrap_or(path);
            let chain: Vec<&str> = inside.split('/').collect();
            let around = chain[..chain.len() - 1].iter().map(|tag| match *tag {
                "geom" => "geom name='gx' size='.1'".to_owned(),
                tag => tag.to_owned(),
            });
            let around = around.collect();
            let document = all(&format!("{JOINT}@"), GEOM, "");
            return Scene { tag: tag.to_owned(), attributes: vec![], content: "", around, document };
        }
    };
    Scene { tag: tag.to_owned(), attributes, content, around: vec![], document }
}

/// What an attribute of a camera needs beside it to mean something.
fn with_camera(attribute: &str) -> Vec<(&'static str, &'static str)> {
    match attribute {
        "focal" => vec![("sensorsize", ".02 .02")],
        "sensorsize" => vec![("focal", ".03 .03")],
        "focalpixel" => vec![("resolution", "200 100")],
        "resolution" => vec![("focalpixel", "300 300")],
        "target" => vec![("mode", "targetbody")],
        _ => vec![],
    }
}

fn equality(path: &str, tag: &str, attribute: &str) -> Scene {
    let attributes = match path {
        _ if attribute == "site1" => vec![("site2", "fixed")],
        _ if attribute == "site2" => vec![("site1", "fixed")],
        "equality/connect" => vec![("body1", "a"), ("body2", "f"), ("anchor", ".1 .2 .3")],
        "equality/weld" => vec![("body1", "a"), ("body2", "f")],
        "equality/joint" => vec![("joint1", "p"), ("joint2", "q")],
        "equality/tendon" => vec![("tendon1", "t"), ("tendon2", "u")],
        _ => vec![],
    };
    Scene { attributes, around: vec!["equality".into()], ..in_document(tag) }
}

fn in_document(tag: &str) -> Scene {
    let document = document(&[ASSETS, &tree(JOINT, GEOM, ""), TENDONS, MOTORS, "@"]);
    Scene { tag: tag.to_owned(), attributes: vec![], content: "", around: vec![], document }
}

fn actuator(path: &str, tag: &str, attribute: &str) -> Scene {
    if path == "actuator/plugin/config" {
        return Scene { around: vec!["actuator".into(), "plugin joint='q'".into()], ..in_document(tag) };
    }
    let mut attributes = vec![("name", "n")];
    match tag {
        "adhesion" => attributes.extend([("body", "f"), ("ctrlrange", "0 1"), ("forcerange", "-3 3")]),
        "orientation" => attributes.push(("site", "sa")),
        "muscle" => attributes.extend([
            ("joint", "q"),
            ("lengthrange", "-1 1"),
            ("force", "10"),
            ("ctrlrange", "-2 2"),
            ("forcerange", "-3 3"),
        ]),
        "dcmotor" => attributes.extend([
            ("joint", "q"),
            ("motorconst", ".1"),
            ("resistance", "2"),
            ("ctrlrange", "-2 2"),
        ]),
        "damper" => {
            attributes.extend([("joint", "q"), ("kv", "1"), ("ctrlrange", "0 1"), ("forcerange", "-3 3")])
        }
        "cylinder" => {
            attributes.extend([("joint", "q"), ("ctrlrange", "-2 2"), ("forcerange", "-3 3"), ("area", "2")])
        }
        "position" | "intvelocity" | "pid" => {
            attributes.extend([("joint", "q"), ("kp", "5"), ("ctrlrange", "-2 2"), ("forcerange", "-3 3")])
        }
        _ => attributes.extend([("joint", "q"), ("ctrlrange", "-2 2"), ("forcerange", "-3 3")]),
    }
    // what counts only together with, or without, another
    match attribute {
        "biastype" => attributes.push(("biasprm", "1 2 3")),
        "biasprm" => attributes.push(("biastype", "affine")),
        "gaintype" => attributes.push(("gainprm", "1 2 3")),
        "inheritrange" => attributes.retain(|(name, _)| *name != "ctrlrange"),
        "actlimited" => attributes.push(("actrange", "-.5 .5")),
        "class" if tag == "adhesion" => attributes.retain(|(name, _)| *name != "forcerange"),
        "scale" => attributes.retain(|(name, _)| *name != "force"),
        "nominal" => attributes.retain(|(name, _)| !["motorconst", "resistance"].contains(name)),
        _ => {}
    }
    if tag == "general" && ["dynprm", "actrange", "actlimited", "actearly"].contains(&attribute) {
        attributes.push(("dyntype", "filter"));
    }
    if attribute == "diameter" {
        attributes.retain(|(name, _)| *name != "area");
    }
    Scene { attributes, around: vec!["actuator".into()], ..in_document(tag) }
}

fn sensor(path: &str, tag: &str, attribute: &str) -> Scene {
    if path == "sensor/plugin/config" {
        return Scene { around: vec!["sensor".into(), "plugin".into()], ..in_document(tag) };
    }
    let mut attributes = vec![("name", "n")];
    match tag {
        "jointpos" | "jointvel" | "jointactuatorfrc" | "jointlimitpos" | "jointlimitvel"
        | "jointlimitfrc" => {
            attributes.push(("joint", "p"));
        }
        "ballquat" | "ballangvel" => attributes.push(("joint", "ball")),
        tag if tag.starts_with("tendon") => attributes.push(("tendon", "t")),
        "actuatorpos" | "actuatorvel" | "actuatorfrc" => attributes.push(("actuator", "drive")),
        tag if tag.starts_with("frame") => attributes.extend([("objtype", "site"), ("objname", "sa")]),
        tag if tag.starts_with("subtree") => attributes.push(("body", "a")),
        "distance" | "normal" | "fromto" => attributes.extend([("geom1", "ga"), ("geom2", "gf")]),
        "e_potential" | "e_kinetic" | "clock" | "contact" | "tactile" | "user" | "plugin" => {}
        "insidesite" => attributes.extend([("site", "sa"), ("objtype", "body"), ("objname", "f")]),
        "camprojection" => attributes.push(("site", "sa")),
        _ => attributes.push(("site", "sa")),
    }
    match attribute {
        "reftype" => attributes.push(("refname", "fixed")),
        "refname" => attributes.push(("reftype", "site")),
        _ => {}
    }
    Scene { attributes, around: vec!["sensor".into()], ..in_document(tag) }
}

/// Elements of sections that are ignored as a whole: nested as the path says.
fn generic(path: &str, tag: &str) -> Scene {
    let chain: Vec<&str> = path.split('/').collect();
    let around = chain[..chain.len() - 1].iter().map(|tag| (*tag).to_owned()).collect();
    Scene { around, ..in_document(tag) }
}
