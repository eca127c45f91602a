//! Energy of worlds: one by one, and of many at once from states that are read block by block.

use super::measure::first_numbers;
use super::paths::Bodies;
use super::{Batch, BatchError};
use bellcrank_math::{Inline, Pose, Quat, Real, Twist, Vec3};
use bellcrank_model::{BodyId, Dof, JointId, Model, Parameters, TendonId};
use bellcrank_step::field::Field;
use bellcrank_step::group::{Numbers, Table};
use bellcrank_step::settings::Integrator;

/// What energy depends on, in the order of [`Moving`]'s fields.
const FIELDS: [Field; 5] = [
    Field::BodyPosition,
    Field::BodyQuatWxyz,
    Field::BodyVelocity,
    Field::JointPosition,
    Field::JointVelocity,
];

/// Where no more than one world in so many is asked for, they are read one by one: the lanes of a block.
const FEW: usize = 16;

/// One world's numbers of [`FIELDS`].
struct Moving<'a> {
    p: &'a [f64],
    R: &'a [f64],
    V: &'a [f64],
    q: &'a [f64],
    rates: &'a [f64],
}

impl<'a> Moving<'a> {
    fn of(rows: [&'a [f64]; 5]) -> Self {
        let [p, R, V, q, rates] = rows;
        Moving { p, R, V, q, rates }
    }

    fn bodies(&self, parameters: &Parameters, w: usize) -> Bodies {
        let all = self.p.as_chunks().0.iter().zip(self.R.as_chunks().0).zip(self.V.as_chunks().0);
        Bodies::of(all.enumerate().map(|(b, ((p, R), V))| {
            let com = parameters.body(BodyId::new(b)).get(w).com;
            (Pose::new(Quat::from_wxyz(*R), Vec3::from_array(*p)), Twist::from_array(*V), com)
        }))
    }
}

impl Batch {
    /// Kinetic plus potential energy of a world [J]: gravity (zero at the origin; of the weight that nothing outside
    /// carries) and springs of joints and tendons; rotors (armature) move with them.
    ///
    /// The velocities of [`Integrator::Variational`] are those of the last interval, so there the potential energy is
    /// taken at its middle; where velocities were written they are those of the instant, and all is taken there.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn energy(&self, world: usize) -> Result<f64, BatchError> {
        self.energies(world).map(|(potential, kinetic)| potential + kinetic)
    }

    /// [`Batch::energy`] of some worlds, in their order. Where many are asked for, states are read block by block instead of world by world.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn energy_of(&self, worlds: &[usize]) -> Result<Vec<f64>, BatchError> {
        worlds.iter().try_for_each(|world| self.find(*world).map(drop))?;
        if worlds.len() * FEW < self.worlds() {
            return self.over(worlds, |_, world| self.energy(world));
        }
        let tables: Vec<_> = (0..self.groups.len()).map(|g| self.tables(g)).collect();
        self.over(worlds, |_, world| {
            let (g, w) = self.find(world)?;
            let row = |k: usize| {
                let (width, table) = &tables[g][k];
                &table[w * width..(w + 1) * width]
            };
            let (potential, kinetic) = self.energies_of(g, w, &Moving::of([0, 1, 2, 3, 4].map(row)));
            Ok(potential + kinetic)
        })
    }

    /// The numbers of all worlds of a model, field by field, each with how many there are per world.
    fn tables(&self, g: usize) -> [(usize, Vec<f64>); 5] {
        let (worlds, model) = (self.rows[g].len(), &self.models[g]);
        let rows: Vec<usize> = (0..worlds).collect();
        FIELDS.map(|field| {
            let width = field.width(model);
            let mut table = vec![0.0; worlds * width];
            self.groups[g].read(field, &rows, Table { values: Numbers::F64(&mut table), stride: width });
            (width, table)
        })
    }

    /// Potential and kinetic energy [J].
    pub(super) fn energies(&self, world: usize) -> Result<(f64, f64), BatchError> {
        let (g, w) = self.find(world)?;
        let rows = FIELDS.map(|field| self.groups[g].row(w, field));
        Ok(self.energies_of(g, w, &Moving::of([0, 1, 2, 3, 4].map(|k| &rows[k][..]))))
    }

    fn energies_of(&self, g: usize, w: usize, moving: &Moving<'_>) -> (f64, f64) {
        let (model, parameters) = (&self.models[g], &self.parameters[g]);
        let ago = match self.engine.integrator {
            Integrator::Variational => 0.5 * self.dt * self.groups[g].interval(w),
            _ => 0.0,
        };
        let (mut potential, mut kinetic) = f64::run(Inline(
            #[inline(always)]
            || of_bodies(model, parameters, w, moving, ago),
        ));
        let mut add = |dof: &Dof, q: Option<f64>, rate: f64| {
            kinetic += 0.5 * dof.armature * rate * rate;
            if let (Some(spring), Some(q)) = (dof.spring, q) {
                let q = q - rate * ago;
                potential += 0.5 * spring.stiffness * (q - spring.rest) * (q - spring.rest);
            }
        };
        let (mut first, mut dof) = (0, 0);
        for (j, joint) in model.joints().iter().enumerate() {
            for (k, entry) in parameters.joint(JointId::new(j)).get(w).dofs.iter().enumerate() {
                let scalar = joint.kind.has_scalar_coordinates();
                add(entry, scalar.then(|| moving.q[first + k]), moving.rates[dof + k]);
            }
            first += joint.kind.coordinate_count();
            dof += joint.kind.dof_count();
        }
        for (t, tendon) in model.tendons().iter().enumerate() {
            let id = TendonId::new(t);
            let [length, rate] = match tendon.path.is_empty() {
                true => tendon_state(model, id, moving.q, moving.rates),
                false => moving.bodies(parameters, w).tendon(model, id),
            };
            // a spring is slack over a range: what counts is how far it is beyond that
            let rest = tendon.dof.spring.map_or(0.0, |spring| spring.rest);
            let beyond = (length - rest).min(0.0) + (length - rest - tendon.slack).max(0.0);
            add(&tendon.dof, Some(rest + beyond), rate);
        }
        (potential, kinetic)
    }

    /// Length of a tendon and its rate.
    pub(super) fn tendon_state(
        &self,
        world: usize,
        model: &Model,
        tendon: TendonId,
    ) -> Result<[f64; 2], BatchError> {
        if !model.tendons()[tendon.index()].path.is_empty() {
            return Ok(self.bodies_of(world)?.tendon(model, tendon));
        }
        let (q, v) = (self.joint_position(world)?, self.joint_velocity(world)?);
        Ok(tendon_state(model, tendon, &q, &v))
    }
}

/// Potential energy in gravity and kinetic energy of all bodies, positions as they were `ago` [s].
#[inline(always)]
fn of_bodies(model: &Model, parameters: &Parameters, w: usize, moving: &Moving<'_>, ago: f64) -> (f64, f64) {
    let gravity = *parameters.gravity.get(w);
    let bodies = moving.p.as_chunks().0.iter().zip(moving.R.as_chunks().0).zip(moving.V.as_chunks().0);
    let (mut potential, mut kinetic) = (0.0, 0.0);
    for (b, ((p, R), V)) in bodies.enumerate() {
        let body = parameters.body(BodyId::new(b)).get(w);
        let (p, R, V) = (Vec3::from_array(*p), Quat::from_wxyz(*R), Twist::from_array(*V));
        let spin = R.rotate_inverse(V.angular);
        kinetic += 0.5 * (body.mass * V.linear.norm_squared() + spin.dot(body.inertia * spin));
        let heavy = body.mass * (1.0 - model.bodies()[b].gravity_compensation);
        potential -= heavy * gravity.dot(p - V.linear * ago);
    }
    (potential, kinetic)
}

/// Σ coefficient · coordinate, and its rate.
fn tendon_state(model: &Model, tendon: TendonId, q: &[f64], v: &[f64]) -> [f64; 2] {
    let mut state = [0.0; 2];
    for term in &model.tendons()[tendon.index()].terms {
        let (first, dof) = first_numbers(model, term.joint.id());
        state[0] += term.coefficient * q[first + term.dof];
        state[1] += term.coefficient * v[dof + term.dof];
    }
    state
}
