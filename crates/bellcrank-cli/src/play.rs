//! `bellcrank play`: a policy acts in the browser's view, worlds side by side.

use super::opening::Brought;
use super::record::{Record, Recording};
use super::watch::{Listen, announce};
use super::{Error, stop};
use bellcrank::learn::Policy;
use bellcrank::tasks::{self, Env, EnvOptions};
use bellcrank::view::{Dial, Live};
use clap::Args;
use std::io::BufRead;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Play {
    /// A policy's file, or the name of one that ships (`biped_walk`)
    policy: String,
    /// Number of worlds
    #[arg(long, default_value_t = 9, value_parser = super::at_least_one)]
    worlds: usize,
    /// Forward velocity [m/s] [default: commands change by chance, as in training]
    #[arg(long, value_name = "MPS", allow_negative_numbers = true)]
    forward: Option<f32>,
    /// Sideways velocity, to the left [m/s]
    #[arg(long, value_name = "MPS", allow_negative_numbers = true)]
    sideways: Option<f32>,
    /// Turning rate, to the left [rad/s]
    #[arg(long, value_name = "RADPS", allow_negative_numbers = true)]
    turn: Option<f32>,
    /// Velocity of the pushes [m/s]; the mouse pulls too
    #[arg(long, default_value_t = 0.0, value_name = "MPS")]
    push: f64,
    /// Seed of starts, commands and pushes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ends after so many simulated seconds [default: at Ctrl-C; 8 with --record]
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    #[command(flatten)]
    record: Record,
    #[command(flatten)]
    brought: Brought,
    #[command(flatten)]
    listen: Listen,
}

/// Length of a recording unless told otherwise [s].
const RECORDED: f64 = 8.0;

/// No browser looks on: nothing moves, and this often somebody looks for one.
const PAUSE: Duration = Duration::from_millis(20);

impl Play {
    pub fn run(self) -> Result<(), Error> {
        let (policy, path) = Policy::open(&self.policy).map_err(Error::Learn)?;
        let mut command = self.command();
        let mut settings = policy.settings();
        if takes(&policy.task, "push") {
            settings.push(("push".to_owned(), self.push));
        }
        let options = EnvOptions { worlds: self.worlds, ..EnvOptions::default() };
        let task = policy.choice(self.brought.robot()?);
        let mut env = Env::with_settings(task, options, &settings).map_err(Error::Env)?;
        policy.check_task(&policy.task, env.spec(), &path).map_err(Error::Learn)?;
        env.reset(Some(self.seed)).map_err(Error::Env)?;
        if let Some(recording) = self.record.start(env.batch(), Vec::new())? {
            return self.film(env, &policy, recording);
        }
        let mut live = Live::start(env.batch(), self.listen.live(env.batch(), None)).map_err(Error::View)?;
        let by_chance = env.setting("command_interval").map_or(0.0, |value| *value);
        announce(&live.address().url);
        if env.setting("forward_max").is_some() {
            live.offer(dials(&mut env, command));
            eprintln!(
                "commands: sliders and keys of the page, w s (forward), q e (sideways), a d (turn); or type these letters, or `forward sideways turn` [m/s, m/s, rad/s], and Enter"
            );
        }
        let (lines, stopped, mut steps) = (typed(), stop::asked(), 0_usize);
        let seconds = env.spec().dt * env.spec().decimation as f64;
        while !stopped.load(Ordering::Relaxed) && self.seconds.is_none_or(|s| steps as f64 * seconds < s) {
            let begin = Instant::now();
            live.attend(env.batch_mut()).map_err(Error::View)?;
            let told = command_of(live.dials());
            command = lines.try_iter().fold(told, |old, line| changed(old, &line));
            if command != told {
                live.offer(dials(&mut env, command));
            }
            if let Some(interval) = env.setting("command_interval") {
                *interval = if command.is_some() { 0.0 } else { by_chance }; // chance does not talk in between
            }
            if live.is_paused() || live.watchers() == 0 && self.seconds.is_none() {
                live.publish(env.batch()).map_err(Error::View)?;
                std::thread::sleep(PAUSE);
                continue;
            }
            if let Some(command) = command {
                (0..self.worlds).try_for_each(|world| env.tell(world, command)).map_err(Error::Env)?;
            }
            step(&mut env, &policy, &mut live)?;
            steps += 1;
            live.publish(env.batch()).map_err(Error::View)?;
            std::thread::sleep(
                Duration::from_secs_f64(seconds / live.speed()).saturating_sub(begin.elapsed()),
            );
        }
        Ok(())
    }

    /// Acts for the recording alone, as fast as it goes.
    fn film(&self, mut env: Env, policy: &Policy, mut recording: Recording) -> Result<(), Error> {
        let seconds = env.spec().dt * env.spec().decimation as f64;
        let count = (self.seconds.unwrap_or(RECORDED) / seconds).round() as usize;
        let (stopped, command) = (stop::asked(), self.command());
        if let (Some(interval), true) = (env.setting("command_interval"), command.is_some()) {
            *interval = 0.0; // chance does not talk in between
        }
        for step in 0..=count {
            recording.observe(env.batch(), step as f64 * seconds)?;
            if step == count || stopped.load(Ordering::Relaxed) {
                break;
            }
            if let Some(command) = command {
                (0..self.worlds).try_for_each(|world| env.tell(world, command)).map_err(Error::Env)?;
            }
            let actions = policy.act(env.observations()).map_err(Error::Learn)?;
            env.step(&actions).map_err(Error::Env)?;
        }
        recording.finish()
    }

    /// What the options tell all robots; none when they leave it to chance.
    fn command(&self) -> Option<[f32; 3]> {
        let told = [self.forward, self.sideways, self.turn];
        told.iter().any(Option::is_some).then(|| told.map(Option::unwrap_or_default))
    }
}

/// Whether the task has a setting; those whose robot the user brings are walkers.
fn takes(task: &str, setting: &str) -> bool {
    match tasks::by_name(task) {
        Some(Ok(mut task)) => task.settings().iter().any(|(name, _)| *name == setting),
        _ => true,
    }
}

/// What the page may turn, within what the robot has learned.
fn dials(env: &mut Env, command: Option<[f32; 3]>) -> Vec<Dial> {
    let mut most = |name: &str| env.setting(name).map_or(0.0, |value| *value);
    let (sideways, turn) = (most("sideways_max"), most("turn_max"));
    let forward = [most("forward_min").min(0.0), most("forward_max")];
    let value = |k: usize| command.map(|told| f64::from(told[k]));
    let dial = |name, unit, range, keys, k| Dial { name, unit, range, keys, value: value(k) };
    vec![
        dial("forward", "m/s", forward, ["s", "w"], 0),
        dial("sideways", "m/s", [-sideways, sideways], ["e", "q"], 1),
        dial("turn", "rad/s", [-turn, turn], ["d", "a"], 2),
    ]
}

/// What the dials tell all robots; none while all are left to chance.
fn command_of(dials: &[Dial]) -> Option<[f32; 3]> {
    let told: Vec<Option<f64>> = dials.iter().map(|dial| dial.value).collect();
    let number = |k: usize| told.get(k).copied().flatten().unwrap_or_default() as f32;
    told.iter().any(Option::is_some).then(|| [number(0), number(1), number(2)])
}

/// One action, with what the mouse pulls at.
fn step(env: &mut Env, policy: &Policy, live: &mut Live) -> Result<(), Error> {
    let actions = policy.act(env.observations()).map_err(Error::Learn)?;
    let mut trouble = None;
    env.step_by(&actions, &mut |batch, count| {
        if let Err(error) = live.advance(batch, count) {
            trouble = Some(error);
        }
    })
    .map_err(Error::Env)?;
    trouble.map_or(Ok(()), |error| Err(Error::View(error)))
}

/// Lines that are typed while it runs.
fn typed() -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// A command after a typed line: three numbers, or letters that change the old one a little.
fn changed(old: Option<[f32; 3]>, line: &str) -> Option<[f32; 3]> {
    let numbers: Vec<f32> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    if let [forward, sideways, turn] = numbers[..] {
        return Some([forward, sideways, turn])
            .filter(|command| command.iter().all(|x| x.is_finite()))
            .or(old);
    }
    let mut command = old.unwrap_or_default();
    for letter in line.chars() {
        match letter {
            'w' => command[0] += 0.1,
            's' => command[0] -= 0.1,
            'q' => command[1] += 0.05,
            'e' => command[1] -= 0.05,
            'a' => command[2] += 0.1,
            'd' => command[2] -= 0.1,
            _ => {}
        }
    }
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::{Dial, changed, command_of, takes};

    #[test]
    fn dials_tell_robots_once_one_of_them_was_turned() {
        let dial = |value| Dial { name: "", unit: "", range: [-1.0, 1.0], keys: ["", ""], value };
        assert_eq!(command_of(&[dial(None), dial(None), dial(None)]), None);
        assert_eq!(command_of(&[dial(Some(0.25)), dial(None), dial(Some(-0.5))]), Some([0.25, 0.0, -0.5]));
        assert_eq!(command_of(&[]), None);
    }

    #[test]
    fn tasks_without_pushes_are_played_too() {
        assert!(takes("biped_walk", "push") && !takes("cartpole_swing_up", "push"));
    }

    #[test]
    fn commands_are_numbers_or_letters() {
        assert_eq!(changed(None, "0.3 0 -0.1"), Some([0.3, 0.0, -0.1]));
        assert_eq!(changed(Some([0.5, 0.0, 0.0]), "sa"), Some([0.4, 0.0, 0.1]));
        assert_eq!(changed(Some([0.5, 0.0, 0.0]), "0.1 nan 0"), Some([0.5, 0.0, 0.0]));
    }
}
