//! Derivatives by quantity: one column for every number of an array of the table, [`Quantity::is_differentiable`].
//!
//! Most numbers of an array are numbers of the engine ([`Wrt`]). Where they are not, their columns are sums of the engine's: an
//! inertia matrix holds each product of inertia twice, and the friction of a pair of shapes follows from those of both by the
//! model's rule.

use crate::{StepDerivatives, Wrt};
use bellcrank_collide::{ContactPlan, Pair};
use bellcrank_model::{Actuator, CombineRule, Control, Material, Model, Parameters, nearest};
use bellcrank_sim::{Batch, BatchError, Kind, Owner, Quantity};
use bellcrank_step::settings::Method;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use Quantity as Q;

/// κ of batches that have none of their own [N·s·m].
const KAPPA: f64 = 1e-4;

/// A sum of the engine's own columns: which, and how much of each.
type Mix = Vec<Vec<(usize, f64)>>;

/// The columns of one quantity.
#[derive(Clone, Debug)]
pub struct Block {
    /// Whose they are.
    pub quantity: Quantity,
    /// The shape of its array, without the axis of worlds.
    pub shape: Vec<usize>,
    /// The engine's columns that it needs.
    wrt: Vec<Wrt>,
    /// How its columns follow from those; they are the same where there is no mix.
    mix: Option<Mix>,
}

/// How derivatives are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Smoothness {
    /// Contacts have slack times force = κ [N·s·m]; `None` for that of the batch's solver, or 1e-4 where it has none.
    pub kappa: Option<f64>,
    /// Steps that do not converge have columns that are not numbers, and are no error.
    pub lenient: bool,
}

/// What is asked about the next step of some worlds of one model.
pub struct QuantityDerivatives<'a> {
    batch: &'a Batch,
    worlds: &'a [usize],
    kappa: f64,
    lenient: bool,
    model: Arc<Model>,
    wrt: Vec<Wrt>,
    /// One list of blocks for all worlds, or one each where their frictions differ.
    blocks: Vec<Vec<Block>>,
}

impl<'a> QuantityDerivatives<'a> {
    /// Prepares for these quantities.
    ///
    /// # Errors
    /// When there is no world or no such world, when worlds are of different models, when κ is not above zero, or where a
    /// quantity has no derivative.
    pub fn new(
        batch: &'a Batch,
        worlds: &'a [usize],
        quantities: &[Quantity],
        how: Smoothness,
    ) -> Result<Self, BatchError> {
        let &first = worlds.first().ok_or(BatchError::NoWorlds)?;
        let g = batch.find(first)?.0;
        for &world in worlds {
            if batch.find(world)?.0 != g {
                return Err(BatchError::MixedModels(first, world));
            }
        }
        let model = batch.models()[g].clone();
        check(&model, quantities)?;
        let plan = ContactPlan::of(&model);
        let parameters = batch.parameters(g)?;
        let of = |world: &usize| -> Result<Vec<Block>, BatchError> {
            let rubbing = Rubbing { model: &model, plan: &plan, parameters, world: batch.find(*world)?.1 };
            Ok(quantities.iter().map(|quantity| rubbing.block(*quantity)).collect())
        };
        let rubs = |q: &Quantity| matches!(q, Q::Friction | Q::TorsionalFriction | Q::RollingFriction);
        let differ = quantities.iter().any(rubs) && batch.worlds_differ(g, Q::Friction);
        let some = if differ { worlds } else { &worlds[..1] };
        let blocks = some.iter().map(of).collect::<Result<Vec<_>, _>>()?;
        let wrt = blocks[0].iter().flat_map(|block| block.wrt.iter().copied()).collect();
        let kappa = own_kappa(batch, how.kappa)?;
        Ok(QuantityDerivatives { batch, worlds, kappa, lenient: how.lenient, model, wrt, blocks })
    }

    /// Quantities and their shapes, in the order of the columns.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks[0]
    }

    /// Numbers of all quantities.
    pub fn columns(&self) -> usize {
        self.blocks[0].iter().map(Block::len).sum()
    }

    /// Twelve per body.
    pub fn rows(&self) -> usize {
        12 * self.model.bodies().len()
    }

    /// The Jacobians of some of the worlds, by their places in the list, world after world and row after row; over the threads
    /// of the batch.
    ///
    /// # Errors
    /// As [`StepDerivatives::step_jacobian`].
    pub fn jacobians(&self, some: Range<usize>) -> Result<Vec<f64>, BatchError> {
        let (rows, columns) = (self.rows(), self.columns());
        self.each(some, rows * columns, |k, out| {
            let jacobian = self.batch.step_jacobian(self.worlds[k], self.kappa, &self.wrt)?;
            let engine = jacobian.values.chunks_exact(self.wrt.len().max(1));
            for (engine, out) in engine.zip(out.chunks_exact_mut(columns.max(1))) {
                self.gather(k, engine, out);
            }
            Ok(())
        })
    }

    /// Cotangents of the next step's end, [`Self::rows`] numbers for each of these worlds, taken back to all quantities.
    ///
    /// # Errors
    /// As [`StepDerivatives::step_vjp`].
    pub fn vjps(&self, some: Range<usize>, cotangents: &[f64]) -> Result<Vec<f64>, BatchError> {
        let (rows, first) = (self.rows(), some.start);
        let (found, expected) = (cotangents.len(), rows * some.len());
        if found != expected {
            return Err(BatchError::WrongCount { what: "cotangents", found, expected });
        }
        self.each(some, self.columns(), |k, out| {
            let own = &cotangents[(k - first) * rows..][..rows];
            let back = self.batch.step_vjp(self.worlds[k], self.kappa, own, &self.wrt)?;
            self.gather(k, &back.cotangents, out);
            Ok(())
        })
    }

    /// `size` numbers of every world.
    fn each(
        &self,
        some: Range<usize>,
        size: usize,
        f: impl Fn(usize, &mut [f64]) -> Result<(), BatchError> + Sync,
    ) -> Result<Vec<f64>, BatchError> {
        let list: Vec<usize> = some.collect();
        let found = self.batch.over(&list, |_, k| {
            let mut out = vec![0.0; size];
            match f(k, &mut out) {
                Err(BatchError::NotConverged { .. }) if self.lenient => out.fill(f64::NAN),
                other => other?,
            }
            Ok(out)
        })?;
        Ok(found.concat())
    }

    /// The columns of all blocks from the engine's.
    fn gather(&self, k: usize, mut engine: &[f64], mut out: &mut [f64]) {
        for block in self.blocks.get(k).unwrap_or(&self.blocks[0]) {
            let (own, rest) = engine.split_at(block.wrt.len());
            let (place, others) = std::mem::take(&mut out).split_at_mut(block.len());
            block.gather(own, place);
            (engine, out) = (rest, others);
        }
    }
}

impl Block {
    /// Numbers of the array.
    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// One number per column of the array, from one per column of the engine.
    fn gather(&self, engine: &[f64], out: &mut [f64]) {
        match &self.mix {
            None => out.copy_from_slice(engine),
            Some(mix) => {
                for (out, terms) in out.iter_mut().zip(mix) {
                    *out = terms.iter().map(|&(k, weight)| weight * engine[k]).sum();
                }
            }
        }
    }
}

/// Names of quantities, `"control"` (the three control arrays of motors) and `"parameters"` (all that have a derivative) become
/// quantities, each once.
///
/// # Errors
/// When a step has no derivative by such a name; the nearest that it has is the hint.
pub fn differentiable(model: &Model, names: &[String]) -> Result<Vec<Quantity>, BatchError> {
    let mut all: Vec<Quantity> = Vec::new();
    for name in names {
        let group: Vec<Quantity> = match name.as_str() {
            "control" => vec![Q::Effort, Q::TargetPosition, Q::TargetVelocity],
            "parameters" => parameters(model),
            _ => vec![named(name)?],
        };
        for quantity in group {
            if !all.contains(&quantity) {
                all.push(quantity);
            }
        }
    }
    Ok(all)
}

/// All parameters of a model that a step can be differentiated by, and directions beside that of the state.
fn parameters(model: &Model) -> Vec<Quantity> {
    let fits = |q: &Quantity| match q {
        Q::State => false,
        Q::Gain => affine(model).is_none(),
        _ => matches!(q.kind(), Kind::Parameter | Kind::Direction) && q.is_differentiable(),
    };
    Quantity::all().filter(fits).collect()
}

fn named(name: &str) -> Result<Quantity, BatchError> {
    let known = || Quantity::all().filter(|quantity| quantity.is_differentiable());
    known().find(|quantity| quantity.name() == name).ok_or_else(|| {
        let groups = ["control", "parameters"].into_iter();
        let all: Vec<String> = known().map(Quantity::name).chain(groups).map(str::to_owned).collect();
        let hint = match nearest(name, all.iter()) {
            Some(near) => format!("\n  hint: did you mean {near:?}?"),
            None => format!("\n  hint: known are {}", all.join(", ")),
        };
        BatchError::NoSuchName { what: "derivative by", name: name.to_owned(), hint }
    })
}

fn check(model: &Model, quantities: &[Quantity]) -> Result<(), BatchError> {
    if let Some(quantity) = quantities.iter().find(|quantity| !quantity.is_differentiable()) {
        return Err(BatchError::NoDerivative(format!("a step has no derivative by {}", quantity.name())));
    }
    match affine(model) {
        Some(motor) if quantities.contains(&Q::Gain) => Err(BatchError::NoDerivative(format!(
            "gain: the affine motor {motor:?} has no derivative by its gain\n  hint: its effort is gain · control: use the \
             column of its effort"
        ))),
        _ => Ok(()),
    }
}

fn affine(model: &Model) -> Option<&str> {
    let found = model.actuators().iter().find(|a| matches!(a.control, Control::Affine { .. }));
    found.map(|a| a.name.as_str())
}

/// The given κ, or the batch's own.
pub(crate) fn own_kappa(batch: &Batch, given: Option<f64>) -> Result<f64, BatchError> {
    let own = match batch.engine_settings().method {
        Method::InteriorPoint(point) => point.kappa,
        _ => KAPPA,
    };
    let kappa = given.unwrap_or(own);
    if kappa > 0.0 && kappa.is_finite() { Ok(kappa) } else { Err(BatchError::BadKappa(kappa)) }
}

/// What the columns of a world's quantities are made from.
struct Rubbing<'a> {
    model: &'a Model,
    plan: &'a ContactPlan,
    parameters: &'a Parameters,
    /// Among those of the model.
    world: usize,
}

impl Rubbing<'_> {
    /// The block of a quantity.
    fn block(&self, quantity: Quantity) -> Block {
        let parts = quantity.parts(self.model);
        let axes: &[usize] = if quantity.owner() == Owner::World { &[] } else { &[parts] };
        let shape = [axes, quantity.tail()].concat();
        let (wrt, mix) = match quantity {
            Q::BodyInertia => inertia(parts),
            Q::Friction => self.share(|pair| Wrt::Friction { pair }, |m| m.sliding),
            Q::TorsionalFriction => self.share(|pair| Wrt::Torsional { pair }, |m| m.torsional),
            Q::RollingFriction => self.share(|pair| Wrt::Rolling { pair }, |m| m.rolling),
            Q::Gain => self.gains(Wrt::Kp, |law| matches!(law, Control::Position { .. })),
            Q::RateGain => {
                let has = |law: &Control| matches!(law, Control::Position { .. } | Control::Velocity { .. });
                self.gains(Wrt::Kd, has)
            }
            _ => {
                let components = quantity.components();
                let own = |k: usize| number(quantity, k / components, k % components);
                ((0..parts * components).filter_map(own).collect(), None)
            }
        };
        Block { quantity, shape, wrt, mix }
    }

    /// Motors without such a gain do not depend on it.
    fn gains(&self, wrt: fn(usize) -> Wrt, has: fn(&Control) -> bool) -> (Vec<Wrt>, Option<Mix>) {
        let motors = self.model.actuators();
        let own = |(k, motor): (usize, &Actuator)| {
            if has(&motor.control) { vec![(k, 1.0)] } else { Vec::new() }
        };
        ((0..motors.len()).map(wrt).collect(), Some(motors.iter().enumerate().map(own).collect()))
    }

    /// The engine knows the friction of pairs; that of shapes has its share in each of theirs.
    fn share(&self, wrt: fn(usize) -> Wrt, field: fn(&Material) -> f64) -> (Vec<Wrt>, Option<Mix>) {
        let mut mix: Mix = vec![Vec::new(); self.model.shapes().len()];
        let rule = self.model.material_rules().friction;
        for (k, pair) in self.plan.pairs().iter().enumerate() {
            let value = |shape| field(&self.parameters.shape(shape).get(self.world).material);
            let shares = shares(pair, rule, [value(pair.shape_a), value(pair.shape_b)]);
            mix[pair.shape_a.index()].push((k, shares[0]));
            mix[pair.shape_b.index()].push((k, shares[1]));
        }
        ((0..self.plan.pairs().len()).map(wrt).collect(), Some(mix))
    }
}

/// The engine's number that is component `k` of a part's.
fn number(quantity: Quantity, part: usize, k: usize) -> Option<Wrt> {
    let (body, shape, joint, axis) = (part, part, part, k % 3);
    Some(match quantity {
        Q::State => match k / 3 {
            0 => Wrt::Position { body, axis },
            1 => Wrt::Rotation { body, axis },
            2 => Wrt::LinearVelocity { body, axis },
            _ => Wrt::AngularVelocity { body, axis },
        },
        Q::Effort => Wrt::Effort(part),
        Q::TargetPosition => Wrt::TargetPosition(part),
        Q::TargetVelocity => Wrt::TargetVelocity(part),
        Q::BodyWrench if k < 3 => Wrt::Force { body, axis },
        Q::BodyWrench => Wrt::Moment { body, axis },
        Q::TimeStep => Wrt::TimeStep,
        Q::Gravity => Wrt::Gravity { axis },
        Q::BodyMass => Wrt::Mass(body),
        Q::BodyCom => Wrt::CentreOfMass { body, axis },
        Q::ShapePosition => Wrt::ShapePosition { shape, axis },
        Q::ShapeRotation => Wrt::ShapeRotation { shape, axis },
        Q::ShapeSize => Wrt::ShapeSize { shape, axis },
        Q::PredecessorAnchor => Wrt::AnchorOnPredecessor { joint, axis },
        Q::SuccessorAnchor => Wrt::AnchorOnSuccessor { joint, axis },
        Q::PredecessorAxes => Wrt::AxesOnPredecessor { joint, axis },
        Q::SuccessorAxes => Wrt::AxesOnSuccessor { joint, axis },
        Q::Armature => Wrt::Armature(part),
        Q::Damping => Wrt::Damping(part),
        Q::JointFriction => Wrt::JointFriction(part),
        Q::SpringStiffness => Wrt::Stiffness(part),
        Q::SpringRest => Wrt::Rest(part),
        Q::Limits if k == 0 => Wrt::LowerLimit(part),
        Q::Limits => Wrt::UpperLimit(part),
        Q::Gear => Wrt::Gear(part),
        _ => return None,
    })
}

/// The 3×3 matrix of each body from its six numbers; what stands there twice is shared between both places.
fn inertia(bodies: usize) -> (Vec<Wrt>, Option<Mix>) {
    const ENTRY: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
    let mut mix = Vec::new();
    for body in 0..bodies {
        for (i, row) in ENTRY.iter().enumerate() {
            let share = |j: usize| if i == j { 1.0 } else { 0.5 };
            mix.extend(row.iter().enumerate().map(|(j, entry)| vec![(6 * body + entry, share(j))]));
        }
    }
    let wrt = (0..6 * bodies).map(|k| Wrt::Inertia { body: k / 6, entry: k % 6 }).collect();
    (wrt, Some(mix))
}

/// Derivatives of a pair's coefficient by those of its shapes; where the larger or smaller counts and both are the same,
/// half of each.
fn shares(pair: &Pair, rule: CombineRule, [a, b]: [f64; 2]) -> [f64; 2] {
    let first = |order: Ordering| match order {
        Ordering::Greater => [1.0, 0.0],
        Ordering::Less => [0.0, 1.0],
        Ordering::Equal => [0.5, 0.5],
    };
    match (pair.preference, rule) {
        (Ordering::Equal, CombineRule::Average) => [0.5, 0.5],
        (Ordering::Equal, CombineRule::Maximum) => first(a.total_cmp(&b)),
        (Ordering::Equal, CombineRule::Minimum) => first(b.total_cmp(&a)),
        (Ordering::Equal, CombineRule::Product) => [b, a],
        (preferred, _) => first(preferred),
    }
}
