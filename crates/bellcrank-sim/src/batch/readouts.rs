//! Read-outs: what follows from the state of a world, or from its last step, row by row.

use super::measure::drive_impulse;
use super::{Batch, BatchError};
use crate::quantity::Quantity;
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::BodyId;
use bellcrank_step::contact::BodyContact;
use bellcrank_step::field::Field;

impl Batch {
    /// One world's row of a quantity that is kept nowhere as such.
    pub(super) fn measured(&self, quantity: Quantity, world: usize) -> Result<Vec<f64>, BatchError> {
        let (g, w) = self.find(world)?;
        let model = &self.models[g];
        let bodies = 0..model.bodies().len();
        match quantity {
            Quantity::LinkPosition => {
                Ok(self.link_poses(world)?.iter().flat_map(|X| X.p.to_array()).collect())
            }
            Quantity::LinkQuatWxyz => Ok(self.groups[g].row(w, Field::BodyQuatWxyz)),
            Quantity::LinkVelocity => self.link_velocities(world),
            Quantity::SitePosition => {
                Ok(self.site_poses(world)?.iter().flat_map(|X| X.p.to_array()).collect())
            }
            Quantity::SiteQuatWxyz => {
                Ok(self.site_poses(world)?.iter().flat_map(|X| X.R.to_wxyz()).collect())
            }
            Quantity::AppliedEffort => {
                let (motors, readout) = (model.actuators().iter().enumerate(), self.groups[g].readout(w));
                Ok(motors.map(|(a, motor)| drive_impulse(model, motor, a, &readout) / self.dt).collect())
            }
            Quantity::JointReaction => {
                let (joints, readout) = (model.joints().iter().enumerate(), self.groups[g].readout(w));
                let each =
                    joints.map(|(j, part)| self.reaction(world, j, part.kind, &readout.joint_impulse[j]));
                Ok(each.collect::<Result<Vec<_>, _>>()?.iter().flat_map(|f| f.to_array()).collect())
            }
            Quantity::ContactForce => {
                let mut sums = vec![0.0; 3 * model.bodies().len()];
                let contacts = self.groups[g].contacts(w);
                contacts.iter().for_each(|contact| add_force(contact, self.dt, &mut sums));
                Ok(sums)
            }
            Quantity::BodyAcceleration => {
                let (before, now) =
                    (self.groups[g].readout(w).V_before, self.groups[g].row(w, Field::BodyVelocity));
                let before = before[bodies].iter().flat_map(|V| V.to_array());
                Ok(now.iter().zip(before).map(|(now, before)| (now - before) / self.dt).collect())
            }
            Quantity::Control => {
                let motors = model.actuators().iter().enumerate();
                let field = |law| Quantity::listened_to(law).field().unwrap_or(Field::Effort);
                Ok(motors.map(|(a, motor)| self.groups[g].get(w, field(motor.control), a)).collect())
            }
            Quantity::Activation => {
                let each = (0..model.actuators().len()).map(|a| self.activation(world, a));
                each.map(|state| state.map(|state| state.unwrap_or(0.0))).collect()
            }
            _ => Err(BatchError::NoArray(quantity.name())),
        }
    }

    /// X_WL of all link frames of a world.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn link_poses(&self, world: usize) -> Result<Vec<Pose>, BatchError> {
        let (g, w) = self.find(world)?;
        let (p, R) = (self.groups[g].row(w, Field::BodyPosition), self.groups[g].row(w, Field::BodyQuatWxyz));
        let each = p.as_chunks().0.iter().zip(R.as_chunks().0).enumerate();
        let link = each.map(|(b, (p, R))| {
            let (R, com) = (Quat::from_wxyz(*R), self.parameters[g].body(BodyId::new(b)).get(w).com);
            Pose::new(R, Vec3::from_array(*p) - R.rotate(com))
        });
        Ok(link.collect())
    }

    /// v − ω × (R c): how the link frames' origins move.
    fn link_velocities(&self, world: usize) -> Result<Vec<f64>, BatchError> {
        let (g, w) = self.find(world)?;
        let (links, V) = (self.link_poses(world)?, self.groups[g].row(w, Field::BodyVelocity));
        let each = links.iter().zip(V.as_chunks().0).enumerate();
        let moving = each.map(|(b, (X_WL, V))| {
            let V = Twist::from_array(*V);
            let r = X_WL.R.rotate(self.parameters[g].body(BodyId::new(b)).get(w).com);
            Twist::new(V.linear - V.angular.cross(r), V.angular).to_array()
        });
        Ok(moving.flatten().collect())
    }

    /// X_WS of all sites of a world.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn site_poses(&self, world: usize) -> Result<Vec<Pose>, BatchError> {
        let links = self.link_poses(world)?;
        let sites = self.model(world)?.sites().iter();
        Ok(sites.map(|site| site.link.body().map_or(site.X_LS, |b| links[b.index()] * site.X_LS)).collect())
    }

    /// Sums of the contact forces on all bodies of all worlds, rows of `stride` numbers: each block of lanes is searched once.
    pub(super) fn contact_forces(&self, stride: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.worlds() * stride];
        for (group, rows) in self.groups.iter().zip(&self.rows) {
            group.each_contact(&mut |world, contact| {
                add_force(&contact, self.dt, &mut sums[rows[world] * stride..][..stride]);
            });
        }
        sums
    }
}

/// Adds what a contact's impulse over a step comes to, as a force on both bodies, to a row of forces.
fn add_force(contact: &BodyContact, dt: f64, row: &mut [f64]) {
    let force = (contact.force * (1.0 / dt)).to_array();
    for (k, x) in force.into_iter().enumerate() {
        row[3 * contact.body_b.index() + k] += x;
        if let Some(a) = contact.body_a {
            row[3 * a.index() + k] -= x;
        }
    }
}
