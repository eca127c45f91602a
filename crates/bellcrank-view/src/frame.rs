//! Where everything is at one moment: the same for recordings and for the live page.

use crate::error::ViewError;
use bellcrank_sim::{Batch, BodyContact, StepReport, WorldStatus};

/// Figures per world, in this order.
pub const TRACES: [&str; 8] = [
    "loop_gap_m",
    "energy_j",
    "residual",
    "iterations",
    "contact_count",
    "penetration_m",
    "status",
    "frozen_body",
];

/// Numbers per contact: world (its place in the frame), point [m], force [N].
pub(crate) const CONTACT_NUMBERS: usize = 7;

/// Numbers per body: position [m], quaternion wxyz.
pub(crate) const POSE_NUMBERS: usize = 7;

/// Whose contacts a frame holds; finding them costs about as much as a part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touching {
    /// Every world's.
    All,
    /// This world's, by its number in the batch.
    Only(usize),
}

/// One moment of the shown worlds, world after world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Simulated time [s].
    pub time: f64,
    /// Per body x, y, z [m] and quaternion wxyz.
    pub poses: Vec<f32>,
    /// All joint coordinates [rad or m].
    pub joints: Vec<f32>,
    /// All joint velocities, one per degree of freedom [rad/s or m/s].
    pub joint_velocities: Vec<f32>,
    /// [`TRACES`] per world.
    pub traces: Vec<f32>,
    /// World (its place in the frame), point [m], force [N] per contact.
    pub contacts: Vec<f32>,
    /// How well motors hold each joint of the world in focus, 0 (singular) to 1, −1 for none; empty unless a page asks.
    pub holds: Vec<f32>,
}

impl Frame {
    /// The present state of these worlds.
    ///
    /// # Errors
    /// When a world does not exist.
    pub fn of(
        batch: &Batch,
        worlds: impl Iterator<Item = usize>,
        time: f64,
        touching: Touching,
    ) -> Result<Self, ViewError> {
        let report = batch.report();
        let mut frame = Frame { time, ..Frame::default() };
        for (place, world) in worlds.enumerate() {
            for body in 0..batch.model(world)?.bodies().len() {
                let X_WB = batch.body_pose(world, body)?;
                frame.poses.extend(X_WB.p.to_array().map(|x| x as f32));
                frame.poses.extend(X_WB.R.to_wxyz().map(|x| x as f32));
            }
            frame.joints.extend(batch.joint_position(world)?.iter().map(|&q| q as f32));
            frame.joint_velocities.extend(batch.joint_velocity(world)?.iter().map(|&v| v as f32));
            let energy = batch.energy(world)?;
            frame.traces.extend(traces(&report, world, energy));
            if touching == Touching::All || touching == Touching::Only(world) {
                for contact in batch.contacts(world)?.iter().filter(|contact| touches(contact)) {
                    frame.contacts.push(place as f32);
                    frame.contacts.extend(contact.point.to_array().map(|x| x as f32));
                    frame.contacts.extend(contact.force.to_array().map(|x| x as f32));
                }
            }
        }
        Ok(frame)
    }

    /// The binary message of the live page, little-endian: u32 kind = 1, counts of poses, joints, joint velocities, traces,
    /// contacts and holds in f32 numbers; f64 time [s], f64 speed (simulated seconds per second); then the f32 numbers.
    pub(crate) fn to_message(&self, speed: f64) -> Vec<u8> {
        let lists =
            [&self.poses, &self.joints, &self.joint_velocities, &self.traces, &self.contacts, &self.holds];
        let numbers: usize = lists.iter().map(|list| list.len()).sum();
        let mut bytes = Vec::with_capacity(44 + 4 * numbers);
        bytes.extend(1_u32.to_le_bytes());
        lists.iter().for_each(|list| bytes.extend((list.len() as u32).to_le_bytes()));
        bytes.extend(self.time.to_le_bytes());
        bytes.extend(speed.to_le_bytes());
        lists.iter().flat_map(|list| list.iter()).for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes
    }
}

/// Pairs that are only near are left out.
fn touches(contact: &BodyContact) -> bool {
    contact.depth >= 0.0 || contact.force.norm() > 0.0
}

fn traces(report: &StepReport, world: usize, energy: f64) -> [f32; TRACES.len()] {
    let at = |list: &[f64]| list.get(world).copied().unwrap_or(0.0) as f32;
    let (status, body) = match report.status.get(world) {
        None | Some(WorldStatus::Ok) => (0.0, -1.0),
        Some(WorldStatus::Inexact) => (1.0, -1.0),
        Some(WorldStatus::ContactsDropped { .. }) => (2.0, -1.0),
        Some(&WorldStatus::Frozen { body, .. }) => (3.0, body as f32),
    };
    [
        report.loop_gap.get(world).map_or(0.0, |gap| gap.0) as f32,
        energy as f32,
        at(&report.residual),
        at(&report.iterations),
        report.contact_count.get(world).copied().unwrap_or(0) as f32,
        at(&report.penetration),
        status,
        body,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7 numbers of 4 bytes, 2 of 8, then 2 + 1 + 0 + 0 + 0 + 0 numbers of 4 bytes: 56 bytes.
    #[test]
    fn a_message_is_counts_then_numbers() {
        let frame = Frame { time: 1.5, poses: vec![1.0, 2.0], joints: vec![3.0], ..Frame::default() };
        let bytes = frame.to_message(0.5);
        assert_eq!(bytes.len(), 56);
        assert_eq!(bytes[4..8], 2_u32.to_le_bytes());
        assert_eq!(bytes[28..36], 1.5_f64.to_le_bytes());
        assert_eq!(bytes[52..], 3.0_f32.to_le_bytes());
    }
}
