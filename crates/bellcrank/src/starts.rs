//! Poses that episodes of learning tasks may begin in, drawn by kinematics.

use bellcrank_kinematics::{Sampler, Sampling};
use bellcrank_math::Pose;
use bellcrank_model::Model;

/// Motors hold every pose at least so well: their rates per unit of joint rates.
const SINGULAR_MARGIN: f64 = 0.05;
/// Files round their numbers, and loops then stay open by a little [m and rad].
const LOOP_FLOOR: f64 = 1e-6;

/// Up to so many safe random poses of a robot, always the same: loops closed, limits kept, free of overlap, away from singular poses, assembled as
/// at rest. For [`bellcrank_tasks::Choice::draw_poses`] and [`bellcrank_tasks::Env::begin_from`]: poses of all bodies' centres of mass, robot after
/// robot. Draws that find none are left out.
///
/// # Errors
/// In words, when not a single one was found.
pub fn safe_poses(model: &Model, count: usize) -> Result<Vec<Pose>, String> {
    let sampling = Sampling {
        singular_margin: SINGULAR_MARGIN,
        loop_floor: LOOP_FLOOR,
        threads: 0,
        ..Sampling::default()
    };
    let sampler = Sampler::<f64>::new(model, sampling).map_err(|error| error.to_string())?;
    let samples = sampler.draw(count).map_err(|error| error.to_string())?;
    let rows = sampler.robot().body_poses(&samples.q).map_err(|error| error.to_string())?;
    let found = rows.iter().zip(&samples.found).filter(|(_, found)| **found);
    let of_robot = |(row, _): (&Vec<Pose>, _)| {
        row.iter().zip(model.bodies()).map(|(X_WL, body)| *X_WL * body.X_LB()).collect()
    };
    let poses: Vec<Vec<Pose>> = found.map(of_robot).collect();
    if poses.is_empty() {
        return Err(format!(
            "none of {count} random poses of {} is safe to begin from: there are joints that no motor holds, parts that always \
             overlap, or limits without room between them",
            model.name()
        ));
    }
    Ok(poses.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_learn::{Config, Trainer};
    use bellcrank_tasks::{Choice, DrawPoses, Env, EnvOptions, TASKS};

    /// Every robot that a task ships with has safe poses, and episodes begin in them; but poles and rails that no motor drives are never held.
    #[test]
    fn robots_of_tasks_have_safe_poses() {
        for (name, _, _) in TASKS {
            let options = EnvOptions { worlds: 4, threads: 1, ..EnvOptions::default() };
            let mut env = Env::new(*name, options).expect("a task");
            let bodies = env.model().bodies().len();
            let drawn = safe_poses(&env.model().clone(), 32);
            if ["cartpole_swing_up", "hopper"].contains(name) {
                assert!(drawn.is_err_and(|why| why.contains("no motor holds")), "{name}");
                continue;
            }
            let poses = drawn.unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(poses.len() >= 16 * bodies, "{name}: {} of 32", poses.len() / bodies);
            env.begin_from(&poses).expect("whole robots");
            env.reset(Some(1)).expect("starts");
        }
    }

    fn trained(random_poses: usize, draw_poses: Option<DrawPoses>) -> Result<Trainer, String> {
        let config = Config { worlds: 16, random_poses, ..Config::of_task("biped_walk") };
        let choice = Choice { draw_poses, ..Choice::from("biped_walk") };
        let mut trainer = Trainer::new(choice, config, 1, 1).map_err(|error| error.to_string())?;
        trainer.update().map_err(|error| error.to_string())?;
        Ok(trainer)
    }

    /// The first actions of untrained policies that begin elsewhere earn other rewards, and the same once more. A run that goes on draws the same
    /// poses again, and where nobody can draw, it says so instead of beginning elsewhere.
    #[test]
    fn a_trainer_draws_poses_when_told_and_says_so_where_nobody_can() {
        let draw = Some(safe_poses as DrawPoses);
        let reward = |trainer: &Trainer| trainer.curve()[0].reward_mean;
        let (own, drawn) = (trained(0, draw).expect("trains"), trained(24, draw).expect("trains"));
        assert!((reward(&own) - reward(&drawn)).abs() > 1e-6, "{} either way", reward(&own));
        assert_eq!(reward(&trained(0, None).expect("trains")), reward(&own));
        assert_eq!(reward(&trained(24, draw).expect("trains")), reward(&drawn));
        let nobody = trained(24, None).err().expect("refused");
        assert!(nobody.contains("draw_poses"), "{nobody}");

        let folder = std::env::temp_dir().join(format!("bellcrank-starts-{}", std::process::id()));
        drawn.save(&folder).expect("saved");
        let given = Choice { draw_poses: draw, ..Choice::from("") };
        let resumed = Trainer::resume_with(&folder, given, 1).expect("resumed");
        let refused = Trainer::resume(&folder, 1).err().expect("refused").to_string();
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(resumed.config().random_poses, 24);
        assert!(refused.contains("draw_poses"), "{refused}");
    }
}
