//! Parameters as arrays: one row for all worlds, or one row each once spread. What is written costs what it changes.

use super::check_parameters::{Scope, check};
use super::{Batch, BatchError};
use crate::quantity::{Quantity, each, is_spread, refuse, set, spread};
use bellcrank_math::Random;
use bellcrank_model::Parameters;

impl Batch {
    /// Whether worlds may differ in a parameter: its array then has one row per world, else one for all of them. Worlds of
    /// different models always have rows of their own.
    pub fn is_spread(&self, parameter: Quantity) -> bool {
        self.models.len() > 1 || self.worlds_differ(0, parameter)
    }

    /// Whether worlds of one model may differ in a parameter; `model` counts as in [`Batch::models`].
    pub fn worlds_differ(&self, model: usize, parameter: Quantity) -> bool {
        self.parameters.get(model).is_some_and(|own| is_spread(own, &self.models[model], parameter))
    }

    /// One row per world of a parameter from now on. Parameters of the same parts are spread together.
    ///
    /// # Errors
    /// When it is no parameter.
    pub fn spread(&mut self, parameter: Quantity) -> Result<(), BatchError> {
        check_parameter(parameter)?;
        for (m, model) in self.models.iter().enumerate() {
            if !is_spread(&self.parameters[m], model, parameter) {
                spread(&mut self.parameters[m], model, parameter, self.rows[m].len());
            }
        }
        Ok(())
    }

    /// One world's row of a parameter's array; what its model does not have is left as it is.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn read_parameter(
        &self,
        parameter: Quantity,
        world: usize,
        row: &mut [f64],
    ) -> Result<(), BatchError> {
        check_parameter(parameter)?;
        let (m, local) = self.find(world)?;
        let mut out = row.iter_mut();
        each(&self.parameters[m], &self.models[m], parameter, local, |x| {
            if let Some(out) = out.next() {
                *out = x;
            }
        });
        Ok(())
    }

    /// Takes rows of a parameter's array for some worlds, one after the other; rows that say what is there already cost
    /// nothing. The parameter is spread for it.
    ///
    /// # Errors
    /// When there is no such world, or a value makes no sense; nothing is changed then.
    pub fn write_parameter(
        &mut self,
        parameter: Quantity,
        worlds: &[usize],
        values: &[f64],
    ) -> Result<(), BatchError> {
        let changed = self.take_rows(parameter, worlds, values)?;
        self.derive_constants(changed);
        Ok(())
    }

    /// Writes rows into the parameters alone, and says in which worlds that changed something.
    fn take_rows(
        &mut self,
        parameter: Quantity,
        worlds: &[usize],
        values: &[f64],
    ) -> Result<Vec<usize>, BatchError> {
        check_parameter(parameter)?;
        let width = self.width(parameter);
        expect_numbers(values.len(), worlds.len() * width)?;
        let mut changes = Vec::new();
        let mut old = vec![0.0; width];
        for (&world, row) in worlds.iter().zip(values.chunks_exact(width.max(1))) {
            self.read_parameter(parameter, world, &mut old)?;
            let own = parameter.parts(&self.models[self.place[world].0]) * parameter.components();
            if old[..own] != row[..own] {
                refuse(&self.models[self.place[world].0], parameter, row)?;
                changes.push((world, row, old.clone()));
            }
        }
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        self.spread(parameter)?;
        let mut taken = Ok(());
        for (world, row, _) in &changes {
            let (m, local) = self.place[*world];
            set(&mut self.parameters[m], &self.models[m], parameter, Some(local), row);
            let one = Scope { at: local..local + 1, worlds: self.rows[m].len() };
            let owner = parameter.owner();
            taken = taken.and_then(|()| check(&self.models[m], &self.parameters[m], owner, &one));
        }
        if taken.is_err() {
            for (world, _, old) in &changes {
                let (m, local) = self.place[*world];
                set(&mut self.parameters[m], &self.models[m], parameter, Some(local), old);
            }
        }
        taken?;
        if parameter == Quantity::BodyCom {
            changes.iter().try_for_each(|(world, row, old)| self.move_centres(*world, old, row))?;
        }
        Ok(changes.into_iter().map(|(world, ..)| world).collect())
    }

    /// Derives what follows from the parameters of some worlds.
    fn derive_constants(&mut self, mut worlds: Vec<usize>) {
        worlds.sort_unstable();
        worlds.dedup();
        for world in &worlds {
            let (m, local) = self.place[*world];
            self.groups[m].set_world_parameters(&self.parameters[m], local);
        }
        if !worlds.is_empty() {
            self.forget_memory();
        }
    }

    /// Takes one row of a parameter for all worlds, which share it as long as nobody spreads it.
    ///
    /// # Errors
    /// When a value makes no sense; nothing is changed then.
    pub fn write_shared_parameter(&mut self, parameter: Quantity, row: &[f64]) -> Result<(), BatchError> {
        check_parameter(parameter)?;
        let width = self.width(parameter);
        expect_numbers(row.len(), width)?;
        for m in 0..self.models.len() {
            refuse(&self.models[m], parameter, row)?;
            let model = self.models[m].clone();
            self.change_parameters(m, |p| set(p, &model, parameter, None, row))?;
        }
        Ok(())
    }

    /// Draws parameters of some worlds anew, around their models' own values: each part's by a factor between the two bounds, or shifted
    /// by such a number where [`Quantity::is_shifted`] says so. With a body's mass its inertia changes alike. What a world
    /// gets depends on the seed, its number and the parameter alone.
    ///
    /// # Errors
    /// When there is no such world, bounds are not in order, or a drawn value makes no sense.
    pub fn randomize(
        &mut self,
        seed: u64,
        ranges: &[(Quantity, [f64; 2])],
        worlds: &[usize],
    ) -> Result<(), BatchError> {
        let mut changed = Vec::new();
        let drawn = self.draw_all(seed, ranges, worlds, &mut changed);
        self.derive_constants(changed); // of what was taken before a fault, too
        drawn
    }

    fn draw_all(
        &mut self,
        seed: u64,
        ranges: &[(Quantity, [f64; 2])],
        worlds: &[usize],
        changed: &mut Vec<usize>,
    ) -> Result<(), BatchError> {
        let own: Vec<Parameters> = self.models.iter().map(|model| Parameters::of(model)).collect();
        for &(parameter, [low, high]) in ranges {
            check_parameter(parameter)?;
            if !(low.is_finite() && high.is_finite() && low <= high) {
                return Err(BatchError::BadParameter {
                    part: parameter.name().to_owned(),
                    what: format!("the range is ({low}, {high}); a lower and an upper bound are needed"),
                });
            }
            let draw = Draw { seed, leader: parameter, low, high, own: &own };
            let both = [parameter, Quantity::BodyInertia];
            let count = if parameter == Quantity::BodyMass { 2 } else { 1 };
            for parameter in both.into_iter().take(count) {
                let values = self.drawn(&draw, parameter, worlds)?;
                changed.extend(self.take_rows(parameter, worlds, &values)?);
            }
        }
        Ok(())
    }

    /// Rows of a parameter with the draws of another, or its own.
    fn drawn(&self, draw: &Draw<'_>, parameter: Quantity, worlds: &[usize]) -> Result<Vec<f64>, BatchError> {
        let Draw { seed, leader, low, high, own } = *draw;
        let width = self.width(parameter);
        let mut values = vec![0.0; width * worlds.len()];
        // an inertia or a pair of limits is drawn as a whole, a vector axis by axis
        let whole = matches!(parameter, Quantity::BodyInertia | Quantity::Limits);
        let together = if whole { parameter.components() } else { 1 };
        for (&world, row) in worlds.iter().zip(values.chunks_exact_mut(width.max(1))) {
            let (m, _) = self.find(world)?;
            let mut random = Random::new(seed, world, leader.stream());
            let (mut k, mut draw) = (0, 0.0);
            each(&own[m], &self.models[m], parameter, 0, |x| {
                if k % together == 0 {
                    draw = random.between(low, high);
                }
                row[k] = if parameter.is_shifted() { x + draw } else { x * draw };
                k += 1;
            });
        }
        Ok(values)
    }
}

/// One random draw.
struct Draw<'a> {
    seed: u64,
    /// Whose numbers are drawn; others may follow them.
    leader: Quantity,
    low: f64,
    high: f64,
    /// The models' own values, around which is drawn.
    own: &'a [Parameters],
}

fn check_parameter(quantity: Quantity) -> Result<(), BatchError> {
    if quantity.is_parameter() { Ok(()) } else { Err(BatchError::NotAParameter(quantity.name())) }
}

fn expect_numbers(found: usize, expected: usize) -> Result<(), BatchError> {
    let what = "numbers of a parameter";
    if found == expected { Ok(()) } else { Err(BatchError::WrongCount { what, found, expected }) }
}
