//! Motions of others, done by this robot: paths of frames in time become poses in time, and those targets for motors.
//!
//! A source is a set of *tracks*: where frames of this robot shall be, every dt. They come from markers, or from joint angles of another
//! skeleton ([`tracks_of`]), moved to this robot's rest and scaled to its size. Feet are looked at first: where one is low and slow it is taken
//! for standing, gets one place and the orientation of the rest for as long as that lasts, and in between its path is bent so that
//! nothing jumps. Then every pose is solved from the one before, feet first and the rest as far as they leave room.

use crate::error::KinematicsError;
use crate::goal::Goal;
use crate::precision::Number;
use crate::robot::Kinematics;
use crate::solve::Settings;
use bellcrank_math::{Pose, Vec3};

/// Where a frame shall be, every dt.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Body or site of this robot.
    pub frame: String,
    /// Poses in the world.
    pub poses: Vec<Pose>,
    /// A foot: its contacts are found and kept.
    pub foot: bool,
    /// Its orientation counts too.
    pub turns: bool,
}

/// When a foot stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Lower than this above its lowest point \[m\].
    pub height: f64,
    /// Slower than this \[m/s\].
    pub speed: f64,
    /// For at least so long \[s\].
    pub least: f64,
}

impl Default for Contact {
    fn default() -> Self {
        Contact { height: 0.01, speed: 0.1, least: 0.05 }
    }
}

/// How a motion is taken over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retargeting {
    /// Time between poses of the tracks \[s\].
    pub dt: f64,
    /// When feet stand.
    pub contact: Contact,
    /// How far loops may be open that no motion closes further, as [`Settings::loop_floor`] \[m and rad\]; zero for none.
    pub loop_floor: f64,
}

impl Retargeting {
    /// Of tracks with a pose every `dt` seconds.
    pub fn every(dt: f64) -> Self {
        Retargeting { dt, contact: Contact::default(), loop_floor: 0.0 }
    }
}

/// A motion for this robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Retargeted<E = f64> {
    /// Configurations of the tree, (n, coordinates).
    pub q: Vec<E>,
    /// Coordinates of all joints, (n, coordinates) \[rad or m\].
    pub joint_position: Vec<E>,
    /// What motors are told, (n, actuators), see [`Kinematics::target_positions`].
    pub target_position: Vec<E>,
    /// Feet are where they should be, loops closed, limits kept.
    pub solved: Vec<bool>,
    /// Which feet stand, (n, feet) in the order of tracks.
    pub contact: Vec<bool>,
    /// How far each track is missed, (n, tracks) \[m\].
    pub error: Vec<E>,
}

/// Frames of another skeleton along its joint angles, as tracks of this robot: every way from the source's rest, times `scale`, is gone
/// from this robot's rest. `pairs` are frames of the source and of this robot.
///
/// # Errors
/// When a frame is not there, or `q` is no whole number of configurations of the source.
pub fn tracks_of<E: Number>(
    source: &Kinematics<f64>,
    q: &[f64],
    robot: &Kinematics<E>,
    pairs: &[(&str, &str)],
    scale: f64,
) -> Result<Vec<Track>, KinematicsError> {
    let nq = source.tree().coordinate_count();
    let mut tracks = Vec::new();
    for (from, to) in pairs {
        let missing = |name: &str| KinematicsError::NoSuchFrame(name.to_owned());
        let own = source.tree().frame(from).map_err(|_| missing(from))?;
        let other = robot.tree().frame(to).map_err(|_| missing(to))?;
        let rest = source.frame_pose(source.rest(), own)?;
        let here = robot.frame_pose(robot.rest(), other)?;
        let mut poses = Vec::new();
        for row in q.chunks(nq.max(1)) {
            let X = source.frame_pose(row, own)?;
            poses.push(Pose::new(X.R * rest.R.inverse() * here.R, here.p + (X.p - rest.p) * scale));
        }
        tracks.push(Track { frame: (*to).to_owned(), poses, foot: false, turns: true });
    }
    Ok(tracks)
}

impl<E: Number> Kinematics<E> {
    /// Follows tracks from this robot's rest on, with a floating base. Tracks of feet come first, others as far as these leave room. Where a track has no
    /// number, that pose is not solved and the robot stays as it was.
    ///
    /// # Errors
    /// When a frame is not there, tracks differ in length, or `dt` is no positive number.
    pub fn retarget(&self, tracks: &[Track], how: Retargeting) -> Result<Retargeted<E>, KinematicsError> {
        let Retargeting { dt, contact, loop_floor } = how;
        if !(dt.is_finite() && dt > 0.0) {
            return Err(KinematicsError::BadBound { what: "period", value: dt });
        }
        let n = tracks.first().map_or(0, |track| track.poses.len());
        if let Some(odd) = tracks.iter().find(|track| track.poses.len() != n) {
            let found = odd.poses.len();
            return Err(KinematicsError::WrongSize { what: "a track", found, rows: n, width: 1 });
        }
        let mut paths: Vec<Vec<Pose>> = Vec::new();
        let mut standing: Vec<Vec<bool>> = Vec::new();
        for track in tracks {
            let mut path = track.poses.clone();
            if track.foot {
                let stands = contacts(&path, dt, contact);
                let id = self.tree().frame(&track.frame);
                let id = id.map_err(|_| KinematicsError::NoSuchFrame(track.frame.clone()))?;
                plant(&mut path, &stands, self.frame_pose(self.rest(), id)?);
                standing.push(stands);
            }
            paths.push(path);
        }
        let found = self.along(tracks, &paths, loop_floor)?;
        let contact = (0..n).flat_map(|i| standing.iter().map(move |foot| foot[i])).collect();
        Ok(Retargeted { contact, ..found })
    }

    /// Poses one after the other.
    fn along(
        &self,
        tracks: &[Track],
        paths: &[Vec<Pose>],
        loop_floor: f64,
    ) -> Result<Retargeted<E>, KinematicsError> {
        let mut goals = Vec::new();
        let mut columns = Vec::new();
        for track in tracks {
            let first = |goal: Goal| if track.foot { goal } else { goal.weight(0.1).second() };
            columns.push(goals.len());
            goals.push(first(Goal::position(&*track.frame)));
            if track.turns {
                goals.push(first(Goal::orientation(&*track.frame)));
            }
        }
        goals.push(Goal::stay().weight(1e-3));
        let settings = Settings { free_base: true, restarts: 0, loop_floor, ..Settings::default() };
        let problem = self.problem(&goals, settings)?;
        let mut all = Retargeted {
            q: Vec::new(),
            joint_position: Vec::new(),
            target_position: Vec::new(),
            solved: Vec::new(),
            contact: Vec::new(),
            error: Vec::new(),
        };
        let mut now = self.rest().to_vec();
        for i in 0..paths.first().map_or(0, Vec::len) {
            let mut target = Vec::new();
            for (track, path) in tracks.iter().zip(paths) {
                target.extend(path[i].p.to_array().map(E::from_f64));
                if track.turns {
                    target.extend(path[i].R.to_wxyz().map(E::from_f64));
                }
            }
            let found = problem.solve_near(&target, &now)?;
            if found.q.iter().all(|x| x.is_finite()) {
                now.clone_from(&found.q);
            }
            all.joint_position.extend(self.joint_positions(&now)?);
            all.q.extend_from_slice(&now);
            all.solved.push(found.solved[0]);
            all.error.extend(columns.iter().map(|column| found.error[*column]));
        }
        all.target_position = self.target_positions(&all.joint_position);
        Ok(all)
    }
}

/// When a foot stands: low, slow, for long enough.
fn contacts(path: &[Pose], dt: f64, contact: Contact) -> Vec<bool> {
    let n = path.len();
    let lowest = path.iter().map(|X| X.p.z).fold(f64::INFINITY, f64::min);
    let speed = |i: usize| {
        let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
        if a == b { 0.0 } else { (path[b].p - path[a].p).norm() / ((b - a) as f64 * dt) }
    };
    let mut stands: Vec<bool> =
        (0..n).map(|i| path[i].p.z < lowest + contact.height && speed(i) < contact.speed).collect();
    for (from, to) in runs(&stands) {
        // a foot that is slow for an instant only, as on its way up, does not stand; one at an end of the motion may
        if ((to - from) as f64) * dt < contact.least && from > 0 && to < n {
            stands[from..to].fill(false);
        }
    }
    stands
}

/// Where it is true: from, and up to but without.
fn runs(of: &[bool]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = None;
    for (i, is) in of.iter().chain([&false]).enumerate() {
        match (is, from) {
            (true, None) => from = Some(i),
            (false, Some(start)) => {
                found.push((start, i));
                from = None;
            }
            _ => {}
        }
    }
    found
}

/// Gives every stand one place: the mean of where it was, as high and as turned as at rest; in between the path is moved by what that changes
/// at both ends, evenly in time.
fn plant(path: &mut [Pose], stands: &[bool], rest: Pose) {
    let n = path.len();
    let mut shift: Vec<Option<Vec3>> = vec![None; n];
    for (from, to) in runs(stands) {
        let sum = path[from..to].iter().fold(Vec3::zero(), |sum, X| sum + X.p);
        let mean = sum * (1.0 / (to - from) as f64);
        let place = Vec3::new(mean.x, mean.y, rest.p.z);
        for i in from..to {
            shift[i] = Some(place - path[i].p);
            path[i].R = rest.R;
        }
    }
    let known: Vec<usize> = (0..n).filter(|i| shift[*i].is_some()).collect();
    for i in 0..n {
        let at = |k: Option<&usize>| k.and_then(|k| shift[*k].map(|by| (*k, by)));
        let before = at(known.iter().rev().find(|k| **k <= i));
        let after = at(known.iter().find(|k| **k >= i));
        let by = match (before, after) {
            (Some((a, x)), Some((b, y))) if b > a => x + (y - x) * ((i - a) as f64 / (b - a) as f64),
            (Some((_, x)), _) | (None, Some((_, x))) => x,
            (None, None) => Vec3::zero(),
        };
        path[i].p += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that stands for a second, goes 0.2 m in half a second with a lift of 5 cm, and stands again; noise of a millimetre on the ground.
    #[test]
    fn stands_are_found_and_get_one_place_each() {
        let dt = 0.01;
        let place = |i: usize| {
            let t = ((i as f64 - 100.0) / 50.0).clamp(0.0, 1.0);
            let noise = if t > 0.0 && t < 1.0 { 0.0 } else { 1e-4 * (i as f64 * 2.3).sin() };
            let x = 0.2 * t * t * (3.0 - 2.0 * t);
            Pose::translation(x + noise, 0.1, 0.03 + 0.05 * (core::f64::consts::PI * t).sin())
        };
        let mut path: Vec<Pose> = (0..250).map(place).collect();
        let stands = contacts(&path, dt, Contact::default());
        assert!(stands[..95].iter().all(|x| *x) && stands[160..].iter().all(|x| *x));
        assert!(stands[110..140].iter().all(|x| !*x));
        plant(&mut path, &stands, Pose::translation(0.0, 0.0, 0.0));
        let slips = |X: &Pose| (X.p - path[0].p).norm();
        assert!(path[..95].iter().all(|X| slips(X) < 1e-12) && path[0].p.z.abs() < 1e-12);
        let jump = path.windows(2).map(|pair| (pair[1].p - pair[0].p).norm()).fold(0.0, f64::max);
        assert!(jump < 0.01, "{jump}");
    }

    #[test]
    fn a_motion_of_nothing_has_no_contacts() {
        assert!(contacts(&[], 0.01, Contact::default()).is_empty());
        assert_eq!(runs(&[true, false, true, true]), [(0, 1), (2, 4)]);
    }
}
