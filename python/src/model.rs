//! `bellcrank.Model`: the checked, immutable mechanism.

use crate::convert::array;
use crate::error::{Problem, no_such_name, said};
use bellcrank::import::{Exported, UnpackError, pack, to_mjcf, to_urdf, to_usd, unpack};
use bellcrank::model::{self, JointId};
use bellcrank_tree::TreeModel;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySlice};
use std::sync::{Arc, OnceLock};

/// A mechanism, checked and analysed. Immutable; shared by everything that computes with it.
#[pyclass(frozen, weakref, module = "bellcrank", name = "Model")]
pub struct Model {
    pub inner: Arc<model::Model>,
    tree_f64: OnceLock<TreeModel<f64>>,
    tree_f32: OnceLock<TreeModel<f32>>,
}

impl Model {
    pub fn new(model: model::Model) -> Self {
        Self::shared(Arc::new(model))
    }

    pub fn shared(inner: Arc<model::Model>) -> Self {
        Model { inner, tree_f64: OnceLock::new(), tree_f32: OnceLock::new() }
    }

    /// The spanning tree, made when first asked for.
    pub fn tree_f64(&self) -> &TreeModel<f64> {
        self.tree_f64.get_or_init(|| TreeModel::new(&self.inner))
    }

    pub fn tree_f32(&self) -> &TreeModel<f32> {
        self.tree_f32.get_or_init(|| TreeModel::new(&self.inner))
    }

    /// Numbers of coordinates and velocities before each joint, and of all.
    fn starts(&self, count: impl Fn(&model::Joint) -> usize) -> Vec<usize> {
        let mut starts = vec![0];
        for joint in self.inner.joints() {
            starts.push(starts[starts.len() - 1] + count(joint));
        }
        starts
    }

    fn slice<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        count: impl Fn(&model::Joint) -> usize,
    ) -> PyResult<Bound<'py, PySlice>> {
        let (joint, starts) = (self.joint_id(name)?, self.starts(count));
        Ok(PySlice::new(py, starts[joint] as isize, starts[joint + 1] as isize, 1))
    }
}

fn note<'py>(py: Python<'py>, place: &model::Place, why: &str) -> PyResult<Bound<'py, PyAny>> {
    let told = (&*place.file, place.line, place.element.as_str(), why);
    py.import("bellcrank.models")?.getattr("Note")?.call1(told)
}

/// A model that was pickled.
#[pyfunction]
pub fn unpack_model(bytes: &[u8]) -> PyResult<Model> {
    match unpack(bytes) {
        Ok(model) => Ok(Model::new(model)),
        Err(UnpackError::Faults(faults)) => Err(Problem::from(faults).into()),
        Err(error) => Err(said("WrongValue", error.to_string(), "pickle the model again with this version")),
    }
}

fn exported(py: Python<'_>, exported: Exported) -> PyResult<Bound<'_, PyAny>> {
    let files = PyDict::new(py);
    for (name, bytes) in &exported.files {
        files.set_item(name, PyBytes::new(py, bytes))?;
    }
    py.import("bellcrank.models")?.getattr("Exported")?.call1((exported.text, files, exported.left_out))
}

macro_rules! parts_and_arrays {
    (names { $($names:ident, $id:ident, $list:ident, $noun:literal;)* } arrays { $($(#[$doc:meta])* $array:ident)* }) => {
        #[pymethods]
        impl Model {
            $(
                #[doc = concat!("Name of each ", $noun, ".")]
                #[getter]
                fn $names(&self) -> Vec<&str> {
                    self.inner.$list().iter().map(|part| part.name.as_str()).collect()
                }

                #[doc = concat!("The number of the ", $noun, " of that name.")]
                fn $id(&self, name: &str) -> PyResult<usize> {
                    let found = self.inner.$id(name).map(|id| id.index());
                    found.ok_or_else(|| no_such_name($noun, name, self.inner.$list().iter().map(|p| &p.name)))
                }
            )*

            $(
                $(#[$doc])*
                #[getter]
                fn $array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    crate::model_arrays::read(py, &self.inner, stringify!($array))
                }
            )*

            /// For pickle: how to make it again.
            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
                let unpack = py.import("bellcrank._native")?.getattr("unpack_model")?;
                Ok((unpack, (PyBytes::new(py, &pack(&self.inner)),)))
            }

            /// It never changes: a copy is itself.
            fn __copy__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
                own
            }

            fn __deepcopy__<'py>(own: PyRef<'py, Self>, _memory: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
                own
            }

            /// The mechanism's name.
            #[getter]
            fn name(&self) -> &str {
                self.inner.name()
            }

            /// The step that suits this model [s].
            #[getter]
            fn time_step(&self) -> f64 {
                self.inner.time_step()
            }

            /// Mass of all bodies [kg].
            #[getter]
            fn mass(&self) -> f64 {
                self.inner.mass()
            }

            /// `(3,)` acceleration of free fall [m/s²].
            #[getter]
            fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                array(py, self.inner.gravity().to_array().to_vec(), &[3])
            }

            /// Number of bodies.
            #[getter]
            fn body_count(&self) -> usize {
                self.inner.bodies().len()
            }

            /// Number of joints, those that close loops among them.
            #[getter]
            fn joint_count(&self) -> usize {
                self.inner.joints().len()
            }

            /// Number of motors.
            #[getter]
            fn actuator_count(&self) -> usize {
                self.inner.actuators().len()
            }

            /// Number of independent loops.
            #[getter]
            fn loop_count(&self) -> usize {
                self.inner.loops().len()
            }

            /// Length of all joint coordinates together.
            #[getter]
            fn coordinate_count(&self) -> usize {
                self.inner.coordinate_count()
            }

            /// Length of all joint velocities together; loops make many of them dependent, see `mobility`.
            #[getter]
            fn dof_count(&self) -> usize {
                self.inner.dof_count()
            }

            /// Degrees of freedom of the whole mechanism at the reference pose, floating bases included.
            #[getter]
            fn mobility(&self) -> usize {
                self.inner.mobility()
            }

            /// Constraint rows of all joints and couplings.
            #[getter]
            fn row_count(&self) -> usize {
                self.inner.row_count()
            }

            /// Constraint rows that follow from the others at the reference pose.
            #[getter]
            fn redundant_rows(&self) -> usize {
                self.inner.redundant_rows()
            }

            /// Each loop by the names of its joints.
            #[getter]
            fn loops(&self) -> Vec<Vec<&str>> {
                let name = |joint: &JointId| self.inner.joints()[joint.index()].name.as_str();
                self.inner.loops().iter().map(|closed| closed.joints.iter().map(name).collect()).collect()
            }

            /// Kind of each joint, as "revolute".
            #[getter]
            fn joint_kinds(&self) -> Vec<&'static str> {
                self.inner.joints().iter().map(|joint| joint.kind.name()).collect()
            }

            /// Predecessor and successor of each joint; `None` is the world.
            #[getter]
            fn joint_bodies(&self) -> Vec<(Option<&str>, Option<&str>)> {
                let name = |link: &model::Link| link.body().map(|b| self.inner.bodies()[b.index()].name.as_str());
                self.inner.joints().iter().map(|j| (name(&j.predecessor), name(&j.successor))).collect()
            }

            /// The joint that each motor drives; `None` for one that pulls a tendon or pushes a site.
            #[getter]
            fn actuator_joints(&self) -> Vec<Option<&str>> {
                let name = |a: &model::Actuator| {
                    a.coordinate().map(|(joint, _)| self.inner.joints()[joint.index()].name.as_str())
                };
                self.inner.actuators().iter().map(name).collect()
            }

            /// Where a joint's coordinates stand in `batch.joint_position`.
            fn position_slice<'py>(&self, py: Python<'py>, joint: &str) -> PyResult<Bound<'py, PySlice>> {
                self.slice(py, joint, |joint| joint.kind.coordinate_count())
            }

            /// Where a joint's velocities stand in `batch.joint_velocity`.
            fn velocity_slice<'py>(&self, py: Python<'py>, joint: &str) -> PyResult<Bound<'py, PySlice>> {
                self.slice(py, joint, |joint| joint.kind.dof_count())
            }

            /// What the file says and the engine does not do: file, line, element, why.
            #[getter]
            fn ignored<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
                self.inner.ignored().iter().map(|told| note(py, &told.place, &told.why)).collect()
            }

            /// What is legal but probably not meant.
            #[getter]
            fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
                self.inner.warnings().iter().map(|told| note(py, &told.place, &told.text)).collect()
            }

            /// The model as URDF text, and what URDF cannot say.
            fn to_urdf<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                exported(py, to_urdf(&self.inner))
            }

            /// The model as MJCF text, and what MJCF cannot say.
            fn to_mjcf<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                exported(py, to_mjcf(&self.inner))
            }

            /// The model as USD text with UsdPhysics, and what USD cannot say.
            fn to_usd<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                exported(py, to_usd(&self.inner))
            }

            fn __repr__(&self) -> String {
                let m = &self.inner;
                format!(
                    "<bellcrank.Model {:?}: {} bodies, {} joints, {} actuators, {} loops>",
                    m.name(), m.bodies().len(), m.joints().len(), m.actuators().len(), m.loops().len()
                )
            }
        }
    };
}

parts_and_arrays! {
    names {
        body_names, body_id, bodies, "body";
        joint_names, joint_id, joints, "joint";
        coupling_names, coupling_id, couplings, "coupling";
        tendon_names, tendon_id, tendons, "tendon";
        actuator_names, actuator_id, actuators, "actuator";
        shape_names, shape_id, shapes, "shape";
        site_names, site_id, sites, "site";
        camera_names, camera_id, cameras, "camera";
        sensor_names, sensor_id, sensors, "sensor";
        keyframe_names, keyframe_id, keyframes, "keyframe";
    }
    arrays {
        /// `(bodies,)` [kg].
        body_mass
        /// `(bodies, 3)` centres of mass in the link frames [m].
        body_com
        /// `(bodies, 3, 3)` about the centres of mass, in the link frames' axes [kg·m²].
        body_inertia
        /// `(bodies, 3)` centres of mass at the reference pose [m].
        body_position
        /// `(bodies, 4)` orientations at the reference pose.
        body_quat_wxyz
        /// `(dofs, 2)` lower and upper bound [rad or m]; infinite for none.
        limits
        /// `(dofs,)` rotor inertia [kg·m² or kg].
        armature
        /// `(dofs,)` viscous damping [N·m·s/rad or N·s/m].
        damping
        /// `(dofs,)` dry friction [N·m or N].
        joint_friction
        /// `(dofs,)` largest effort [N·m or N]; infinite for none.
        effort_limit
        /// `(dofs,)` largest speed [rad/s or m/s]; infinite for none.
        velocity_limit
        /// `(shapes,)` coefficient of sliding friction.
        friction
        /// `(shapes,)` coefficient of restitution.
        restitution
    }
}
