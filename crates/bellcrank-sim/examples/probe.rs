use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions, Precision};
use std::sync::Arc;
use std::time::Instant;
fn energy(b: &Batch) -> f64 {
    let m = b.model(0).unwrap();
    let mut e = 0.0;
    for i in 0..m.bodies().len() {
        let (x, v) = (b.body_pose(0, i).unwrap(), b.body_velocity(0, i).unwrap());
        let body = &m.bodies()[i];
        let w = x.R.rotate_inverse(v.angular);
        e += 0.5 * body.mass * v.linear.norm_squared()
            + 0.5 * w.dot(body.inertia.unwrap() * w)
            + body.mass * 9.81 * x.p.z;
    }
    e
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let name = &args[1];
    let dt: f64 = args[2].parse().unwrap();
    let t: f64 = args[3].parse().unwrap();
    let prec = if args.get(4).map(|s| s.as_str()) == Some("f32") { Precision::F32 } else { Precision::F64 };
    let scalar = args.get(5).map(|s| s.as_str()) == Some("scalar");
    let worlds: usize = args.get(6).map_or(1, |s| s.parse().unwrap());
    let model = Arc::new(library::by_name(name).unwrap().build().unwrap());
    let mut b =
        Batch::new(model.clone(), worlds, BatchOptions { dt, precision: prec, scalar, ..Default::default() })
            .unwrap();
    let n = (t / dt) as usize;
    let e0 = energy(&b);
    let (mut gm, mut gr, mut its, mut conv, mut res, mut pen) = (0.0f64, 0.0f64, vec![], 0, 0.0f64, 0.0f64);
    let start = Instant::now();
    let mut inner = 0.0;
    for k in 0..n {
        let s = Instant::now();
        let r = b.step(1);
        inner += s.elapsed().as_secs_f64();
        gm = gm.max(r.loop_gap[0].0);
        gr = gr.max(r.loop_gap[0].1);
        its.push(r.iterations[0]);
        conv += r.converged[0];
        res = res.max(r.residual[0]);
        pen = pen.max(r.penetration[0]);
        if k % (n / 10).max(1) == 0 || k == n - 1 {
            println!(
                "t {:.3} E {:.5} gap {:.1e} {:.1e} it {} res {:.1e} pen {:.1e} contacts {} {:?} p0 {:?}",
                (k + 1) as f64 * dt,
                energy(&b),
                r.loop_gap[0].0,
                r.loop_gap[0].1,
                r.iterations[0],
                r.residual[0],
                r.penetration[0],
                r.contact_count[0],
                r.status[0],
                b.body_pose(0, 0).unwrap().p.to_array()
            );
        }
    }
    its.sort_by(f64::total_cmp);
    println!(
        "E0 {e0:.5} -> {:.5}; gap max {gm:.1e} m {gr:.1e} rad; iterations median {} p95 {} max {}; converged {}/{n}; res max {res:.1e}; pen max {pen:.1e}",
        energy(&b),
        its[n / 2],
        its[n * 95 / 100],
        its[n - 1],
        conv
    );
    println!(
        "{:.0} world-steps/s (wall {:.2} s, bytes/world {})",
        (n * worlds) as f64 / inner,
        start.elapsed().as_secs_f64(),
        b.memory_bytes_per_world()
    );
}
