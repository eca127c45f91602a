//! Where a frame can be: points, a slice through them, and a picture.
//!
//! Poses are those of [`crate::Sampler`] without a wish for clearance: closed, within limits, assembled as at rest.

use crate::error::KinematicsError;
use crate::precision::Number;
use crate::sample::{Sampler, Sampling};
use bellcrank_math::Vec3;
use bellcrank_model::Model;
use bellcrank_plot::{Anchor, Svg};

/// Places of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Workspace {
    /// In the world, or in the base of a floating robot where the reference pose has it \[m\].
    pub points: Vec<Vec3>,
    /// How well motors hold the pose there: [`crate::Holds::smallest`].
    pub holds: Vec<f64>,
}

/// A plane to look at: points nearer to it than half of `thickness` \[m\] count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// A point of it \[m\].
    pub through: Vec3,
    /// Across it; of any length but zero.
    pub normal: Vec3,
    /// \[m\]
    pub thickness: f64,
}

impl Workspace {
    /// Draws `count` poses of a model and tells where a frame is.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn draw<E: Number>(
        model: &Model,
        frame: &str,
        count: usize,
        seed: u64,
    ) -> Result<Self, KinematicsError> {
        // nothing overlaps by a kilometre
        let sampling =
            Sampling { clearance: -1e3, limits_margin: 0.0, attempts: 20, seed, ..Sampling::default() };
        let sampler = Sampler::<E>::new(model, sampling)?;
        let robot = sampler.robot();
        let id = robot.tree().frame(frame).map_err(|_| KinematicsError::NoSuchFrame(frame.to_owned()))?;
        let samples = sampler.draw(count)?;
        let nq = robot.tree().coordinate_count();
        let (mut points, mut found) = (Vec::new(), Vec::new());
        for (q, _) in samples.q.chunks_exact(nq.max(1)).zip(&samples.found).filter(|(_, found)| **found) {
            points.push(robot.frame_pose(q, id)?.p);
            found.extend_from_slice(q);
        }
        let holds = robot.analysis(1)?.holds(&found)?.iter().map(|pose| pose.smallest).collect();
        Ok(Workspace { points, holds })
    }

    /// Least and largest coordinates \[m\].
    pub fn bounds(&self) -> [Vec3; 2] {
        let most = |pick: fn(f64, f64) -> f64, from: f64| {
            let fold = |axis: fn(&Vec3) -> f64| self.points.iter().map(axis).fold(from, pick);
            Vec3::new(fold(|p| p.x), fold(|p| p.y), fold(|p| p.z))
        };
        [most(f64::min, f64::INFINITY), most(f64::max, f64::NEG_INFINITY)]
    }

    /// The points in a slice.
    pub fn slice(&self, slice: Slice) -> Workspace {
        let n = slice.normal.normalized();
        let near = |p: &Vec3| n.dot(*p - slice.through).abs() <= 0.5 * slice.thickness;
        let kept = || self.points.iter().zip(&self.holds).filter(|(p, _)| near(p));
        Workspace { points: kept().map(|(p, _)| *p).collect(), holds: kept().map(|(_, h)| *h).collect() }
    }

    /// A picture: from the front (y across), from the side (x across) and from above, coloured from red, where motors lose hold, to blue.
    pub fn svg(&self, title: &str) -> String {
        let [low, high] = self.bounds();
        let size = if self.points.is_empty() { 1.0 } else { (high - low).norm().max(1e-6) };
        let middle = if self.points.is_empty() { Vec3::zero() } else { (low + high) * 0.5 };
        let best = self.holds.iter().copied().fold(1e-12, f64::max);
        let mut svg = Svg::new([3.0 * PANEL, PANEL + 70.0], title);
        let views: [(&str, View); 3] = [
            ("front: y across, z up", |p| [p.y, p.z]),
            ("side: x across, z up", |p| [p.x, p.z]),
            ("above: x across, y up", |p| [p.x, p.y]),
        ];
        for (k, (name, view)) in views.into_iter().enumerate() {
            let (left, scale) = (k as f64 * PANEL, 0.9 * PANEL / size);
            svg.text([left + 12.0, 42.0], Anchor::Start, name);
            for (p, holds) in self.points.iter().zip(&self.holds) {
                let [x, y] = view(*p - middle);
                let hue = 220.0 * (holds / best).clamp(0.0, 1.0);
                let place = [left + 0.5 * PANEL + scale * x, 50.0 + 0.5 * PANEL - scale * y];
                svg.dot(place, format_args!("hsl({hue:.0},75%,45%)"));
            }
        }
        let foot = format!(
            "{} poses; x {:.3} to {:.3}, y {:.3} to {:.3}, z {:.3} to {:.3} m; singular value 0 red, {best:.2} blue",
            self.points.len(),
            low.x,
            high.x,
            low.y,
            high.y,
            low.z,
            high.z
        );
        svg.text([12.0, PANEL + 60.0], Anchor::Start, &foot);
        svg.finish()
    }
}

/// Across and up.
type View = fn(Vec3) -> [f64; 2];

/// Width and height of a view \[px\].
const PANEL: f64 = 320.0;
