//! Which joints a model has, in MuJoCo's order, without reading them: keyframes of an attached model count all of them,
//! also where only a part of the model is attached.

use super::joints::JointType;
use crate::mjcf::preamble::source::Source;
use crate::xml::Element;
use std::ops::Range;

/// More joints than this are not counted.
const MOST: usize = 1_000_000;

/// The joints of a model by kind, and those of the attached part among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::mjcf) struct Census {
    pub joints: Vec<JointType>,
    pub attached: Range<usize>,
    /// It has models attached itself, whose actuators are not counted here.
    pub has_models: bool,
}

impl Census {
    /// Of a model of which the body or frame of that name is attached; of all of it for `None`.
    pub fn of(source: &Source, part: Option<(&str, &str)>) -> Census {
        let mut walk = Walk { part, found: None, census: Census::default() };
        let worlds =
            source.root.iter().flat_map(|root| root.children.iter().filter(|e| e.tag == "worldbody"));
        worlds.for_each(|world| walk.bodies(world, None, source));
        let all = 0..walk.census.joints.len();
        Census { attached: walk.found.unwrap_or(all), ..walk.census }
    }
}

struct Walk<'a> {
    part: Option<(&'a str, &'a str)>,
    found: Option<Range<usize>>,
    census: Census,
}

impl Walk<'_> {
    /// Bodies in an element, in their order.
    fn bodies(&mut self, element: &Element, class: Option<&str>, source: &Source) {
        for child in &element.children {
            let start = self.census.joints.len();
            if start > MOST {
                return;
            }
            let class = said(child, "childclass").or(class);
            match child.tag.as_str() {
                "body" => {
                    self.joints(child, class, source);
                    self.bodies(child, class, source);
                }
                "frame" => self.bodies(child, class, source),
                "replicate" => (0..copies(child)).for_each(|_| self.bodies(child, class, source)),
                "attach" => self.census.has_models = true,
                _ => {}
            }
            let is_part =
                self.part.is_some_and(|(tag, name)| child.tag == tag && said(child, "name") == Some(name));
            if is_part && self.found.is_none() {
                self.found = Some(start..self.census.joints.len());
            }
        }
    }

    /// Joints of a body itself.
    fn joints(&mut self, element: &Element, class: Option<&str>, source: &Source) {
        for child in &element.children {
            match child.tag.as_str() {
                "freejoint" => self.census.joints.push(JointType::Free),
                "joint" => {
                    let kind = said(child, "type").or_else(|| source.classes.said(child, class, "type"));
                    self.census.joints.push(kind.and_then(JointType::of_word).unwrap_or(JointType::Hinge));
                }
                "frame" => self.joints(child, said(child, "childclass").or(class), source),
                "replicate" if self.census.joints.len() < MOST => {
                    (0..copies(child)).for_each(|_| self.joints(child, class, source));
                }
                _ => {}
            }
        }
    }
}

fn said<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    element.attributes.iter().find(|a| a.name == name).map(|a| a.value.as_str())
}

fn copies(element: &Element) -> usize {
    said(element, "count")
        .and_then(|text| text.trim().parse::<f64>().ok())
        .map_or(0, |n| n.clamp(0.0, 1e3) as usize)
}
