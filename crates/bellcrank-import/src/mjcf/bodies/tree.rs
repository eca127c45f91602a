//! `<worldbody>`: bodies, frames, copies and attached models, read depth first.

use super::cameras;
use super::census::Census;
use super::geoms;
use super::joints::{self, JointSpec, JointType};
use super::placement;
use super::spec::{BodySpec, Spec};
use crate::mjcf::mass::solids::nothing;
use crate::mjcf::preamble::source::{AttachedKeys, Context, Scope};
use crate::mjcf::vocabulary::known::{self, LOOKS};
use crate::xml::Element;
use crate::{ImportError, ImportFaultKind};
use bellcrank_math::Pose;
use std::rc::Rc;

/// This part of the elements that a file may have can be made by `<replicate>`.
const COPIES: u32 = 10;
/// So many copies are looked for by what lies outside the tree.
const ENDINGS: usize = 1_000;

/// Reads trees of bodies into a [`Spec`].
pub(in crate::mjcf) struct TreeReader<'a> {
    pub spec: Spec,
    /// Models that were attached, in the order of their appearance.
    pub attached: Vec<Scope>,
    /// Endings of copies that `<replicate>` made, each once.
    pub endings: Vec<String>,
    context: Context<'a>,
    copies: usize,
}

/// Where an element stands.
#[derive(Clone)]
struct Within<'a> {
    body: usize,
    /// The frame it stands in, seen from the body.
    X_LF: Pose,
    childclass: Option<String>,
    scope: &'a Scope,
    /// What copies of `<replicate>` append to names.
    suffix: String,
    depth: usize,
}

impl<'a> TreeReader<'a> {
    pub fn new(context: Context<'a>, root: &Element, scope: &Scope) -> Self {
        let world = empty_body("world".into(), 0, Pose::identity(), root, scope);
        let spec = Spec { bodies: vec![world], sections: Vec::new() };
        TreeReader { spec, attached: Vec::new(), endings: Vec::new(), context, copies: 0 }
    }

    /// Reads a `<worldbody>`.
    pub fn world(&mut self, element: &Element, scope: &Scope) -> Result<(), ImportError> {
        let childclass = element.attribute("childclass").map(str::to_owned);
        let within =
            Within { body: 0, X_LF: Pose::identity(), childclass, scope, suffix: String::new(), depth: 0 };
        self.children(element, &within)
    }

    fn children(&mut self, element: &Element, within: &Within<'_>) -> Result<(), ImportError> {
        let limits = self.context.files.limits();
        if within.depth > limits.depth {
            return Err(ImportError::one(element.place(), ImportFaultKind::TooDeep(limits.depth)));
        }
        for child in &element.children {
            self.copies += usize::from(!within.suffix.is_empty());
            let allowed = limits.elements / COPIES;
            if self.copies > allowed as usize {
                let (found, limit) = (self.copies as u64, u64::from(allowed));
                let what = "the number of copied elements".to_owned();
                return Err(ImportError::one(
                    child.place(),
                    ImportFaultKind::TooLarge { what, found, limit },
                ));
            }
            match child.tag.as_str() {
                "body" => self.body(child, within)?,
                "frame" => self.frame(child, within)?,
                "replicate" => self.replicate(child, within)?,
                "attach" => self.attach(child, within)?,
                _ => self.leaf(child, within),
            }
        }
        Ok(())
    }

    fn leaf(&mut self, element: &Element, within: &Within<'_>) {
        let scope = within.scope;
        let notes = self.context.notes;
        let merged = || scope.source.classes.merged(element, within.childclass.as_deref(), notes);
        let name =
            || element.attribute("name").map_or(String::new(), |n| scope.name_in_tree(n, &within.suffix));
        let body = &mut self.spec.bodies[within.body];
        match element.tag.as_str() {
            "joint" | "freejoint" => {
                let spec = joints::read(&merged(), within.X_LF, scope, self.context);
                if joint_may_stand_here(element, &spec, within.body, body) {
                    body.joints.push(JointSpec { name: name(), ..spec });
                }
            }
            "geom" => {
                let spec = geoms::read(&merged(), within.X_LF, scope, self.context);
                element.children.iter().for_each(|e| e.ignore("plugins of MuJoCo are not run"));
                body.geoms.push(super::spec::GeomSpec { name: name(), ..spec });
            }
            "site" => {
                let spec = geoms::site(&merged(), within.X_LF, scope);
                body.sites.push(super::spec::SiteSpec { name: name(), ..spec });
            }
            "inertial" => {
                known::mark(element, notes);
                let (solid, X_LI) = geoms::inertial(element, scope);
                (body.stated, body.X_LI) = (Some(solid), X_LI);
            }
            "camera" => {
                let spec = cameras::read(&merged(), within.X_LF, scope);
                body.cameras.push(super::spec::CameraSpec { name: name(), ..spec });
            }
            "light" => {
                element.see_all();
                notes.once(element, LOOKS);
            }
            "plugin" => element.ignore("plugins of MuJoCo are not run"),
            "composite" | "flexcomp" => element.ignore("soft bodies, cloths and ropes are not simulated"),
            _ => {}
        }
    }

    fn body(&mut self, element: &Element, within: &Within<'_>) -> Result<(), ImportError> {
        element.see();
        let scope = within.scope;
        let name = element.attribute("name").map_or(String::new(), |n| scope.name_in_tree(n, &within.suffix));
        let X_PL = within.X_LF * placement::pose(element, &scope.source.compiler);
        known::mark(element, self.context.notes);
        let mocap = element.boolean("mocap") == Some(true);
        if mocap && within.body != 0 {
            element.fault_said("a mocap body hangs on another body", "move it into <worldbody>");
        }
        let mut body = empty_body(name, within.body, X_PL, element, scope);
        body.mocap = mocap;
        body.gravity_compensation = element.number("gravcomp").unwrap_or(0.0);
        body.X_WL = self.spec.bodies[within.body].X_WL * X_PL;
        self.spec.bodies.push(body);
        let childclass = element.attribute("childclass").map(str::to_owned);
        let inside = Within {
            body: self.spec.bodies.len() - 1,
            X_LF: Pose::identity(),
            childclass: childclass.or_else(|| within.childclass.clone()),
            depth: within.depth + 1,
            ..within.clone()
        };
        let own = inside.body;
        self.children(element, &inside)?;
        if self.spec.bodies[own].mocap && !self.spec.bodies[own].joints.is_empty() {
            let hint = "take out its joints, or mocap";
            element.fault_said("a mocap body is placed from outside, and has joints all the same", hint);
        }
        Ok(())
    }

    fn frame(&mut self, element: &Element, within: &Within<'_>) -> Result<(), ImportError> {
        element.see();
        let childclass = element.attribute("childclass").map(str::to_owned);
        let inside = Within {
            X_LF: within.X_LF * placement::pose(element, &within.scope.source.compiler),
            childclass: childclass.or_else(|| within.childclass.clone()),
            depth: within.depth + 1,
            ..within.clone()
        };
        self.children(element, &inside)
    }

    /// Copies of everything inside, each moved on from the one before.
    fn replicate(&mut self, element: &Element, within: &Within<'_>) -> Result<(), ImportError> {
        element.see();
        let compiler = &within.scope.source.compiler;
        let count = element.required_number("count").unwrap_or(0.0).clamp(0.0, 1e6) as usize;
        let offset = placement::position(element, "offset");
        let turn = element.vector("euler").map(|angles| compiler.euler(angles)).unwrap_or_default();
        let step = Pose::new(turn, offset);
        let separator = element.attribute("sep").unwrap_or("").to_owned();
        let childclass = element.attribute("childclass").map(str::to_owned);
        let digits = count.saturating_sub(1).to_string().len();
        let mut X = within.X_LF;
        for i in 0..count {
            let inside = Within {
                X_LF: X,
                suffix: format!("{separator}{i:0digits$}{}", within.suffix),
                childclass: childclass.clone().or_else(|| within.childclass.clone()),
                depth: within.depth + 1,
                ..within.clone()
            };
            if !self.endings.contains(&inside.suffix) && self.endings.len() < ENDINGS {
                self.endings.push(inside.suffix.clone());
            }
            self.children(element, &inside)?;
            X = Pose::new(X.R * step.R, X.p + X.R.rotate(step.p));
        }
        Ok(())
    }

    /// A body of another model, or all of it, in this place.
    fn attach(&mut self, element: &Element, within: &Within<'_>) -> Result<(), ImportError> {
        element.see();
        let Some(model) = element.required("model") else { return Ok(()) };
        let prefix = element.attribute("prefix").unwrap_or("");
        let Some(source) = within.scope.source.models.get(model) else {
            let nearest = bellcrank_model::nearest(model, within.scope.source.models.keys());
            element.fault(ImportFaultKind::UnknownName { noun: "model", name: model.to_owned(), nearest });
            return Ok(());
        };
        let Some(root) = &source.root else { return Ok(()) };
        let wanted = [("body", element.attribute("body")), ("frame", element.attribute("frame"))];
        let wanted = wanted.into_iter().find_map(|(tag, name)| Some((tag, name?)));
        let prefix = format!("{}{prefix}", within.scope.prefix);
        let keys = AttachedKeys {
            census: Census::of(source, wanted),
            first_joint: self.spec.bodies.iter().map(|body| body.joints.len()).sum(),
            again: self
                .attached
                .iter()
                .any(|other| other.prefix == prefix && Rc::ptr_eq(&other.source, source)),
        };
        let scope = Scope {
            source: source.clone(),
            prefix,
            suffix: within.suffix.clone(),
            partial: wanted.is_some(),
            keys: Some(Rc::new(keys)),
        };
        let inside = Within {
            scope: &scope,
            childclass: None,
            suffix: within.suffix.clone(),
            depth: within.depth + 1,
            ..within.clone()
        };
        let worlds = || root.children_named("worldbody");
        match wanted {
            None => worlds().try_for_each(|world| self.children(world, &inside))?,
            Some((tag, name)) => {
                match worlds().find_map(|world| find(world, tag, name)) {
                    Some(body) if tag == "body" => self.body(body, &inside)?,
                    Some(frame) => self.frame(frame, &inside)?,
                    None => {
                        let (noun, name) = (if tag == "body" { "body" } else { "frame" }, name.to_owned());
                        element.fault(ImportFaultKind::UnknownName { noun, name, nearest: None });
                    }
                }
                // what lies outside the attached body is left out on purpose
                worlds().for_each(Element::see_all);
            }
        }
        self.attached.push(scope);
        Ok(())
    }
}

/// The world has no joints, and a free joint is alone on a body of the world.
fn joint_may_stand_here(element: &Element, joint: &JointSpec, at: usize, body: &BodySpec) -> bool {
    let free = |joint: &JointSpec| joint.kind == JointType::Free;
    if at == 0 {
        element.fault_said("the world does not move and has no joints", "put the joint into a <body>");
    } else if free(joint) && body.parent != 0 {
        let hint = "move the body out of its parent, into <worldbody>";
        element.fault_said("a free joint is only possible on a body that stands in the world", hint);
    } else if body.joints.iter().any(free) || (free(joint) && !body.joints.is_empty()) {
        element.fault_said("a free joint allows every motion already", "remove the other joints of the body");
    } else if body.joints.iter().map(|joint| joint.kind.freedoms()).sum::<usize>() + joint.kind.freedoms() > 6
    {
        element.fault_said(
            "the body has more than six degrees of freedom",
            "remove a joint, or add a body between",
        );
    } else {
        return true;
    }
    false
}

fn find<'e>(element: &'e Element, tag: &str, name: &str) -> Option<&'e Element> {
    element.children.iter().find_map(|child| {
        let found = child.tag == tag && child.attribute("name") == Some(name);
        if found { Some(child) } else { find(child, tag, name) }
    })
}

fn empty_body(name: String, parent: usize, X_PL: Pose, element: &Element, scope: &Scope) -> BodySpec {
    BodySpec {
        name,
        parent,
        X_PL,
        X_WL: X_PL,
        joints: Vec::new(),
        geoms: Vec::new(),
        sites: Vec::new(),
        cameras: Vec::new(),
        solid: nothing(),
        X_LI: Pose::identity(),
        gravity_compensation: 0.0,
        mocap: false,
        stated: None,
        source: scope.source.clone(),
        place: element.place(),
    }
}
