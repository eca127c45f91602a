//! Worlds of one model in blocks of lanes.

use crate::assemble::{Goal, Target, assemble};
use crate::constants::Constants;
use crate::lane_access::{read_lane, write_lane};
use crate::layout::{DofLayout, Layout};
use crate::state::{Control, State};
use crate::status::{Report, WorldStatus};
use crate::step::{Settings, step};
use crate::workspace::Workspace;
use bellcrank_math::{Elem, LaneJob, Mask, Pose, Quat, Real, Twist, Vec3};
use bellcrank_model::{Model, Parameters};
use std::sync::Arc;

/// What a batch asks of a group, whatever its numbers.
pub(crate) trait Group: Send {
    /// `count` steps of every world, over the threads of the current pool.
    fn step(&mut self, count: usize, dt: f64, settings: &Settings, threads: usize);
    fn figures(&self, world: usize) -> Figures;
    fn body_pose(&self, world: usize, body: usize) -> Pose;
    fn set_body_pose(&mut self, world: usize, body: usize, X_WB: Pose);
    fn body_velocity(&self, world: usize, body: usize) -> Twist;
    fn set_body_velocity(&mut self, world: usize, body: usize, V: Twist);
    fn joint_position(&self, world: usize) -> Vec<f64>;
    fn contact_impulse(&self, world: usize, slot: usize) -> [f64; 3];
    fn set_control(&mut self, world: usize, actuator: usize, field: ControlField, value: f64);
    fn reset(&mut self, world: usize);
    /// Moves the listed worlds to closed poses with these coordinates (joint, dof, value by listed world).
    fn assemble(&mut self, worlds: &[usize], targets: &[(DofLayout, Vec<f64>)], goal: Goal) -> Vec<bool>;
    /// Everything needed to resume.
    fn save(&self, world: usize) -> Vec<f64>;
    /// Takes the values of `save` back; those of another model are left alone.
    fn load(&mut self, world: usize, values: &[f64]);
    /// How many world-steps of the last call took so many iterations; the last entry counts all above.
    fn add_iterations(&self, counts: &mut [u64; ITERATION_BINS]);
    fn bytes_per_world(&self) -> usize;
}

/// Bins of the histogram of iterations.
pub(crate) const ITERATION_BINS: usize = 512;

/// Which of an actuator's inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ControlField {
    Position,
    Velocity,
    Effort,
}

/// One world's last call of `step`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub status: WorldStatus,
    /// Largest over the steps of the call.
    pub gap_metres: f64,
    pub gap_radians: f64,
    pub residual: f64,
    pub penetration: f64,
    /// Of the last step.
    pub iterations: f64,
    pub contacts: f64,
    /// Steps of the call that met all tolerances.
    pub converged: usize,
}

/// A block of `R::LANES` worlds.
struct Block<R: Real> {
    constants: Constants<R>,
    state: State<R>,
    control: Control<R>,
    figures: BlockFigures<R>,
    /// Lanes that hold a world of their own.
    used: usize,
    /// Steps since the last reset, by lane.
    age: Vec<u64>,
    frozen: Vec<Option<(u32, u64)>>,
    iterations: Box<[u64; ITERATION_BINS]>,
}

#[derive(Clone, Copy)]
struct BlockFigures<R> {
    gap_metres: R,
    gap_radians: R,
    residual: R,
    penetration: R,
    iterations: R,
    contacts: R,
    converged: R,
    inexact: R,
}

pub(crate) struct LaneGroup<R: Real> {
    model: Arc<Model>,
    layout: Layout,
    worlds: usize,
    blocks: Vec<Block<R>>,
    /// One per thread.
    workspaces: Vec<Workspace<R>>,
}

/// Makes a group on the lane type of this processor.
pub(crate) struct MakeGroup<'a> {
    pub model: &'a Arc<Model>,
    pub parameters: &'a Parameters,
    /// First world of the group in `parameters`.
    pub worlds: usize,
}

impl<E: Elem> LaneJob<E> for MakeGroup<'_> {
    type Output = Box<dyn Group>;
    fn run<R: Real<Elem = E>>(self) -> Box<dyn Group> {
        Box::new(LaneGroup::<R>::new(self.model.clone(), self.parameters, self.worlds))
    }
}

impl<R: Real> LaneGroup<R> {
    pub fn new(model: Arc<Model>, parameters: &Parameters, worlds: usize) -> Self {
        let layout = Layout::of(&model);
        let state = State::reference(&model, &layout);
        let control = Control::rest(&layout, &state);
        let zero = R::zero();
        let figures = BlockFigures {
            gap_metres: zero,
            gap_radians: zero,
            residual: zero,
            penetration: zero,
            iterations: zero,
            contacts: zero,
            converged: zero,
            inexact: zero,
        };
        let block = |first: usize| Block {
            // lanes beyond the last world repeat it
            constants: Constants::of(&model, &layout, parameters, |lane| (first + lane).min(worlds - 1)),
            state: state.clone(),
            control: control.clone(),
            figures,
            used: (worlds - first).min(R::LANES),
            age: vec![0; R::LANES],
            frozen: vec![None; R::LANES],
            iterations: Box::new([0; ITERATION_BINS]),
        };
        let blocks = (0..worlds).step_by(R::LANES).map(block).collect();
        LaneGroup { model, layout, worlds, blocks, workspaces: Vec::new() }
    }

    fn lane(&self, world: usize) -> (&Block<R>, usize) {
        (&self.blocks[world / R::LANES], world % R::LANES)
    }

    fn lane_mut(&mut self, world: usize) -> (&mut Block<R>, usize) {
        (&mut self.blocks[world / R::LANES], world % R::LANES)
    }
}

impl<R: Real> Block<R> {
    fn steps(&mut self, count: usize, layout: &Layout, settings: &Settings, dt: f64, ws: &mut Workspace<R>) {
        self.figures = self.figures.cleared();
        self.iterations.fill(0);
        for _ in 0..count {
            let alive = self.state.alive;
            let parts = (&mut self.state, &self.control, &mut *ws);
            let report = step(layout, &self.constants, settings, R::constant(dt), parts);
            self.figures.add(&report, alive);
            self.note_frozen(&report, alive);
        }
    }
}

impl<R: Real> BlockFigures<R> {
    #[inline(always)]
    fn cleared(self) -> Self {
        let zero = R::zero();
        BlockFigures {
            gap_metres: zero,
            gap_radians: zero,
            residual: zero,
            penetration: zero,
            converged: zero,
            inexact: zero,
            ..self
        }
    }

    #[inline(always)]
    fn add(&mut self, report: &Report<R>, alive: R::Mask) {
        let lanes = alive & report.finite;
        let most = |old: R, new: R| R::select(lanes, old.max(new), old);
        self.gap_metres = most(self.gap_metres, report.gap_metres);
        self.gap_radians = most(self.gap_radians, report.gap_radians);
        self.residual = most(self.residual, report.residual);
        self.penetration = most(self.penetration, report.penetration);
        self.iterations = R::select(lanes, report.iterations, self.iterations);
        self.contacts = R::select(lanes, report.contacts, self.contacts);
        let one = R::select(lanes & report.converged, R::one(), R::zero());
        self.converged += one;
        self.inexact = R::select(lanes, R::one() - one, self.inexact);
    }
}

impl<R: Real> Block<R> {
    /// Remembers which body stopped being finite, and when.
    #[inline(always)]
    fn note_frozen(&mut self, report: &Report<R>, alive: R::Mask) {
        let lost = (alive & !report.finite).bits();
        for lane in 0..R::LANES {
            if lost >> lane & 1 == 1 {
                self.frozen[lane] = Some((report.bad_body.lane(lane).to_f64() as u32, self.age[lane]));
            } else if lane < self.used && alive.bits() >> lane & 1 == 1 {
                let bin = report.iterations.lane(lane).to_f64() as usize;
                self.iterations[bin.min(ITERATION_BINS - 1)] += 1;
            }
            self.age[lane] += 1;
        }
    }
}

impl<R: Real> Group for LaneGroup<R> {
    fn step(&mut self, count: usize, dt: f64, settings: &Settings, threads: usize) {
        while self.workspaces.len() < threads {
            self.workspaces.push(Workspace::new(&self.layout));
        }
        let (layout, share) = (&self.layout, self.blocks.len().div_ceil(threads));
        let run = |blocks: &mut [Block<R>], ws: &mut Workspace<R>| {
            for block in blocks {
                block.steps(count, layout, settings, dt, ws);
            }
        };
        if threads == 1 {
            return run(&mut self.blocks, &mut self.workspaces[0]);
        }
        rayon::scope(|scope| {
            for (blocks, ws) in self.blocks.chunks_mut(share).zip(&mut self.workspaces) {
                scope.spawn(move |_| run(blocks, ws));
            }
        });
    }

    fn figures(&self, world: usize) -> Figures {
        let (block, lane) = self.lane(world);
        let f = &block.figures;
        let read = |x: R| x.lane(lane).to_f64();
        let status = match block.frozen[lane] {
            Some((body, step)) => WorldStatus::Frozen { body, step },
            None if read(f.inexact) > 0.0 => WorldStatus::Inexact,
            None => WorldStatus::Ok,
        };
        Figures {
            status,
            gap_metres: read(f.gap_metres),
            gap_radians: read(f.gap_radians),
            residual: read(f.residual),
            penetration: read(f.penetration),
            iterations: read(f.iterations),
            contacts: read(f.contacts),
            converged: read(f.converged) as usize,
        }
    }

    fn body_pose(&self, world: usize, body: usize) -> Pose {
        let (block, lane) = self.lane(world);
        let X = block.state.X_WB[body].lane(lane);
        Pose::new(Quat::from_wxyz(X.R.to_wxyz().map(Elem::to_f64)), vec_to_f64(X.p))
    }

    fn set_body_pose(&mut self, world: usize, body: usize, X_WB: Pose) {
        let (block, lane) = self.lane_mut(world);
        let X = &mut block.state.X_WB[body];
        let put = |x: &mut R, value: f64| *x = x.with_lane(lane, Elem::from_f64(value));
        for (x, value) in [&mut X.R.w, &mut X.R.x, &mut X.R.y, &mut X.R.z].into_iter().zip(X_WB.R.to_wxyz()) {
            put(x, value);
        }
        for (x, value) in [&mut X.p.x, &mut X.p.y, &mut X.p.z].into_iter().zip(X_WB.p.to_array()) {
            put(x, value);
        }
    }

    fn body_velocity(&self, world: usize, body: usize) -> Twist {
        let (block, lane) = self.lane(world);
        let V = block.state.V_WB[body].lane(lane);
        Twist::new(vec_to_f64(V.linear), vec_to_f64(V.angular))
    }

    fn set_body_velocity(&mut self, world: usize, body: usize, V: Twist) {
        let (block, lane) = self.lane_mut(world);
        let old = block.state.V_WB[body].to_array();
        let new = V.to_array();
        block.state.V_WB[body] =
            Twist::from_array(core::array::from_fn(|k| old[k].with_lane(lane, Elem::from_f64(new[k]))));
    }

    fn joint_position(&self, world: usize) -> Vec<f64> {
        let (block, lane) = self.lane(world);
        block.state.q.iter().map(|q| q.lane(lane).to_f64()).collect()
    }

    fn contact_impulse(&self, world: usize, slot: usize) -> [f64; 3] {
        let (block, lane) = self.lane(world);
        block.state.contact_impulse[slot].map(|x| x.lane(lane).to_f64())
    }

    fn set_control(&mut self, world: usize, actuator: usize, field: ControlField, value: f64) {
        let (block, lane) = self.lane_mut(world);
        let list = match field {
            ControlField::Position => &mut block.control.target_position,
            ControlField::Velocity => &mut block.control.target_velocity,
            ControlField::Effort => &mut block.control.effort,
        };
        list[actuator] = list[actuator].with_lane(lane, Elem::from_f64(value));
    }

    fn reset(&mut self, world: usize) {
        let fresh = State::<R>::reference(&self.model, &self.layout);
        let control = Control::rest(&self.layout, &fresh);
        let (block, lane) = self.lane_mut(world);
        let one = R::Mask::from_bits(1 << lane);
        block.state.take(one, &fresh);
        block.control.take(one, &control);
        (block.age[lane], block.frozen[lane]) = (0, None);
    }

    fn assemble(&mut self, worlds: &[usize], targets: &[(DofLayout, Vec<f64>)], goal: Goal) -> Vec<bool> {
        let mut ws = self.workspaces.pop().unwrap_or_else(|| Workspace::new(&self.layout));
        let mut success = vec![false; worlds.len()];
        for (k, block) in self.blocks.iter_mut().enumerate() {
            let here = |lane: usize| worlds.iter().position(|w| *w == k * R::LANES + lane);
            let bits = (0..R::LANES).filter(|l| here(*l).is_some()).fold(0, |bits, lane| bits | 1 << lane);
            if bits == 0 {
                continue;
            }
            let value = |values: &[f64]| {
                R::from_lanes(|lane| Elem::from_f64(here(lane).map_or(values[0], |listed| values[listed])))
            };
            let asked: Vec<Target<R>> =
                targets.iter().map(|(at, values)| Target { at: *at, value: value(values) }).collect();
            let lanes = R::Mask::from_bits(bits);
            let parts = (&mut block.state, &mut ws);
            let done = assemble(&self.layout, &block.constants, &asked, goal, lanes, parts).bits();
            for lane in 0..R::LANES {
                if let Some(listed) = here(lane).filter(|_| done >> lane & 1 == 1) {
                    success[listed] = true;
                    (block.age[lane], block.frozen[lane]) = (0, None);
                }
            }
        }
        self.workspaces.push(ws);
        success
    }

    fn save(&self, world: usize) -> Vec<f64> {
        let (block, lane) = self.lane(world);
        let mut values = read_lane(&block.state, &block.control, lane);
        values.push(block.age[lane] as f64);
        let (body, step) = block.frozen[lane].map_or((-1.0, 0.0), |(b, s)| (b as f64, s as f64));
        values.extend([body, step]);
        values
    }

    fn load(&mut self, world: usize, values: &[f64]) {
        let (block, lane) = self.lane_mut(world);
        let Some((numbers, [age, body, step])) = values.split_last_chunk::<3>() else { return };
        if write_lane(&mut block.state, &mut block.control, lane, numbers) {
            block.age[lane] = *age as u64;
            block.frozen[lane] = (*body >= 0.0).then_some((*body as u32, *step as u64));
        }
    }

    fn add_iterations(&self, counts: &mut [u64; ITERATION_BINS]) {
        for block in &self.blocks {
            counts.iter_mut().zip(block.iterations.iter()).for_each(|(sum, n)| *sum += n);
        }
    }

    fn bytes_per_world(&self) -> usize {
        let state = &self.blocks[0].state;
        let values = state.X_WB.len() * 13
            + state.q.len()
            + state.scalar_impulse.len()
            + 3 * state.contact_impulse.len()
            + 3 * self.blocks[0].control.effort.len();
        let constants = self.blocks[0].constants.size_of();
        (values * size_of::<R>() + constants) * self.blocks.len() / self.worlds
    }
}

fn vec_to_f64<E: Elem>(v: Vec3<E>) -> Vec3 {
    Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
}
