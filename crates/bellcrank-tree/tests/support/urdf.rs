//! Just enough of URDF for the reference robots: links, inertias, revolute and fixed joints.

use bellcrank_math::{Pose, Quat, Sym3, Vec3};
use bellcrank_model::{Body, Joint, Link, Model, ModelBuilder, Site, WORLD};
use roxmltree::{Document, Node};
use std::collections::HashMap;

fn numbers(text: Option<&str>) -> Vec3 {
    let mut n = text.unwrap_or("0 0 0").split_whitespace().map(|x| x.parse::<f64>().expect("a number"));
    let mut next = || n.next().expect("three numbers");
    Vec3::new(next(), next(), next())
}

fn child<'a>(node: Node<'a, 'a>, tag: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|c| c.has_tag_name(tag))
}

/// R = R_z(yaw) R_y(pitch) R_x(roll)
fn origin(node: Node) -> Pose {
    let Some(origin) = child(node, "origin") else { return Pose::identity() };
    let rpy = numbers(origin.attribute("rpy"));
    let about = Quat::from_axis_angle;
    let rotation = about(Vec3::z_axis(), rpy.z) * about(Vec3::y_axis(), rpy.y) * about(Vec3::x_axis(), rpy.x);
    Pose::new(rotation, numbers(origin.attribute("xyz")))
}

fn inertial(link: Node) -> Option<(f64, Pose, Sym3)> {
    let inertial = child(link, "inertial")?;
    let number =
        |node: Node, name: &str| node.attribute(name).and_then(|x| x.parse::<f64>().ok()).unwrap_or(0.0);
    let mass = number(child(inertial, "mass")?, "value");
    let i = child(inertial, "inertia")?;
    let get = |name: &str| number(i, name);
    let about_com = Sym3 {
        xx: get("ixx"),
        xy: get("ixy"),
        xz: get("ixz"),
        yy: get("iyy"),
        yz: get("iyz"),
        zz: get("izz"),
    };
    (mass > 0.0).then(|| (mass, origin(inertial), about_com))
}

/// Where a link of the file ended up: a body (or the world) and the link's pose in its frame.
type Place = (Link, Pose);

/// Reads a file; the root link floats or is the world. Links without mass become sites.
pub fn load(text: &str, floating: bool) -> Model {
    let document = Document::parse(text).expect("well-formed");
    let robot = document.root_element();
    let links: HashMap<&str, Node> = robot
        .children()
        .filter(|n| n.has_tag_name("link"))
        .map(|n| (n.attribute("name").unwrap(), n))
        .collect();
    let joints: Vec<Node> = robot.children().filter(|n| n.has_tag_name("joint")).collect();
    let end = |joint: Node, tag: &str| child(joint, tag).unwrap().attribute("link").unwrap().to_owned();
    let children: Vec<String> = joints.iter().map(|j| end(*j, "child")).collect();
    let root = links.keys().find(|name| !children.iter().any(|c| c == *name)).expect("a root").to_string();
    let mut b = ModelBuilder::new("robot");
    let mut places: HashMap<String, Place> = HashMap::new();
    let at_root =
        if floating { add_body(&mut b, &root, links[root.as_str()]) } else { (WORLD, Pose::identity()) };
    places.insert(root.clone(), at_root);
    let mut left: Vec<Node> = joints;
    while !left.is_empty() {
        let ready = left.iter().position(|j| places.contains_key(&end(*j, "parent"))).expect("a tree");
        let joint = left.remove(ready);
        let (parent, X_LP) = places[&end(joint, "parent")].clone();
        let name = end(joint, "child");
        let X_PF = X_LP * origin(joint);
        let fixed = joint.attribute("type") == Some("fixed");
        let place = if fixed && inertial(links[name.as_str()]).is_none() {
            b.site(Site::new(&*name, parent.clone()).at(X_PF));
            (parent, X_PF)
        } else {
            let place = add_body(&mut b, &name, links[name.as_str()]);
            let axis =
                numbers(Some(child(joint, "axis").and_then(|a| a.attribute("xyz")).unwrap_or("1 0 0")));
            let turn = if fixed { Quat::identity() } else { Quat::x_axis_to(axis * (1.0 / axis.norm())) };
            let (X_PF, X_SM) = (X_PF * Pose::new(turn, Vec3::zero()), Pose::new(turn, Vec3::zero()));
            let title = joint.attribute("name").unwrap();
            let new = if fixed {
                Joint::fixed(title, parent, place.0.clone())
            } else {
                Joint::revolute(title, parent, place.0.clone())
            };
            b.joint(new.frames(X_PF, X_SM));
            place
        };
        places.insert(name, place);
    }
    b.build().unwrap_or_else(|faults| panic!("{faults}"))
}

fn add_body(b: &mut ModelBuilder, name: &str, link: Node) -> Place {
    let (mass, X_LI, about_com) =
        inertial(link).unwrap_or((1e-9, Pose::identity(), Sym3::diagonal(1e-15, 1e-15, 1e-15)));
    let turned = about_com.rotated(X_LI.R.to_mat3());
    let body = b.body(Body::new(name).mass(mass).com(X_LI.p).inertia(turned));
    (body.into(), Pose::identity())
}
