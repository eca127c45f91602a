//! What will go wrong, told beforehand.

use super::Batch;
use crate::settings::Solver;
use bellcrank_collide::{ContactPlan, Pair};
use bellcrank_model::{Material, Model, Parameters, PerWorld};
use bellcrank_solve::{ComFree, Impedance, Variant};

impl Batch {
    /// What may go wrong with these settings, in words with numbers; nothing for the defaults.
    pub fn warnings(&self) -> Vec<String> {
        match self.settings.solver {
            Solver::ComFree { law: ComFree { variant: Variant::Published(law), .. }, .. } => {
                let told = self.models.iter().zip(&self.parameters).filter_map(|(model, parameters)| {
                    stability_warning(model, &stiffest(law, parameters), self.dt)
                });
                told.collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The law of the world whose contacts are the stiffest.
fn stiffest(law: Impedance, parameters: &Parameters) -> Impedance {
    let values = match &parameters.contact_gain {
        PerWorld::Shared(gain) => std::slice::from_ref(gain),
        PerWorld::Each(gains) => gains,
    };
    let most = |k: usize| values.iter().map(|gain| gain[k]).fold(0.0, f64::max);
    Impedance { stiffness: law.stiffness * most(0), damping: law.damping * most(1), ..law }
}

/// The pair of shapes on which the published contact law is the stiffest, where that is too stiff for the time step
/// ([ComFree] notes: n r/(1 − r) (3 k Δt + 2 d) < 4).
fn stability_warning(model: &Model, law: &Impedance, dt: f64) -> Option<String> {
    let plan = ContactPlan::of(model);
    let facets = |pair: &Pair| {
        let asks = |field: fn(&Material) -> f64| {
            [pair.shape_a, pair.shape_b].iter().any(|s| field(&model.shapes()[s.index()].material) > 0.0)
        };
        let each = match (asks(|m| m.rolling), asks(|m| m.torsional), asks(|m| m.sliding)) {
            (true, _, _) => 10,
            (_, true, _) => 6,
            (_, _, true) => 4,
            _ => 1,
        };
        each * pair.slots.len()
    };
    let worst = plan.pairs().iter().max_by_key(|pair| facets(pair))?;
    let (count, value) = (facets(worst), law.stability(facets(worst), dt));
    if value < 4.0 {
        return None;
    }
    let [a, b] = [worst.shape_a, worst.shape_b].map(|shape| &model.shapes()[shape.index()].name);
    let most = ((4.0 / (count as f64 * law.stiffest()) - 2.0 * law.damping) / (3.0 * dt)).max(0.0);
    Some(format!(
        "{}: the published contact law is unstable at {dt} s where {a:?} touches {b:?}: {count} facets give {value:.1}, and 4 is \
         the bound; take a stiffness below {most:.2}, a smaller step, or the normalised variant",
        model.name()
    ))
}
