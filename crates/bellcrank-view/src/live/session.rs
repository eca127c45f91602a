//! The loop that steps, listens and shows.

use super::command::Command;
use super::dial::Dial;
use super::drag::{Hand, Pin, Posing};
use super::line::Line;
use super::pose::{Moved, hold_here, move_joint};
use crate::error::ViewError;
use crate::frame::{Frame, Touching};
use crate::scene::Scene;
use crate::server::{self, Address, Content, Hub};
use bellcrank_math::Vec3;
use bellcrank_model::Control;
use bellcrank_sim::{Batch, BatchError};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Tells the motors what to do before every step: batch and simulated time [s].
pub type Program = Box<dyn FnMut(&mut Batch, f64) -> Result<(), BatchError> + Send>;

/// How a batch is shown.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Where to listen; beyond loopback a token is needed.
    pub bind: IpAddr,
    /// Zero for any free one.
    pub port: u16,
    /// Which worlds; empty for the first hundred.
    pub worlds: Vec<usize>,
    /// Runs from the start.
    pub playing: bool,
}

impl Default for LiveOptions {
    fn default() -> Self {
        LiveOptions { bind: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0, worlds: Vec::new(), playing: true }
    }
}

/// Worlds that are shown when none are named.
const FIRST_WORLDS: usize = 100;
/// Frames per second that are offered to browsers.
const FRAME_TIME: Duration = Duration::from_micros(16_600);
/// A frame that nobody has fetched is made anew after this time; a slow browser then costs few frames.
const STALE: Duration = Duration::from_millis(50);
/// Steps between two looks at the program, at most; it is asked at every multiple of these. Five of 4 ms are an action of a
/// policy at 50 Hz.
const STRIDE: usize = 5;
/// Simulation that falls behind by more than this gives up the difference [s].
const LARGEST_LAG: f64 = 0.05;
/// Part of the time that may go into stepping when it cannot keep up.
const BUDGET: Duration = Duration::from_millis(28);

/// What a dragged point misses the mouse by is told from here on [m].
const SHOWN: f64 = 1e-3;

/// One part of the time for the browser to so many for the simulation, at least.
const BROWSER_SHARE: u32 = 4;

/// Puts all worlds to where a simulation begins.
pub type Start = Box<dyn FnMut(&mut Batch) + Send>;

/// A server and the state of play. The batch stays with the caller.
pub struct Live {
    scene: Scene,
    hub: Arc<Hub>,
    address: Address,
    /// Steps are wanted.
    playing: bool,
    program_on: bool,
    speed: f64,
    time: f64,
    drag: Option<Hand>,
    posing: Option<Box<dyn Posing>>,
    start: Option<Start>,
    pins: Vec<Pin>,
    /// How well motors hold the joints is shown.
    singular: bool,
    /// World whose contacts are shown.
    focus: usize,
    steps_owed: usize,
    dials: Vec<Dial>,
    note: String,
    measured_speed: f64,
    shown: Instant,
    last: Frame,
}

impl Live {
    /// Starts the server for a batch.
    ///
    /// # Errors
    /// When a world does not exist or the address is taken.
    pub fn start(batch: &Batch, options: LiveOptions) -> Result<Self, ViewError> {
        let worlds = match options.worlds.as_slice() {
            [] => (0..batch.worlds().min(FIRST_WORLDS)).collect(),
            chosen => chosen.to_vec(),
        };
        let scene = Scene::of(batch, &worlds)?;
        let hub = Hub::new(json!({ "type": "scene", "scene": scene }).to_string());
        let address = server::start(options.bind, options.port, Content::Live(hub.clone()))?;
        let mut live = Live {
            scene,
            hub,
            address,
            playing: options.playing,
            program_on: true,
            speed: 1.0,
            time: 0.0,
            drag: None,
            posing: None,
            start: None,
            pins: Vec::new(),
            singular: false,
            focus: worlds[0],
            steps_owed: 0,
            dials: Vec::new(),
            note: String::new(),
            measured_speed: 0.0,
            shown: Instant::now(),
            last: Frame::default(),
        };
        live.publish(batch)?;
        live.publish_state();
        Ok(live)
    }

    /// Offers numbers to be turned on the page, or changes them; what was turned is in [`Live::dials`].
    pub fn offer(&mut self, dials: Vec<Dial>) {
        self.dials = dials;
        self.publish_state();
    }

    /// The numbers that the page may turn, as they stand.
    pub fn dials(&self) -> &[Dial] {
        &self.dials
    }

    /// Bodies that are dragged while the simulation is paused are put where the mouse is by this, instead of being pulled by a spring in the
    /// next steps. It also tells how well motors hold the joints, where a page asks.
    pub fn pose_with(&mut self, posing: Box<dyn Posing>) {
        self.posing = Some(posing);
        self.publish_state();
    }

    /// What puts worlds, all of which stand in the reference pose then, to where the simulation begins: a keyframe, say.
    pub fn begin_with(&mut self, start: Start) {
        self.start = Some(start);
    }

    /// Where the page is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Browsers that look on.
    pub fn watchers(&self) -> usize {
        self.hub.watchers()
    }

    /// Paused by a browser.
    pub fn is_paused(&self) -> bool {
        !self.playing
    }

    /// How fast a browser wants it, one for real time.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Runs in real time while someone looks on, until `stop`.
    ///
    /// # Errors
    /// When the program asks for something that does not exist.
    pub fn run(
        &mut self,
        batch: &mut Batch,
        mut program: Option<Program>,
        stop: &AtomicBool,
    ) -> Result<(), ViewError> {
        self.program_on = program.is_some();
        self.publish_state();
        let (mut before, mut lag) = (Instant::now(), 0.0);
        while !stop.load(Ordering::Relaxed) {
            let elapsed = before.elapsed();
            before = Instant::now();
            self.attend(batch)?;
            let moving = self.playing && self.watchers() > 0;
            lag = if moving {
                (lag + elapsed.as_secs_f64() * self.speed).min(LARGEST_LAG * self.speed.max(1.0))
            } else {
                0.0
            };
            lag += batch.dt() * std::mem::take(&mut self.steps_owed) as f64;
            let start = self.time;
            self.catch_up(batch, &mut program, &mut lag)?;
            if moving {
                let now = (self.time - start) / elapsed.as_secs_f64().max(1e-3);
                self.measured_speed += 0.1 * (now - self.measured_speed);
            }
            self.publish(batch)?;
            // the browser needs its share of a small machine, also when the simulation cannot keep up
            let spent = before.elapsed();
            std::thread::sleep(FRAME_TIME.saturating_sub(spent).max(spent / BROWSER_SHARE));
        }
        Ok(())
    }

    /// Steps until the lag is made up or the time for it is over.
    fn catch_up(
        &mut self,
        batch: &mut Batch,
        program: &mut Option<Program>,
        lag: &mut f64,
    ) -> Result<(), ViewError> {
        let started = Instant::now();
        while *lag >= batch.dt() && started.elapsed() < BUDGET {
            let wanted = (*lag / batch.dt()) as usize;
            let done = (self.time / batch.dt()).round() as usize;
            let count = if self.drag.is_some() { 1 } else { wanted.clamp(1, STRIDE - done % STRIDE) };
            if let (true, Some(program)) = (self.program_on, program.as_mut()) {
                program(batch, self.time)?;
            }
            self.advance(batch, count)?;
            *lag -= count as f64 * batch.dt();
        }
        Ok(())
    }

    /// Steps the batch, with whatever the mouse pulls at.
    ///
    /// # Errors
    /// When the dragged body does not exist.
    pub fn advance(&mut self, batch: &mut Batch, count: usize) -> Result<(), ViewError> {
        match self.drag {
            None => drop(batch.step(count)),
            Some(drag) => {
                for _ in 0..count {
                    let (force, moment) = drag.wrench(batch)?;
                    batch.set_body_wrench(drag.world, drag.body, force, moment)?;
                    batch.step(1);
                }
            }
        }
        self.time += count as f64 * batch.dt();
        Ok(())
    }

    /// A command, as if a browser had sent it.
    pub(crate) fn hear(&self, text: String) {
        self.hub.command(&self.hub.come(), text);
    }

    /// Does what browsers have asked for since the last call, as much as there is time for.
    ///
    /// # Errors
    /// Never for a bad command, which is answered on the page.
    pub fn attend(&mut self, batch: &mut Batch) -> Result<(), ViewError> {
        let (started, mut heard) = (Instant::now(), false);
        // some may take long, and whoever sends many shall not keep the simulation from stepping, nor from ending
        while let Some(text) = (started.elapsed() < BUDGET).then(|| self.hub.next_command()).flatten() {
            heard = true;
            self.note.clear();
            let done = match serde_json::from_str::<Command>(&text) {
                Ok(command) => self.obey(batch, command).map_err(|error| error.to_string()),
                Err(error) => Err(format!("the page asked for something unknown: {error}")),
            };
            if let Err(why) = done {
                self.note = why;
            }
        }
        if heard {
            self.publish_state();
        }
        Ok(())
    }

    fn obey(&mut self, batch: &mut Batch, command: Command) -> Result<(), BatchError> {
        match command {
            Command::Play => self.playing = true,
            Command::Pause => self.playing = false,
            Command::Step { count } => {
                (self.playing, self.steps_owed) = (false, self.steps_owed.saturating_add(count.min(10_000)));
            }
            Command::Reset { worlds } => self.reset(batch, &worlds)?,
            Command::Keyframe { worlds, name } => self.go_to_keyframe(batch, &worlds, &name)?,
            Command::Speed { value } => {
                self.speed = if value.is_finite() { value.clamp(0.01, 100.0) } else { 1.0 }
            }
            Command::Program { on } => self.program_on = on,
            Command::Target { worlds, actuator, value } => {
                self.program_on = false;
                worlds.iter().try_for_each(|&world| set_target(batch, world, actuator, value))?;
            }
            Command::Joint { world, joint, value } => {
                (self.playing, self.program_on) = (false, false);
                match move_joint(batch, world, joint, value)? {
                    Moved::There => {}
                    Moved::DoesNotClose => self.note = "the mechanism does not close there".into(),
                    Moved::TooFar => self.note = "that is too far away to be moved there by hand".into(),
                }
            }
            Command::Drag { world, body, anchor, target } => {
                let (anchor, target) = (Vec3::from_array(anchor), Vec3::from_array(target));
                batch.body_pose(world, body)?;
                if anchor.is_finite() && target.is_finite() {
                    self.hold(batch, Hand { world, body, anchor, target })?;
                }
            }
            Command::Release => self.release(batch)?,
            Command::Pin { world, body } => {
                batch.body_pose(world, body)?;
                self.pin(Pin { world, body });
            }
            Command::Singular { on } => self.singular = on,
            Command::Dial { dial, value } => {
                if let Some(dial) = self.dials.get_mut(dial) {
                    dial.turn(value);
                }
            }
            Command::Focus { world } => self.focus = world,
        }
        Ok(())
    }

    /// A hand on a body: it poses the robot while nothing runs, and pulls at it otherwise.
    fn hold(&mut self, batch: &mut Batch, hand: Hand) -> Result<(), BatchError> {
        if self.drag.is_some_and(|old| (old.world, old.body) != (hand.world, hand.body)) {
            self.release(batch)?;
        }
        let Some(posing) = self.posing.as_mut().filter(|_| !self.playing) else {
            self.drag = Some(hand);
            return Ok(());
        };
        self.program_on = false;
        // a pinned body that is taken by the hand goes where the hand goes
        let here = |pin: &&Pin| pin.world == hand.world && pin.body != hand.body;
        let pins: Vec<Pin> = self.pins.iter().filter(here).copied().collect();
        match posing.pull(batch, hand, &pins)? {
            Some(missed) if missed > SHOWN => {
                self.note = format!("out of reach by {:.0} mm", 1e3 * missed);
            }
            Some(_) => {}
            None => self.note = "the mechanism does not close there".into(),
        }
        let model = batch.model(hand.world)?.clone();
        hold_here(batch, hand.world, &model)
    }

    /// Pins a body, or takes the pin out.
    fn pin(&mut self, pin: Pin) {
        match self.pins.iter().position(|known| *known == pin) {
            Some(known) => drop(self.pins.remove(known)),
            None => self.pins.push(pin),
        }
    }

    fn release(&mut self, batch: &mut Batch) -> Result<(), BatchError> {
        match self.drag.take() {
            Some(drag) => batch.set_body_wrench(drag.world, drag.body, Vec3::zero(), Vec3::zero()),
            None => Ok(()),
        }
    }

    fn go_to_keyframe(&mut self, batch: &mut Batch, worlds: &[usize], name: &str) -> Result<(), BatchError> {
        if batch.reset_worlds_to_keyframe(worlds, name)?.contains(&false) {
            self.note = format!("the mechanism does not close at {name:?}");
        }
        Ok(())
    }

    fn reset(&mut self, batch: &mut Batch, worlds: &[usize]) -> Result<(), BatchError> {
        if worlds.is_empty() {
            self.time = 0.0;
            (0..batch.worlds()).try_for_each(|world| batch.reset(world))?;
            if let Some(start) = &mut self.start {
                start(batch);
            }
            Ok(())
        } else {
            worlds.iter().try_for_each(|&world| batch.reset(world))
        }
    }

    /// Draws lines over the scene, in place of those of the last call; with the next frame that is offered.
    pub fn draw(&mut self, lines: &[Line]) {
        self.hub.publish_lines(json!({ "type": "lines", "lines": lines }).to_string());
    }

    /// Offers a frame of a simulation that somebody else goes on with, at its time [s].
    ///
    /// # Errors
    /// Never, once started: the worlds were found then.
    pub fn show(&mut self, batch: &Batch, time: f64) -> Result<(), ViewError> {
        self.time = time;
        self.publish(batch)
    }

    /// Offers a frame to the browsers, not more often than they can use.
    ///
    /// # Errors
    /// Never, once started: the worlds were found then.
    pub fn publish(&mut self, batch: &Batch) -> Result<(), ViewError> {
        let first = self.hub.frame().number == 0;
        let age = self.shown.elapsed();
        let wanted = age >= STALE || age >= FRAME_TIME / 2 && self.hub.is_taken();
        if first || self.watchers() > 0 && wanted {
            self.shown = Instant::now();
            let frame = self.frame(batch)?;
            if frame != self.last {
                self.hub.publish_frame(frame.to_message(self.measured_speed));
                self.last = frame;
            }
        }
        Ok(())
    }

    /// What pages are shown now.
    pub(crate) fn frame(&mut self, batch: &Batch) -> Result<Frame, ViewError> {
        let mut frame = Frame::of(batch, self.scene.worlds(), self.time, Touching::Only(self.focus))?;
        let knows = self.posing.as_mut().filter(|_| self.singular && self.focus < batch.worlds());
        if let Some(posing) = knows {
            let shares = posing.holds(batch, self.focus)?;
            frame.holds = shares.iter().map(|share| share.map_or(-1.0, |x| x.min(1.0) as f32)).collect();
        }
        Ok(frame)
    }

    fn publish_state(&self) {
        let state = json!({
            "type": "state",
            "playing": self.playing,
            "program": self.program_on,
            "speed": self.speed,
            "dragging": self.drag.is_some(),
            "poses": self.posing.is_some(),
            "pins": self.pins,
            "note": self.note,
            "dials": self.dials,
        });
        self.hub.publish_state(state.to_string());
    }
}

fn set_target(batch: &mut Batch, world: usize, actuator: usize, value: f64) -> Result<(), BatchError> {
    let model = batch.model(world)?;
    let count = model.actuators().len();
    let Some(motor) = model.actuators().get(actuator) else {
        return Err(BatchError::NoSuchPart { what: "actuator", index: actuator, count });
    };
    match motor.control {
        Control::Position { .. } => batch.set_target_position(world, actuator, value),
        Control::Velocity { .. } => batch.set_target_velocity(world, actuator, value),
        Control::Effort
        | Control::Affine { .. }
        | Control::Varying { .. }
        | Control::Muscle(_)
        | Control::Voltage(_) => batch.set_effort(world, actuator, value),
    }
}
