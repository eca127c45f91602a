//! How many goals are solved and safe poses drawn per second of one core, by the processor time of this thread. Run it with `--release`. A robot's
//! file and how far its loops stay open may be given: then safe poses of that robot alone are drawn.
//!
//! 1,024 goals at once, warm: the start is a pose whose frame is within 5 cm of the goal. One goal, cold: a hand of the humanoid anywhere
//! in its reach, from the rest pose, by itself. The best of several runs counts: other work on the machine can only slow a run down.

use bellcrank_kinematics::{Goal, Kinematics, Sampler, Sampling, Settings};
use bellcrank_math::{Mat3, Pose, Quat, Random, Vec3};
use bellcrank_model::{Model, library};

const GOALS: usize = 1024;
const RUNS: usize = 30;
/// Safe poses that are drawn, and how often.
const POSES: usize = 10_000;
const SAMPLE_RUNS: usize = 3;

/// Processor time of this thread [s]: what others do on the machine does not count.
#[cfg(unix)]
fn clock() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Where the system does not tell that, time on the wall [s].
#[cfg(not(unix))]
fn clock() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

fn frame(robot: &Kinematics<f64>, q: &[f64], name: &str) -> Pose {
    let mut m = [0.0; 12];
    robot.tree().batch().fk(q, &[robot.tree().frame(name).expect("there")], &mut m).expect("sizes");
    let R = Mat3::from_rows([[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]);
    Pose::new(Quat::from_mat3(R), Vec3::new(m[3], m[7], m[11]))
}

/// Goals within 5 cm of a start; the orientation stays as it is where it is asked for.
fn warm(name: &str, at: &str, start: &[f64], with_orientation: bool) {
    let model = library::by_name(name).expect("shipped").build().expect("builds");
    let robot = Kinematics::<f64>::new(&model);
    let start = if start.is_empty() { robot.rest().to_vec() } else { start.to_vec() };
    let X = frame(&robot, &start, at);
    let mut random = Random::new(1, 0, 0);
    let mut targets = Vec::new();
    while targets.len() < GOALS * if with_orientation { 7 } else { 3 } {
        let mut x = || random.between(-0.05, 0.05);
        let way = Vec3::new(x(), x(), x());
        if way.norm() > 0.05 {
            continue;
        }
        // a biped that stands nearly straight cannot lower its foot by 5 cm
        let way = if name == "hybrid_biped" { Vec3::new(way.x, way.y, way.z.abs()) } else { way };
        targets.extend((X.p + way).to_array());
        if with_orientation {
            targets.extend(X.R.to_wxyz());
        }
    }
    let mut goals = vec![Goal::position(at)];
    if with_orientation {
        goals.push(Goal::orientation(at));
    }
    let problem = robot.problem(&goals, Settings { restarts: 0, ..Settings::default() }).expect("goals");
    let mut best = f64::INFINITY;
    let mut found = problem.solve(&targets, &start).expect("sizes");
    for _ in 0..RUNS {
        let begin = clock();
        found = problem.solve(&targets, &start).expect("sizes");
        best = best.min(clock() - begin);
    }
    let solved = found.solved.iter().filter(|solved| **solved).count() as f64 / GOALS as f64;
    let steps = found.iterations.iter().map(|n| f64::from(*n)).sum::<f64>() / GOALS as f64;
    let what = if with_orientation { "pose" } else { "position" };
    println!(
        "{name:14} {at:10} {what:9} {:9.0} solves per core-second, {:5.1} % solved, {steps:.1} steps",
        GOALS as f64 / best,
        100.0 * solved
    );
}

/// One goal at a time, from the rest pose, with restarts.
fn cold() {
    let model = library::humanoid().build().expect("builds");
    let robot = Kinematics::<f64>::new(&model);
    let goals = [Goal::position("left_hand"), Goal::orientation("left_hand")];
    let problem = robot.problem(&goals, Settings::default()).expect("goals");
    let limits = robot.limits();
    let mut times = Vec::new();
    let mut solved = 0;
    for i in 0..200 {
        let mut random = Random::new(2, i, 0);
        let mut q = robot.rest().to_vec();
        for slot in robot.tree().slots().iter().filter(|slot| slot.kind.has_scalar_coordinates()) {
            let [low, high] = limits[slot.v.start];
            q[slot.q.start] = random.between(low.max(-1.5), high.min(1.5));
        }
        let X = frame(&robot, &q, "left_hand");
        let target: Vec<f64> = X.p.to_array().into_iter().chain(X.R.to_wxyz()).collect();
        let begin = clock();
        let found = problem.solve(&target, &[]).expect("sizes");
        times.push(clock() - begin);
        solved += usize::from(found.solved[0]);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "humanoid       left_hand  pose      one cold: median {:.3} ms, worst of 200 {:.3} ms, {solved} of 200 solved",
        1e3 * times[100],
        1e3 * times[199]
    );
}

/// Safe poses per second.
fn poses(name: &str, model: &Model, loop_floor: f64) {
    let sampling = Sampling { singular_margin: 0.05, loop_floor, ..Sampling::default() };
    let sampler = Sampler::<f64>::new(model, sampling).expect("there");
    let (mut best, mut found, mut draws) = (f64::INFINITY, 0, 0);
    for _ in 0..SAMPLE_RUNS {
        let begin = clock();
        let samples = sampler.draw(POSES).expect("goals");
        best = best.min(clock() - begin);
        found = samples.found.iter().filter(|found| **found).count();
        draws = samples.draws.iter().map(|n| *n as usize).sum();
    }
    let speed = POSES as f64 / best;
    println!("{name:14} {found} of {POSES} safe poses in {draws} draws, {speed:.0} per core-second");
}

fn main() {
    if let [file, floor] = &std::env::args().skip(1).collect::<Vec<_>>()[..] {
        let model = bellcrank_import::load(file, &Default::default()).expect("a robot");
        return poses(model.name(), &model, floor.parse().expect("a number"));
    }
    let bent = [0.3, 0.6, -0.2, -1.2, 0.1, 0.9, 0.0, 0.0, 0.0];
    for with_orientation in [false, true] {
        warm("arm", "tool", &bent, with_orientation);
        warm("hybrid_biped", "left_foot", &[], with_orientation);
        warm("delta", "tool", &[], with_orientation);
        warm("stewart", "top", &[], with_orientation);
    }
    cold();
    for name in ["hybrid_biped", "delta"] {
        poses(name, &library::by_name(name).expect("shipped").build().expect("builds"), 0.0);
    }
}
