//! Cassie, from the file of MuJoCo's menagerie, stays up by planning alone.

use bellcrank::control::balance::{BalanceOptions, BalanceTrial, Walker};
use bellcrank::import::{Options, load_builder};
use std::path::Path;

/// 30 N·s on 33 kg, a second after the start, shared over a tenth of a second: 0.9 m/s. Without plans the robot, whose legs have
/// springs and whose feet are lines, falls within two seconds by itself.
#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn a_pushed_cassie_falls_unless_it_plans() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/menagerie");
    let builder = load_builder(root.join("agility_cassie/scene.xml"), &Options::default()).unwrap();
    let walker = Walker::cassie(builder).unwrap();
    let push = 30.0 / walker.model().unwrap().mass();
    let stance = |push: f64, plans: bool| {
        let options =
            BalanceOptions { push, push_period: 1.0, time_limit: 2.0, threads: 1, ..walker.options() };
        let mut trial = BalanceTrial::new(&walker, options).unwrap();
        loop {
            trial.advance().unwrap();
            let stance = trial.stance().unwrap();
            if stance.over {
                return stance;
            }
            if plans {
                trial.plan().unwrap();
            }
        }
    };
    assert!(stance(0.0, false).fallen);
    let planned = stance(push, true);
    assert!(!planned.fallen && planned.pushes == 2, "{planned:?}");
}
