//! Everything outside the tree of bodies.

use super::Writer;

impl Writer {
    pub fn sections(&mut self) {
        self.tendons();
        self.equalities();
        self.actuators();
        self.contacts();
        self.sensors();
        self.keyframe();
    }

    /// A name of this kind, if there are any.
    fn any(&mut self, list: fn(&super::Names) -> &Vec<String>) -> Option<String> {
        let count = list(&self.names).len();
        (count > 0).then(|| list(&self.names)[self.dice.below(count)].clone())
    }

    fn tendons(&mut self) {
        self.put("<tendon>\n");
        for _ in 0..self.dice.below(3) {
            let (Some(one), Some(other)) = (self.any(|n| &n.scalars), self.any(|n| &n.scalars)) else {
                break;
            };
            if one == other {
                continue;
            }
            let name = self.name("cable_");
            let more = self.pick(&[
                "",
                " range='-1 2'",
                " stiffness='3' damping='.2'",
                " stiffness='2' springlength='.3'",
                " frictionloss='.1' armature='.01'",
            ]);
            let weights = [self.number(0.2, 2.0), self.number(-2.0, -0.2)];
            self.put(&format!(
                "<fixed name='{name}'{more}><joint joint='{one}' coef='{}'/><joint joint='{other}' coef='{}'/></fixed>\n",
                weights[0], weights[1]
            ));
            self.names.tendons.push(name);
        }
        if let (Some(a), Some(b)) = (self.any(|n| &n.sites), self.any(|n| &n.sites))
            && a != b
        {
            self.put(&format!(
                "<spatial name='rope' width='.01'><site site='{a}'/><site site='{b}'/></spatial>\n"
            ));
        }
        self.put("</tendon>\n");
    }

    fn equalities(&mut self) {
        self.put("<equality>\n");
        for _ in 0..self.dice.below(3) {
            let (Some(a), Some(b)) = (self.any(|n| &n.bodies), self.any(|n| &n.bodies)) else { break };
            if a != b {
                let anchor = self.numbers(3, -0.2, 0.2);
                let soft = self.pick(&["", " solref='.01 1'"]);
                let said = match self.dice.below(3) {
                    0 => format!("<connect body1='{a}' body2='{b}' anchor='{anchor}'{soft}/>\n"),
                    1 => format!("<weld body1='{a}' body2='{b}'{soft}/>\n"),
                    _ => format!("<connect body1='{a}' anchor='{anchor}' active='false'/>\n"),
                };
                self.put(&said);
            }
        }
        if let (Some(one), Some(other)) = (self.any(|n| &n.scalars), self.any(|n| &n.scalars))
            && one != other
        {
            let slope = self.number(0.2, 2.0);
            self.put(&format!("<joint joint1='{one}' joint2='{other}' polycoef='.1 {slope} 0 0 0'/>\n"));
        }
        self.put("</equality>\n");
    }

    fn actuators(&mut self) {
        self.put("<actuator>\n");
        for _ in 0..self.dice.below(6) {
            let name = self.name("drive_");
            let tendon = self.any(|n| &n.tendons).filter(|_| self.dice.below(3) == 0);
            let Some(on) = tendon
                .map(|t| format!("tendon='{t}'"))
                .or_else(|| self.any(|n| &n.scalars).map(|j| format!("joint='{j}'")))
            else {
                break;
            };
            let kp = self.number(1.0, 50.0);
            let bounds = self.pick(&["", " forcerange='-5 5'", " forcerange='-2 8'", " ctrlrange='-1 1'"]);
            let law = match self.dice.below(9) {
                0 => "motor class='outer'".to_owned(),
                1 => format!("position kp='{kp}'"),
                2 => format!("position kp='{kp}' dampratio='1'"),
                3 => format!("position class='inner' kp='{kp}' timeconst='.1'"),
                4 => format!("velocity kv='{kp}'"),
                5 => format!("general biastype='affine' gainprm='{kp}' biasprm='0 -{kp} -1'"),
                6 => format!("general dyntype='filter' dynprm='.1' gainprm='{kp}'"),
                7 => "cylinder area='.2' timeconst='.3' bias='1 0 -2'".to_owned(),
                _ => format!("intvelocity kp='{kp}' actrange='-1 1'"),
            };
            let gear = self.pick(&["", " gear='2'", " gear='-.5'"]);
            self.put(&format!("<{law} name='{name}' {on}{gear}{bounds}/>\n"));
            self.names.actuators.push(name);
        }
        if let Some(site) = self.any(|n| &n.sites) {
            let gear = self.numbers(6, -1.0, 1.0);
            self.put(&format!("<motor name='jet' site='{site}' gear='{gear}'/>\n"));
            self.names.actuators.push("jet".into());
        }
        self.put("</actuator>\n");
    }

    fn contacts(&mut self) {
        if let (Some(a), Some(b)) = (self.any(|n| &n.bodies), self.any(|n| &n.bodies))
            && a != b
        {
            self.put(&format!("<contact><exclude body1='{a}' body2='{b}'/></contact>\n"));
        }
    }

    fn sensors(&mut self) {
        self.put("<sensor><clock/><e_kinetic/>\n");
        if let Some(site) = self.any(|n| &n.sites) {
            for tag in [
                "accelerometer",
                "gyro",
                "velocimeter",
                "force",
                "torque",
                "touch",
                "rangefinder",
                "magnetometer",
            ] {
                self.put(&format!("<{tag} site='{site}'/>"));
            }
        }
        if let Some(joint) = self.any(|n| &n.scalars) {
            for tag in ["jointpos", "jointvel", "jointactuatorfrc"] {
                self.put(&format!("<{tag} joint='{joint}'/>"));
            }
        }
        if let Some(actuator) = self.any(|n| &n.actuators) {
            for tag in ["actuatorpos", "actuatorvel", "actuatorfrc"] {
                self.put(&format!("<{tag} actuator='{actuator}'/>"));
            }
        }
        if let Some(body) = self.any(|n| &n.bodies) {
            for tag in ["framepos", "framequat", "framelinvel", "frameangacc"] {
                self.put(&format!("<{tag} objtype='body' objname='{body}'/>"));
            }
            self.put(&format!("<subtreecom body='{body}'/>"));
        }
        self.put("</sensor>\n");
    }

    fn keyframe(&mut self) {
        let (positions, velocities) = self.names.counts;
        if positions == 0 {
            return;
        }
        let (qpos, qvel) = (self.numbers(positions, 0.1, 0.9), self.numbers(velocities, -1.0, 1.0));
        self.put(&format!("<keyframe><key name='home' qpos='{qpos}' qvel='{qvel}'/></keyframe>\n"));
    }
}
