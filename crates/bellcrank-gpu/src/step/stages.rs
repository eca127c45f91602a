//! The stages of a step, each for all of a mechanism: functions of `bellcrank-step` and the masks that they are given.
//!
//! Whether a stage is run for the whole, to know what is right, or for one body, joint or group of it, to record what is done to one, is up
//! to what it is given ([`super::narrow`]). In which order they come is told in [`super::schedule`].

use super::world::{Value, World};
use bellcrank_math::{Mask, Real};
use bellcrank_step::layout::Layout;
use bellcrank_step::reactions::{collect, comfree, cones};
use bellcrank_step::rows;
use bellcrank_step::settings::{Settings, Solver, farther};
use bellcrank_step::status::Report;
use bellcrank_step::step::balance::Work;
use bellcrank_step::step::pace::Pace;
use bellcrank_step::step::{self, accelerate, balance, motion, rounds, scene::Scene};

/// A part of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Who takes the step, and the part of it that is tried.
    Begin,
    BeginPart,
    /// The largest speed; how far ahead contacts are looked for.
    Speed,
    Reach,
    /// How far joints may be open.
    Distance,
    Tolerance,
    /// J, c(q)/Δt
    JointRows,
    /// λ = h − m q̇⁺
    DriveRows,
    /// M, Δt f
    Impulses,
    /// H = M + Jᵀ S⁻¹ J
    AddRows,
    /// Limits, boxes, contacts.
    BeginGroups,
    Collect,
    /// Whether any acts, and whether one of a contact does.
    NoteActing,
    NoteTouching,
    /// What is left of the last step's reactions.
    Fade,
    /// Δt f + Jᵀ (…)
    FirstImpulses,
    /// x += Jᵀ λ of limits, boxes and contacts.
    PushGroup,
    /// Δu ← x
    TakeFirst,
    /// All that run take part in the first round.
    BeginRounds,
    /// J u of a group.
    RowVelocities,
    /// x ← 0
    ClearPush,
    /// x += Jᵀ Δλ
    PushChange,
    /// Δu += x
    AddChange,
    /// No joint is open yet.
    ClearGap,
    /// c(q ⊕ Δt u)
    EndGap,
    /// Which worlds go on: all after the first round, those that are open after others.
    StayOpen,
    StillOpen,
    /// Which worlds go back to the first round.
    KeepGap,
    Diverged,
    Revert,
    /// What Newton's law misses.
    Missing,
    /// Δu += x after the first round, and after others.
    FirstCorrection,
    Correction,
    /// Worlds in which Newton's law has the last word.
    BeginSettling,
    FollowSettled,
    Unbalanced,
    AddMissing,
    AddSettled,
    /// Joints that close slowly.
    NoteSlow,
    Remember,
    Weigh,
    Weight,
    Accelerate,
    /// λ of held rows.
    Follow,
    /// Worlds that went back.
    GoBack,
    BeginBalance,
    /// What Newton's law misses without reactions.
    MissingAlone,
    GapOfUndone,
    /// Work that joints seem to do where they close slowly.
    ClearWork,
    AddWork,
    AddGroupWork,
    AddBodyWork,
    JudgeWork,
    /// Whether the part is taken as it is.
    Accept,
    /// Motors beyond their bounds.
    ClearBeyond,
    BoxDrive,
    /// The new state.
    StoreGroup,
    Store,
    BeginFinish,
    Fine,
    Moves,
    TakeOver,
    ForgetJoint,
    ForgetGroup,
    ReadCoordinates,
    End,
    /// Figures of the steps of a call.
    Sum,
}

/// Does a stage for what the layout and the world have.
pub fn run<R: Real>(stage: Stage, layout: &Layout, settings: &Settings, world: &mut World<R>) {
    let all = R::Mask::splat(true);
    let times = world.times(settings);
    let (lanes, going) = (world.is(Value::Lanes), world.is(Value::Going));
    let (accepted, fresh) = (world.is(Value::Accepted), world.is(Value::Fresh));
    let (settles, undone) = (world.is(Value::Settles), world.is(Value::Undone));
    let World { state, control, constants, ws, gap, .. } = world;
    let scene = Scene { layout, constants, settings, times, lanes };
    match stage {
        Stage::JointRows => {
            let most = rows::joint_rows(layout, constants, state, scene.held(), ws);
            let before = &mut world.values[Value::GapBefore as usize];
            *before = before.max(most);
        }
        Stage::DriveRows => rows::drives::drive_rows(layout, constants, state, control, times, ws),
        Stage::Impulses => motion::impulses(&scene, state, control, ws),
        Stage::AddRows => rows::add_joints(layout, ws),
        Stage::Collect => collect::collect(&scene, state, ws),
        Stage::Fade => {
            if let Solver::ComFree(solver) = &settings.solver {
                comfree::fade(solver, &mut ws.cones);
            }
        }
        Stage::FirstImpulses => balance::first_impulses(&scene, state, ws),
        Stage::PushGroup => cones::apply_warm_start(layout, ws),
        Stage::TakeFirst => balance::take_first(ws),
        Stage::RowVelocities => comfree::set_velocities(layout, ws),
        Stage::ClearPush => ws.x.fill([R::zero(); 6]),
        Stage::PushChange => cones::push_change(layout, ws),
        Stage::AddChange => balance::add_change(going, ws),
        Stage::ClearGap => *gap = [R::zero(); 2],
        Stage::EndGap => {
            motion::end_poses(layout, state, times.drift, ws);
            let (metres, radians) = rows::gaps(layout, constants, state, scene.held(), ws);
            *gap = [gap[0].max(metres), gap[1].max(radians)];
        }
        Stage::Revert => {
            let worse = R::zero().lt(world.values[Value::Worse as usize]);
            rounds::take_first_round(worse, ws);
        }
        Stage::Missing => balance::missing_impulses(&scene, going, ws),
        Stage::FirstCorrection => balance::add_correction(true, going, ws),
        Stage::Correction => balance::add_correction(false, going, ws),
        Stage::FollowSettled => balance::follow(layout, settles, ws),
        Stage::Unbalanced => {
            balance::unbalanced(layout, constants, times.turn(), ws);
        }
        Stage::MissingAlone => motion::missing_impulses(constants, layout, times.turn(), ws),
        Stage::AddMissing => {
            for &b in &layout.not_afloat {
                motion::add_missing(layout, constants, settles, times.turn(), b, ws);
                ws.x[layout.position[b]] = [R::zero(); 6];
            }
        }
        Stage::AddSettled => balance::add_change(settles, ws),
        Stage::Remember => accelerate::move_by(None, ws),
        Stage::Accelerate => accelerate::move_by(Some(world.values[Value::Gamma as usize]), ws),
        Stage::Follow => balance::follow(layout, all, ws),
        Stage::GoBack => balance::go_back(&scene, undone, state, ws),
        Stage::StoreGroup => cones::store(&scene, fresh, accepted, state, ws),
        Stage::Store => {
            let closed = R::zero().lt(world.values[Value::Closed as usize]);
            balance::store(&scene, accepted, closed, state, ws);
        }
        Stage::ReadCoordinates => rows::read_coordinates(layout, constants, state),
        _ => run_on_values(stage, layout, settings, world),
    }
}

/// Stages that decide something, and those that begin and end a step.
fn run_on_values<R: Real>(stage: Stage, layout: &Layout, settings: &Settings, world: &mut World<R>) {
    use Value::*;
    let times = world.times(settings);
    let truth = |mask| R::select(mask, R::one(), R::zero());
    match stage {
        Stage::Begin => {
            for value in [Iterations, Residual] {
                world.set(value, R::zero());
            }
            put_pace(&Pace::new(world.is(Alive)), world);
        }
        Stage::BeginPart => {
            for value in [Reach, Tolerance, GapBefore] {
                world.set(value, R::zero());
            }
            let share = pace_of(world).share();
            world.set(Share, share);
        }
        Stage::Speed => {
            let fastest = world.state.V_WB.iter().fold(world.get(Reach), collect::faster);
            world.set(Reach, fastest);
        }
        Stage::Reach => world.set(Reach, collect::reach_of(world.get(Reach), times.turn())),
        Stage::Distance => {
            let farthest = world.state.X_WB.iter().fold(world.get(Tolerance), farther);
            world.set(Tolerance, farthest);
        }
        Stage::Tolerance => world.set(Tolerance, settings.gap_tolerance_at(world.get(Tolerance))),
        Stage::BeginGroups => {
            world.set(Acting, R::zero());
            world.set(Free, R::one());
        }
        Stage::NoteActing => {
            let acts =
                world.groups.iter().fold(world.is(Acting), |acts, group| acts | R::zero().lt(group.acts));
            world.set(Acting, truth(acts));
        }
        Stage::NoteTouching => {
            let free = world.is(Free) & cones::nothing_touches(&world.ws);
            world.set(Free, truth(free));
        }
        Stage::BeginRounds => {
            world.set(Going, world.get(Lanes));
            for value in [Undone, Slow, Rounds, Along, Length, SeemingWork] {
                world.set(value, R::zero());
            }
        }
        Stage::StayOpen | Stage::StillOpen => {
            let going = world.is(Going);
            let next = note_gap(stage == Stage::StillOpen, going, world);
            world.set(Going, truth(next));
        }
        Stage::KeepGap => {
            let [metres, radians] = world.gap;
            world.set(LastMetres, metres);
            world.set(LastRadians, radians);
        }
        Stage::Diverged => {
            let (before, tolerance) = ([world.get(LastMetres), world.get(LastRadians)], world.get(Tolerance));
            let open = world.is(Going) & !world.is(Closed);
            let worse = open & rounds::has_grown(before, world.gap, tolerance);
            world.set(Worse, truth(worse));
            world.set(Going, truth(world.is(Going) & !worse));
            world.set(Undone, truth(world.is(Undone) | worse));
            count(Rounds, settings.rounds[1] as f64 - 1.5, world);
        }
        Stage::BeginSettling => world.set(Settles, truth(world.is(Going) & world.is(Free))),
        Stage::NoteSlow => {
            world.set(Slow, truth(world.is(Slow) | world.is(Going)));
            world.set(Along, R::zero());
            world.set(Length, R::zero());
        }
        Stage::Weigh => {
            let sums = [world.get(Along), world.get(Length)];
            let [along, length] = accelerate::add_weights(layout, sums, &world.ws);
            world.set(Along, along);
            world.set(Length, length);
        }
        Stage::Weight => {
            let gamma = accelerate::weight_of([world.get(Along), world.get(Length)]);
            world.set(Gamma, R::select(world.is(Going), gamma, R::zero()));
        }
        Stage::ClearWork => {
            for value in [JointWork, OtherWork, Kinetic] {
                world.set(value, R::zero());
            }
        }
        Stage::AddWork | Stage::AddGroupWork | Stage::AddBodyWork => {
            let so_far = Work {
                joints: world.get(JointWork),
                others: world.get(OtherWork),
                kinetic: world.get(Kinetic),
            };
            let (constants, ws) = (&world.constants, &world.ws);
            let sum = match stage {
                Stage::AddWork => balance::add_joint_work(layout, ws, so_far),
                Stage::AddGroupWork => balance::add_row_work(layout, ws, so_far),
                _ => balance::add_energy(layout, constants, ws, so_far),
            };
            world.set(JointWork, sum.joints);
            world.set(OtherWork, sum.others);
            world.set(Kinetic, sum.kinetic);
        }
        Stage::JudgeWork => {
            let half = |value| world.get(value) * R::constant(0.5);
            let work = Work { joints: half(JointWork), others: half(OtherWork), kinetic: half(Kinetic) };
            let share = rounds::seeming_share(world.is(Slow), &work);
            world.set(SeemingWork, share);
        }
        Stage::Accept => {
            let (pace, report) = (pace_of(world), report_of(world));
            world.set(Accepted, truth(pace.accepts(settings, &report)));
            world.set(Fresh, truth(world.is(Accepted) & pace.at_start()));
        }
        Stage::BeginBalance => world.set(Settles, truth(world.is(Undone) & world.is(Free))),
        Stage::GapOfUndone => {
            let undone = world.is(Undone);
            note_gap(true, undone, world);
        }
        Stage::ClearBeyond => world.set(Beyond, R::zero()),
        Stage::BoxDrive => {
            let beyond = cones::box_drives(layout, &world.constants, times.dt, &mut world.ws);
            world.set(Beyond, truth(world.is(Beyond) | beyond));
        }
        Stage::BeginFinish => world.set(Finite, R::one()),
        Stage::Fine => {
            let fine = (0..layout.position.len())
                .fold(world.is(Finite), |fine, b| fine & step::is_fine(layout, b, &world.ws));
            world.set(Finite, truth(fine));
        }
        Stage::Moves => {
            let (finite, lanes) = (world.is(Finite), world.is(Accepted));
            let lost = (!finite & lanes) | !world.is(Alive);
            world.set(Moves, truth(finite & lanes));
            world.set(Lost, truth(lost));
            world.set(Alive, truth(world.is(Alive) & !lost));
        }
        Stage::TakeOver => {
            let masks = [world.is(Moves), world.is(Lost)];
            for b in 0..layout.position.len() {
                let old = world.state.X_WB[b];
                step::take_over(layout, (b, old), masks, &mut world.state, &world.ws);
            }
        }
        Stage::ForgetJoint | Stage::ForgetGroup => {
            let lost = world.is(Lost);
            step::forget_reactions(lost, &mut world.state);
        }
        Stage::End => {
            let (accepted, mut pace) = (world.is(Accepted), pace_of(world));
            world.state.interval = R::select(accepted, pace.share(), world.state.interval);
            pace.advance(accepted, world.is(Alive), report_of(world));
            put_pace(&pace, world);
        }
        Stage::Sum => {
            let (runs, [metres, radians]) = (world.is(Alive), world.gap);
            let one = |mask| R::select(mask, R::one(), R::zero());
            world.set(Survived, world.get(Survived) + one(runs));
            world.set(Converged, world.get(Converged) + one(runs & world.is(Closed)));
            for (most, now) in [(MostMetres, metres), (MostRadians, radians)] {
                let old = world.get(most);
                world.set(most, R::select(runs, old.max(now), old));
            }
        }
        _ => {}
    }
}

/// Counts on in all worlds, and says whether there is more to come below a bound that no count meets.
fn count<R: Real>(counter: Value, below: f64, world: &mut World<R>) {
    let next = world.get(counter) + R::one();
    world.set(counter, next);
    world.set(Value::More, R::select(next.lt(R::constant(below)), R::one(), R::zero()));
}

/// How far worlds are in their steps.
fn pace_of<R: Real>(world: &World<R>) -> Pace<R> {
    let (left, part) = (world.get(Value::Left), world.get(Value::Part));
    Pace { going: world.is(Value::Lanes), left, part, report: None }
}

fn put_pace<R: Real>(pace: &Pace<R>, world: &mut World<R>) {
    world.set(Value::Lanes, R::select(pace.going, R::one(), R::zero()));
    world.set(Value::Left, pace.left);
    world.set(Value::Part, pace.part);
}

/// What has been noted of a part of a step.
fn report_of<R: Real>(world: &World<R>) -> Report<R> {
    let mut report = step::blank_report(&world.ws);
    [report.gap_metres, report.gap_radians] = world.gap;
    report.gap_before = world.get(Value::GapBefore);
    report.seeming_work = world.get(Value::SeemingWork);
    report.open = world.is(Value::Torn);
    report
}

/// What of some worlds is still open.
fn note_gap<R: Real>(enough: bool, going: R::Mask, world: &mut World<R>) -> R::Mask {
    let truth = |mask| R::select(mask, R::one(), R::zero());
    let mut report = step::blank_report(&world.ws);
    let gap = rounds::Gap { now: (world.gap[0], world.gap[1]), tolerance: world.get(Value::Tolerance) };
    let next = rounds::still_open([enough, false], gap, going, &mut report);
    world.set(Value::Closed, truth(report.closed));
    world.set(Value::Torn, truth(report.open));
    next
}

/// On what a stage works at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    Body,
    Joint,
    /// Bodies, then joints; or the other way round.
    BodyAndJoint,
    JointAndBody,
    Group,
    /// Nothing is left out.
    Whole,
}

impl Stage {
    /// On what it works at a time.
    pub fn each(self) -> Each {
        use Stage::*;
        match self {
            Impulses | FirstImpulses | EndGap | Missing | Unbalanced | Remember | Accelerate => {
                Each::BodyAndJoint
            }
            Follow | FollowSettled => Each::JointAndBody,
            Speed | Distance | TakeFirst | ClearPush | AddChange | Revert | FirstCorrection | Correction
            | AddBodyWork | AddMissing | MissingAlone | AddSettled | Fine | TakeOver => Each::Body,
            AddWork | JointRows | DriveRows | AddRows | Weigh | GoBack | Store | ForgetJoint
            | ReadCoordinates => Each::Joint,
            Collect | AddGroupWork | NoteActing | NoteTouching | Fade | PushGroup | RowVelocities
            | PushChange | BoxDrive | StoreGroup | ForgetGroup => Each::Group,
            _ => Each::Whole,
        }
    }
}
