//! Goals and loops of one question, worked out once: which velocities are unknown, which rows act on which of them.

use crate::error::KinematicsError;
use crate::goal::{Goal, Priority, What};
use crate::normal::Pattern;
use crate::placed::Placed;
use crate::precision::Number;
use crate::robot::{Kinematics, coordinate};
use bellcrank_math::{Elem, Pose, Quat, Vec3};
use bellcrank_model::{JointId, JointKind};
use bellcrank_tree::loops::Source;
use bellcrank_tree::{Frame, Motion, TreeModel, WORLD};

/// A frame on a node, or in the world, with its rotation as a quaternion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<E> {
    pub node: Option<usize>,
    pub X_NF: Pose<E>,
}

/// An unknown that a row sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mover {
    /// Which unknown.
    pub column: usize,
    /// Its velocity, in tree order.
    pub v: usize,
    /// The node that it moves.
    pub node: usize,
    /// It moves the frame that the row is about; otherwise the one that the target is told in.
    pub forward: bool,
}

/// What a goal's rows compute.
#[derive(Clone, Debug)]
pub(crate) enum Rows<E> {
    Position {
        frame: Place<E>,
        base: Place<E>,
    },
    Orientation {
        frame: Place<E>,
        base: Place<E>,
    },
    LookAt {
        frame: Place<E>,
        axis: Vec3<E>,
    },
    CenterOfMass,
    /// A coordinate of the tree: place in q and sign of the user's value.
    Coordinate {
        q: usize,
        sign: E,
    },
    /// A coordinate of a closing joint.
    Closing {
        closure: usize,
        dof: usize,
        is_angle: bool,
    },
    Pair(Relation<E>),
    Hold {
        frame: Place<E>,
        /// Its place among the frames that are held.
        number: usize,
    },
    Apart {
        from: Place<E>,
        to: Place<E>,
    },
    Stay,
}

/// A goal, ready for kernels.
#[derive(Clone, Debug)]
pub(crate) struct Ask<E> {
    pub rows: Rows<E>,
    pub movers: Vec<Mover>,
    pub weight: [E; 3],
    pub first: bool,
    /// Where its target stands in the row of targets.
    pub target: usize,
    /// Tolerated error \[m or rad\].
    pub tolerance: E,
}

/// A closing joint, ready for kernels.
#[derive(Clone, Debug)]
pub(crate) struct Closing<E> {
    pub kind: JointKind,
    pub F: Place<E>,
    pub M: Place<E>,
    pub movers: Vec<Mover>,
    /// Whether its rows are among those of the question.
    pub acts: bool,
}

/// A linear relation of coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Relation<E> {
    pub terms: Vec<(Source, E)>,
    pub constant: E,
    pub movers: Vec<Mover>,
}

/// A limit of a closing joint's coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<E> {
    pub closure: usize,
    pub dof: usize,
    pub limits: [E; 2],
}

/// Everything that kernels need to know.
#[derive(Clone, Debug)]
pub(crate) struct Task<E> {
    pub asks: Vec<Ask<E>>,
    pub closings: Vec<Closing<E>>,
    pub relations: Vec<Relation<E>>,
    pub bounds: Vec<Bound<E>>,
    /// Nodes that matter, parents first.
    pub nodes: Vec<usize>,
    pub X_PT: Vec<Pose<E>>,
    /// Velocity of each unknown, leaves first: then the tree alone fills in nothing.
    pub velocities: Vec<usize>,
    /// Place in q of unknowns that are scalar coordinates.
    pub coordinates: Vec<Option<usize>>,
    pub limits: Vec<[E; 2]>,
    pub pattern: Pattern,
    pub target_width: usize,
    /// One over the square of a joint's mean lever arm \[1/m²\]: what a square metre is worth in square radians.
    pub metre: E,
    pub has_second: bool,
    /// Something besides goals must hold: loops, couplings, limits of closing joints.
    pub has_loops: bool,
    /// Share of each node in the whole mass: m/M, and the first moment over M.
    pub shares: Vec<(E, Vec3<E>)>,
    pub needs_mass: bool,
    /// Frames that are held.
    pub holds: Vec<Place<E>>,
    /// Nodes that hang from the world.
    pub roots: Vec<usize>,
}

/// What is asked, besides goals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// Velocities in tree order that do not move.
    pub held: &'a [bool],
    /// All loops, not just those that goals move.
    pub all_loops: bool,
    /// Tolerances of goals \[m, rad\].
    pub tolerances: [f64; 2],
}

impl<E: Number> Task<E> {
    pub fn new(robot: &Kinematics<E>, goals: &[Goal], scope: Scope<'_>) -> Result<Self, KinematicsError> {
        let compile = Compile { robot, tree: robot.tree(), scope };
        let mut task = compile.task(goals)?;
        task.metre = task.weight_of_metres(robot);
        Ok(task)
    }

    /// From the distances of all joints that turn to the frames that they move, at rest.
    fn weight_of_metres(&self, robot: &Kinematics<E>) -> E {
        let (tree, order) = (robot.tree(), &robot.tree().q_order);
        let q: Vec<E> =
            order.place.iter().zip(&order.sign).map(|(place, sign)| robot.rest()[*place] * *sign).collect();
        let mut placed = Placed::<E>::new(tree);
        placed.place(tree, self, &q, false);
        let (mut sum, mut count) = (0.0, 0);
        for ask in &self.asks {
            let (Rows::Position { frame, .. } | Rows::Hold { frame, .. }) = &ask.rows else { continue };
            let p = placed.pose(frame).p;
            for mover in &ask.movers {
                if !matches!(tree.nodes[mover.node].motion, Motion::Slide(_)) {
                    sum += (p - placed.X[mover.node].p).norm_squared().to_f64();
                    count += 1;
                }
            }
        }
        let mean = if count > 0 { sum / f64::from(count) } else { 1.0 };
        E::from_f64(1.0 / mean.clamp(SHORTEST * SHORTEST, 1.0))
    }
}

struct Compile<'a, E: Elem> {
    robot: &'a Kinematics<E>,
    tree: &'a TreeModel<E>,
    scope: Scope<'a>,
}

/// Lever arms are taken for no shorter than this \[m\].
const SHORTEST: f64 = 0.05;

/// A velocity and which way it acts, before unknowns have numbers.
type Way = (usize, bool);

impl<E: Number> Compile<'_, E> {
    fn task(&self, goals: &[Goal]) -> Result<Task<E>, KinematicsError> {
        if goals.is_empty() {
            return Err(KinematicsError::NoGoal);
        }
        let mut asked = Vec::new();
        for (g, goal) in goals.iter().enumerate() {
            let bad = |w: &f64| !(w.is_finite() && *w >= 0.0);
            if let Some(&weight) = goal.axes.iter().chain([&goal.weight]).find(|w| bad(w)) {
                return Err(KinematicsError::BadWeight { goal: g, weight });
            }
            asked.push(self.rows(goal)?);
        }
        let (relevant, loops, couplings) = self.relevant(asked.iter().flat_map(|(_, ways, _)| ways));
        let velocities: Vec<usize> = (0..relevant.len()).rev().filter(|v| relevant[*v]).collect();
        let movers = |ways: &[Way]| self.movers(&velocities, ways);
        let mut target_width = 0;
        let (mut asks, mut holds) = (Vec::new(), Vec::new());
        for (goal, (rows, ways, is_angle)) in goals.iter().zip(&asked) {
            let ways = if let What::Stay = goal.what { self.scalars(&velocities) } else { ways.clone() };
            let mut rows = rows.clone();
            match &mut rows {
                Rows::Hold { frame, number } => {
                    *number = holds.len();
                    holds.push(*frame);
                }
                Rows::Pair(relation) => relation.movers = movers(&ways),
                _ => {}
            }
            asks.push(Ask {
                rows,
                movers: movers(&ways),
                weight: goal.axes.map(|axis| E::from_f64(axis * goal.weight)),
                first: goal.priority == Priority::First,
                target: target_width,
                tolerance: E::from_f64(self.scope.tolerances[usize::from(*is_angle)]),
            });
            target_width += goal.target_width();
        }
        let closings = self.closings(&loops, movers);
        let relations = self.relations(&couplings, movers);
        let bounds = self.bounds(&loops);
        let cliques = asks.iter().filter(|ask| !matches!(ask.rows, Rows::Stay)).map(|ask| &ask.movers);
        let cliques = cliques.chain(closings.iter().filter(|c| c.acts).map(|closing| &closing.movers));
        let cliques = cliques.chain(relations.iter().map(|relation| &relation.movers));
        let columns: Vec<Vec<usize>> =
            cliques.map(|movers| movers.iter().map(|mover| mover.column).collect()).collect();
        let needs_mass = asks.iter().any(|ask| matches!(ask.rows, Rows::CenterOfMass));
        Ok(Task {
            nodes: self.nodes(&asks, (&closings, &relations), needs_mass),
            X_PT: self.tree.nodes.iter().map(|node| pose_of(node.tilt, node.p)).collect(),
            coordinates: velocities.iter().map(|v| self.coordinate(*v)).collect(),
            limits: velocities.iter().map(|v| self.robot.limits[*v]).collect(),
            pattern: Pattern::new(velocities.len(), &columns),
            has_loops: closings.iter().any(|closing| closing.acts) || !relations.is_empty(),
            has_second: goals.iter().any(|goal| goal.priority == Priority::Second),
            shares: self.shares(),
            roots: (0..self.tree.nodes.len()).filter(|i| self.tree.nodes[*i].parent == WORLD).collect(),
            asks,
            holds,
            closings,
            relations,
            bounds,
            velocities,
            target_width,
            metre: E::one(),
            needs_mass,
        })
    }

    /// Kernels' form of a goal, the velocities that it sees, and whether its error is an angle.
    fn rows(&self, goal: &Goal) -> Result<(Rows<E>, Vec<Way>, bool), KinematicsError> {
        let world = Place { node: None, X_NF: Pose::identity() };
        let base = |relative_to: &Option<String>| match relative_to {
            None => Ok(world),
            Some(name) => self.frame(name),
        };
        Ok(match &goal.what {
            What::Position { frame, point, relative_to } => {
                let (mut frame, base) = (self.frame(frame)?, base(relative_to)?);
                let point = Vec3::new(E::from_f64(point.x), E::from_f64(point.y), E::from_f64(point.z));
                frame.X_NF = frame.X_NF * Pose::from_position(point);
                (Rows::Position { frame, base }, self.between(base.node, frame.node), false)
            }
            What::Orientation { frame, relative_to } => {
                let (frame, base) = (self.frame(frame)?, base(relative_to)?);
                (Rows::Orientation { frame, base }, self.between(base.node, frame.node), true)
            }
            What::LookAt { frame, axis } => {
                let (frame, axis) = (self.frame(frame)?, axis.normalized());
                let axis = Vec3::new(E::from_f64(axis.x), E::from_f64(axis.y), E::from_f64(axis.z));
                (Rows::LookAt { frame, axis }, self.between(None, frame.node), true)
            }
            What::CenterOfMass => {
                let all = (0..self.tree.dof_count()).map(|v| (v, true));
                (Rows::CenterOfMass, all.collect(), false)
            }
            What::Joint { joint, dof } => self.joint(joint, *dof)?,
            What::Pair { first, second, factor } => self.pair((first, second), *factor)?,
            What::Hold { frame } => {
                let frame = self.frame(frame)?;
                (Rows::Hold { frame, number: 0 }, self.between(None, frame.node), false)
            }
            What::Apart { from, body } => {
                let (from, to) = (base(from)?, self.frame(body)?);
                (Rows::Apart { from, to }, self.between(from.node, to.node), false)
            }
            What::Stay => (Rows::Stay, Vec::new(), true),
        })
    }

    fn joint(&self, name: &str, dof: usize) -> Result<(Rows<E>, Vec<Way>, bool), KinematicsError> {
        let missing = || KinematicsError::NoSuchCoordinate { joint: name.to_owned(), dof };
        let found = self.robot.joints.iter().position(|known| known.name == name);
        let joint = found.ok_or_else(|| KinematicsError::NoSuchJoint(name.to_owned()))?;
        let kind = self.robot.joints[joint].kind;
        if !kind.has_scalar_coordinates() || dof >= kind.dof_count() {
            return Err(missing());
        }
        let is_angle = kind.is_angle(dof);
        let slot = self.tree.slots().iter().find(|slot| slot.joint.is_some_and(|id| id.index() == joint));
        if let Some(slot) = slot {
            let order = &self.tree.v_order;
            let v = order.place.iter().position(|place| *place == slot.v.start + dof).ok_or_else(missing)?;
            let q = self.coordinate(v).ok_or_else(missing)?;
            return Ok((Rows::Coordinate { q, sign: order.sign[v] }, vec![(v, true)], is_angle));
        }
        let closures = &self.tree.loops.closures;
        let closure = closures.iter().position(|c| c.joint.index() == joint).ok_or_else(missing)?;
        let ways = self.between(closures[closure].F.node, closures[closure].M.node);
        Ok((Rows::Closing { closure, dof, is_angle }, ways, is_angle))
    }

    fn pair(
        &self,
        (first, second): (&str, &str),
        factor: f64,
    ) -> Result<(Rows<E>, Vec<Way>, bool), KinematicsError> {
        let (mut terms, mut ways, mut angle) = (Vec::new(), Vec::new(), false);
        for (name, coefficient) in [(first, 1.0), (second, -factor)] {
            let found = self.robot.joints.iter().position(|known| known.name == *name);
            let joint = found.ok_or_else(|| KinematicsError::NoSuchJoint(name.to_owned()))?;
            let kind = self.robot.joints[joint].kind;
            let missing = || KinematicsError::NoSuchCoordinate { joint: name.to_owned(), dof: 0 };
            if !kind.has_scalar_coordinates() || kind.dof_count() == 0 {
                return Err(missing());
            }
            let source = coordinate(self.tree, JointId::new(joint), 0).ok_or_else(missing)?;
            angle |= kind.is_angle(0);
            ways.extend(self.of_source(source).into_iter().map(|v| (v, true)));
            terms.push((source, E::from_f64(coefficient)));
        }
        ways.sort_unstable();
        ways.dedup();
        Ok((Rows::Pair(Relation { terms, constant: E::zero(), movers: Vec::new() }), ways, angle))
    }

    fn frame(&self, name: &str) -> Result<Place<E>, KinematicsError> {
        let id = self.tree.frame(name).map_err(|_| KinematicsError::NoSuchFrame(name.to_owned()))?;
        Ok(place(&self.tree.frames[id.index()]))
    }

    /// Velocities that move one frame but not the other.
    fn between(&self, base: Option<usize>, frame: Option<usize>) -> Vec<Way> {
        let path = |node: Option<usize>| node.map_or(Vec::new(), |node| self.tree.path(node));
        let (to_base, to_frame) = (path(base), path(frame));
        let mut ways = Vec::new();
        for (own, other, forward) in [(&to_frame, &to_base, true), (&to_base, &to_frame, false)] {
            for node in own.iter().filter(|i| !other.contains(i)).map(|i| &self.tree.nodes[*i]) {
                ways.extend((node.v..node.v + node.motion.dofs()).map(|v| (v, forward)));
            }
        }
        ways
    }

    fn coupled(&self, coupling: usize) -> Vec<usize> {
        let mut velocities = Vec::new();
        for (source, _) in &self.tree.loops.couplings[coupling].terms {
            velocities.extend(self.of_source(*source));
        }
        velocities.sort_unstable();
        velocities.dedup();
        velocities
    }

    /// Velocities that a coordinate depends on.
    fn of_source(&self, source: Source) -> Vec<usize> {
        match source {
            Source::Tree { v, .. } => vec![v],
            Source::Closing { closure, .. } => {
                let closure = &self.tree.loops.closures[closure];
                self.between(closure.F.node, closure.M.node).iter().map(|way| way.0).collect()
            }
        }
    }

    /// Velocities that goals or their loops can move, and which loops and couplings those are.
    fn relevant<'w>(&self, asked: impl Iterator<Item = &'w Way>) -> (Vec<bool>, Vec<bool>, Vec<bool>) {
        let loops = &self.tree.loops;
        let mut relevant = vec![false; self.tree.dof_count()];
        asked.for_each(|(v, _)| relevant[*v] |= !self.scope.held[*v]);
        let rows: Vec<Vec<usize>> = (loops.closures.iter())
            .map(|c| self.between(c.F.node, c.M.node).iter().map(|way| way.0).collect())
            .chain((0..loops.couplings.len()).map(|c| self.coupled(c)))
            .collect();
        let mut acts = vec![false; rows.len()];
        loop {
            let before = acts.iter().filter(|acts| **acts).count();
            for (row, acts) in rows.iter().zip(&mut acts) {
                *acts |= self.scope.all_loops || row.iter().any(|v| relevant[*v]);
                if *acts {
                    row.iter().for_each(|v| relevant[*v] |= !self.scope.held[*v]);
                }
            }
            if acts.iter().filter(|acts| **acts).count() == before {
                break;
            }
        }
        let couplings = acts.split_off(loops.closures.len());
        (relevant, acts, couplings)
    }

    /// Sorted by unknown.
    fn movers(&self, velocities: &[usize], ways: &[Way]) -> Vec<Mover> {
        let mut movers: Vec<Mover> = Vec::new();
        for &(v, forward) in ways {
            if let Some(column) = velocities.iter().position(|known| *known == v) {
                movers.push(Mover { column, v, node: self.tree.v_node[v], forward });
            }
        }
        movers.sort_by_key(|mover| mover.column);
        movers
    }

    fn scalars(&self, velocities: &[usize]) -> Vec<Way> {
        velocities.iter().filter(|v| self.coordinate(**v).is_some()).map(|v| (*v, true)).collect()
    }

    /// Place in q of a velocity that is the rate of one coordinate.
    fn coordinate(&self, v: usize) -> Option<usize> {
        let node = &self.tree.nodes[self.tree.v_node[v]];
        (node.motion.coordinates() == 1).then_some(node.q)
    }

    fn closings(&self, acts: &[bool], movers: impl Fn(&[Way]) -> Vec<Mover>) -> Vec<Closing<E>> {
        let all = self.tree.loops.closures.iter().zip(acts);
        let closing = |(closure, acts): (&bellcrank_tree::loops::Closure<E>, &bool)| Closing {
            kind: closure.kind,
            F: place(&closure.F),
            M: place(&closure.M),
            movers: movers(&self.between(closure.F.node, closure.M.node)),
            acts: *acts,
        };
        all.map(closing).collect()
    }

    fn relations(&self, acts: &[bool], movers: impl Fn(&[Way]) -> Vec<Mover>) -> Vec<Relation<E>> {
        let all = self.tree.loops.couplings.iter().enumerate().filter(|(c, _)| acts[*c]);
        let relation = |(c, coupling): (usize, &bellcrank_tree::loops::Relation<E>)| {
            let ways: Vec<Way> = self.coupled(c).into_iter().map(|v| (v, true)).collect();
            Relation { terms: coupling.terms.clone(), constant: coupling.constant, movers: movers(&ways) }
        };
        all.map(relation).collect()
    }

    fn bounds(&self, acts: &[bool]) -> Vec<Bound<E>> {
        let acting = self.robot.closing_limits.iter().filter(|limit| acts[limit.closure]);
        acting.map(|l| Bound { closure: l.closure, dof: l.dof, limits: l.limits }).collect()
    }

    /// Nodes between the world and anything that rows look at.
    fn nodes(
        &self,
        asks: &[Ask<E>],
        (closings, relations): (&[Closing<E>], &[Relation<E>]),
        all: bool,
    ) -> Vec<usize> {
        let mut needed = vec![all; self.tree.nodes.len()];
        let mut need = |place: &Place<E>| {
            if let Some(node) = place.node {
                self.tree.path(node).into_iter().for_each(|i| needed[i] = true);
            }
        };
        for ask in asks {
            match &ask.rows {
                Rows::Position { frame, base } | Rows::Orientation { frame, base } => {
                    need(frame);
                    need(base);
                }
                Rows::LookAt { frame, .. } | Rows::Hold { frame, .. } => need(frame),
                Rows::Apart { from, to } => {
                    need(from);
                    need(to);
                }
                Rows::Pair(relation) => {
                    for (source, _) in &relation.terms {
                        if let Source::Closing { closure, .. } = source {
                            need(&closings[*closure].F);
                            need(&closings[*closure].M);
                        }
                    }
                }
                Rows::Closing { closure, .. } => {
                    need(&closings[*closure].F);
                    need(&closings[*closure].M);
                }
                _ => {}
            }
        }
        let coupled = relations.iter().flat_map(|relation| &relation.terms);
        let coupled = coupled.filter_map(|(source, _)| match source {
            Source::Closing { closure, .. } => Some(&closings[*closure]),
            Source::Tree { .. } => None,
        });
        for closing in closings.iter().filter(|closing| closing.acts).chain(coupled) {
            need(&closing.F);
            need(&closing.M);
        }
        (0..needed.len()).filter(|i| needed[*i]).collect()
    }

    fn shares(&self) -> Vec<(E, Vec3<E>)> {
        let whole: f64 = self.tree.nodes.iter().map(|node| node.inertia().mass.to_f64()).sum();
        let share = E::from_f64(if whole > 0.0 { 1.0 / whole } else { 0.0 });
        self.tree.nodes.iter().map(|n| (n.inertia().mass * share, n.inertia().h * share)).collect()
    }
}

fn place<E: Elem>(frame: &Frame<E>) -> Place<E> {
    Place { node: frame.node, X_NF: Pose::new(Quat::from_mat3(frame.R), frame.p) }
}

fn pose_of<E: Elem>(tilt: Option<bellcrank_math::Mat3<E>>, p: Vec3<E>) -> Pose<E> {
    Pose::new(tilt.map_or(Quat::identity(), Quat::from_mat3), p)
}
