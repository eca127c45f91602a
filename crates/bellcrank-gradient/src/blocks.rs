//! The blocks of a derivative, each against central differences of what it is the derivative of: Newton's matrix, the
//! right-hand sides that a change of a number leaves, the wrenches of a contact.
//!
//! They look inside the library, so they are part of it where the feature `checks` is on; `tests/blocks_of_derivatives.rs`
//! calls them. Tests inside would compile the whole library, with all its lane types, a second time.

pub use bellcrank_step::interior::slopes_of_momentum_and_of_the_end_pose_are_those_of_dual_numbers;

use super::columns::Rows;
use super::{Scratch, Smoothed, Source, Wrt};
use bellcrank_math::{Pose, Vec3, so3};
use bellcrank_model::{
    Body, Geometry, Joint, JointKind, Model, ModelBuilder, Parameters, Shape, WORLD, library,
};
use bellcrank_solve::{Aim, Friction, Newton};
use bellcrank_step::interior::{self, InteriorWorkspace, System, right_hand_side, twists};
use bellcrank_step::lane_access::read_lane;
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::{Integrator, Settings};
use bellcrank_step::state::{Control, State};
use bellcrank_step::workspace::Workspace;

const KAPPA: f64 = 1e-4;

/// A model and a state of it.
struct World {
    model: Model,
    layout: Layout,
    parameters: Parameters,
    values: Vec<f64>,
    scratch: Scratch,
    how: Smoothed,
}

fn source<'a>(
    model: &'a Model,
    layout: &'a Layout,
    parameters: &'a Parameters,
    values: &'a [f64],
) -> Source<'a> {
    Source { model, layout, parameters, world: 0, values, block: None, dt: 0.01 }
}

impl World {
    /// After some steps, and with the next one solved.
    fn after(builder: ModelBuilder, steps: usize, integrator: Integrator) -> Self {
        let model = builder.build().unwrap();
        let (layout, parameters) = (Layout::of(&model), Parameters::of(&model));
        let state = State::<f64>::reference(&model, &layout);
        let mut values = read_lane(&state, &Control::rest(&model, &layout, &state), 0);
        let settings = Settings { integrator, ..Settings::default() };
        let how = Smoothed::of(&settings, KAPPA);
        let mut scratch = Scratch::new(&source(&model, &layout, &parameters, &values));
        for _ in 0..steps {
            let here = source(&model, &layout, &parameters, &values);
            scratch.solve(&here, &how, None).unwrap();
            let next = scratch.take_step(&here, &how);
            values = next;
        }
        scratch.solve(&source(&model, &layout, &parameters, &values), &how, None).unwrap();
        World { model, layout, parameters, values, scratch, how }
    }

    fn everything(&self) -> Vec<Wrt> {
        let mut all = Wrt::state(self.model.bodies().len());
        all.extend(Wrt::control(self.model.actuators().len()));
        all.extend(Wrt::parameters(&self.model, &self.layout));
        all
    }
}

/// A hand-made system: balls on each other on the ground, and a box hinged to one of them at its limit.
fn balls() -> ModelBuilder {
    let mut m = ModelBuilder::new("balls");
    for (name, at) in [("low", Vec3::new(0.0, 0.0, 0.1)), ("high", Vec3::new(0.02, 0.01, 0.3005))] {
        let body = m.body(Body::new(name).at(Pose::from_position(at)).solid_sphere(1.0, 0.1));
        m.shape(Shape::new(name, body, Geometry::Sphere { radius: 0.1 }).friction(0.6));
    }
    let size = Vec3::new(0.1, 0.1, 0.1);
    let arm = m.body(Body::new("arm").at(Pose::translation(0.25, 0.0, 0.052)).solid_box(0.5, size));
    m.shape(Shape::new("arm", arm, Geometry::Box { half: size * 0.5 }).friction(0.6));
    let hinge = Joint::revolute("hinge", "low", arm).placed(Vec3::new(0.15, 0.0, 0.06), Vec3::y_axis());
    m.joint(hinge.limits(-0.01, 0.3).damping(0.1).friction(0.05));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.6));
    m
}

/// Three links with two joints of one kind, with springs and dampers; the last link lies on the ground.
fn snake(kind: JointKind) -> ModelBuilder {
    let mut m = ModelBuilder::new("snake");
    for i in 0..3 {
        let at = Pose::translation(0.4 * f64::from(i), 0.0, 0.0503);
        let body = m.body(Body::new(format!("link{i}")).at(at).solid_box(1.0, Vec3::new(0.3, 0.1, 0.1)));
        let half = Vec3::new(0.15, 0.05, 0.05);
        m.shape(Shape::new(format!("link{i}"), body, Geometry::Box { half }).friction(0.5));
    }
    for i in 0..2 {
        let (from, to) = (format!("link{i}"), format!("link{}", i + 1));
        let axis = if i == 0 { Vec3::y_axis() } else { Vec3::z_axis() };
        let joint = Joint::new(format!("joint{i}"), kind, from.as_str(), to.as_str());
        let at = Vec3::new(0.4 * f64::from(i) + 0.2, 0.0, 0.05);
        m.joint(joint.placed(at, axis).damping(0.2).spring(1.0, 0.1));
    }
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.5));
    m
}

/// Every mechanism in the air or just set down, and where contacts act.
fn each(f: impl FnMut(&str, World)) {
    each_with(Integrator::Variational, f);
}

fn each_with(integrator: Integrator, mut f: impl FnMut(&str, World)) {
    for name in ["humanoid", "quadruped", "hybrid_biped", "four_bar", "box", "pendulum", "cartpole", "arm"] {
        for steps in [1, 20] {
            f(name, World::after(library::by_name(name).unwrap(), steps, integrator));
        }
    }
    f("balls", World::after(balls(), 5, integrator));
    for kind in JointKind::ALL.into_iter().filter(|kind| *kind != JointKind::Free) {
        f(&format!("{kind:?}"), World::after(snake(kind), 5, integrator));
    }
}

/// Numbers between −1 and 1.
fn noise(i: usize) -> f64 {
    (12.9898 * i as f64 + 0.3).sin()
}

/// All equations but those of products.
fn equations(layout: &Layout, own: &InteriorWorkspace<f64>) -> Vec<f64> {
    let mut all: Vec<f64> = own.residual.iter().flatten().copied().collect();
    for (joint, rows) in layout.joints.iter().zip(&own.joints) {
        all.extend(&rows.rest[..joint.kind.row_count()]);
    }
    all.extend(own.couplings.iter().map(|c| c.rest));
    for touch in &own.touches {
        all.push(touch.push.rest);
        if let Friction::Round(rub) = touch.rub {
            all.push(rub.rest_bound);
            all.extend(&rub.rest[..rub.n]);
        }
    }
    all.extend(own.pushes.iter().map(|row| row.push.rest));
    all.extend(own.rubs.iter().flat_map(|row| [row.rub.rest_bound, row.rub.rest[0]]));
    all
}

fn largest<'a>(all: impl IntoIterator<Item = &'a f64>) -> f64 {
    all.into_iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// Adds what the compliance 1/w of joints and couplings leaves of a direction: δλ/w.
fn add_compliance(layout: &Layout, ws: &Workspace<f64>, own: &InteriorWorkspace<f64>, f: &mut [f64]) {
    let mut at = 6 * own.residual.len();
    for (j, joint) in layout.joints.iter().enumerate() {
        for i in 0..joint.kind.row_count() {
            f[at] += own.joints[j].dlambda[i] / ws.joints[j].weight[i];
            at += 1;
        }
    }
    for (c, coupling) in own.couplings.iter().enumerate() {
        f[at + c] += coupling.dlambda / ws.coupling_weight[c];
    }
}

/// Newton's direction from anywhere takes every equation F to zero at first order: dF/dα = −F, whatever the iterate, but for
/// the small compliance of joints. That is what the matrix, its factor and all that is eliminated from it are for.
pub fn newtons_matrix_is_the_slope_of_the_equations() {
    let mut worst = (0.0_f64, String::new());
    each(|name, mut world| {
        let here = source(&world.model, &world.layout, &world.parameters, &world.values);
        let solved = &mut world.scratch.solved;
        for (i, x) in solved.ws.u.iter_mut().flatten().enumerate() {
            *x += 0.02 * noise(i);
        }
        for (i, x) in solved.own.joints.iter_mut().flat_map(|rows| &mut rows.lambda).enumerate() {
            *x += 0.1 * noise(i);
        }
        let (ws, own) = (&mut solved.ws, &mut solved.own);
        let inputs = &solved.inputs;
        let (state, control, constants) = (&inputs.state, &inputs.control, &inputs.constants);
        let layout = here.layout;
        let this = world.how.implicit(layout, constants, here.dt);
        let mut system = System { this, state, control, ws, own };
        system.evaluate(KAPPA);
        system.factor();
        system.solve_direction(Aim { mu: KAPPA, second: 0.0, products: 1.0 });
        let mut start = equations(layout, system.own);
        add_compliance(layout, system.ws, system.own, &mut start);
        let amount = 1e-4;
        let mut at = |alpha: f64| {
            system.advance(true, alpha);
            system.evaluate(KAPPA);
            equations(layout, system.own)
        };
        let (high, low) = (at(amount), at(-2.0 * amount));
        let size = largest(&start).max(1.0);
        for (i, f) in start.iter().enumerate() {
            let off = ((high[i] - low[i]) / (2.0 * amount) + f).abs() / size;
            if off > worst.0 {
                worst = (off, format!("{name}, equation {i}"));
            }
        }
    });
    println!("Newton's matrix: worst {:e}, {}", worst.0, worst.1);
    assert!(worst.0 < 1e-7, "{worst:?}");
}

/// What a change of one number leaves of the equations, with all unknowns as they are.
struct Left {
    pushes: Vec<[f64; 6]>,
    rests: Vec<[f64; 6]>,
    ends: Vec<Pose>,
}

fn left(world: &mut World, saved: (&Workspace<f64>, &InteriorWorkspace<f64>), nudge: (Wrt, f64)) -> Left {
    let World { model, layout, parameters, values, scratch, how } = world;
    let here = source(model, layout, parameters, values);
    let reach = interior::reach(scratch.constants(), &scratch.solved.inputs.state, here.dt, how.point.reach);
    let plain = scratch.constants().clone();
    let solved = &mut scratch.solved;
    solved.inputs.reset(&here, &plain);
    solved.inputs.nudge(&here, nudge.0, nudge.1);
    solved.inputs.read_coordinates(layout);
    let (inputs, ws, own) = (&solved.inputs, &mut solved.ws, &mut solved.own);
    let (state, control, constants, dt) = (&inputs.state, &inputs.control, &inputs.constants, inputs.dt);
    let this = how.implicit(layout, constants, dt);
    interior::begin(&this, reach, state, control, ws, own);
    bellcrank_step::rows::drives::set_weights(layout, ws);
    ws.u.clone_from(&saved.0.u);
    for (rows, known) in own.joints.iter_mut().zip(&saved.1.joints) {
        rows.lambda = known.lambda;
    }
    for (c, known) in own.couplings.iter_mut().zip(&saved.1.couplings) {
        c.lambda = known.lambda;
    }
    for (touch, known) in own.touches.iter_mut().zip(&saved.1.touches) {
        (touch.push, touch.rub, touch.line) = (known.push, known.rub, known.line);
    }
    for (row, known) in own.pushes.iter_mut().zip(&saved.1.pushes) {
        row.push = known.push;
    }
    for (row, known) in own.rubs.iter_mut().zip(&saved.1.rubs) {
        row.rub = known.rub;
    }
    let mut system = System { this, state, control, ws, own };
    system.prepare();
    system.evaluate(KAPPA);
    for (joint, rows) in layout.joints.iter().zip(&mut ws.joints) {
        rows.weight[..joint.kind.row_count()].fill(0.0);
    }
    ws.coupling_weight.fill(0.0);
    right_hand_side(layout, Aim { mu: KAPPA, second: 0.0, products: 0.0 }, ws, own);
    let mut rests: Vec<[f64; 6]> = own.joints.iter().map(|rows| rows.rest).collect();
    for (rest, joint) in rests.iter_mut().zip(&layout.joints) {
        rest[joint.kind.row_count()..].fill(0.0);
    }
    rests.extend(own.couplings.iter().map(|c| [c.rest, 0.0, 0.0, 0.0, 0.0, 0.0]));
    Left { pushes: own.du.clone(), rests, ends: ws.X_next.clone() }
}

/// Columns of ∂r/∂θ, for state, control and every parameter, against differences of the equations themselves.
pub fn right_hand_sides_are_the_slopes_of_what_is_left() {
    let mut worst = (0.0_f64, String::new());
    each(|name, mut world| {
        let all: Vec<Wrt> =
            world.everything().into_iter().step_by(if name == "box" { 1 } else { 3 }).collect();
        let here = source(&world.model, &world.layout, &world.parameters, &world.values);
        world.scratch.linearise(&here, &world.how, &all).unwrap();
        let rows = Rows::of(&world.layout);
        let columns: Vec<Vec<[f64; 6]>> = (0..all.len())
            .map(|column| {
                let mut sum = vec![[0.0; 6]; rows.all];
                for entry in world.scratch.columns.of(column) {
                    (0..6).for_each(|i| sum[entry.row as usize][i] += entry.value[i]);
                }
                sum
            })
            .collect();
        let (u, own) = (Workspace::<f64>::new(&world.layout), world.scratch.solved.own.clone());
        let saved = Workspace { u: world.scratch.solved.ws.u.clone(), ..u };
        for (column, wrt) in columns.iter().zip(&all) {
            let amount = 1e-6;
            let [high, low] = [amount, -amount].map(|x| left(&mut world, (&saved, &own), (*wrt, x)));
            let slope = |a: f64, b: f64| (a - b) / (2.0 * amount);
            let mut found: Vec<[f64; 6]> = Vec::new();
            for (a, b) in high.pushes.iter().chain(&high.rests).zip(low.pushes.iter().chain(&low.rests)) {
                found.push(std::array::from_fn(|i| slope(a[i], b[i])));
            }
            for (a, b) in high.ends.iter().zip(&low.ends) {
                let (dx, turn) = (a.p - b.p, so3::log(a.R * b.R.inverse()));
                found.push([dx.x, dx.y, dx.z, turn.x, turn.y, turn.z].map(|x| slope(x, 0.0)));
            }
            let size = largest(column.iter().flatten()).max(1.0);
            for (row, (a, b)) in column.iter().zip(&found).enumerate() {
                for i in 0..6 {
                    let off = (a[i] - b[i]).abs() / size;
                    if off > worst.0 {
                        worst = (off, format!("{name}: {wrt:?}, row {row}: {} {}", a[i], b[i]));
                    }
                }
            }
        }
    });
    println!("right-hand sides: worst {:e}, {}", worst.0, worst.1);
    assert!(worst.0 < 1e-6, "{worst:?}");
}

/// The formulas for states and controls against dual numbers: the same columns, to rounding of what is added up.
pub fn formulas_give_what_dual_numbers_give() {
    let (mut worst, mut count) = ((0.0_f64, String::new()), 0);
    for integrator in [Integrator::Variational, Integrator::SemiImplicitEuler] {
        each_with(integrator, |name, mut world| {
            let mut all = Wrt::state(world.model.bodies().len());
            all.extend(Wrt::control(world.model.actuators().len()));
            let rows = Rows::of(&world.layout);
            let mut columns = [false, true].map(|without| {
                world.scratch.without_formulas = without;
                let here = source(&world.model, &world.layout, &world.parameters, &world.values);
                world.scratch.linearise(&here, &world.how, &all).unwrap();
                let mut sum = vec![vec![[0.0; 6]; rows.all]; all.len()];
                for (column, six) in sum.iter_mut().enumerate() {
                    for entry in world.scratch.columns.of(column) {
                        (0..6).for_each(|i| six[entry.row as usize][i] += entry.value[i]);
                    }
                }
                (sum, world.scratch.passes.list.len())
            });
            count += usize::from(columns[0].1 == 0);
            let [(formula, _), (dual, passes)] = &mut columns;
            assert!(*passes > 0);
            for ((a, b), wrt) in formula.iter().zip(dual).zip(&all) {
                let size = largest(b.iter().flatten()).max(1.0);
                for (row, (a, b)) in a.iter().zip(b).enumerate() {
                    for i in 0..6 {
                        let off = (a[i] - b[i]).abs() / size;
                        if off > worst.0 {
                            worst = (off, format!("{name}: {wrt:?}, row {row}, {i}: {} {}", a[i], b[i]));
                        }
                    }
                }
            }
        });
    }
    println!("formulas: worst {:e}, {}; {count} worlds", worst.0, worst.1);
    assert!(worst.0 < 1e-9, "{worst:?}");
    assert!(count > 30, "{count}");
}

/// A contact's rows and wrenches as its bodies' end poses move, either body, all six ways: flat on round, round on round.
pub fn wrenches_of_a_contact_change_as_they_say() {
    let (mut worst, mut count) = (0.0_f64, 0);
    each(|name, mut world| {
        let solved = &mut world.scratch.solved;
        let (X, u) = (solved.ws.X_next.clone(), &solved.ws.u);
        for touch in &solved.own.touches {
            let V = twists(&world.layout, (touch.a, touch.b), u);
            let (mut here, amount) = (*touch, 1e-6);
            here.place(&X, V);
            let reaction = here.reactions();
            let size = largest(&reaction).max(1.0) * (1.0 + V[1].linear.norm() + V[1].angular.norm());
            for side in if touch.a.is_some() { 0..2 } else { 1..2 } {
                let body = if side == 0 { touch.a.unwrap() } else { touch.b };
                for j in 0..6 {
                    let unit = |i: usize| Vec3::from_array(std::array::from_fn(|k| f64::from(k + i == j)));
                    let (dx, turn) = (unit(0), unit(3));
                    let change = here.change(side, dx, turn, here.force(&reaction));
                    let at = |x: f64| {
                        let (mut X, mut moved) = (X.clone(), *touch);
                        X[body] = Pose::new(so3::exp(turn * x) * X[body].R, X[body].p + dx * x);
                        let (distance, v) = moved.place(&X, V);
                        (distance, v, moved.wrenches(&reaction))
                    };
                    let (high, low) = (at(amount), at(-amount));
                    let slope = |a: f64, b: f64| (a - b) / (2.0 * amount);
                    let mut off = (slope(high.0, low.0) - change.rows[touch.n]).abs();
                    for k in 0..touch.n {
                        off = off.max((slope(high.1[k], low.1[k]) - change.rows[k]).abs());
                    }
                    for k in 0..12 {
                        let slope = slope(high.2[k / 6][k % 6], low.2[k / 6][k % 6]);
                        off = off.max((slope - change.wrench[k / 6][k % 6]).abs());
                    }
                    assert!(off < 1e-6 * size, "{name}, side {side}, {j}: {off:e} of {size}");
                    (worst, count) = (worst.max(off / size), count + 1);
                }
            }
        }
    });
    println!("wrenches of contacts: worst {worst:e} in {count}");
    assert!(count > 100, "{count}");
}
