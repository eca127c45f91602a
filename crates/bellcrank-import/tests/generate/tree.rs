//! Bodies with joints, geoms, sites and frames.

use super::Writer;

const DEEPEST: usize = 3;

impl Writer {
    /// A position and one of the ways to tell a rotation.
    pub fn placement(&mut self) -> String {
        let position = self.numbers(3, -0.5, 0.5);
        let [a, b, c] = [self.angle(), self.angle(), self.angle()];
        let turn = match self.dice.below(6) {
            0 => String::new(),
            1 => format!(" quat='{} .3'", self.numbers(3, 0.1, 1.0)),
            2 => format!(" euler='{a} {b} {c}'"),
            3 => format!(" axisangle='{} .2 {a}'", self.numbers(2, 0.1, 1.0)),
            4 => format!(" xyaxes='1 {} {} 1 0'", self.numbers(2, -0.3, 0.3), self.number(-0.3, 0.3)),
            _ => format!(" zaxis='{} .4'", self.numbers(2, -1.0, 1.0)),
        };
        format!("pos='{position}'{turn}")
    }

    pub fn body(&mut self, depth: usize) {
        let name = self.name("part_");
        let place = self.placement();
        let class = self.pick(&["", " childclass='outer'", " childclass='inner'"]);
        let carried = self.pick(&["", "", " gravcomp='.5'"]);
        self.put(&format!("<body name='{name}' {place}{class}{carried}>\n"));
        self.names.bodies.push(name);
        self.joints(depth);
        if self.chance(4) {
            let place = self.placement();
            self.put(&format!("<inertial {place} mass='2' diaginertia='.03 .02 .04'/>\n"));
        }
        // something that always has a mass
        let solid = self.name("core_");
        self.put(&format!("<geom name='{solid}' type='sphere' size='.08'/>\n"));
        self.names.geoms.push(solid);
        for _ in 0..self.dice.below(3) {
            self.geom();
        }
        if self.chance(3) {
            let place = self.placement();
            self.put(&format!("<frame {place} childclass='flat'>"));
            self.geom();
            self.put("</frame>\n");
        }
        if self.chance(2) {
            let (site, place) = (self.name("site_"), self.placement());
            self.put(&format!("<site name='{site}' {place} size='.01'/>\n"));
            self.names.sites.push(site);
        }
        let word = self.pick(&["", "<camera pos='1 0 0'/>"]);
        self.put(word);
        for _ in 0..self.dice.below(3) {
            if depth < DEEPEST {
                self.body(depth + 1);
            }
        }
        self.put("</body>\n");
    }

    fn joints(&mut self, depth: usize) {
        if depth == 0 && self.chance(3) {
            self.put("<freejoint/>\n");
            self.names.counts.0 += 7;
            self.names.counts.1 += 6;
            return;
        }
        if self.chance(6) {
            let position = self.numbers(3, -0.1, 0.1);
            self.put(&format!(
                "<joint type='ball' pos='{position}' range='0 0' limited='false' damping='.1'/>\n"
            ));
            self.names.counts.0 += 4;
            self.names.counts.1 += 3;
            return;
        }
        // right angles, so that runs become one joint, and odd ones, so that they do not; never two alike
        let axes = [
            ["1 0 0", "0 1 0", "0 0 1"],
            ["0 0 -1", "1 0 0", "0 1 0"],
            ["0 1 0", "0 0 1", "-1 0 0"],
            ["1 1 0", "0 0 1", "1 -1 0"],
            ["1 0 0", "0 1 1", "1 0 1"],
        ];
        let axes = axes[self.dice.below(axes.len())];
        for axis in axes.into_iter().take(self.dice.below(4)) {
            let name = self.name("axle_");
            let kind = self.pick(&["hinge", "hinge", "slide"]);
            let position = if self.chance(2) { "0 0 0".to_owned() } else { self.numbers(3, -0.1, 0.1) };
            let more = self.joint_numbers(kind);
            self.put(&format!("<joint name='{name}' type='{kind}' axis='{axis}' pos='{position}'{more}/>\n"));
            self.names.scalars.push(name);
            self.names.counts.0 += 1;
            self.names.counts.1 += 1;
        }
    }

    fn joint_numbers(&mut self, kind: &str) -> String {
        let angle = if kind == "hinge" { self.angle() } else { self.number(-0.3, 0.3) };
        match self.dice.below(7) {
            0 => String::new(),
            1 => format!(" ref='{angle}'"),
            2 => format!(" class='inner' springref='{angle}'"),
            3 => " range='-.5 .7' limited='true'".into(),
            4 => format!(" stiffness='4' springref='{angle}' ref='{angle}'"),
            5 => " springdamper='.1 .7' armature='.1'".into(),
            _ => " actuatorfrcrange='-3 5' frictionloss='.3' class='outer'".into(),
        }
    }

    fn geom(&mut self) {
        let name = self.name("geom_");
        let place = self.placement();
        let ends = format!("fromto='0 0 0 {} .4'", self.numbers(2, 0.1, 0.3));
        let size = self.numbers(3, 0.02, 0.2);
        let form = match self.dice.below(9) {
            0 => format!("type='box' size='{size}' {place}"),
            1 => format!("type='capsule' size='.03' {ends}"),
            2 => format!("type='cylinder' size='.03 .1' {place}"),
            3 => format!("type='ellipsoid' size='{size}' {place}"),
            4 => format!("type='box' size='.03' {ends}"),
            5 => format!("type='mesh' mesh='inline' {place}"),
            6 => format!("type='mesh' mesh='from_file' {place}"),
            7 => format!(
                "type='{}' mesh='from_file' {place}",
                self.pick(&["box", "sphere", "capsule", "cylinder", "ellipsoid"])
            ),
            _ => format!("class='outer' {place}"),
        };
        let weight = self.pick(&["", " mass='.3'", " density='300'", " group='4'", " mass='0'"]);
        let touch =
            self.pick(&["", " contype='0' conaffinity='0'", " condim='6' friction='.5'", " priority='2'"]);
        self.put(&format!("<geom name='{name}' {form}{weight}{touch}/>\n"));
        self.names.geoms.push(name);
    }
}
