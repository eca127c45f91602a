//! Reactions in closed form, contact after contact, as lines of a table: `bellcrank_step::reactions::comfree`, whose functions these are,
//! with what its loops over paths and rows do put into lines.

use super::builder::{Builder, Label};
use super::world::{Kind, Law, Object, Value, sources};
use crate::blocks::Operation;
use crate::recorded::{NotRecordable, Recorded, RecordedMask};
use bellcrank_math::Real;
use bellcrank_solve::{BlockPattern, ComFree, Cone, MOST_ROWS};
use bellcrank_step::layout::Layout;
use bellcrank_step::reactions::comfree::{ENOUGH, add_product, begin_visit, end_visit, push};
use bellcrank_step::reactions::way::{MEMORY, Way, solve};
use bellcrank_step::workspace::ConeSource;

type Done = Result<(), NotRecordable>;
type Row = [Recorded; 6];

/// Sweeps that are written one by one; those after them are a loop of as many pairs as there are changes to remember.
const WRITTEN: usize = 2 * (MEMORY + 1);

/// A limit, a box or a contact with its path.
struct Group {
    number: usize,
    rows: usize,
    law: Law,
    /// Elimination positions of its bodies, and of its path.
    bodies: (Option<usize>, usize),
    path: Vec<usize>,
    /// Number of its first entry in the list of all whitened rows.
    first: usize,
}

impl Group {
    fn all(layout: &Layout) -> Vec<Group> {
        let mut first = 0;
        let mut all = Vec::new();
        for (number, (source, law, rows)) in sources(layout).into_iter().enumerate() {
            let (a, b, path) = match source {
                ConeSource::Scalar(i) => {
                    let joint = &layout.joints[layout.scalars[i].at.joint];
                    (joint.predecessor, joint.successor, &layout.scalars[i].path)
                }
                ConeSource::Contact(c) => {
                    let contact = &layout.contacts[c];
                    (contact.a, contact.b, &contact.path)
                }
            };
            let (path, at) = (path.positions().to_vec(), |body: usize| layout.position[body]);
            let bodies = (a.map(at), at(b));
            first += path.len();
            all.push(Group { number, rows, law, bodies, first: first - path.len(), path });
        }
        all
    }

    fn is(&self, kind: Kind) -> Object {
        (kind, self.number)
    }

    fn white(&self, i: usize) -> Object {
        (Kind::White, self.first + i)
    }

    fn past(&self, kind: Kind, slot: usize) -> Object {
        (kind, MEMORY * self.number + slot)
    }
}

/// What the lines of sweeps call.
#[derive(Clone, Copy)]
pub struct Visits {
    forth: Label,
    back: Label,
}

impl Visits {
    pub fn new(table: &mut Builder<'_>) -> Self {
        Visits { forth: table.label(), back: table.label() }
    }
}

/// Room for what sweeps need beside the numbers of a world.
pub fn make_room(table: &mut Builder<'_>, layout: &Layout) {
    let groups = Group::all(layout);
    if groups.is_empty() {
        return;
    }
    for group in &groups {
        (0..group.path.len()).for_each(|i| table.add(group.white(i), 6 * group.rows));
        table.add(group.is(Kind::OwnBlock), group.rows * group.rows);
        for kind in [Kind::Mobility, Kind::WayStart, Kind::WayStep, Kind::WayEnd, Kind::WayBest] {
            table.add(group.is(kind), group.rows);
        }
        for slot in 0..MEMORY {
            table.add(group.past(Kind::PastStep, slot), group.rows);
            table.add(group.past(Kind::PastEnd, slot), group.rows);
        }
    }
    (0..layout.position.len()).for_each(|k| table.add((Kind::Pushed, k), 6));
    for (kind, count) in [
        (Kind::Visited, MOST_ROWS),
        (Kind::Moved, MOST_ROWS),
        (Kind::Gram, MEMORY * MEMORY),
        (Kind::GramRow, MEMORY),
        (Kind::Right, MEMORY),
        (Kind::Share, MEMORY),
    ] {
        table.add((kind, 0), count);
    }
}

fn row(numbers: &[Recorded], r: usize) -> Row {
    std::array::from_fn(|c| numbers[6 * r + c])
}

/// For all groups that act.
fn each_acting(
    table: &mut Builder<'_>,
    groups: &[Group],
    mut work: impl FnMut(&mut Builder<'_>, &Group) -> Done,
) -> Done {
    for group in groups {
        table.only_if(group.is(Kind::Acts), |table| work(table, group))?;
    }
    Ok(())
}

/// W = L⁻¹ Jᵀ of all groups that act, and their own blocks of G.
pub fn prepare(table: &mut Builder<'_>, layout: &Layout) -> Done {
    let columns = columns(&layout.pattern);
    each_acting(table, &Group::all(layout), |table, group| {
        whiten(table, group, &columns)?;
        table.item("begin block", &[group.is(Kind::Compliance), group.is(Kind::OwnBlock)], |x| {
            let rows = x[0].len();
            for (r, s) in (0..rows).flat_map(|r| (0..=r).map(move |s| (r, s))) {
                x[1][r * rows + s] = if r == s { x[0][r] } else { Recorded::zero() };
            }
        })?;
        for i in 0..group.path.len() {
            table.item("add to block", &[group.white(i), group.is(Kind::OwnBlock)], |x| {
                let rows = x[0].len() / 6;
                for (r, s) in (0..rows).flat_map(|r| (0..=r).map(move |s| (r, s))) {
                    x[1][r * rows + s] = add_product(&row(&x[0], r), &row(&x[0], s), x[1][r * rows + s]);
                }
            })?;
        }
        table.item("end block", &[group.is(Kind::OwnBlock), group.is(Kind::Mobility)], |x| {
            let rows = x[1].len();
            for (r, s) in (0..rows).flat_map(|r| (0..=r).map(move |s| (r, s))) {
                x[0][s * rows + r] = x[0][r * rows + s];
            }
            (0..rows).for_each(|r| x[1][r] = x[0][r * (rows + 1)]);
        })
    })
}

/// `BlockFactor::forward_path`, by the operations of a solve.
fn whiten(table: &mut Builder<'_>, group: &Group, columns: &[Vec<(usize, usize)>]) -> Done {
    for (i, k) in group.path.iter().enumerate() {
        let side = match group.bodies {
            (_, b) if b == *k => Some(1),
            (Some(a), _) if a == *k => Some(0),
            _ => None,
        };
        let name = ["nothing acts", "acts on a", "acts on b"][side.map_or(0, |side| side + 1)];
        table.item(name, &[group.is(Kind::Jacobian), group.white(i)], |x| {
            for at in 0..x[1].len() {
                let (r, c) = (at / 6, at % 6);
                x[1][at] = side.map_or(Recorded::zero(), |side| x[0][12 * r + 6 * side + c]);
            }
        })?;
    }
    for (i, k) in group.path.iter().enumerate() {
        let (own, diagonal) = (table.place(group.white(i)), table.place((Kind::Diagonal, *k)));
        for r in 0..group.rows {
            table.blocks(Operation::ForwardDiagonal, [own + 6 * r, diagonal, 0]);
        }
        for (block, to) in &columns[*k] {
            let Ok(to) = group.path.binary_search(to) else { continue };
            let (target, block) = (table.place(group.white(to)), table.place((Kind::Block, *block)));
            for r in 0..group.rows {
                table.blocks(Operation::ForwardBlock, [target + 6 * r, block, own + 6 * r]);
            }
        }
    }
    Ok(())
}

/// The blocks of every column with their rows, rising.
fn columns(pattern: &BlockPattern) -> Vec<Vec<(usize, usize)>> {
    crate::blocks::columns(pattern)
}

/// λ ← the law, contact after contact, from the velocities at hand.
pub fn sweep(table: &mut Builder<'_>, layout: &Layout, solver: &ComFree, visits: Visits) -> Done {
    let groups = Group::all(layout);
    let (done, enough) = (table.label(), ENOUGH * solver.tolerance);
    each_acting(table, &groups, |table, group| {
        table.item("begin way", &[group.is(Kind::Lambda), group.is(Kind::WayStart)], |x| x[1] = x[0].clone())
    })?;
    forget_pushes(table, layout)?;
    table.item("copy", &[Value::Going.object(), Value::Open.object()], |x| x[1] = x[0].clone())?;
    let written = solver.sweeps.min(WRITTEN);
    for number in 1..=written {
        one_sweep(table, number, enough, done, visits)?;
        if number == solver.sweeps {
            give_up(table, &groups, number)?;
        } else if number.is_multiple_of(2) {
            go_on(table, layout, &groups, number / 2)?;
        }
    }
    if solver.sweeps > written {
        table.put(Value::Laps, 0.0)?;
        let (again, end) = (table.label(), table.label());
        let last = solver.sweeps - written - 1; // counted from the first in the loop
        let laps = last / (2 * MEMORY);
        table.set(again);
        table.item(&format!("lap below {laps}"), &[Value::Laps.object(), Value::More.object()], |x| {
            x[1][0] = truth(x[0][0].lt(Recorded::constant(laps as f64)));
            x[0][0] += Recorded::one();
        })?;
        for n in 0..2 * MEMORY {
            let number = written + 1 + n;
            one_sweep(table, number, enough, done, visits)?;
            if n == last % (2 * MEMORY) {
                table.unless(Value::More.object(), end);
            }
            if number.is_multiple_of(2) {
                go_on(table, layout, &groups, number / 2)?;
            }
        }
        table.jump(again);
        table.set(end);
        give_up(table, &groups, solver.sweeps)?;
    }
    table.set(done);
    Ok(())
}

fn truth(mask: RecordedMask) -> Recorded {
    Recorded::select(mask, Recorded::one(), Recorded::zero())
}

fn is(x: &[Recorded]) -> RecordedMask {
    Recorded::zero().lt(x[0])
}

fn forget_pushes(table: &mut Builder<'_>, layout: &Layout) -> Done {
    for k in 0..layout.position.len() {
        table.item("zero", &[(Kind::Pushed, k)], |x| x[0].fill(Recorded::zero()))?;
    }
    Ok(())
}

/// A visit to all groups; where nothing changed that counts, worlds are done.
fn one_sweep(table: &mut Builder<'_>, number: usize, enough: f64, done: Label, visits: Visits) -> Done {
    table.put(Value::Most, 0.0)?;
    table.call(if number.is_multiple_of(2) { visits.back } else { visits.forth });
    let values = [Value::Most, Value::Open, Value::Iterations, Value::Residual].map(Value::object);
    table.item(&format!("swept to {enough:e}"), &values, |x| {
        let (most, open) = (x[0][0], is(&x[1]));
        x[2][0] += Recorded::select(open, Recorded::one(), Recorded::zero());
        x[3][0] = Recorded::select(open, most, x[3][0]);
        x[1][0] = truth(open & Recorded::constant(enough).lt(most));
    })?;
    table.unless(Value::Open.object(), done);
    Ok(())
}

/// The visits, there and back.
pub fn write_visits(table: &mut Builder<'_>, layout: &Layout, visits: Visits) -> Done {
    let mut groups = Group::all(layout);
    for label in [visits.forth, visits.back] {
        table.set(label);
        each_acting(table, &groups, visit)?;
        table.give_back();
        groups.reverse();
    }
    Ok(())
}

fn visit(table: &mut Builder<'_>, group: &Group) -> Done {
    let (visited, moved) = ((Kind::Visited, 0), (Kind::Moved, 0));
    let kinds = [Kind::Compliance, Kind::Lambda, Kind::RowVelocity, Kind::Bias].map(|kind| group.is(kind));
    let [compliance, lambda, velocity, bias] = kinds;
    table.item("begin visit", &[compliance, lambda, velocity, bias, visited], |x| {
        let mut v = std::array::from_fn(|r| x[4][r]);
        begin_visit([&x[0], &x[1], &x[2], &x[3]], &mut v);
        x[4] = v.to_vec();
    })?;
    for (i, k) in group.path.iter().enumerate() {
        table.item("feel", &[group.white(i), (Kind::Pushed, *k), visited], |x| {
            for r in 0..x[0].len() / 6 {
                x[2][r] = add_product(&row(&x[0], r), &row(&x[1], 0), x[2][r]);
            }
        })?;
    }
    let law = group.law;
    let things = [
        group.is(Kind::Cone),
        group.is(Kind::Acts),
        Value::Open.object(),
        group.is(Kind::OwnBlock),
        group.is(Kind::Mobility),
        visited,
        lambda,
        moved,
        Value::Most.object(),
    ];
    table.item(&format!("visit {law:?}"), &things, |x| {
        let rows = x[6].len();
        let cone = match law {
            Law::Coulomb => Cone::Coulomb { mu: x[0][0], rows },
            Law::Box => Cone::Box { low: x[0][0], high: x[0][1] },
            Law::Push => Cone::Nonnegative,
        };
        let (v, acts) = (std::array::from_fn(|r| x[5][r]), is(&x[1]) & is(&x[2]));
        let (mut own, mut change) = (x[6].clone(), x[7].clone());
        let most = end_visit((&cone, acts), [&x[3], &x[4]], &v, &mut own, &mut change);
        (x[6], x[7], x[8][0]) = (own, change, x[8][0].max(most));
    })?;
    for (i, k) in group.path.iter().enumerate() {
        table.item("push", &[group.white(i), (Kind::Pushed, *k), moved], |x| {
            let mut y = row(&x[1], 0);
            (0..x[0].len() / 6).for_each(|r| push(&row(&x[0], r), x[2][r], &mut y));
            x[1] = y.to_vec();
        })?;
    }
    Ok(())
}

/// A way whose rows are those of one group.
fn way_of(rows: usize) -> Way<Recorded> {
    Way::with_capacity(rows)
}

/// square + f B f of all groups that act.
fn square(table: &mut Builder<'_>, groups: &[Group]) -> Done {
    table.put(Value::Square, 0.0)?;
    each_acting(table, groups, |table, group| {
        let things = [Kind::Lambda, Kind::WayStart, Kind::Mobility].map(|kind| group.is(kind));
        table.item("square", &[things[0], things[1], things[2], Value::Square.object()], |x| {
            let mut way = way_of(x[0].len());
            (way.start, way.mobility) = (x[1].clone(), x[2].clone());
            x[3][0] = way.add_square(&x[0], x[3][0]);
        })
    })
}

/// `Way::give_up`
fn give_up(table: &mut Builder<'_>, groups: &[Group], number: usize) -> Done {
    if number < 3 {
        return Ok(()); // no pair of sweeps came before
    }
    square(table, groups)?;
    let values = [Value::Open, Value::Least, Value::Square, Value::Better].map(Value::object);
    table.item("is worse", &values, |x| x[3][0] = truth(is(&x[0]) & x[1][0].lt(x[2][0])))?;
    each_acting(table, groups, |table, group| {
        let things = [group.is(Kind::WayBest), Value::Better.object(), group.is(Kind::Lambda)];
        table.item("go back", &things, |x| {
            let mut way = way_of(x[0].len());
            way.best = x[0].clone();
            let worse = is(&x[1]);
            way.go_back(worse, &mut x[2]);
        })
    })
}

/// `Way::go_on` after so many pairs of sweeps, and W (λ − λ before the sweeps).
fn go_on(table: &mut Builder<'_>, layout: &Layout, groups: &[Group], pairs: usize) -> Done {
    square(table, groups)?;
    let known = (pairs - 1).min(MEMORY);
    if pairs == 1 {
        table.item("copy", &[Value::Square, Value::Least].map(Value::object), |x| x[1] = x[0].clone())?;
        each_acting(table, groups, |table, group| {
            table.item("copy", &[group.is(Kind::Lambda), group.is(Kind::WayBest)], |x| x[1] = x[0].clone())
        })?;
    } else {
        remember(table, groups, (pairs - 2) % MEMORY, known)?;
    }
    table.item("copy", &[Value::Square, Value::SquareBefore].map(Value::object), |x| x[1] = x[0].clone())?;
    table.item("zero", &[(Kind::Right, 0)], |x| x[0].fill(Recorded::zero()))?;
    each_acting(table, groups, |table, group| note(table, group, known))?;
    if known > 0 {
        table.item(
            &format!("share of {known}"),
            &[(Kind::Gram, 0), (Kind::Right, 0), (Kind::Share, 0)],
            |x| {
                let gram = std::array::from_fn(|i| std::array::from_fn(|j| x[0][MEMORY * i + j]));
                let share = solve(&gram, std::array::from_fn(|j| x[1][j]), known);
                x[2][..known].copy_from_slice(&share[..known]);
            },
        )?;
    }
    forget_pushes(table, layout)?;
    each_acting(table, groups, |table, group| move_on(table, group, known))
}

/// Keeps the best λ; writes the last change over the oldest, and its products with the others; forgets where nothing is to be learnt.
fn remember(table: &mut Builder<'_>, groups: &[Group], slot: usize, known: usize) -> Done {
    let values = [Value::Square, Value::SquareBefore, Value::Least, Value::Better, Value::Forgets];
    table.item("is better", &values.map(Value::object), |x| {
        let (square, least) = (x[0][0], x[2][0]);
        let better = square.lt(least);
        x[2][0] = Recorded::select(better, square, least);
        x[3][0] = truth(better);
        x[4][0] = truth(Way::forgets(x[1][0], square));
    })?;
    table.item("zero", &[(Kind::GramRow, 0)], |x| x[0].fill(Recorded::zero()))?;
    each_acting(table, groups, |table, group| {
        let things = [Value::Better.object(), group.is(Kind::Lambda), group.is(Kind::WayBest)];
        table.item("keep best", &things, |x| {
            let mut way = way_of(x[1].len());
            way.best = x[2].clone();
            way.keep_best(is(&x[0]), &x[1]);
            x[2] = way.best;
        })?;
        let things = [Kind::Lambda, Kind::WayStart, Kind::WayStep, Kind::WayEnd].map(|kind| group.is(kind));
        let [lambda, start, step, end] = things;
        let change = [Kind::PastStep, Kind::PastEnd].map(|kind| group.past(kind, slot));
        table.item("remember", &[lambda, start, step, end, change[0], change[1]], |x| {
            let mut way = way_of(x[0].len());
            (way.start, way.step, way.end) = (x[1].clone(), x[2].clone(), x[3].clone());
            (way.past[slot].step, way.past[slot].end) = (x[4].clone(), x[5].clone());
            way.write(slot, &x[0]);
            (x[4], x[5]) = (way.past[slot].step.clone(), way.past[slot].end.clone());
        })?;
        let mut things = vec![group.is(Kind::Mobility), (Kind::GramRow, 0)];
        things.extend((0..known).map(|j| group.past(Kind::PastStep, j)));
        table.item(&format!("products with {slot}"), &things, |x| {
            let mut way = way_of(x[0].len());
            way.mobility = x[0].clone();
            (0..known).for_each(|j| way.past[j].step = x[2 + j].clone());
            (0..known).for_each(|j| x[1][j] = way.add_past_product(slot, j, x[1][j]));
        })
    })?;
    let things = [(Kind::GramRow, 0), Value::Forgets.object(), (Kind::Gram, 0)];
    table.item(&format!("row {slot} of {known}"), &things, |x| {
        for j in 0..known {
            (x[2][MEMORY * slot + j], x[2][MEMORY * j + slot]) = (x[0][j], x[0][j]);
        }
        let forgets = is(&x[1]);
        for (i, j) in (0..known).flat_map(|i| (0..known).map(move |j| (i, j))) {
            let own = &mut x[2][MEMORY * i + j];
            *own = Recorded::select(forgets, Recorded::zero(), *own);
        }
    })?;
    each_acting(table, groups, |table, group| {
        for j in 0..known {
            table.item("forget", &[Value::Forgets.object(), group.past(Kind::PastStep, j)], |x| {
                let mut way = way_of(x[1].len());
                way.past[0].step = x[1].clone();
                way.forget_step(0, is(&x[0]));
                x[1] = way.past[0].step.clone();
            })?;
        }
        Ok(())
    })
}

/// f and λ′, and the products of f with what is remembered.
fn note(table: &mut Builder<'_>, group: &Group, known: usize) -> Done {
    let things = [Kind::Lambda, Kind::WayStart, Kind::WayStep, Kind::WayEnd].map(|kind| group.is(kind));
    table.item("note", &things, |x| {
        let mut way = way_of(x[0].len());
        (way.start, way.step, way.end) = (x[1].clone(), x[2].clone(), x[3].clone());
        way.note(&x[0]);
        (x[2], x[3]) = (way.step, way.end);
    })?;
    let mut things = vec![group.is(Kind::Mobility), group.is(Kind::WayStep), (Kind::Right, 0)];
    things.extend((0..known).map(|j| group.past(Kind::PastStep, j)));
    table.item(&format!("right sides {known}"), &things, |x| {
        let mut way = way_of(x[0].len());
        (way.mobility, way.step) = (x[0].clone(), x[1].clone());
        (0..known).for_each(|j| way.past[j].step = x[3 + j].clone());
        (0..known).for_each(|j| x[2][j] = way.add_product(j, x[2][j]));
    })
}

/// λ ← λ′ − Σ γⱼ Δλ′ⱼ, from where the next sweep starts, and W (λ − λ before the sweeps).
fn move_on(table: &mut Builder<'_>, group: &Group, known: usize) -> Done {
    let mut things =
        vec![(Kind::Share, 0), Value::Open.object(), group.is(Kind::Lambda), group.is(Kind::WayStart)];
    things.extend((0..known).map(|j| group.past(Kind::PastEnd, j)));
    table.item(&format!("go on with {known}"), &things, |x| {
        let mut way = way_of(x[2].len());
        (0..known).for_each(|j| way.past[j].end = x[4 + j].clone());
        let (share, open) = (x[0][..known].to_vec(), is(&x[1]));
        way.move_on(&share, open, &mut x[2]);
        x[3] = x[2].clone();
    })?;
    let moved = (Kind::Moved, 0);
    let things = [group.is(Kind::Lambda), group.is(Kind::LambdaChange), moved];
    table.item("moved", &things, |x| (0..x[0].len()).for_each(|r| x[2][r] = x[0][r] - x[1][r]))?;
    for (i, k) in group.path.iter().enumerate() {
        // another order than in a visit, that of `push_anew`: rows one after the other, each along the path; bodies do not see it
        table.item("push", &[group.white(i), (Kind::Pushed, *k), moved], |x| {
            let mut y = row(&x[1], 0);
            (0..x[0].len() / 6).for_each(|r| push(&row(&x[0], r), x[2][r], &mut y));
            x[1] = y.to_vec();
        })?;
    }
    Ok(())
}
