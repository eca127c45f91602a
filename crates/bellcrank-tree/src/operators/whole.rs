//! The mechanism as a whole: centre of mass, centroidal momentum, energies, regressor.

use super::macros::operator;
use super::{Batch, split};
use crate::error::TreeError;
use crate::kernels::kinematics::WorldPose;
use crate::kernels::{centroidal, parameters, rnea, world::World};
use crate::layout::Layout;
use crate::precision::Precision;

const Q: Layout<'static> = Layout::Configuration;
const V: Layout<'static> = Layout::Tangent;

impl<E: Precision> Batch<'_, E> {
    /// Centre of mass \[m\] and centroidal momentum matrix, 6 × nv by rows: (linear, angular momentum about the
    /// centre of mass, world axes) = A_g v. Its first three rows are the mass times the Jacobian of the centre of
    /// mass.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn centroidal(&self, q: &[E], com: &mut [E], A_g: &mut [E]) -> Result<(), TreeError> {
        let outputs = &mut [("com", Layout::Plain(3), com), ("A_g", Layout::Columns(6), A_g)];
        self.run(Centroidal, &[("q", Q, q)], outputs)
    }

    /// Ȧ_g, the time derivative of the centroidal momentum matrix, 6 × nv by rows: ḣ_g = A_g a + Ȧ_g v. Its first
    /// three rows are the mass times the rate of the Jacobian of the centre of mass.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn centroidal_rate(&self, q: &[E], v: &[E], A_g_rate: &mut [E]) -> Result<(), TreeError> {
        let output = ("A_g_rate", Layout::Columns(6), A_g_rate);
        self.run(CentroidalRate, &[("q", Q, q), ("v", V, v)], &mut [output])
    }

    /// Centre of mass \[m\] and its Jacobian, 3 × nv by rows.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn center_of_mass(&self, q: &[E], com: &mut [E], J_com: &mut [E]) -> Result<(), TreeError> {
        let mass = self.tree.nodes.iter().fold(E::zero(), |sum, node| sum + node.inertia.mass);
        let operator = CenterOfMass { per_mass: mass.recip() };
        let outputs = &mut [("com", Layout::Plain(3), com), ("J_com", Layout::Columns(3), J_com)];
        self.run(operator, &[("q", Q, q)], outputs)
    }

    /// Kinetic and potential energy \[J\], two numbers per state. Potential energy is −Σ m g·c.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn energies(&self, q: &[E], v: &[E], energies: &mut [E]) -> Result<(), TreeError> {
        self.run(Energies, &[("q", Q, q), ("v", V, v)], &mut [("energies", Layout::Plain(2), energies)])
    }

    /// The joint-torque regressor Y, nv × 10·bodies by rows: rnea(q, v, a) = Y π (without rotor inertia), where π
    /// lists for every body m, m c (3), and J_xx, J_xy, J_yy, J_xz, J_yz, J_zz about the link frame's origin.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn torque_regressor(&self, q: &[E], v: &[E], a: &[E], Y: &mut [E]) -> Result<(), TreeError> {
        let inputs = [("q", Q, q), ("v", V, v), ("a", V, a)];
        let width = Layout::Rows(10 * self.tree.body_count());
        self.run(Regressor, &inputs, &mut [("Y", width, Y)])
    }
}

pub struct Centroidal;

operator! {
    Centroidal;
    scratch centroidal::Scratch<R> = |this, tree| centroidal::Scratch::new(tree);
    run |this, tree, s, q, output| {
        let (com, A_g) = output.split_at_mut(3);
        centroidal::momentum_matrix(tree, s, q, com, A_g);
    }
}

pub struct CentroidalRate;

operator! {
    CentroidalRate;
    scratch centroidal::Scratch<R> = |this, tree| centroidal::Scratch::new(tree);
    run |this, tree, s, input, rate| {
        let [q, v] = split(input, [tree.coordinate_count(), tree.dof_count()]);
        centroidal::momentum_matrix_rate(tree, s, [q, v], rate);
    }
}

pub struct CenterOfMass<E> {
    per_mass: E,
}

operator! {
    CenterOfMass<E>;
    scratch (centroidal::Scratch<R>, Vec<R>) =
        |this, tree| (centroidal::Scratch::new(tree), vec![R::zero(); 6 * tree.dof_count()]);
    run |this, tree, s, q, output| {
        let (s, A_g) = s;
        let (com, J_com) = output.split_at_mut(3);
        centroidal::momentum_matrix(tree, s, q, com, A_g);
        for (column, momentum) in J_com.iter_mut().zip(A_g.iter()) {
            *column = momentum.scale(this.per_mass);
        }
    }
}

pub struct Energies;

operator! {
    Energies;
    scratch (rnea::Scratch<R>, Vec<WorldPose<R>>) =
        |this, tree| (rnea::Scratch::new(tree.nodes.len()), vec![WorldPose::default(); tree.nodes.len()]);
    run |this, tree, s, input, out| {
        let [q, v] = split(input, [tree.coordinate_count(), tree.dof_count()]);
        centroidal::energies(tree, &mut s.0, &mut s.1, [q, v], out);
    }
}

pub struct Regressor;

operator! {
    Regressor;
    scratch World<R> = |this, tree| World::new(tree);
    run |this, tree, world, input, Y| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, a] = split(input, [nq, nv, nv]);
        world.place(tree, q);
        world.set_velocities(tree, v);
        world.set_accelerations::<E, true>(tree, a);
        parameters::regressor(tree, world, Y);
    }
}
