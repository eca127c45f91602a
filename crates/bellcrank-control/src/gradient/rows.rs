//! A cost in minimal coordinates: slopes and curvatures along (δq, δq̇) and along the controls.

use super::smooth::{Along, Slopes};
use crate::CostError;
use bellcrank_gradient::{Dense, Freedom};
use bellcrank_model::Model;

/// What a step's cost does.
#[derive(Clone, Debug)]
pub(super) struct Quadratic {
    /// (states,)
    pub x: Vec<f64>,
    /// (states, states)
    pub xx: Vec<f64>,
    /// (motors,)
    pub u: Vec<f64>,
    /// (motors, motors)
    pub uu: Vec<f64>,
}

impl Quadratic {
    pub fn zero(states: usize, motors: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        Quadratic {
            x: zeros(states),
            xx: zeros(states * states),
            u: zeros(motors),
            uu: zeros(motors * motors),
        }
    }
}

/// Where each joint coordinate and velocity is among the freedoms; none where it follows from others.
#[derive(Clone, Debug)]
pub(super) struct Places {
    coordinates: Vec<Result<usize, String>>,
    rates: Vec<Result<usize, String>>,
}

impl Places {
    pub fn new(model: &Model, freedoms: &[Freedom]) -> Self {
        let (mut coordinates, mut rates) = (Vec::new(), Vec::new());
        for (j, joint) in model.joints().iter().enumerate() {
            let (numbers, dofs) = (joint.kind.coordinate_count(), joint.kind.dof_count());
            let of = |dof: usize| {
                let place = freedoms.iter().position(|f| *f == Freedom::Joint { joint: j, dof });
                place.ok_or_else(|| joint.name.clone())
            };
            // quaternions are no coordinates that change by themselves
            let scalar = |k: usize| if numbers == dofs { of(k) } else { Err(joint.name.clone()) };
            coordinates.extend((0..numbers).map(scalar));
            rates.extend((0..dofs).map(of));
        }
        Places { coordinates, rates }
    }
}

/// Takes slopes of one step.
pub(super) struct Rows<'a> {
    pub places: &'a Places,
    /// Twelve rows per body.
    pub tangent: &'a Dense,
    pub into: &'a mut Quadratic,
    /// Of the size of states and motors.
    pub row: &'a mut [f64],
}

impl Slopes for Rows<'_> {
    fn add(&mut self, slope: f64, curvature: f64, row: &[(Along, f64)]) -> Result<(), CostError> {
        let states = self.into.x.len();
        self.row.fill(0.0);
        for &(along, factor) in row {
            let (body, k, group) = match along {
                Along::Position(body, k) => (body, k, 0),
                Along::Rotation(body, k) => (body, k, 3),
                Along::Velocity(body, k) => (body, k, 6),
                Along::Spin(body, k) => (body, k, 9),
                Along::Coordinate(k) => {
                    self.row[found(self.places.coordinates.get(k))?] += factor;
                    continue;
                }
                Along::Rate(k) => {
                    self.row[states / 2 + found(self.places.rates.get(k))?] += factor;
                    continue;
                }
                Along::Control(a) => {
                    self.row[states + a] += factor;
                    continue;
                }
            };
            let moved = self.tangent.row(12 * body + group + k);
            self.row[..states].iter_mut().zip(moved).for_each(|(sum, x)| *sum += factor * x);
        }
        let (x, u) = self.row.split_at(states);
        add_to(slope, curvature, x, &mut self.into.x, &mut self.into.xx);
        add_to(slope, curvature, u, &mut self.into.u, &mut self.into.uu);
        Ok(())
    }
}

fn add_to(slope: f64, curvature: f64, row: &[f64], first: &mut [f64], second: &mut [f64]) {
    let n = row.len();
    for (i, a) in row.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        first[i] += slope * a;
        second[i * n..][..n].iter_mut().zip(row).for_each(|(sum, b)| *sum += curvature * a * b);
    }
}

fn found(place: Option<&Result<usize, String>>) -> Result<usize, CostError> {
    match place {
        Some(Ok(place)) => Ok(*place),
        Some(Err(joint)) => Err(CostError(format!(
            "joint {joint:?} follows from others of its loop, or turns about several axes: ask for a joint with a motor, \
             or for the pose of a body"
        ))),
        None => Err(CostError("the cost asks for a joint coordinate that the model does not have".into())),
    }
}
