//! Random MJCF files, each a mixture of everything that the format has for rigid robots.
//!
//! They are legal for MuJoCo, so that both programs can be compared on them; nothing in them comes from any robot.

mod sections;
mod tree;

use crate::mutate::Dice;
use std::fmt::Write;

/// A file, and the files that it names.
pub struct Generated {
    pub text: String,
    /// Name and content, relative to the file.
    pub others: Vec<(String, String)>,
}

/// Everything that is named so far, to be referred to.
#[derive(Default)]
pub struct Names {
    /// Hinges and slides, with whether they are limited.
    pub scalars: Vec<String>,
    pub bodies: Vec<String>,
    pub sites: Vec<String>,
    pub geoms: Vec<String>,
    pub tendons: Vec<String>,
    pub actuators: Vec<String>,
    /// Numbers in `qpos` and `qvel`; unknown where something is attached or copied.
    pub counts: (usize, usize),
}

/// Throws the dice and writes.
pub struct Writer {
    pub dice: Dice,
    pub text: String,
    pub names: Names,
    pub radians: bool,
    pub next: usize,
    pub others: Vec<(String, String)>,
}

const TETRAHEDRON: &str = "v 0 0 0\nv .2 0 0\nv 0 .3 0\nv 0 0 .4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const INCLUDED: &str = "<mujocoinclude><body name='from_include' pos='0 1 0'><joint axis='1 1 0'/><geom size='.1'/></body></mujocoinclude>";
const CHILD: &str = "<mujoco model='child'><compiler angle='radian' eulerseq='ZYX'/>
  <default><geom density='500'/><default class='thin'><geom size='.01 .2'/></default></default>
  <worldbody><body name='root' euler='.1 .2 .3'><joint name='swing' axis='0 1 0' range='-1 1'/>
    <geom class='thin' type='capsule'/><site name='mark'/></body></worldbody>
  <actuator><motor name='push' joint='swing' gear='3'/></actuator></mujoco>";

/// The file of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut writer = Writer {
        dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        text: String::new(),
        names: Names::default(),
        radians: false,
        next: 0,
        others: Vec::new(),
    };
    // the first throws of near seeds are alike
    for _ in 0..8 {
        writer.dice.below(2);
    }
    writer.file();
    Generated { text: writer.text, others: writer.others }
}

impl Writer {
    fn file(&mut self) {
        self.radians = self.chance(2);
        let angle = if self.radians { "radian" } else { "degree" };
        let sequence = self.pick(&["xyz", "XYZ", "zyx", "ZXY", "xzx", "YXZ", "xYz"]);
        let extra = self.pick(&[
            "",
            " boundmass='.01'",
            " boundinertia='1e-4'",
            " settotalmass='7'",
            " balanceinertia='true'",
        ]);
        let groups = self.pick(&["", " inertiagrouprange='0 3'"]);
        self.put(&format!(
            "<mujoco model='generated'>\n<compiler angle='{angle}' eulerseq='{sequence}' meshdir='meshes'{extra}{groups}/>\n"
        ));
        let word = self.pick(&["", "<option timestep='.001' gravity='0 0 -3' integrator='implicitfast'><flag eulerdamp='disable'/></option>\n"]);
        self.put(word);
        let word = self.pick(&[
            "",
            "<size njmax='500'/><visual><headlight ambient='1 1 1'/></visual><statistic extent='2'/>\n",
        ]);
        self.put(word);
        let word =
            self.pick(&["", "<custom><numeric name='n' data='1 2'/><text name='t' data='x'/></custom>\n"]);
        self.put(word);
        self.defaults();
        self.assets();
        self.put("<worldbody><geom type='plane' size='0 0 1' material='grid'/><light pos='0 0 3'/>\n");
        for _ in 0..1 + self.dice.below(3) {
            self.body(0);
        }
        self.extras();
        self.put("</worldbody>\n");
        self.sections();
        self.put("</mujoco>\n");
    }

    fn defaults(&mut self) {
        let damping = self.dice.below(5);
        let friction = self.number(0.5, 1.0);
        let range = if self.radians { "-1 1" } else { "-60 60" };
        self.put(&format!(
            "<default><geom density='800' friction='{friction}'/><joint damping='.{damping}'/><position kp='20'/>
  <default class='outer'><joint armature='.02' range='{range}'/><geom rgba='1 0 0 1' size='.05 .06 .07'/><motor gear='4'/>
    <default class='inner'><joint stiffness='3' springref='.1' frictionloss='.2'/><geom type='ellipsoid'/><position kv='2'/></default>
  </default><default class='flat'><geom type='box' size='.2 .1 .02'/><site pos='0 0 .1'/></default></default>\n"
        ));
    }

    fn assets(&mut self) {
        let inertia = self.pick(&[
            "",
            " inertia='exact'",
            " inertia='legacy'",
            " inertia='shell'",
            " inertia='convex'",
        ]);
        let moved = self.pick(&[
            "",
            " scale='1 2 .5'",
            " refpos='.1 0 0'",
            " refquat='1 1 0 0'",
            " scale='.7 .7 .7' refpos='0 .1 0'",
        ]);
        self.put(&format!(
            "<asset><texture name='tex' type='2d' builtin='checker' width='8' height='8'/><material name='grid' texture='tex' rgba='.1 .2 .3 1'/>
  <mesh name='inline'{inertia} vertex='0 0 0 .3 0 0 0 .3 0 0 0 .3 .3 .3 .3'/>
  <mesh name='from_file' file='tetrahedron.obj'{moved}/>
  <hfield name='hills' nrow='3' ncol='4' size='2 1 .5 .1' elevation='0 1 2 3 1 2 3 4 0 0 1 1'/>
  <model name='child' file='child.xml'/></asset>\n"
        ));
        self.others.push(("meshes/tetrahedron.obj".into(), TETRAHEDRON.into()));
        self.others.push(("child.xml".into(), CHILD.into()));
        self.others.push(("part.xml".into(), INCLUDED.into()));
    }

    /// Things that make the number of coordinates hard to tell.
    fn extras(&mut self) {
        if self.chance(3) {
            self.put("<geom type='hfield' hfield='hills' pos='3 0 0'/>\n");
        }
        if self.chance(2) {
            self.put("<include file='part.xml'/>\n");
            self.names.bodies.push("from_include".into());
            self.names.counts.0 += 1;
            self.names.counts.1 += 1;
        }
        if self.chance(2) {
            let place = self.placement();
            self.put(&format!("<frame {place}><attach model='child' body='root' prefix='sub_'/></frame>\n"));
            self.names.counts.0 += 1;
            self.names.counts.1 += 1;
        }
        if self.chance(2) {
            let euler = if self.radians { "0 0 .5" } else { "0 0 30" };
            self.put(&format!(
                "<replicate count='3' offset='.3 0 .1' euler='{euler}' sep='-'><body name='spoke' pos='1 0 0'><joint name='spin' axis='0 0 1'/>
                 <geom name='rim' type='cylinder' size='.1 .2'/></body></replicate>\n"
            ));
            self.names.counts.0 += 3;
            self.names.counts.1 += 3;
        }
    }

    pub fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// One in so many.
    pub fn chance(&mut self, of: usize) -> bool {
        self.dice.below(of) == 0
    }

    pub fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.dice.below(words.len())]
    }

    /// A number with three digits between two bounds.
    pub fn number(&mut self, low: f64, high: f64) -> f64 {
        let share = self.dice.below(1001) as f64 / 1000.0;
        ((low + (high - low) * share) * 1000.0).round() / 1000.0
    }

    pub fn numbers(&mut self, count: usize, low: f64, high: f64) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let x = self.number(low, high);
            let _ = write!(text, "{x} "); // writing to a string cannot fail
        }
        text.trim_end().to_owned()
    }

    pub fn angle(&mut self) -> f64 {
        if self.radians { self.number(-1.5, 1.5) } else { self.number(-90.0, 90.0) }
    }

    pub fn name(&mut self, start: &str) -> String {
        self.next += 1;
        format!("{start}{}", self.next)
    }
}
