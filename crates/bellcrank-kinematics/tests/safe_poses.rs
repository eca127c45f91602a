//! Random poses that are safe to start from, each looked at again by other code than that which drew it.

use crate::support::{frames, gap, model, within_limits};
use bellcrank_collide::ContactPlan;
use bellcrank_kinematics::{Kinematics, Sampler, Sampling};
use bellcrank_math::{Pose, Vec3, factor_cholesky, solve_cholesky};
use bellcrank_model::{Geometry, JointKind, Model};

/// Poses of a robot that were drawn, all of them safe.
struct Drawn {
    sampler: Sampler<'static, f64>,
    poses: Vec<Vec<f64>>,
}

/// Draws poses; every one is looked at again: loops and limits by the tree's operators, overlap by [`boxes_apart`], the singular value by
/// [`loosest`].
fn drawn(model: Model, sampling: &Sampling, count: usize) -> Drawn {
    let model: &'static Model = Box::leak(Box::new(model));
    let name = model.name();
    let sampler = Sampler::<f64>::new(model, sampling.clone()).expect("there");
    let begin = std::time::Instant::now();
    let samples = sampler.draw(count).expect("goals");
    let speed = count as f64 / begin.elapsed().as_secs_f64();
    println!("{name}: {} draws for {count} poses, {speed:.0} per second", samples.draws.iter().sum::<u32>());
    assert!(samples.found.iter().all(|found| *found), "{name}");
    let robot = Kinematics::<f64>::new(model);
    let (plan, open) = (ContactPlan::of(model), 1.001 * sampling.loop_floor.max(1e-9));
    let nq = robot.tree().coordinate_count();
    let poses: Vec<Vec<f64>> = samples.q.chunks_exact(nq).map(<[f64]>::to_vec).collect();
    for q in &poses {
        let (gap, held) = (gap(robot.tree(), q), loosest(&robot, q));
        assert!(gap < open, "{name}: open by {gap}");
        assert!(within_limits(model, robot.tree(), q, 1e-9), "{name}: beyond limits");
        assert!(held > sampling.singular_margin - 1e-6, "{name}: singular value {held}");
        if sampling.clearance >= 0.0 {
            let X_WL = robot.body_poses(q).expect("sizes").remove(0);
            assert!(boxes_apart(model, &plan, &X_WL), "{name}: parts overlap");
        }
    }
    Drawn { sampler, poses }
}

/// Whether no two boxes of different bodies that could touch overlap: some axis of a box, or normal to an edge of each, parts them (Gottschalk,
/// Lin and Manocha 1996).
fn boxes_apart(model: &Model, plan: &ContactPlan, X_WL: &[Pose]) -> bool {
    let mut pairs: Vec<_> =
        plan.slots().iter().filter_map(|slot| Some((slot.body_a?, slot.body_b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let boxes = |body| {
        let own =
            model.shapes().iter().filter(move |shape| shape.collides && shape.link.body() == Some(body));
        own.map(move |shape| match shape.geometry {
            Geometry::Box { half } => (X_WL[body.index()] * shape.X_LG, half),
            _ => panic!("{} is no box", shape.name),
        })
    };
    pairs.into_iter().all(|(a, b)| boxes(a).all(|one| boxes(b).all(|other| parted(one, other))))
}

fn parted((X, half): (Pose, Vec3), (Y, other): (Pose, Vec3)) -> bool {
    let units = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    let (own, its) = (units.map(|e| X.R.rotate(e)), units.map(|e| Y.R.rotate(e)));
    let edges = own.iter().flat_map(|a| its.map(|b| a.cross(b)));
    own.into_iter().chain(its).chain(edges).any(|axis| {
        let reach = |axes: [Vec3; 3], half: Vec3| -> f64 {
            axes.iter().zip(half.to_array()).map(|(a, h)| h * a.dot(axis).abs()).sum()
        };
        (Y.p - X.p).dot(axis).abs() > reach(own, half) + reach(its, other)
    })
}

/// Least |A v| over all v of length one with G v = 0, bases at rest: the smallest singular value, by inverse iteration on
/// AᵀA + 10⁶ GᵀG with G from the tree's own operator, whose rows are made orthonormal first.
fn loosest(robot: &Kinematics<f64>, q: &[f64]) -> f64 {
    let tree = robot.tree();
    let (nv, rows) = (tree.dof_count(), tree.loops.rows);
    let (mut c, mut G) = (vec![0.0; rows], vec![0.0; rows * nv]);
    tree.batch().loop_closure(q, &mut c, &mut G).expect("sizes");
    let moves: Vec<usize> = tree
        .slots()
        .iter()
        .filter(|slot| slot.kind != JointKind::Free)
        .flat_map(|slot| slot.v.clone())
        .collect();
    let n = moves.len();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for row in G.chunks_exact(nv.max(1)) {
        let mut row: Vec<f64> = moves.iter().map(|v| row[*v]).collect();
        for _ in 0..2 {
            for other in &basis {
                let along = dot(&row, other);
                row.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
        }
        let length = dot(&row, &row).sqrt();
        if length > 1e-6 {
            basis.push(row.iter().map(|x| x / length).collect());
        }
    }
    let driven =
        |v: usize| tree.loops.driven[tree.v_order.place.iter().position(|p| *p == v).expect("there")];
    let mut H = vec![0.0; n * n];
    for i in 0..n {
        H[i * n + i] = 1e-9 + f64::from(u8::from(driven(moves[i])));
        for j in 0..n {
            H[i * n + j] += 1e6 * basis.iter().map(|row| row[i] * row[j]).sum::<f64>();
        }
    }
    factor_cholesky(&mut H, n);
    let mut x: Vec<f64> = (0..n).map(|k| 1.0 + 0.1 * (k as f64 * 1.7).sin()).collect();
    let mut value = 0.0;
    for _ in 0..60 {
        let length = dot(&x, &x).sqrt();
        x.iter_mut().for_each(|x| *x /= length);
        let before = x.clone();
        solve_cholesky(&H, n, &mut x);
        value = 1.0 / dot(&before, &x);
    }
    (value - 1e-9_f64).max(0.0).sqrt()
}

/// Tenths of each drawn joint's range in which there are poses.
fn tenths(drawn: &Drawn) -> Vec<(String, [usize; 10])> {
    let count = |(name, [low, high]): (String, [f64; 2])| {
        let mut counts = [0; 10];
        let tree = drawn.sampler.robot().tree();
        let place = tree.slot(&name).expect("in the tree").q.start;
        for q in &drawn.poses {
            let share = (q[place] - low) / (high - low);
            counts[((10.0 * share) as usize).min(9)] += 1;
        }
        println!("{name}: {low:.2} to {high:.2} {counts:?}");
        (name, counts)
    };
    drawn.sampler.ranges().into_iter().map(count).collect()
}

/// Of the box of all motors' ranges little is within reach, since an inner and an outer half-leg that disagree cannot both be had; but every
/// motor gets through its whole range, without a hole.
#[test]
fn ten_thousand_poses_of_the_hybrid_biped_are_safe_and_cover_its_ranges() {
    let sampling = Sampling { singular_margin: 0.05, clearance: 0.002, ..Sampling::default() };
    let drawn = drawn(model("hybrid_biped"), &sampling, 10_000);
    assert_covered(&tenths(&drawn), 10);
}

/// The file has no limits: motors are drawn from whole turns, and its loops stay open by up to 2e-7 (see `robots.rs`).
#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn ten_thousand_poses_of_dr_legs_are_safe_and_cover_its_ranges() {
    let case = crate::robots::CASES.iter().find(|case| case.robot == "dr_legs").expect("listed");
    let sampling = Sampling { singular_margin: 0.05, loop_floor: case.floor, ..Sampling::default() };
    let drawn = drawn(case.load(), &sampling, 10_000);
    assert_covered(&tenths(&drawn), 8);
}

/// At least so many tenths of every range hold poses, one beside the other.
fn assert_covered(tenths: &[(String, [usize; 10])], least: usize) {
    for (name, counts) in tenths {
        let first = counts.iter().position(|n| *n > 0).expect("some");
        let last = 10 - counts.iter().rev().position(|n| *n > 0).expect("some");
        assert!(last - first >= least && counts[first..last].iter().all(|n| *n > 0), "{name}: {counts:?}");
    }
}

/// Without loops values are as drawn: evenly spread, by the test of Kolmogorov and Smirnov at one in a thousand, D < 1.95/√n.
#[test]
fn poses_of_the_arm_are_spread_evenly() {
    let Drawn { sampler, poses } =
        drawn(model("arm"), &Sampling { clearance: -1.0, ..Sampling::default() }, 2000);
    for (name, [low, high]) in sampler.ranges() {
        let place = sampler.robot().tree().slot(&name).expect("in the tree").q.start;
        let mut values: Vec<f64> = poses.iter().map(|q| (q[place] - low) / (high - low)).collect();
        values.sort_by(f64::total_cmp);
        let far = |(i, x): (usize, &f64)| (x - (i as f64 + 0.5) / 2000.0).abs();
        let most = values.iter().enumerate().map(far).fold(0.0, f64::max);
        assert!(most < 1.95 / 2000.0_f64.sqrt(), "{name}: {most}");
    }
}

/// Both soles as high and as level as at rest, while the pelvis and the joints go elsewhere; the i-th pose does not depend on how many are drawn.
#[test]
fn feet_stand_on_the_ground_where_asked() {
    let feet = vec!["left_foot".to_owned(), "right_foot".to_owned()];
    let sampling = Sampling { feet, ..Sampling::default() };
    let Drawn { sampler, poses } = drawn(model("hybrid_biped"), &sampling, 100);
    let names = ["left_foot", "right_foot", "pelvis"];
    let rest = frames(sampler.robot().tree(), sampler.robot().rest(), &names);
    let mut far: f64 = 0.0;
    for q in &poses {
        let now = frames(sampler.robot().tree(), q, &names);
        for foot in 0..2 {
            assert!((now[foot].p.z - rest[foot].p.z).abs() < 1e-6);
            let up = now[foot].R.rotate(rest[foot].R.rotate_inverse(Vec3::z_axis()));
            assert!((up - Vec3::z_axis()).norm() < 2e-6, "{up:?}");
        }
        far = far.max((now[2].p - rest[2].p).norm());
    }
    assert!(far > 0.03, "the pelvis went {far} m at most");
    let few = sampler.draw(7).expect("goals");
    assert_eq!(few.q, poses[..7].concat());
}
