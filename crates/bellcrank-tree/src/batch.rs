//! Running one operator over many states: lanes across states, threads over tiles of blocks.
//!
//! A state's result depends neither on its lane nor on its neighbours, the batch size or the number of threads.
//!
//! Writing large results (poses of all bodies, matrices) to arrays can take longer than computing them. An operator of
//! one's own uses them where they are, in lanes, and hands out what it makes of them. How high is the lowest foot?
//!
//! ```
//! use bellcrank_math::{Elem, Real};
//! use bellcrank_model::library;
//! use bellcrank_tree::kernels::kinematics::{WorldPose, frame_pose, world_poses};
//! use bellcrank_tree::{Frame, TreeModel, batch::Operator, layout::Layout};
//!
//! struct Lowest<E> {
//!     nodes: Vec<usize>,
//!     feet: Vec<Frame<E>>,
//! }
//!
//! impl<E: Elem> Operator<E> for Lowest<E> {
//!     type Scratch<R: Real<Elem = E>> = Vec<WorldPose<R>>;
//!
//!     fn scratch<R: Real<Elem = E>>(&self, tree: &TreeModel<E>) -> Vec<WorldPose<R>> {
//!         vec![WorldPose::default(); tree.nodes.len()]
//!     }
//!
//!     #[inline(always)]
//!     fn run<R: Real<Elem = E>>(&self, tree: &TreeModel<E>, poses: &mut Vec<WorldPose<R>>, q: &[R], out: &mut [R]) {
//!         world_poses(tree, &self.nodes, q, poses);
//!         out[0] = R::constant(1e9);
//!         for foot in &self.feet {
//!             out[0] = out[0].min(frame_pose(foot, poses).p.z);
//!         }
//!     }
//! }
//!
//! let model = library::five_bar_quadruped().build()?;
//! let tree = TreeModel::<f64>::new(&model);
//! let lowest = Lowest { nodes: (0..tree.nodes.len()).collect(), feet: tree.frames.clone() };
//! let (q, mut height) = (tree.neutral(), [0.0]);
//! let output = ("height", Layout::Plain(1), &mut height[..]);
//! tree.batch().run_operator(&lowest, &[("q", Layout::Configuration, &q)], &mut [output])?;
//! # assert!(height[0].is_finite());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::error::TreeError;
use crate::layout::{Layout, Map};
use crate::model::TreeModel;
use crate::pool;
use crate::precision::Precision;
use bellcrank_math::{Elem, Kernel, LaneJob, Level, Real};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Something to compute for every state of a batch.
pub trait Operator<E: Elem>: Sync {
    /// Memory for one block of lanes, made once per thread.
    type Scratch<R: Real<Elem = E>>;
    /// Makes it.
    fn scratch<R: Real<Elem = E>>(&self, tree: &TreeModel<E>) -> Self::Scratch<R>;
    /// Computes one block: all inputs in a row, all outputs in a row. Must be `#[inline(always)]`.
    fn run<R: Real<Elem = E>>(
        &self,
        tree: &TreeModel<E>,
        scratch: &mut Self::Scratch<R>,
        input: &[R],
        output: &mut [R],
    );
}

/// An array to read: its name (for errors), what its rows hold, the numbers.
pub type Input<'a, E> = (&'static str, Layout<'a>, &'a [E]);
/// An array to write.
pub type Output<'a, E> = (&'static str, Layout<'a>, &'a mut [E]);

/// Blocks of lanes that one of several threads takes at a time at most.
const TILE_BLOCKS: usize = 32;
/// What is left must take so long \[s\] for threads that are awake to be let in.
const WORTH_SHARING: f64 = 1e-5;
/// And so long for each sleeping one to be woken. On a virtual machine that took the caller 8 µs, and the other one had
/// begun after 15–20 µs; a core in deep sleep takes longer.
const WORTH_WAKING: f64 = 6e-5;

/// How a batch is worked off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// At most so many threads, the caller's among them; 0 for one per processor core.
    pub threads: usize,
    /// The instruction set that computes several states at a time; [`Level::Scalar`] for one after the other. All of
    /// them give the same bits.
    pub level: Level,
    /// Results go to the arrays; otherwise each block's are overwritten by the next one's, to measure what arrays cost.
    pub results: bool,
}

impl Default for Plan {
    /// One thread, the widest lanes.
    fn default() -> Self {
        Plan { threads: 1, level: Level::best(), results: true }
    }
}

/// Runs `operator` on every state.
///
/// # Errors
/// When the arrays' sizes do not agree; nothing has been written then.
pub fn run<E: Precision, O: Operator<E>>(
    tree: &TreeModel<E>,
    plan: Plan,
    operator: &O,
    inputs: &[Input<'_, E>],
    outputs: &mut [Output<'_, E>],
) -> Result<(), TreeError> {
    let batch = batch_size(tree, inputs, outputs)?;
    if batch == 0 {
        return Ok(());
    }
    let threads = if plan.threads == 0 { cores() } else { plan.threads };
    let lanes = E::at_level(plan.level, CountLanes);
    let map = |layout: &Layout<'_>| Map::new(*layout, tree, lanes);
    let input_maps: Vec<Map<E>> = inputs.iter().map(|(_, layout, _)| map(layout)).collect();
    let mut output_maps: Vec<Map<E>> = outputs.iter().map(|(_, layout, _)| map(layout)).collect();
    // behind all outputs the block has a zero, for the numbers that no kernel writes
    let mut rest = block_size(&output_maps);
    for map in &mut output_maps {
        map.set_zero(rest);
        rest -= map.block;
    }
    let rest = outputs.iter_mut().zip(&output_maps).map(|((_, _, data), map)| (&mut **data, map.width));
    let tiles =
        Mutex::new(Tiles { first: 0, left: batch, lanes: E::LANE_COUNT, threads, rest: rest.collect() });
    let (input_maps, output_maps) = (&input_maps, &output_maps);
    let results = plan.results;
    let call =
        Call { tree, operator, inputs, input_maps, output_maps, results, tiles: &tiles, who: Who::Caller };
    share_out(threads, &tiles, |who| E::at_level(plan.level, Call { who, ..call }));
    Ok(())
}

/// Processor cores that this process may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Works off all tiles on up to so many threads. How long a state takes depends on operator, robot and processor a
/// thousandfold, so the first tile tells whether help pays.
fn share_out<E>(threads: usize, tiles: &Mutex<Tiles<'_, E>>, work: impl Fn(Who) + Sync) {
    let left = || tiles.lock().unwrap_or_else(PoisonError::into_inner).left;
    let before = left();
    if threads <= 1 {
        return work(Who::Caller);
    }
    let start = Instant::now();
    work(Who::First);
    let after = left();
    let rest = start.elapsed().as_secs_f64() * after as f64 / (before - after).max(1) as f64;
    if rest < WORTH_SHARING {
        return work(Who::Caller);
    }
    let woken = (rest / WORTH_WAKING) as usize;
    pool::work_together(threads - 1, woken, &|| work(Who::Helper), || work(Who::Caller));
}

/// How many lanes a level has.
struct CountLanes;

impl<E: Elem> LaneJob<E> for CountLanes {
    type Output = usize;
    fn run<R: Real<Elem = E>>(self) -> usize {
        R::LANES
    }
}

/// The number of states, from the first array that has a width; all others must agree.
fn batch_size<E: Elem>(
    tree: &TreeModel<E>,
    inputs: &[Input<'_, E>],
    outputs: &[Output<'_, E>],
) -> Result<usize, TreeError> {
    let read = inputs.iter().map(|(what, layout, data)| (*what, *layout, data.len()));
    let written = outputs.iter().map(|(what, layout, data)| (*what, *layout, data.len()));
    let arrays: Vec<(&'static str, usize, usize)> =
        read.chain(written).map(|(what, layout, found)| (what, layout.width(tree), found)).collect();
    let Some(&(what, width, found)) = arrays.iter().find(|(_, width, _)| *width > 0) else { return Ok(0) };
    if !found.is_multiple_of(width) {
        return Err(TreeError::NotWholeStates { what, found, width });
    }
    let batch = found / width;
    for (what, width, found) in arrays {
        if found != batch * width {
            return Err(TreeError::WrongSize { what, found, batch, width });
        }
    }
    Ok(batch)
}

/// Numbers per lane of all arrays together.
fn block_size<E: Elem>(maps: &[Map<E>]) -> usize {
    maps.iter().map(|map| map.block).sum()
}

/// States not yet taken by a thread, with the memory for their results.
struct Tiles<'a, E> {
    first: usize,
    left: usize,
    lanes: usize,
    threads: usize,
    /// Each output's rows for what is left, and their width.
    rest: Vec<(&'a mut [E], usize)>,
}

/// Some states in a row.
struct Tile<'a, E> {
    first: usize,
    count: usize,
    outputs: Vec<&'a mut [E]>,
}

impl<'a, E> Tiles<'a, E> {
    /// The next tile for a thread: everything for one that works alone. With several threads the first tile has one block,
    /// to see how long that takes, and then each has half a thread's share of what is left, so that all end at about the
    /// same time. The caller works from the front and its helpers from the back: when the same arrays are worked on
    /// again, much of them is still in the same core's cache (1.7 instead of 1.4 times as fast on two threads).
    fn next(&mut self, helper: bool) -> Option<Tile<'a, E>> {
        let blocks = match (self.threads, self.first) {
            (..=1, _) => usize::MAX / self.lanes,
            (_, 0) => 1,
            (threads, _) => (self.left / self.lanes / threads.saturating_mul(2)).clamp(1, TILE_BLOCKS),
        };
        let count = self.left.min(blocks * self.lanes);
        if count == 0 {
            return None;
        }
        self.left -= count;
        let first = if helper { self.first + self.left } else { self.first };
        if !helper {
            self.first += count;
        }
        let mut outputs = Vec::with_capacity(self.rest.len());
        for (rows, width) in &mut self.rest {
            let taken = if helper {
                rows.split_off_mut(self.left * *width..)
            } else {
                rows.split_off_mut(..count * *width)
            };
            outputs.push(taken.unwrap_or_default());
        }
        Some(Tile { first, count, outputs })
    }
}

/// Everything a thread needs to know.
struct Call<'a, 'b, E: Elem, O> {
    tree: &'a TreeModel<E>,
    operator: &'a O,
    inputs: &'a [Input<'a, E>],
    input_maps: &'a [Map<E>],
    output_maps: &'a [Map<E>],
    results: bool,
    tiles: &'a Mutex<Tiles<'b, E>>,
    who: Who,
}

/// Who works, and how long.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    /// The caller, for one tile.
    First,
    /// The caller, to the end.
    Caller,
    /// A thread that helps, to the end.
    Helper,
}

impl<E: Elem, O> Clone for Call<'_, '_, E, O> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: Elem, O> Copy for Call<'_, '_, E, O> {}

impl<E: Elem, O: Operator<E>> LaneJob<E> for Call<'_, '_, E, O> {
    type Output = ();
    fn run<R: Real<Elem = E>>(self) {
        self.run_tiles::<R>();
    }
}

impl<E: Elem, O: Operator<E>> Call<'_, '_, E, O> {
    fn run_tiles<R: Real<Elem = E>>(self) {
        let mut scratch = self.operator.scratch::<R>(self.tree);
        let mut input = vec![R::zero(); block_size(self.input_maps)];
        let mut output = vec![R::zero(); block_size(self.output_maps) + 1];
        loop {
            let helper = self.who == Who::Helper;
            let tile = self.tiles.lock().unwrap_or_else(PoisonError::into_inner).next(helper);
            let Some(tile) = tile else { break };
            R::run(TileKernel {
                call: self,
                tile,
                scratch: &mut scratch,
                input: &mut input,
                output: &mut output,
            });
            if self.who == Who::First {
                break;
            }
        }
    }
}

/// One tile, block by block, all of it compiled for the lanes' instruction set.
struct TileKernel<'k, 'a, 'b, E: Elem, O: Operator<E>, R: Real<Elem = E>> {
    call: Call<'a, 'b, E, O>,
    tile: Tile<'b, E>,
    scratch: &'k mut O::Scratch<R>,
    input: &'k mut [R],
    output: &'k mut [R],
}

impl<E: Elem, O: Operator<E>, R: Real<Elem = E>> Kernel for TileKernel<'_, '_, '_, E, O, R> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let call = self.call;
        let mut done = 0;
        while done < self.tile.count {
            let count = R::LANES.min(self.tile.count - done);
            let mut start = 0;
            for ((_, _, rows), map) in call.inputs.iter().zip(call.input_maps) {
                let end = start + map.block;
                let states = (self.tile.first + done, count);
                R::run(Load { map, rows, states, block: &mut self.input[start..end] });
                start = end;
            }
            let written = self.output.len() - 1;
            call.operator.run(call.tree, self.scratch, self.input, &mut self.output[..written]);
            let mut start = 0;
            if call.results {
                for (rows, map) in self.tile.outputs.iter_mut().zip(call.output_maps) {
                    R::run(Store { map, rows, states: (done, count), block: &self.output[start..] });
                    start += map.block;
                }
            }
            done += count;
        }
    }
}

/// [`Map::load`] as a function of its own: compiled once for all operators.
struct Load<'a, E: Elem, R: Real<Elem = E>> {
    map: &'a Map<E>,
    rows: &'a [E],
    /// The first state, and how many.
    states: (usize, usize),
    block: &'a mut [R],
}

impl<E: Elem, R: Real<Elem = E>> Kernel for Load<'_, E, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.map.load(self.rows, self.states.0, self.states.1, self.block);
    }
}

/// Likewise [`Map::store`].
struct Store<'a, E: Elem, R: Real<Elem = E>> {
    map: &'a Map<E>,
    rows: &'a mut [E],
    states: (usize, usize),
    block: &'a [R],
}

impl<E: Elem, R: Real<Elem = E>> Kernel for Store<'_, E, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.map.store(self.block, self.rows, self.states.0, self.states.1);
    }
}
