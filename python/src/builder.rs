//! `bellcrank.ModelBuilder`: a mechanism made in Python. Every fault names the line of the Python program.

use crate::builder_parts as parts;
use crate::convert;
use crate::error::Problem;
use crate::model::Model;
use crate::options::Options;
use crate::place;
use bellcrank::model::{self, BodyId, ShapeId};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Collects the parts of a mechanism; `build` checks them all at once.
#[pyclass(frozen, module = "bellcrank", name = "ModelBuilder")]
pub struct ModelBuilder {
    inner: Mutex<model::ModelBuilder>,
}

impl ModelBuilder {
    pub fn wrap(inner: model::ModelBuilder) -> Self {
        ModelBuilder { inner: Mutex::new(inner) }
    }

    fn get(&self) -> MutexGuard<'_, model::ModelBuilder> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Value<'a, 'py> = &'a Bound<'py, PyAny>;

#[pymethods]
impl ModelBuilder {
    #[new]
    fn new(name: String) -> Self {
        Self::wrap(model::ModelBuilder::new(name))
    }

    /// Adds a rigid body at a reference pose of its link frame; its inertia follows from `mass` [kg] and a solid
    /// (`box` edge lengths, `sphere` radius, cylinders (radius, length) [m]), or is given: 3 moments or 3×3
    /// [kg·m²].
    ///
    /// Options, all optional: position, quat_wxyz, mass, com, inertia, box, sphere, cylinder_x, cylinder_y,
    /// cylinder_z.
    #[pyo3(signature = (name, **options))]
    fn body(&self, py: Python<'_>, name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<usize> {
        let options = Options::new(py, format!("body {name:?}"), options)?;
        let part = parts::body(name, options)?.place(place::of_caller(py));
        Ok(self.get().body(part).index())
    }

    /// Adds a joint: "revolute", "prismatic", "cylindrical", "universal", "spherical", "gimbal",
    /// "planar", "cartesian", "screw" (with `pitch`), "fixed" or "free". Its place is `point` and `axis`, or `position` and `quat_wxyz`, in the world at the
    /// reference pose, or a frame (position, quat_wxyz) in each link frame. Joints that close loops are added like
    /// any other.
    ///
    /// Options, all optional: point, axis, position, quat_wxyz, predecessor_frame, successor_frame, pitch, limits,
    /// armature, damping, friction, spring, effort_limit, velocity_limit, closes_loop.
    #[pyo3(signature = (name, kind, predecessor, successor, **options))]
    fn joint(
        &self,
        py: Python<'_>,
        name: &str,
        kind: &str,
        predecessor: Value<'_, '_>,
        successor: Value<'_, '_>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let options = Options::new(py, format!("joint {name:?}"), options)?;
        let links = [convert::link("predecessor", predecessor)?, convert::link("successor", successor)?];
        let part = parts::joint(name, kind, links, options)?.place(place::of_caller(py));
        Ok(self.get().joint(part).index())
    }

    /// Adds a motor: `"position"` (kp, kd), `"velocity"` (kd), `"effort"`, `"affine"` (gain, bias: effort =
    /// gain u + bias · (1, q, q̇)), `"varying"` (gains, bias: gains · (1, q, q̇) u + bias · (1, q, q̇)), `"muscle"`
    /// (force, optimal_length, tendon_length, activation_times) or `"voltage"` (motor_constant, resistance;
    /// time_constant of the winding). `time_constant` of any other filters what it is told.
    ///
    /// It drives a joint, a `tendon`, or pushes a `site` with `wrench` (force and moment per unit of effort) in
    /// the site's axes or those of the site `reference`, or makes a `body` sticky, to which it pulls what touches
    /// it. `torque_speed`: stall torque and speed without load, between which the largest effort falls along a line;
    /// `saturation`: the largest effort at any speed, else the stall torque.
    ///
    /// Options, all optional: tendon, body, site, wrench, reference, kp, kd, gain, bias, dof, gear, effort_limit,
    /// control_range, time_constant, torque_speed (stall torque, speed without load), saturation, and those of the
    /// laws.
    #[pyo3(signature = (name, joint = None, control = "position", **options))]
    fn actuator(
        &self,
        py: Python<'_>,
        name: &str,
        joint: Option<Value<'_, '_>>,
        control: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let options = Options::new(py, format!("actuator {name:?}"), options)?;
        let part = parts::actuator(name, joint, control, options)?.place(place::of_caller(py));
        Ok(self.get().actuator(part).index())
    }

    /// Adds a solid: `"plane"`, `"sphere"`, `"box"`, `"capsule"`, `"cylinder"`, `"cone"`,
    /// `"ellipsoid"`, `"convex_mesh"`, `"triangle_mesh"` or `"height_field"`.
    ///
    /// `in_medium`: air and water meet it as an ellipsoid, with these coefficients of blunt, slender and angular
    /// drag, of Kutta's and of Magnus' lift.
    ///
    /// Options, all optional: radius, half_length, half, radii, vertices, triangles, heights, size, position,
    /// quat_wxyz, friction, torsional, rolling, restitution, margin, gap, group, mask, color, visual_only, in_medium.
    #[pyo3(signature = (name, link, geometry, **options))]
    fn shape(
        &self,
        py: Python<'_>,
        name: &str,
        link: Value<'_, '_>,
        geometry: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let options = Options::new(py, format!("shape {name:?}"), options)?;
        let link = convert::link("link", link)?;
        let part = parts::shape(name, link, geometry, options)?.place(place::of_caller(py));
        Ok(self.get().shape(part).index())
    }

    /// Adds a named frame.
    ///
    /// Options, all optional: position, quat_wxyz.
    #[pyo3(signature = (name, link, **options))]
    fn site(
        &self,
        py: Python<'_>,
        name: &str,
        link: Value<'_, '_>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let mut options = Options::new(py, format!("site {name:?}"), options)?;
        let mut part = model::Site::new(name, convert::link("link", link)?).place(place::of_caller(py));
        if let Some(X_LS) = options.pose()? {
            part = part.at(X_LS);
        }
        options.finish()?;
        Ok(self.get().site(part).index())
    }

    /// Adds a camera, for `batch.render(camera=name)`: from `eye` towards `target` in the link frame, z up, or at a pose, where it looks
    /// along -z with y up in the picture.
    ///
    /// `field_of_view` [rad] is from the picture's lower edge to its upper. `mode`: `"fixed"` to the link; `"track"`, which goes along
    /// without turning, `"track_center_of_mass"` with all that hangs on the link; `"target"` and `"target_center_of_mass"`, turned
    /// towards `body`.
    ///
    /// Options, all optional: eye, target, position, quat_wxyz, field_of_view, mode, body.
    #[pyo3(signature = (name, link, **options))]
    fn camera(
        &self,
        py: Python<'_>,
        name: &str,
        link: Value<'_, '_>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let options = Options::new(py, format!("camera {name:?}"), options)?;
        let part = parts::camera(name, convert::link("link", link)?, options)?.place(place::of_caller(py));
        Ok(self.get().camera(part).index())
    }

    /// Adds a measurement: "imu" (site), "frame_pose" or "frame_velocity" (site or body),
    /// "joint_state" (joint), "contact_force" (body) or "touch" (site, radius).
    ///
    /// Options, all optional: site, body, joint, radius.
    #[pyo3(signature = (name, kind, **options))]
    fn sensor(
        &self,
        py: Python<'_>,
        name: &str,
        kind: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let options = Options::new(py, format!("sensor {name:?}"), options)?;
        let part = parts::sensor(name, kind, options)?.place(place::of_caller(py));
        Ok(self.get().sensor(part).index())
    }

    /// Adds Σ coefficient · coordinate = constant, with coefficients by joint.
    #[pyo3(signature = (name, terms, constant = 0.0))]
    fn coupling(
        &self,
        py: Python<'_>,
        name: &str,
        terms: &Bound<'_, PyDict>,
        constant: f64,
    ) -> PyResult<usize> {
        let part = parts::coupling(name, terms)?.constant(constant).place(place::of_caller(py));
        Ok(self.get().coupling(part).index())
    }

    /// Adds the length Σ coefficient · coordinate, with coefficients by joint, which motors can pull.
    ///
    /// Options, all optional: limits, spring, damping, friction, armature, effort_limit.
    #[pyo3(signature = (name, terms, **options))]
    fn tendon(
        &self,
        py: Python<'_>,
        name: &str,
        terms: &Bound<'_, PyDict>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let options = Options::new(py, format!("tendon {name:?}"), options)?;
        let part = parts::tendon(name, terms, options)?.place(place::of_caller(py));
        Ok(self.get().tendon(part).index())
    }

    /// Adds a named pose: joint coordinates, poses of link frames, controls.
    ///
    /// Options, all optional: joints, bodies, controls.
    #[pyo3(signature = (name, **options))]
    fn keyframe(&self, py: Python<'_>, name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<usize> {
        let options = Options::new(py, format!("keyframe {name:?}"), options)?;
        let part = parts::keyframe(name, options)?.place(place::of_caller(py));
        Ok(self.get().keyframe(part).index())
    }

    /// These two bodies never touch.
    fn exclude(&self, a: Value<'_, '_>, b: Value<'_, '_>) -> PyResult<()> {
        let (a, b) = (convert::part("a", a, BodyId::new)?, convert::part("b", b, BodyId::new)?);
        self.get().exclude(a, b);
        Ok(())
    }

    /// These two shapes may touch whatever their groups and joints say.
    fn pair(&self, a: Value<'_, '_>, b: Value<'_, '_>) -> PyResult<()> {
        let (a, b) = (convert::part("a", a, ShapeId::new)?, convert::part("b", b, ShapeId::new)?);
        self.get().pair(a, b);
        Ok(())
    }

    /// Acceleration of free fall [m/s²].
    fn gravity(&self, gravity: Value<'_, '_>) -> PyResult<()> {
        let gravity = convert::vec3("gravity", gravity)?;
        self.get().gravity(gravity);
        Ok(())
    }

    /// The step that suits this model [s].
    fn time_step(&self, dt: f64) {
        self.get().time_step(dt);
    }

    /// Checks everything; the builder may be used further. Raises :class:`bellcrank.errors.ModelError`.
    fn build(&self, py: Python<'_>) -> PyResult<Model> {
        let builder = self.get().clone();
        let built = py.detach(|| builder.build());
        Ok(Model::new(built.map_err(Problem::from)?))
    }
}
