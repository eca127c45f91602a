//! What chance does to a walking robot: commands that change, pushes, and worlds that differ in friction, mass, motors and
//! delay.

use bellcrank_math::Random;
use bellcrank_math::Vec3;
use bellcrank_model::{BodyId, Control, Geometry, Model, Parameters, ShapeId};

/// The settings of the task, by the names under which a config changes them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chance {
    /// Commanded forward velocity from and to [m/s].
    forward: [f64; 2],
    /// Commanded sideways velocity and turning rate, at most [m/s, rad/s].
    sideways: f64,
    turn: f64,
    /// Mean time between two commands, and between two pushes [s].
    command_interval: f64,
    push_interval: f64,
    /// Velocity of a push [m/s], in any horizontal direction.
    push: f64,
    /// Friction of the soles, and of all else that touches, from and to.
    friction: [f64; 2],
    /// Masses and motors' strengths differ from the model's by at most these parts.
    mass: f64,
    strength: f64,
    /// Motors follow an action late by at most so many steps of the simulation.
    delay: f64,
}

impl Chance {
    pub fn walk() -> Self {
        Chance {
            forward: [0.0, 0.4],
            sideways: 0.1,
            turn: 0.3,
            command_interval: 5.0,
            push_interval: 4.0,
            push: 0.3,
            friction: [0.5, 1.1],
            mass: 0.1,
            strength: 0.1,
            delay: 2.0,
        }
    }

    /// Of four legs.
    pub fn quadruped() -> Self {
        Chance { forward: [-0.2, 0.6], sideways: 0.2, turn: 0.5, push: 0.4, ..Self::walk() }
    }

    /// Of a machine that goes forward and turns.
    pub fn jansen() -> Self {
        Chance { forward: [0.0, 0.25], sideways: 0.0, turn: 0.2, push: 0.0, delay: 0.0, ..Self::walk() }
    }

    /// Of four legs that get up: nothing is told, nobody pushes.
    pub fn get_up() -> Self {
        Chance { push: 0.0, command_interval: 0.0, ..Self::quadruped() }
    }

    /// Nothing is left to it.
    pub fn none() -> Self {
        Chance {
            forward: [0.0; 2],
            sideways: 0.0,
            turn: 0.0,
            command_interval: 0.0,
            push_interval: 0.0,
            push: 0.0,
            friction: [0.8; 2],
            mass: 0.0,
            strength: 0.0,
            delay: 0.0,
        }
    }

    pub fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        let [slow, fast] = &mut self.forward;
        let [slippery, rough] = &mut self.friction;
        vec![
            ("forward_min", slow),
            ("forward_max", fast),
            ("sideways_max", &mut self.sideways),
            ("turn_max", &mut self.turn),
            ("command_interval", &mut self.command_interval),
            ("push", &mut self.push),
            ("push_interval", &mut self.push_interval),
            ("friction_min", slippery),
            ("friction_max", rough),
            ("mass_spread", &mut self.mass),
            ("strength_spread", &mut self.strength),
            ("delay_max", &mut self.delay),
        ]
    }

    /// A new command: forward, sideways, turning.
    pub fn command(&self, random: &mut Random, command: &mut [f32]) {
        command[0] = random.between(self.forward[0], self.forward[1]) as f32;
        command[1] = random.between(-self.sideways, self.sideways) as f32;
        command[2] = random.between(-self.turn, self.turn) as f32;
    }

    /// In every interval of `seconds` a command or a push comes with the chance that makes its mean interval.
    pub fn disturb(&self, random: &mut Random, command: &mut [f32], seconds: f64) -> Vec3 {
        let mut comes = |interval: f64| interval > 0.0 && random.unit() * interval < seconds;
        let (told, pushed) = (comes(self.command_interval), self.push > 0.0 && comes(self.push_interval));
        if told {
            self.command(random, command);
        }
        if !pushed {
            return Vec3::zero();
        }
        let (sin, cos) = random.between(0.0, std::f64::consts::TAU).sin_cos();
        Vec3::new(self.push * cos, self.push * sin, 0.0)
    }

    pub fn delay(&self, random: &mut Random) -> usize {
        random.between(0.0, self.delay + 1.0) as usize
    }

    /// Per world: one friction for both soles, a mass for every body, one strength for all motors.
    pub fn randomise(
        &self,
        model: &Model,
        (worlds, random): (usize, &dyn Fn(usize) -> Random),
        parameters: &mut Parameters,
    ) {
        if *self == Chance::none() {
            return;
        }
        let mut streams: Vec<Random> = (0..worlds).map(random).collect();
        let frictions: Vec<f64> =
            streams.iter_mut().map(|r| r.between(self.friction[0], self.friction[1])).collect();
        let factor = |spread: f64, r: &mut Random| r.between(1.0 - spread, 1.0 + spread);
        let strengths: Vec<f64> = streams.iter_mut().map(|r| factor(self.strength, r)).collect();
        for (s, shape) in model.shapes().iter().enumerate() {
            let form = matches!(shape.geometry, Geometry::Box { .. } | Geometry::Sphere { .. });
            if shape.link.body().is_some() && shape.collides && form {
                let each = parameters.shape_mut(ShapeId::new(s)).spread(worlds);
                each.iter_mut().zip(&frictions).for_each(|(p, friction)| p.material.sliding = *friction);
            }
        }
        for a in 0..model.actuators().len() {
            for (p, strength) in parameters.actuator_mut(a).spread(worlds).iter_mut().zip(&strengths) {
                if let Control::Position { kp, kd } = &mut p.control {
                    (*kp, *kd) = (*kp * strength, *kd * strength);
                }
                p.effort_limit *= strength;
            }
        }
        for b in 0..model.bodies().len() {
            for (p, r) in parameters.body_mut(BodyId::new(b)).spread(worlds).iter_mut().zip(&mut streams) {
                let heavier = factor(self.mass, r);
                (p.mass, p.inertia) = (p.mass * heavier, p.inertia * heavier);
            }
        }
    }
}
