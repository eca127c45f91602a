//! How well motors hold a pose, which way it is assembled, and what motors do to a frame.

use crate::error::KinematicsError;
use crate::parts::{PartMemory, Parts, orthonormalise, project, write_rows};
use crate::precision::Number;
use crate::robot::{Kinematics, coordinate};
use bellcrank_math::Elem;
use bellcrank_model::JointId;
use bellcrank_tree::Reference;
use bellcrank_tree::layout::Layout;
use bellcrank_tree::loops::Source;

/// How well the motors hold one pose. Floating bases count as held.
#[derive(Clone, Debug, PartialEq)]
pub struct Holds {
    /// Freedoms of the joints at this pose.
    pub mobility: usize,
    /// The smallest singular value that should not be zero, over all limbs: motors' rates per unit of joint rates. Near zero the mechanism moves
    /// although its motors stand still (a singular pose of the second kind, of the *output*). One for a mechanism of motors alone; zero
    /// for a limb that has freedoms and no motor.
    pub smallest: f64,
    /// All of them, limb by limb, descending in each.
    pub singular_values: Vec<f64>,
}

/// How well the motors of one limb hold it.
struct LimbHold {
    freedoms: usize,
    /// Descending.
    singular_values: Vec<f64>,
    /// The smallest that should not be zero; none for a limb that cannot move at rest.
    least: Option<f64>,
}

/// Questions about poses of one mechanism.
#[derive(Clone, Debug)]
pub struct Analysis<'a, E: Elem = f64> {
    robot: &'a Kinematics<E>,
    pub(crate) parts: Parts<E>,
    threads: usize,
    /// Freedoms of each limb at rest.
    freedoms: Vec<usize>,
}

impl<E: Number> Kinematics<E> {
    /// Prepares questions about poses.
    ///
    /// # Errors
    /// Never for a model that was built.
    pub fn analysis(&self, threads: usize) -> Result<Analysis<'_, E>, KinematicsError> {
        let mut analysis = Analysis { robot: self, parts: Parts::new(self)?, threads, freedoms: Vec::new() };
        let numbers = analysis.numbers(self.rest())?;
        let (mut at, mut freedoms) = (0, Vec::new());
        for part in &analysis.parts.parts {
            freedoms.push(part.velocities.len() - numbers[at].to_f64() as usize);
            at += part.width();
        }
        analysis.freedoms = freedoms;
        Ok(analysis)
    }
}

impl<E: Number> Analysis<'_, E> {
    /// The same questions about some limbs alone.
    pub(crate) fn of_parts(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.parts.parts.len()).filter(|p| keeps(*p)).collect();
        let parts = self.parts.only(self.robot.tree(), &kept);
        Analysis { parts, freedoms: kept.iter().map(|p| self.freedoms[*p]).collect(), ..self.clone() }
    }

    /// Ranks and eigenvalues by pose.
    fn numbers(&self, q: &[E]) -> Result<Vec<E>, KinematicsError> {
        let (tree, width) = (self.robot.tree(), self.parts.width());
        let mut numbers = vec![E::zero(); q.len().checked_div(tree.coordinate_count()).unwrap_or(0) * width];
        let outputs = &mut [("numbers", Layout::Plain(width), &mut numbers[..])];
        E::hold(tree, self.threads, &self.parts, (&[("q", Layout::Configuration, q)], outputs))?;
        Ok(numbers)
    }

    /// The limb that a joint belongs to.
    pub(crate) fn part_of(&self, joint: &str) -> Option<usize> {
        self.part_of_joint(self.robot.joints.iter().position(|known| known.name == joint)?)
    }

    fn part_of_joint(&self, joint: usize) -> Option<usize> {
        let v = match coordinate(self.robot.tree(), JointId::new(joint), 0)? {
            Source::Tree { v, .. } => v,
            Source::Closing { closure, .. } => self.parts.task.closings[closure].movers.first()?.v,
        };
        self.parts.parts.iter().position(|part| part.velocities.contains(&v))
    }

    /// How well motors hold each pose, (n, coordinates of the tree).
    ///
    /// # Errors
    /// When that is no whole number of poses.
    pub fn holds(&self, q: &[E]) -> Result<Vec<Holds>, KinematicsError> {
        let width = self.parts.width().max(1);
        Ok(self.numbers(q)?.chunks_exact(width).map(|row| self.read(row)).collect())
    }

    fn read(&self, row: &[E]) -> Holds {
        let mut holds = Holds { mobility: 0, smallest: f64::INFINITY, singular_values: Vec::new() };
        for limb in self.limbs(row) {
            holds.smallest = limb.least.map_or(holds.smallest, |least| holds.smallest.min(least));
            holds.mobility += limb.freedoms;
            holds.singular_values.extend(limb.singular_values);
        }
        holds
    }

    /// Limb by limb.
    fn limbs(&self, row: &[E]) -> Vec<LimbHold> {
        let (mut limbs, mut at) = (Vec::new(), 0);
        for (part, &at_rest) in self.parts.parts.iter().zip(&self.freedoms) {
            let motors = part.motors.len();
            let freedoms = part.velocities.len() - row[at].to_f64() as usize;
            let eigenvalues = &row[at + 2..at + 2 + motors];
            let mut values: Vec<f64> = eigenvalues.iter().map(|x| x.to_f64().max(0.0).sqrt()).collect();
            values.sort_by(|a, b| b.total_cmp(a));
            // a freedom that appears here only has no motor; fewer motors than freedoms hold as many as they are
            let counted = motors.min(at_rest);
            let smallest = counted.checked_sub(1).map_or(0.0, |last| values[last]);
            let least = (at_rest > 0).then_some(if freedoms > at_rest { 0.0 } else { smallest });
            limbs.push(LimbHold { freedoms, singular_values: values, least });
            at += part.width();
        }
        limbs
    }

    /// How well the motors of each joint's limb hold one pose: the limb's share of [`Holds::smallest`]. None for a joint that cannot move, for
    /// a floating base, and in a limb without motors, which is never held.
    ///
    /// # Errors
    /// When `q` is not one pose.
    pub fn joint_holds(&self, q: &[E]) -> Result<Vec<Option<f64>>, KinematicsError> {
        let width = self.robot.tree().coordinate_count();
        if q.len() != width {
            return Err(KinematicsError::WrongSize { what: "q", found: q.len(), rows: 1, width });
        }
        let limbs = self.limbs(&self.numbers(q)?);
        let held = |joint| {
            let part = self.part_of_joint(joint)?;
            limbs[part].least.filter(|_| !self.parts.parts[part].motors.is_empty())
        };
        Ok((0..self.robot.joints.len()).map(held).collect())
    }

    /// Which way each limb with loops is assembled: the sign of the determinant of its loops' rows and its motors' rows, or 0 where that is no
    /// square matrix. It changes where motors lose hold of the limb, so two poses with different signs cannot be reached from each
    /// other without passing such a dead point.
    ///
    /// # Errors
    /// When `q` is not one pose.
    pub fn branch(&self, q: &[E]) -> Result<Vec<i8>, KinematicsError> {
        let tree = self.robot.tree();
        let width = tree.coordinate_count();
        if q.len() != width {
            return Err(KinematicsError::WrongSize { what: "q", found: q.len(), rows: 1, width });
        }
        Ok(self.branches(q)?.remove(0))
    }

    /// Likewise of many poses, (n, coordinates of the tree).
    ///
    /// # Errors
    /// When that is no whole number of poses.
    pub fn branches(&self, q: &[E]) -> Result<Vec<Vec<i8>>, KinematicsError> {
        let tree = self.robot.tree();
        let width = tree.coordinate_count();
        if !q.len().is_multiple_of(width.max(1)) {
            let (found, rows) = (q.len(), q.len() / width.max(1));
            return Err(KinematicsError::WrongSize { what: "q", found, rows, width });
        }
        Ok(self.numbers(q)?.chunks_exact(self.parts.width().max(1)).map(|row| self.signs(row)).collect())
    }

    /// How well motors hold each pose, and which way it is assembled.
    pub(crate) fn holds_and_branches(&self, q: &[E]) -> Result<Vec<(Holds, Vec<i8>)>, KinematicsError> {
        let numbers = self.numbers(q)?;
        let rows = numbers.chunks_exact(self.parts.width().max(1));
        Ok(rows.map(|row| (self.read(row), self.signs(row))).collect())
    }

    /// Of limbs with loops.
    fn signs(&self, row: &[E]) -> Vec<i8> {
        let (mut signs, mut at) = (Vec::new(), 0);
        for part in &self.parts.parts {
            if !part.closings.is_empty() {
                signs.push(row[at + 1].to_f64() as i8);
            }
            at += part.width();
        }
        signs
    }

    fn in_tree_order(&self, q: &[E]) -> Vec<E> {
        let order = &self.robot.tree().q_order;
        order.place.iter().zip(&order.sign).map(|(place, sign)| q[*place] * *sign).collect()
    }
}

impl Analysis<'_, f64> {
    /// How a frame moves per unit of each motor's rate, loops closed: 6 × motors by rows, linear first \[m/rad or m/m\], then angular; at the
    /// frame's origin in world axes. Its transpose tells what efforts a load on the frame asks of the motors, and one over an entry is
    /// the mechanical advantage of that motor in that direction. Singular where motors lose hold: see [`Holds::smallest`].
    ///
    /// # Errors
    /// When there is no such frame, or `q` is not one pose.
    pub fn motor_jacobian(&self, q: &[f64], frame: &str) -> Result<Vec<f64>, KinematicsError> {
        let tree = self.robot.tree();
        let (width, nv) = (tree.coordinate_count(), tree.dof_count());
        if q.len() != width {
            return Err(KinematicsError::WrongSize { what: "q", found: q.len(), rows: 1, width });
        }
        let id = tree.frame(frame).map_err(|_| KinematicsError::NoSuchFrame(frame.to_owned()))?;
        let mut J = vec![0.0; 6 * nv];
        tree.batch().jacobian(q, id, Reference::LocalWorldAligned, &mut J)?;
        let mut s = PartMemory::<f64>::new(tree, &self.parts);
        s.placed.place(tree, &self.parts.task, &self.in_tree_order(q), true);
        let count: usize = self.parts.parts.iter().map(|part| part.motors.len()).sum();
        let (mut K, mut first) = (vec![0.0; 6 * count], 0);
        for part in &self.parts.parts {
            let (n, rows, motors) =
                (part.velocities.len(), part.row_count(&self.parts.task), part.motors.len());
            write_rows(&self.parts.task, part, &mut s);
            orthonormalise::<f64, f64>(rows, n, &mut s.Q);
            project(rows, n, motors, &mut s);
            for m in 0..motors {
                // least joint rates with that motor at one and the others at zero: P Aᵀ (A P Aᵀ)⁻¹ e
                let share = solve_symmetric(&s.S, motors, m);
                let mut v: Vec<f64> =
                    (0..n).map(|k| (0..motors).map(|l| s.A[l * n + k] * share[l]).sum()).collect();
                for row in s.Q.chunks_exact(n).take(rows) {
                    let along: f64 = row.iter().zip(&v).map(|(a, b)| a * b).sum();
                    v.iter_mut().zip(row).for_each(|(v, x)| *v -= along * x);
                }
                for (k, &own) in part.velocities.iter().enumerate() {
                    let (place, sign) = (tree.v_order.place[own], tree.v_order.sign[own]);
                    (0..6).for_each(|r| K[r * count + first + m] += J[r * nv + place] * sign * v[k]);
                }
            }
            first += motors;
        }
        Ok(self.in_motor_order(K, count))
    }

    /// From limbs' order of motors to the robot's.
    fn in_motor_order(&self, K: Vec<f64>, count: usize) -> Vec<f64> {
        let limbs: Vec<_> = self.parts.parts.iter().flat_map(|part| &part.motors).collect();
        let mut sorted = vec![0.0; 6 * self.robot.motors.len()];
        for (to, motor) in self.robot.motors.iter().enumerate() {
            if let Some(from) = limbs.iter().position(|other| *other == motor) {
                (0..6).for_each(|r| sorted[r * self.robot.motors.len() + to] = K[r * count + from]);
            }
        }
        sorted
    }

    /// Singular values of a frame's linear velocity over all joint rates of length one that loops allow, descending. One that goes to zero is a
    /// direction in which the frame cannot move (a singular pose of the first kind, of the *input*).
    ///
    /// # Errors
    /// When there is no such frame, or `q` is not one pose.
    pub fn frame_singular_values(&self, q: &[f64], frame: &str) -> Result<[f64; 3], KinematicsError> {
        let tree = self.robot.tree();
        let id = tree.frame(frame).map_err(|_| KinematicsError::NoSuchFrame(frame.to_owned()))?;
        let (nv, width) = (tree.dof_count(), tree.coordinate_count());
        if q.len() != width {
            return Err(KinematicsError::WrongSize { what: "q", found: q.len(), rows: 1, width });
        }
        let mut J = vec![0.0; 6 * nv];
        tree.batch().jacobian(q, id, Reference::LocalWorldAligned, &mut J)?;
        let mut s = PartMemory::<f64>::new(tree, &self.parts);
        s.placed.place(tree, &self.parts.task, &self.in_tree_order(q), true);
        let mut gram = [0.0; 9];
        for part in &self.parts.parts {
            let (n, rows) = (part.velocities.len(), part.row_count(&self.parts.task));
            write_rows(&self.parts.task, part, &mut s);
            orthonormalise::<f64, f64>(rows, n, &mut s.Q);
            let column = |r: usize, v: &usize| J[r * nv + tree.v_order.place[*v]] * tree.v_order.sign[*v];
            let own: Vec<Vec<f64>> =
                (0..3).map(|r| part.velocities.iter().map(|v| column(r, v)).collect()).collect();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            for (i, a) in own.iter().enumerate() {
                for (j, b) in own.iter().enumerate() {
                    let lost =
                        s.Q.chunks_exact(n).take(rows).map(|row| dot(row, a) * dot(row, b)).sum::<f64>();
                    gram[3 * i + j] += dot(a, b) - lost;
                }
            }
        }
        crate::parts::diagonalise(3, &mut gram);
        let mut values = [gram[0], gram[4], gram[8]].map(|x| x.max(0.0).sqrt());
        values.sort_by(|a, b| b.total_cmp(a));
        Ok(values)
    }
}

/// Column `m` of the inverse of a symmetric matrix; what is singular gives large numbers, not none.
fn solve_symmetric(S: &[f64], n: usize, m: usize) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = (0..n).map(|r| S[r * n..(r + 1) * n].to_vec()).collect();
    let mut b: Vec<f64> = (0..n).map(|r| f64::from(u8::from(r == m))).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| rows[*i][k].abs().total_cmp(&rows[*j][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        b.swap(k, pivot);
        let diagonal = if rows[k][k].abs() < 1e-300 { 1e-300 } else { rows[k][k] };
        for i in k + 1..n {
            let factor = rows[i][k] / diagonal;
            for j in k..n {
                rows[i][j] -= factor * rows[k][j];
            }
            b[i] -= factor * b[k];
        }
        rows[k][k] = diagonal;
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| rows[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / rows[k][k];
    }
    b
}
