//! Rigid bodies.

use crate::fault::Place;
use bellcrank_math::{Pose, Sym3, Vec3};

/// A rigid body.
///
/// Its *link frame* L is where the author put it; joints, shapes and sites are placed in L. The engine computes
/// in the *body frame* B, which has L's axes and its origin at the centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique among bodies.
    pub name: String,
    /// Mass [kg].
    pub mass: f64,
    /// p_LB [m]: the centre of mass in the link frame.
    pub com: Vec3,
    /// Rotational inertia about the centre of mass, in the link frame's axes [kg·m²].
    pub inertia: Option<Sym3>,
    /// X_WL at the reference pose, in which the mechanism is described.
    pub X_WL: Pose,
    /// Share of its weight that something outside the model carries: 0 none, 1 all of it.
    pub gravity_compensation: f64,
    /// Welded to the world at a place that is told from outside, as a tracked hand or an operator's target is.
    pub mocap: bool,
    /// Where it was said.
    pub place: Option<Place>,
}

impl Body {
    /// A body at the origin; mass and inertia must still be given.
    pub fn new(name: impl Into<String>) -> Self {
        Body {
            name: name.into(),
            mass: 0.0,
            com: Vec3::zero(),
            inertia: None,
            X_WL: Pose::identity(),
            gravity_compensation: 0.0,
            mocap: false,
            place: None,
        }
    }

    /// Reference pose of the link frame, X_WL.
    pub fn at(mut self, X_WL: Pose) -> Self {
        self.X_WL = X_WL;
        self
    }

    /// Centre of mass in the link frame [m].
    pub fn com(mut self, p_LB: Vec3) -> Self {
        self.com = p_LB;
        self
    }

    /// Mass [kg].
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = mass;
        self
    }

    /// Inertia about the centre of mass, in the link frame's axes [kg·m²].
    pub fn inertia(mut self, inertia: Sym3) -> Self {
        self.inertia = Some(inertia);
        self
    }

    /// The same, without products of inertia.
    pub fn inertia_diagonal(self, xx: f64, yy: f64, zz: f64) -> Self {
        self.inertia(Sym3::diagonal(xx, yy, zz))
    }

    /// Mass and inertia of a box with these whole edge lengths [m], centred on the centre of mass.
    pub fn solid_box(self, mass: f64, size: Vec3) -> Self {
        let (x, y, z) = (size.x * size.x, size.y * size.y, size.z * size.z);
        self.mass(mass).inertia(Sym3::diagonal(y + z, x + z, x + y) * (mass / 12.0))
    }

    /// Mass and inertia of a ball.
    pub fn solid_sphere(self, mass: f64, radius: f64) -> Self {
        let i = 0.4 * mass * radius * radius;
        self.mass(mass).inertia_diagonal(i, i, i)
    }

    /// Mass and inertia of a cylinder along the link frame's x axis.
    pub fn solid_cylinder_x(self, mass: f64, radius: f64, length: f64) -> Self {
        let (along, across) = cylinder(mass, radius, length);
        self.mass(mass).inertia_diagonal(along, across, across)
    }

    /// Mass and inertia of a cylinder along the link frame's y axis.
    pub fn solid_cylinder_y(self, mass: f64, radius: f64, length: f64) -> Self {
        let (along, across) = cylinder(mass, radius, length);
        self.mass(mass).inertia_diagonal(across, along, across)
    }

    /// Mass and inertia of a cylinder along the link frame's z axis.
    pub fn solid_cylinder_z(self, mass: f64, radius: f64, length: f64) -> Self {
        let (along, across) = cylinder(mass, radius, length);
        self.mass(mass).inertia_diagonal(across, across, along)
    }

    /// It is welded to the world at a place that is told from outside: the model needs such a weld.
    pub fn mocap(mut self) -> Self {
        self.mocap = true;
        self
    }

    /// Share of its weight that something outside the model carries.
    pub fn gravity_compensation(mut self, share: f64) -> Self {
        self.gravity_compensation = share;
        self
    }

    /// Says where the body was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// X_LB: the body frame in the link frame.
    pub fn X_LB(&self) -> Pose {
        Pose::from_position(self.com)
    }

    /// X_WB at the reference pose.
    pub fn X_WB(&self) -> Pose {
        self.X_WL * self.X_LB()
    }
}

/// Moments of a solid cylinder along and across its axis [kg·m²].
fn cylinder(mass: f64, radius: f64, length: f64) -> (f64, f64) {
    let r2 = radius * radius;
    (0.5 * mass * r2, mass * (3.0 * r2 + length * length) / 12.0)
}
