//! In which order a step is made: that of `bellcrank_step::step::step`, with one line for each thing.

use super::builder::{Builder, Label};
use super::float;
use super::items::{Work, works};
use super::stages::Stage;
use super::sweeps::{self, Visits};
use super::world::{Kind, Value};
use crate::blocks::{DIAGONAL, Instruction, OFF_DIAGONAL, Program};
use crate::recorded::NotRecordable;
use bellcrank_step::layout::{Layout, ScalarKind};
use bellcrank_step::settings::{Settings, Solver};

type Done = Result<(), NotRecordable>;

/// What several places of the table call.
struct Parts {
    eliminate: Label,
    /// λ and Δu at the velocities at hand.
    react: Label,
    solve: Label,
    visits: Visits,
}

/// All works that the table may need.
pub fn all_works(layout: &Layout) -> Vec<Work> {
    use Stage::*;
    let stages = [
        Begin,
        BeginPart,
        ClearWork,
        AddWork,
        AddGroupWork,
        AddBodyWork,
        JudgeWork,
        Accept,
        Speed,
        Reach,
        Distance,
        Tolerance,
        JointRows,
        DriveRows,
        Impulses,
        AddRows,
        BeginGroups,
        Collect,
        NoteActing,
        NoteTouching,
        Fade,
        FirstImpulses,
        PushGroup,
        TakeFirst,
        BeginRounds,
        RowVelocities,
        ClearPush,
        PushChange,
        AddChange,
        ClearGap,
        EndGap,
        StayOpen,
        StillOpen,
        KeepGap,
        Diverged,
        Revert,
        Missing,
        FirstCorrection,
        Correction,
        BeginSettling,
        FollowSettled,
        Unbalanced,
        AddMissing,
        AddSettled,
        NoteSlow,
        Remember,
        Weigh,
        Weight,
        Accelerate,
        Follow,
        GoBack,
        BeginBalance,
        MissingAlone,
        GapOfUndone,
        ClearBeyond,
        BoxDrive,
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
        Sum,
    ];
    let mut all: Vec<Work> = stages.into_iter().flat_map(|stage| works(stage, layout)).collect();
    all.extend((0..layout.plan.shapes().len()).map(Work::Place));
    for p in 0..layout.plan.pairs().len() {
        all.extend([Work::Look(p), Work::Part(p), Work::Touch(p), Work::Deepen(p)]);
    }
    for (c, bodies) in layout.afloat.iter().enumerate() {
        all.extend(float::all(bodies).into_iter().map(|what| Work::Float(c, what)));
    }
    let makes_sense = |work: &Work| match work {
        Work::Group(NoteTouching, g) => *g >= layout.scalars.len(),
        Work::Group(BoxDrive, g) => layout.scalars.get(*g).is_some_and(|s| s.kind == ScalarKind::Effort),
        _ => true,
    };
    all.retain(makes_sense);
    all
}

/// The lines of a step.
pub fn write(table: &mut Builder<'_>, layout: &Layout, settings: &Settings) -> Done {
    let parts = Parts {
        eliminate: table.label(),
        react: table.label(),
        solve: table.label(),
        visits: Visits::new(table),
    };
    let (done, end) = (table.label(), table.label());
    stage(table, Stage::Begin, layout);
    let part = table.label();
    table.set(part);
    stage(table, Stage::BeginPart, layout);
    table.unless(Value::Lanes.object(), done);
    find_contacts(table, layout)?;
    for one in [Stage::Distance, Stage::Tolerance, Stage::JointRows, Stage::DriveRows] {
        stage(table, one, layout);
    }
    table.call(parts.eliminate);
    let boxes = works(Stage::BoxDrive, layout);
    stage(table, Stage::ClearBeyond, layout);
    table.works(boxes);
    table.only_if(Value::Beyond.object(), |table| -> Done {
        table.call(parts.eliminate);
        Ok(())
    })?;
    stage(table, Stage::Accept, layout);
    finish(table, layout)?;
    table.jump(part);
    table.set(done);
    stage(table, Stage::Sum, layout);
    table.jump(end);
    table.set(parts.eliminate);
    eliminate(table, layout, &parts)?;
    table.give_back();
    table.set(parts.solve);
    let factor = Program::new(&layout.pattern);
    blocks(table, &factor.solve, &factor);
    table.give_back();
    table.set(parts.react);
    react(table, layout, settings, &parts)?;
    table.give_back();
    sweeps::write_visits(table, layout, parts.visits)?;
    table.set(end);
    Ok(())
}

fn stage(table: &mut Builder<'_>, stage: Stage, layout: &Layout) {
    table.works(works(stage, layout));
}

/// A stage for all groups that act.
fn groups(table: &mut Builder<'_>, stage: Stage, layout: &Layout) -> Done {
    for g in 0..layout.scalars.len() + layout.contacts.len() {
        table.only_if((Kind::Acts, g), |table| -> Done {
            table.work(Work::Group(stage, g));
            Ok(())
        })?;
    }
    Ok(())
}

fn find_contacts(table: &mut Builder<'_>, layout: &Layout) -> Done {
    if layout.contacts.is_empty() {
        return Ok(());
    }
    stage(table, Stage::Speed, layout);
    stage(table, Stage::Reach, layout);
    table.works((0..layout.plan.shapes().len()).map(Work::Place));
    for p in 0..layout.plan.pairs().len() {
        table.works([Work::Part(p), Work::Look(p)]);
        table.only_if(Value::Near.object(), |table| -> Done {
            table.works([Work::Touch(p), Work::Deepen(p)]);
            Ok(())
        })?;
    }
    Ok(())
}

/// Δu and all reactions.
fn eliminate(table: &mut Builder<'_>, layout: &Layout, parts: &Parts) -> Done {
    for one in [
        Stage::Impulses,
        Stage::AddRows,
        Stage::BeginGroups,
        Stage::Collect,
        Stage::NoteActing,
        Stage::NoteTouching,
        Stage::FirstImpulses,
    ] {
        stage(table, one, layout);
    }
    groups(table, Stage::Fade, layout)?;
    groups(table, Stage::PushGroup, layout)?;
    let factor = Program::new(&layout.pattern);
    blocks(table, &factor.factor_and_solve, &factor);
    stage(table, Stage::TakeFirst, layout);
    sweeps::prepare(table, layout)?;
    close(table, layout, parts)
}

/// Rounds that close joints at the end of the step, and solve for reactions, in turns: `bellcrank_step::step::rounds::close`.
fn close(table: &mut Builder<'_>, layout: &Layout, parts: &Parts) -> Done {
    let (done, again) = (table.label(), table.label());
    stage(table, Stage::BeginRounds, layout);
    table.call(parts.react);
    gap(table, layout);
    if !layout.holds {
        stage(table, Stage::StillOpen, layout);
        stage(table, Stage::Follow, layout);
        return Ok(());
    }
    stage(table, Stage::StayOpen, layout);
    correct(table, Stage::FirstCorrection, layout, parts)?;
    let following = [false, true];
    for has_last in following {
        if has_last {
            table.set(again);
        }
        table.call(parts.react);
        settle(table, layout, parts)?;
        stage(table, Stage::KeepGap, layout);
        gap(table, layout);
        stage(table, Stage::StillOpen, layout);
        stage(table, Stage::Diverged, layout);
        table.only_if(Value::Worse.object(), |table| -> Done {
            stage(table, Stage::Revert, layout);
            Ok(())
        })?;
        table.unless(Value::Going.object(), done);
        table.unless(Value::More.object(), done);
        stage(table, Stage::NoteSlow, layout);
        if has_last {
            stage(table, Stage::Weigh, layout);
            stage(table, Stage::Weight, layout);
            stage(table, Stage::Accelerate, layout);
        } else {
            stage(table, Stage::Remember, layout);
        }
        correct(table, Stage::Correction, layout, parts)?;
    }
    table.jump(again);
    table.set(done);
    stage(table, Stage::Follow, layout);
    table.only_if(Value::Undone.object(), |table| -> Done {
        stage(table, Stage::GoBack, layout);
        stage(table, Stage::BeginBalance, layout);
        balance(table, layout);
        Ok(())
    })?;
    table.only_if(Value::Slow.object(), |table| -> Done {
        stage(table, Stage::ClearWork, layout);
        table.works(works(Stage::AddWork, layout));
        groups(table, Stage::AddGroupWork, layout)?;
        stage(table, Stage::AddBodyWork, layout);
        stage(table, Stage::JudgeWork, layout);
        Ok(())
    })?;
    table.only_if(Value::Undone.object(), |table| -> Done {
        gap(table, layout);
        stage(table, Stage::GapOfUndone, layout);
        Ok(())
    })
}

fn gap(table: &mut Builder<'_>, layout: &Layout) {
    stage(table, Stage::ClearGap, layout);
    stage(table, Stage::EndGap, layout);
}

/// Δu += H⁻¹ (Δt f + Jᵀ(λ − S⁻¹ c(q⁺)/Δt) − M Δu)
fn correct(table: &mut Builder<'_>, add: Stage, layout: &Layout, parts: &Parts) -> Done {
    stage(table, Stage::Missing, layout);
    groups(table, Stage::PushGroup, layout)?;
    table.call(parts.solve);
    stage(table, add, layout);
    Ok(())
}

/// Newton's law has the last word where nothing touches: `bellcrank_step::step::balance::settle`.
fn settle(table: &mut Builder<'_>, layout: &Layout, parts: &Parts) -> Done {
    stage(table, Stage::BeginSettling, layout);
    table.only_if(Value::Settles.object(), |table| -> Done {
        stage(table, Stage::FollowSettled, layout);
        stage(table, Stage::Unbalanced, layout);
        groups(table, Stage::PushGroup, layout)?;
        stage(table, Stage::AddMissing, layout);
        if !layout.afloat.is_empty() {
            table.call(parts.solve);
            stage(table, Stage::AddSettled, layout);
            balance(table, layout);
        }
        Ok(())
    })
}

/// Newton's third law for parts that float.
fn balance(table: &mut Builder<'_>, layout: &Layout) {
    if layout.afloat.is_empty() {
        return;
    }
    // what Newton's law misses without any reaction
    table.works(works(Stage::MissingAlone, layout));
    for (c, bodies) in layout.afloat.iter().enumerate() {
        table.works(float::all(bodies).into_iter().map(|what| Work::Float(c, what)));
    }
}

/// λ ← the reactions at the present velocities; Δu += H⁻¹ Jᵀ Δλ.
fn react(table: &mut Builder<'_>, layout: &Layout, settings: &Settings, parts: &Parts) -> Done {
    if layout.scalars.is_empty() && layout.contacts.is_empty() {
        return Ok(());
    }
    table.only_if(Value::Acting.object(), |table| -> Done {
        groups(table, Stage::RowVelocities, layout)?;
        if let Solver::ComFree(solver) = &settings.solver {
            sweeps::sweep(table, layout, solver, parts.visits)?;
        }
        stage(table, Stage::ClearPush, layout);
        groups(table, Stage::PushChange, layout)?;
        table.call(parts.solve);
        stage(table, Stage::AddChange, layout);
        Ok(())
    })
}

/// The new state.
fn finish(table: &mut Builder<'_>, layout: &Layout) -> Done {
    for one in
        [Stage::StoreGroup, Stage::Store, Stage::BeginFinish, Stage::Fine, Stage::Moves, Stage::TakeOver]
    {
        stage(table, one, layout);
    }
    table.only_if(Value::Lost.object(), |table| -> Done {
        stage(table, Stage::ForgetJoint, layout);
        stage(table, Stage::ForgetGroup, layout);
        Ok(())
    })?;
    stage(table, Stage::ReadCoordinates, layout);
    stage(table, Stage::End, layout);
    Ok(())
}

/// Lines of factor or solve, whose blocks stand elsewhere here.
fn blocks(table: &mut Builder<'_>, instructions: &[Instruction], factor: &Program) {
    let (first, rhs) = (factor.off_diagonal(0), factor.rhs(0));
    for instruction in instructions {
        let place = |place: usize| match place {
            place if place >= rhs => table.place((Kind::Rhs, (place - rhs) / 6)),
            place if place >= first => table.place((Kind::Block, (place - first) / OFF_DIAGONAL)),
            place => table.place((Kind::Diagonal, place / DIAGONAL)),
        };
        let places = instruction.places.map(place);
        table.blocks(instruction.operation, places);
    }
}
