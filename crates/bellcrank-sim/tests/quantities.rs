//! The table of quantities is what the documentation and the Python package say, and every entry of it can be read.
//!
//! `BELLCRANK_WRITE_QUANTITIES=1 cargo test -p bellcrank-sim --test laws quantities` writes both files anew.

use crate::common::{built, noise};
use bellcrank_model::{ActuatorId, BodyId, JointId, library};
use bellcrank_sim::{Batch, BatchOptions, Kind, Precision, Quantity, Settings, Solver};
use std::fmt::Write;
use std::sync::Arc;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/quantities.md");
const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/bellcrank/_quantities.py");

/// As `(worlds, bodies, 3)`.
fn shape(quantity: Quantity) -> String {
    let rows = if quantity.is_parameter() { "1" } else { "worlds" };
    let axes = quantity.owner().axis().map(str::to_owned);
    let tail = quantity.tail().iter().map(usize::to_string);
    let all: Vec<String> = std::iter::once(rows.to_owned()).chain(axes).chain(tail).collect();
    if all.len() == 1 { format!("({},)", all[0]) } else { format!("({})", all.join(", ")) }
}

fn page() -> String {
    let mut text = String::from(
        "# Quantities\n\n\
         All numbers of a batch, in Rust (`batch.read(Quantity::BodyMass, …)`), in Python (`batch.body_mass`, or `batch.read(\"body_mass\")`)\n\
         and in derivatives (`wrt=\"body_mass\"`) under one name. This page is made from the table in `bellcrank-sim`; a test compares the two.\n\n\
         *written*: the array can be written. *derivative*: a step can be differentiated with respect to it. Rows of smaller models are\n\
         filled up with zeros in a batch of different models. See also the [glossary](glossary.md).\n",
    );
    let heads = [
        ("States", "What a step starts from and changes; a snapshot holds them, with the solver's memory."),
        ("Controls", "What a step is told; it leaves them alone. A snapshot holds them."),
        (
            "Parameters",
            "What the mechanism is made of: one row for all worlds, or one each after `spread`; 64 bits whatever the batch computes with.",
        ),
        ("Read-outs", "What follows from the state, or from the last step."),
        ("Directions", "What only derivatives know: changes of something that has no array of its own."),
    ];
    for (kind, (title, what)) in Kind::ALL.into_iter().zip(heads) {
        write!(text, "\n## {title}\n\n{what}\n\n| name | shape | unit | written | derivative | what |\n|---|---|---|---|---|---|\n").expect("a string");
        for q in Quantity::of_kind(kind) {
            let yes = |is: bool| if is { "yes" } else { "" };
            let line = [
                format!("`{}`", q.name()),
                shape(q),
                q.unit().to_owned(),
                yes(q.is_writable()).to_owned(),
                yes(q.is_differentiable()).to_owned(),
                q.meaning().to_owned(),
            ];
            writeln!(text, "| {} |", line.join(" | ")).expect("a string");
        }
    }
    text
}

/// Attributes with their documentation, as the formatter likes them.
fn python() -> String {
    let mut text = String::from(
        "\"\"\"The arrays of a batch as attributes: made from the engine's table of quantities, see docs/reference/quantities.md.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from bellcrank._fields import ArrayField, Fields\n\n\n\
         class Quantities(Fields):\n    \
         \"\"\"States, controls and read-outs ``(worlds, …)``; parameters in one row for all, or one each after ``spread``.\"\"\"\n\n",
    );
    for q in Quantity::all().filter(|q| q.is_array()) {
        let unit = if q.unit() == "1" { String::new() } else { format!(" [{}]", q.unit()) };
        let doc = format!("``{}``{unit}: {}", shape(q), q.meaning().replace('`', "``"));
        let mark = if doc.contains('"') { '\'' } else { '"' };
        let line = format!("    {} = ArrayField({mark}{doc}{mark})", q.name());
        if line.chars().count() <= 120 {
            writeln!(text, "{line}").expect("a string");
            continue;
        }
        writeln!(text, "    {} = ArrayField(", q.name()).expect("a string");
        let mut row = String::new();
        for word in doc.split_inclusive(' ') {
            if row.chars().count() + word.chars().count() > 108 {
                writeln!(text, "        {mark}{row}{mark}").expect("a string");
                row.clear();
            }
            row += word;
        }
        writeln!(text, "        {mark}{row}{mark}\n    )").expect("a string");
    }
    text
}

#[test]
fn the_page_and_the_python_package_say_what_the_table_says() {
    for (file, now) in [(PAGE, page()), (PYTHON, python())] {
        if std::env::var_os("BELLCRANK_WRITE_QUANTITIES").is_some() {
            std::fs::write(file, &now).expect("a file that can be written");
        }
        let stored = std::fs::read_to_string(file).unwrap_or_default();
        let line = now.lines().zip(stored.lines()).find(|(now, stored)| now != stored);
        assert!(
            stored == now,
            "{file} is not what the table says, first at {line:?}; write it anew (head of this file)"
        );
    }
}

#[test]
fn names_are_found_and_strange_ones_get_a_hint() {
    for quantity in Quantity::all() {
        assert_eq!(Quantity::by_name(quantity.name()), Ok(quantity));
        assert_eq!(quantity.component_names().len(), quantity.components(), "{}", quantity.name());
    }
    let text = Quantity::by_name("body_mas").unwrap_err().to_string();
    assert!(text.contains("body_mas") && text.contains("did you mean \"body_mass\"?"), "{text}");
}

/// What is read can be written back and read again: nothing changes. What cannot be written says so.
#[test]
fn every_array_can_be_read_and_what_can_be_written_stays() {
    let models = ["hybrid_biped", "pendulum"].map(|name| {
        Arc::new(library::by_name(name).expect("a shipped model").build().expect("a sound model"))
    });
    let mut batch =
        Batch::of(&[models[0].clone(), models[1].clone(), models[0].clone()], BatchOptions::default())
            .expect("a batch");
    batch.step(20);
    for q in Quantity::all() {
        let mut first = vec![0.0; batch.shape(q).iter().product()];
        if !q.is_array() {
            assert!(batch.read(q, &mut first).is_err(), "{}", q.name());
            continue;
        }
        batch.read(q, &mut first).unwrap();
        for world in 0..3 {
            let row = batch.read_world(q, world).unwrap();
            let width = batch.width(q);
            assert_eq!(row, first[world * width..][..row.len()], "{}", q.name());
            assert_eq!(row.len(), q.labels(batch.model(world).unwrap()).len(), "{}", q.name());
        }
        assert_eq!(batch.write(q, &first).is_ok(), q.is_writable(), "{}", q.name());
        let mut again = vec![0.0; first.len()];
        batch.read(q, &mut again).unwrap();
        assert_eq!(first, again, "{}", q.name());
    }
}

/// A motor's control is the number of the array that it listens to, and of no other.
#[test]
fn controls_go_where_the_motors_listen() {
    let mut m = library::by_name("hybrid_biped").expect("a shipped model");
    let joint = m.clone().build().expect("a sound model").joints()[0].name.clone();
    m.actuator(bellcrank_model::Actuator::effort("push", joint.as_str()));
    m.actuator(bellcrank_model::Actuator::velocity("turn", joint.as_str(), 1.0));
    let model = Arc::new(m.build().expect("a sound model"));
    let mut batch = Batch::new(model.clone(), 3, BatchOptions::default()).expect("a batch");
    let count = model.actuators().len();
    let told: Vec<f64> = (0..3 * count).map(|k| noise(k, 1)).collect();
    batch.write(Quantity::Control, &told).unwrap();
    for (a, motor) in model.actuators().iter().enumerate() {
        let listens = Quantity::listened_to(motor.control);
        for q in [Quantity::Effort, Quantity::TargetPosition, Quantity::TargetVelocity] {
            let mut now = vec![0.0; 3 * count];
            batch.read(q, &mut now).unwrap();
            let fresh = Batch::new(model.clone(), 3, BatchOptions::default()).unwrap();
            let mut before = vec![0.0; 3 * count];
            fresh.read(q, &mut before).unwrap();
            for world in 0..3 {
                let k = world * count + a;
                assert_eq!(
                    now[k],
                    if q == listens { told[k] } else { before[k] },
                    "{} {}",
                    motor.name,
                    q.name()
                );
            }
        }
    }
}

/// A body, a joint and a motor by their identifiers are those by their numbers.
#[test]
fn parts_are_asked_for_by_identifier_or_number() {
    let model = Arc::new(library::four_bar().build().expect("a sound model"));
    let mut batch = Batch::new(model.clone(), 1, BatchOptions::default()).expect("a batch");
    let (body, joint) = (BodyId::new(1), JointId::new(2));
    batch.set_target_position(0, ActuatorId::new(0), 0.5).unwrap();
    batch.step(10);
    assert_eq!(batch.body_pose(0, body).unwrap(), batch.body_pose(0, 1).unwrap());
    assert_eq!(batch.body_velocity(0, body).unwrap(), batch.body_velocity(0, 1).unwrap());
    assert_eq!(batch.joint_reaction(0, joint).unwrap(), batch.joint_reaction(0, 2).unwrap());
    assert_eq!(batch.read_world(Quantity::TargetPosition, 0).unwrap()[0], 0.5);
    assert!(batch.body_pose(0, BodyId::new(99)).is_err());
}

/// The step is the model's own unless told; numbers that are not given are those of the precision.
#[test]
fn defaults_are_those_of_the_model_and_the_precision() {
    let mut m = library::four_bar();
    m.time_step(0.0025);
    let model = Arc::new(m.build().expect("a sound model"));
    let batch = Batch::new(model.clone(), 1, BatchOptions::default()).expect("a batch");
    assert_eq!(batch.dt(), 0.0025);
    let options = BatchOptions { dt: Some(0.001), precision: Precision::F32, ..BatchOptions::default() };
    let single = Batch::new(model, 1, options).expect("a batch");
    assert_eq!(single.dt(), 0.001);
    let looser = |a: f64, b: f64| assert!(a > b, "{a} {b}");
    looser(single.engine_settings().softness, batch.engine_settings().softness);
    looser(single.engine_settings().gap_tolerance, batch.engine_settings().gap_tolerance);
    let given = Settings { softness: Some(1e-4), ..Settings::from(Solver::moreau_jean()) };
    assert_eq!(given.for_precision(Precision::F32).softness, 1e-4);
    assert_eq!(given.for_precision(Precision::F32).gap_tolerance, single.engine_settings().gap_tolerance);
}

/// Read-outs of all worlds at once are what each world tells for itself, in lanes and for models of different sizes.
#[test]
fn read_outs_of_all_worlds_are_those_of_each() {
    for precision in [Precision::F64, Precision::F32] {
        let models = ["hybrid_biped", "stack"].map(|name| built(library::by_name(name).expect("shipped")));
        let list: Vec<_> = (0..40).map(|k| models[usize::from(k % 3 == 0)].clone()).collect();
        let options = BatchOptions { precision, threads: 1, ..BatchOptions::default() };
        let mut batch = Batch::of(&list, options).unwrap();
        batch.step(20);
        let rows = |quantity: Quantity| {
            let width = batch.width(quantity);
            let mut values = vec![0.0_f64; batch.worlds() * width];
            batch.read(quantity, &mut values).unwrap();
            (width, values)
        };
        let [forces, reactions, efforts] =
            [Quantity::ContactForce, Quantity::JointReaction, Quantity::AppliedEffort].map(rows);
        let mut pressed = 0.0_f64;
        for world in 0..batch.worlds() {
            let model = batch.model(world).unwrap();
            let mut sums = vec![0.0; forces.0];
            for contact in batch.contacts(world).unwrap() {
                for (k, x) in contact.force.to_array().into_iter().enumerate() {
                    sums[3 * contact.body_b.index() + k] += x;
                    if let Some(a) = contact.body_a {
                        sums[3 * a.index() + k] -= x;
                    }
                }
            }
            assert_eq!(forces.1[world * forces.0..][..forces.0], sums, "{precision:?}, world {world}");
            pressed = sums.iter().fold(pressed, |most, x| most.max(x.abs()));
            for joint in 0..model.joints().len() {
                let own = batch.joint_reaction(world, joint).unwrap().to_array();
                assert_eq!(reactions.1[world * reactions.0 + 6 * joint..][..6], own);
            }
            for motor in 0..model.actuators().len() {
                let own = batch.actuator_effort(world, motor).unwrap();
                assert_eq!(efforts.1[world * efforts.0 + motor], own);
            }
        }
        assert!(pressed > 10.0, "something stands on the ground: {pressed} N");
    }
}
