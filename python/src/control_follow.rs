//! Motions made dynamic, `bellcrank.control.follow`.

use crate::control::{How, Worlds, read_how, wrong};
use crate::model::Model;
use crate::settings::{read_precision, read_settings};
use bellcrank::control::retarget::{self, Errors, FollowOptions, FollowWeights, Motion};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Time between frames; body positions, orientations, joint positions and targets, frame after frame.
type ToldMotion<'py> = (f64, [PyReadonlyArray1<'py, f64>; 4]);
/// Window, steps of the plant in one of the planner, distance at which it is lost.
type Run = (f64, usize, f64);
/// Errors by row: position, 1 − (q·q)², angle, joints.
type Rows<'py> = Bound<'py, PyArray1<f64>>;

/// A plant that follows a motion.
#[pyclass(frozen, module = "bellcrank._native", name = "Following")]
pub struct Following {
    inner: Mutex<retarget::Following>,
}

impl Following {
    fn lock(&self) -> MutexGuard<'_, retarget::Following> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Following {
    #[new]
    fn new(
        py: Python<'_>,
        model: &Model,
        motion: ToldMotion<'_>,
        names: (String, Vec<String>),
        worlds: Worlds<'_>,
        how: How,
        costs: ([f64; 7], Run),
    ) -> PyResult<Self> {
        let (weights, run) = costs;
        let (dt, arrays) = motion;
        let list = |k: usize| arrays[k].as_array().to_vec();
        let (body_position, body_quat_wxyz) = (list(0), list(1));
        let motion =
            Motion { dt, body_position, body_quat_wxyz, joint_position: list(2), target_position: list(3) };
        let (samples, dt, precision, threads, settings) = worlds;
        let settings = read_settings(py, read_precision(&precision)?, &settings)?;
        let [position, orientation, joints, bodies, velocity, control, end] = weights;
        let weights = FollowWeights { position, orientation, joints, bodies, velocity, control, end };
        let (window, substeps, lost) = run;
        let planner = read_how(how)?;
        let options =
            FollowOptions { planner, samples, dt, settings, threads, weights, window, substeps, lost };
        let (torso, others) = names;
        let made = retarget::Following::new(&model.inner, Arc::new(motion), (&torso, &others), options);
        Ok(Following { inner: Mutex::new(made.map_err(wrong)?) })
    }

    /// Plans and goes on by a window; false when it is over.
    fn advance(&self, py: Python<'_>) -> PyResult<bool> {
        let mut inner = self.lock();
        let following = &mut *inner;
        py.detach(|| following.advance()).map_err(wrong)
    }

    /// What the motors were told, errors, times of plans, plans that failed, and whether it was given up.
    fn tracked<'py>(&self, py: Python<'py>) -> (Rows<'py>, Rows<'py>, Rows<'py>, usize, bool) {
        let inner = self.lock();
        let tracked = inner.tracked();
        let array = |list: &[f64]| PyArray1::from_slice(py, list);
        (
            array(&tracked.control),
            array(&flat(&tracked.errors)),
            array(&tracked.seconds),
            tracked.failed,
            tracked.lost,
        )
    }

    /// From the start again with nobody planning: errors.
    fn replay<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py>> {
        let mut inner = self.lock();
        let following = &mut *inner;
        let errors = py.detach(|| following.replay()).map_err(wrong)?;
        Ok(PyArray1::from_slice(py, &flat(&errors)))
    }
}

fn flat(errors: &[Errors]) -> Vec<f64> {
    errors.iter().flat_map(|e| [e.position, e.quat, e.angle, e.joints]).collect()
}
