//! How a batch looks into a group and writes to it: lane by lane.

use crate::assemble::{Asking, Goal, Target, assemble};
use crate::contact::{BodyContact, impulse_vectors};
use crate::field::{Field, number, number_mut};
use crate::group::{Block, Figures, Group, ITERATION_BINS, LaneGroup, Numbers, NumbersRef, Table, Values};
use crate::lane_access::{add_lane, read_lane, write_all_lanes, write_lane};
use crate::layout::Layout;
use crate::readout::{Metrics, Readout, joint_rates};
use crate::rows::read_coordinates;
use crate::settings::Settings;
use crate::state::{Control, State};
use crate::status::WorldStatus;
use crate::workspace::{Found, Touching, Workspace};
use bellcrank_collide::{Contact, Contacts, collide};
use bellcrank_math::{Elem, Inline, Mask, Real, Twist, Vec3};
use bellcrank_model::{Parameters, ShapeId};
use std::any::{Any, TypeId};

/// Shapes that are nearer than this are listed as contacts [m].
const LOOK_AHEAD: f64 = 1e-3;

impl<R: Real> LaneGroup<R> {
    fn lane(&self, world: usize) -> (&Block<R>, usize) {
        (&self.blocks[world / R::LANES], world % R::LANES)
    }

    fn lane_mut(&mut self, world: usize) -> (&mut Block<R>, usize) {
        (&mut self.blocks[world / R::LANES], world % R::LANES)
    }

    /// Joint coordinates belong to the poses, whoever writes these.
    fn follow_poses(&mut self, field: Field, block: usize) {
        if matches!(field, Field::BodyPosition | Field::BodyQuatWxyz) {
            let (layout, block) = (&self.layout, &mut self.blocks[block]);
            R::run(Inline(
                #[inline(always)]
                || read_coordinates(layout, &block.constants, &mut block.state),
            ));
        }
    }

    /// What touches at the present poses of a block, all lanes at once; the slots of a pile are those of the layout that comes with it.
    fn touching(&self, block: &Block<R>) -> (Vec<Touching<R>>, Vec<[ShapeId; 2]>) {
        let (plan, reach) = (&self.layout.plan, R::constant(LOOK_AHEAD));
        if let Some(make) = self.make_pile {
            let mut found = Found::default();
            make(&self.layout).find(&self.layout, &block.constants, &block.state, reach, &mut found);
            let shape = |x: R| plan.shapes()[x.lane(0).to_f64() as usize].id;
            let shapes = |name: &[R; 2]| {
                [shape(name[0]), shape(R::constant((name[1].lane(0).to_f64() / 8.0).floor()))]
            };
            let shapes = found.names.iter().map(shapes).collect();
            return (found.touching, shapes);
        }
        let mut contacts = Contacts::new(plan);
        collide(plan, &block.constants.shapes, &block.state.X_WB, reach, &mut contacts);
        let slots = contacts.slots().iter().enumerate().filter(|(_, contact)| contact.active.any());
        let touching = |(slot, contact): (usize, &Contact<R>)| Touching {
            slot,
            contact: *contact,
            guess: block.state.contact_impulse[slot],
        };
        let list: Vec<_> = slots.map(touching).collect();
        let pair = |touching: &Touching<R>| &plan.pairs()[plan.slots()[touching.slot].pair];
        let shapes = list.iter().map(pair).map(|pair| [pair.shape_a, pair.shape_b]).collect();
        (list, shapes)
    }

    /// One world's contacts of what touches in its block.
    fn contacts_of_lane(
        &self,
        (touching, shapes): &(Vec<Touching<R>>, Vec<[ShapeId; 2]>),
        lane: usize,
    ) -> Vec<BodyContact> {
        let vector = |v: Vec3<R>| {
            let v = v.lane(lane);
            Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
        };
        let body = |shape: ShapeId| self.model.shapes()[shape.index()].link.body();
        let mut list = Vec::new();
        for (touching, [shape_a, shape_b]) in touching.iter().zip(shapes) {
            let found = &touching.contact;
            let Some(body_b) = body(*shape_b).filter(|_| found.active.bits() >> lane & 1 == 1) else {
                continue;
            };
            let normal = vector(found.normal);
            let (force, moment) = impulse_vectors(normal, touching.guess.map(|x| x.lane(lane).to_f64()));
            list.push(BodyContact {
                shape_a: *shape_a,
                shape_b: *shape_b,
                body_a: body(*shape_a),
                body_b,
                point: vector(found.point_b),
                normal,
                depth: -found.distance.lane(lane).to_f64(),
                force,
                moment,
            });
        }
        list
    }

    /// The rates of a block's joints where a field asks for them: they are worked out, all others are kept.
    fn rates(&self, block: &Block<R>, field: Field) -> Vec<R> {
        match field {
            Field::JointVelocity => joint_rates(&self.layout, &block.constants, &block.state),
            _ => Vec::new(),
        }
    }
}

impl<R: Real> Group for LaneGroup<R> {
    fn step(&mut self, count: usize, dt: f64, settings: &Settings, threads: usize) {
        self.run(self.worlds, count, dt, settings, threads);
    }

    fn step_first(&mut self, worlds: usize, count: usize, dt: f64, settings: &Settings, threads: usize) {
        self.run(worlds, count, dt, settings, threads);
    }

    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn figures(&self, world: usize) -> Figures {
        let (block, lane) = self.lane(world);
        let f = &block.figures;
        let read = |x: R| x.lane(lane).to_f64();
        let status = match block.frozen[lane] {
            Some((body, step)) => WorldStatus::Frozen { body, step },
            None if self.layout.pile.is_some_and(|room| read(f.wanted) > room as f64) => {
                let capacity = self.layout.pile.unwrap_or(0) as u32;
                WorldStatus::ContactsDropped { wanted: read(f.wanted) as u32, capacity }
            }
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

    fn row(&self, world: usize, field: Field) -> Vec<f64> {
        let (block, lane) = self.lane(world);
        match field {
            Field::JointVelocity => self.rates(block, field).iter().map(|x| x.lane(lane).to_f64()).collect(),
            _ => (0..field.width(&self.model)).map(|k| self.get(world, field, k)).collect(),
        }
    }

    fn get(&self, world: usize, field: Field, k: usize) -> f64 {
        let (block, lane) = self.lane(world);
        match field {
            Field::JointVelocity => self.row(world, field)[k],
            _ => number(field, k, &block.state, &block.control).lane(lane).to_f64(),
        }
    }

    fn set_row(&mut self, world: usize, field: Field, first: usize, values: &[f64]) {
        let (block, lane) = self.lane_mut(world);
        for (k, value) in (first..).zip(values) {
            if let Some(x) = number_mut(field, k, &mut block.state, &mut block.control) {
                x.set_lane(lane, Elem::from_f64(*value));
            }
            if field == Field::BodyPosition {
                let rest = &mut block.state.p_rest[k / 3];
                for x in [&mut rest.x, &mut rest.y, &mut rest.z] {
                    x.set_lane(lane, Elem::from_f64(0.0)); // what is written is all of it
                }
            }
        }
        if field == Field::BodyVelocity {
            self.set_interval(world, 0.0); // what is written is the velocity of the instant
        }
        if (first + values.len()).is_multiple_of(field.components()) {
            self.follow_poses(field, world / R::LANES); // a quaternion half written is none
        }
    }

    fn read(&self, field: Field, rows: &[usize], out: Table<'_>) {
        let (Table { mut values, stride }, width) = (out, field.width(&self.model));
        for (b, block) in self.blocks.iter().enumerate() {
            let rates = self.rates(block, field);
            for k in 0..width {
                let x = match field {
                    Field::JointVelocity => rates[k],
                    _ => number(field, k, &block.state, &block.control),
                };
                for lane in 0..block.used {
                    let at = rows[b * R::LANES + lane] * stride + k;
                    match &mut values {
                        Numbers::F64(out) => out[at] = x.lane(lane).to_f64(),
                        Numbers::F32(out) => out[at] = x.lane(lane).to_f64() as f32,
                    }
                }
            }
        }
    }

    fn write(&mut self, field: Field, rows: &[usize], values: Values<'_>) {
        let (width, stride) = (field.width(&self.model), values.stride);
        for b in 0..self.blocks.len() {
            let block = &mut self.blocks[b];
            for k in 0..width {
                let Some(x) = number_mut(field, k, &mut block.state, &mut block.control) else { return };
                for lane in 0..block.used {
                    let at = rows[b * R::LANES + lane] * stride + k;
                    let value = match values.values {
                        NumbersRef::F64(list) => list[at],
                        NumbersRef::F32(list) => f64::from(list[at]),
                    };
                    x.set_lane(lane, Elem::from_f64(value));
                }
            }
            let block = &mut self.blocks[b];
            match field {
                Field::BodyPosition => block.state.p_rest.fill(Vec3::zero()),
                Field::BodyVelocity => block.state.interval = R::zero(),
                _ => {}
            }
            self.follow_poses(field, b);
        }
    }

    fn interval(&self, world: usize) -> f64 {
        let (block, lane) = self.lane(world);
        block.state.interval.lane(lane).to_f64()
    }

    fn set_interval(&mut self, world: usize, steps: f64) {
        let (block, lane) = self.lane_mut(world);
        block.state.interval.set_lane(lane, Elem::from_f64(steps));
    }

    fn activations(&self, world: usize) -> Vec<f64> {
        let (block, lane) = self.lane(world);
        block.state.activation.iter().map(|a| a.lane(lane).to_f64()).collect()
    }

    fn set_activation(&mut self, world: usize, index: usize, value: f64) {
        let (block, lane) = self.lane_mut(world);
        let a = &mut block.state.activation[index];
        a.set_lane(lane, Elem::from_f64(value));
    }

    fn age(&self, world: usize) -> u64 {
        let (block, lane) = self.lane(world);
        block.age[lane]
    }

    fn readout(&self, world: usize) -> Readout<f64> {
        let (block, lane) = self.lane(world);
        let mut readout = block.readout.lane(lane);
        if block.frozen[lane].is_some() {
            let now = |V: &Twist<R>| Twist::from_array(V.to_array().map(|x| x.lane(lane).to_f64()));
            readout.stand_still(block.state.V_WB.iter().map(now));
        }
        readout
    }

    fn contacts(&self, world: usize) -> Vec<BodyContact> {
        let (block, lane) = self.lane(world);
        self.contacts_of_lane(&self.touching(block), lane)
    }

    fn each_contact(&self, visit: &mut dyn FnMut(usize, BodyContact)) {
        for (b, block) in self.blocks.iter().enumerate() {
            let touching = self.touching(block);
            for lane in 0..block.used {
                let own = self.contacts_of_lane(&touching, lane);
                own.into_iter().for_each(|contact| visit(b * R::LANES + lane, contact));
            }
        }
    }

    fn metrics(&self, world: usize) -> Metrics<f64> {
        let (block, lane) = self.lane(world);
        let metrics = block.figures.metrics.lane(lane);
        if block.frozen[lane].is_some() { Metrics::unmet() } else { metrics }
    }

    fn reset(&mut self, world: usize) {
        let fresh = State::<R>::reference(&self.model, &self.layout);
        let control = Control::rest(&self.model, &self.layout, &fresh);
        let (block, lane) = self.lane_mut(world);
        let one = R::Mask::from_bits(1 << lane);
        block.state.take(one, &fresh);
        block.control.take(one, &control);
        (block.age[lane], block.frozen[lane]) = (0, None);
    }

    fn assemble(&mut self, worlds: &[usize], goal: &Goal) -> Vec<bool> {
        let mut ws =
            self.workspaces.pop().unwrap_or_else(|| Workspace::with_pile(&self.layout, self.make_pile));
        let mut success = vec![false; worlds.len()];
        let mut listed_at = vec![None; self.blocks.len() * R::LANES];
        for (listed, &world) in worlds.iter().enumerate() {
            listed_at[world].get_or_insert(listed);
        }
        for (k, block) in self.blocks.iter_mut().enumerate() {
            let here = |lane: usize| listed_at[k * R::LANES + lane];
            let bits = (0..R::LANES).filter(|l| here(*l).is_some()).fold(0, |bits, lane| bits | 1 << lane);
            if bits == 0 {
                continue;
            }
            let value = |values: &[f64]| {
                R::from_lanes(|lane| Elem::from_f64(here(lane).map_or(values[0], |listed| values[listed])))
            };
            let gather = |list: &[crate::assemble::Asked]| -> Vec<Target<R>> {
                list.iter().map(|asked| Target { at: asked.at, value: value(&asked.values) }).collect()
            };
            let asked = [gather(&goal.positions), gather(&goal.velocities)];
            let most = |lane: usize| here(lane).map_or(0.0, |listed| goal.iterations[listed] as f64);
            let iterations = R::from_lanes(|lane| Elem::from_f64(most(lane)));
            let asking = Asking {
                lanes: R::Mask::from_bits(bits),
                iterations,
                tolerance: R::constant(goal.tolerance),
            };
            let (constants, state) = (&block.constants, &mut block.state);
            let done = assemble(&self.layout, constants, &asked, asking, state, &mut ws).bits();
            for lane in 0..R::LANES {
                if let Some(listed) = here(lane).filter(|_| done >> lane & 1 == 1) {
                    success[listed] = true;
                    (block.age[lane], block.frozen[lane]) = (0, None);
                    block.state.interval.set_lane(lane, Elem::from_f64(0.0));
                }
            }
        }
        self.workspaces.push(ws);
        success
    }

    fn set_parameters(&mut self, parameters: &Parameters) {
        self.derive_constants(parameters);
    }

    fn set_world_parameters(&mut self, parameters: &Parameters, world: usize) {
        self.derive_constants_of(parameters, world);
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn save(&self, world: usize) -> Vec<f64> {
        let (block, lane) = self.lane(world);
        let mut values = read_lane(&block.state, &block.control, lane);
        values.push(block.age[lane] as f64);
        let (body, step) = block.frozen[lane].map_or((-1.0, 0.0), |(b, s)| (b as f64, s as f64));
        values.extend([body, step]);
        values
    }

    fn block_of(&self, worlds: &[usize]) -> Option<(&dyn Any, &dyn Any)> {
        let first = *worlds.first()?;
        let all = first.is_multiple_of(R::LANES) && worlds.len() == R::LANES;
        let whole = all && worlds.iter().enumerate().all(|(k, world)| *world == first + k);
        let block = &self.blocks[first / R::LANES];
        let double = TypeId::of::<R::Elem>() == TypeId::of::<f64>();
        (whole && double).then_some((&block.state, &block.control))
    }

    fn load(&mut self, world: usize, values: &[f64]) {
        let (block, lane) = self.lane_mut(world);
        let Some((numbers, [age, body, step])) = values.split_last_chunk::<3>() else { return };
        if write_lane(&mut block.state, &mut block.control, lane, numbers) {
            block.age[lane] = *age as u64;
            // a body that is not there cannot be named: bytes may come from anywhere
            let named = *body >= 0.0 && *body < block.state.X_WB.len() as f64;
            block.frozen[lane] = named.then_some((*body as u32, *step as u64));
        }
    }

    fn spread(&mut self, world: usize) {
        let mut values = std::mem::take(&mut self.carried);
        values.clear();
        let (block, lane) = self.lane(world);
        add_lane(&block.state, &block.control, lane, &mut values);
        let (age, frozen) = (block.age[lane], block.frozen[lane]);
        for block in &mut self.blocks {
            write_all_lanes(&mut block.state, &mut block.control, &values);
            block.age.fill(age);
            block.frozen.fill(frozen);
        }
        self.carried = values;
    }

    fn copy(&mut self, from: usize, to: usize) {
        let mut values = std::mem::take(&mut self.carried);
        values.clear();
        let (block, lane) = self.lane(from);
        add_lane(&block.state, &block.control, lane, &mut values);
        let (age, frozen) = (block.age[lane], block.frozen[lane]);
        let (block, lane) = self.lane_mut(to);
        write_lane(&mut block.state, &mut block.control, lane, &values);
        (block.age[lane], block.frozen[lane]) = (age, frozen);
        self.carried = values;
    }

    fn add_iterations(&self, counts: &mut [u64; ITERATION_BINS]) {
        for block in &self.blocks {
            counts.iter_mut().zip(block.iterations.iter()).for_each(|(sum, n)| *sum += n);
        }
    }

    fn bytes_per_world(&self) -> usize {
        let (state, control) = (&self.blocks[0].state, &self.blocks[0].control);
        let values = state.X_WB.len() * 16
            + state.q.len()
            + state.scalar_impulse.len()
            + 2 * state.contact_name.len()
            + state.activation.len()
            + 1
            + 6 * (state.contact_impulse.len() + state.joint_impulse.len())
            + 3 * control.effort.len()
            + 6 * control.wrench.len();
        let readout = self.blocks[0].readout.size_of();
        let constants = self.blocks[0].constants.size_of();
        // a pile's search and solver take as much as their hardest step asked for; threads have one each
        let piles = self
            .workspaces
            .iter()
            .filter_map(|ws| ws.pile.as_ref())
            .map(|pile| pile.size_of())
            .sum::<usize>();
        ((values * size_of::<R>() + readout + constants) * self.blocks.len() + piles) / self.worlds
    }
}
