//! How many goals out of the whole reachable set are solved. Run it with `--release`; give names of robots for some of them only,
//! and a number for how many goals (1,000 otherwise).

#[path = "../tests/reachable.rs"]
mod reachable;
#[path = "../tests/robots.rs"]
mod robots;
#[path = "../tests/support.rs"]
mod support;

use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = arguments.iter().find_map(|word| word.parse().ok()).unwrap_or(1000);
    let names: Vec<&String> = arguments.iter().filter(|word| word.parse::<usize>().is_err()).collect();
    println!(
        "robot               goal                       drawn  indep.   goals  descent  one start  restarts  steps"
    );
    for case in robots::CASES {
        if !names.is_empty() && !names.iter().any(|name| *name == case.robot) {
            continue;
        }
        let begin = Instant::now();
        let counted = case.count(count);
        let what = if case.with_orientation { "pose" } else { "position" };
        println!(
            "{:20}{:15} {what:10} {:7} {:7} {count:7} {:6.1} % {:8.1} % {:7.1} % {:6.1}   {:.1} s",
            case.robot,
            case.frame,
            counted.drawn.drawn,
            counted.drawn.independent,
            100.0 * counted.descent,
            100.0 * counted.once,
            100.0 * counted.again,
            counted.steps,
            begin.elapsed().as_secs_f64()
        );
    }
}
