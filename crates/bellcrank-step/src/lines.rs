//! Lines of effort: tendons that act, and motors at sites.

use crate::layout::{DofLayout, ScalarKind, coupled_bodies, is_passive, pair_blocks, term_layout};
use bellcrank_model::{Actuator, BodyId, DofSoftness, Link, Model, SoftRow, Softness, Target, Way};
use bellcrank_solve::BlockPattern;

/// Where a line of effort acts.
#[derive(Clone, Debug)]
pub struct TendonLayout {
    pub source: LineSource,
    /// Actuators on it.
    pub motors: Vec<usize>,
    /// Its limits and its dry friction.
    pub stops: Vec<StopLayout>,
    /// Its spring is slack so far above its rest.
    pub slack: f64,
    /// The bodies that it moves, each once.
    pub bodies: Vec<usize>,
    /// The block for each pair (i, j) of them with j < i, and whether i is its row.
    pub blocks: Vec<(usize, bool)>,
}

#[derive(Clone, Debug)]
pub enum LineSource {
    /// length = Σ coefficient · coordinate.
    Tendon { index: usize, terms: Vec<(DofLayout, f64)> },
    /// As long as a way through space, whose places are [`crate::constants::Constants::places`] from `first` on; `moves` says which
    /// of the line's bodies each is on, if any.
    Path { index: usize, way: Way, first: usize, moves: Vec<Option<usize>> },
    /// Force and moment per unit of effort, at the site in its axes.
    Site { index: usize, wrench: [f64; 6] },
}

/// What bounds or rubs a line.
#[derive(Clone, Copy, Debug)]
pub struct StopLayout {
    /// `Lower`, `Upper` or `Friction`.
    pub kind: ScalarKind,
    /// How it gives way, where it is not hard.
    pub soft: Option<SoftRow>,
}

/// Whether a tendon has a motor or resists.
pub(crate) fn pulls(model: &Model, tendon: usize) -> bool {
    let dof = &model.tendons()[tendon].dof;
    let driven = model.actuators().iter().any(|a| drives_tendon(a, tendon));
    driven || is_passive(dof) || !stops(model, tendon).is_empty()
}

/// Limits and dry friction of a tendon.
fn stops(model: &Model, tendon: usize) -> Vec<StopLayout> {
    let tendon = &model.tendons()[tendon];
    let soft = tendon.softness.filter(|_| model.compliance().is_some());
    let row =
        |law: fn(&DofSoftness) -> Softness| soft.map(|s| SoftRow { law: law(&s), mobility: s.mobility });
    let (limit, friction) = (row(|s| s.limit), row(|s| s.friction));
    let all = [
        (ScalarKind::Lower, limit, tendon.dof.limits[0].is_finite()),
        (ScalarKind::Upper, limit, tendon.dof.limits[1].is_finite()),
        (ScalarKind::Friction, friction, tendon.dof.friction > 0.0),
    ];
    all.into_iter().filter(|(.., exists)| *exists).map(|(kind, soft, _)| StopLayout { kind, soft }).collect()
}

/// The bodies that a tendon pulls at, each once.
pub(crate) fn tendon_bodies(model: &Model, tendon: usize) -> Vec<usize> {
    let tendon = &model.tendons()[tendon];
    if tendon.path.is_empty() {
        return coupled_bodies(model, &tendon.terms);
    }
    let way = Way::of(&tendon.path, model.sites(), model.shapes());
    let mut bodies: Vec<usize> =
        way.places.iter().filter_map(|(link, _)| link.body().map(BodyId::index)).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// Where the length of a tendon comes from; `first` is the number of places of tendons before it.
fn tendon_source(model: &Model, index: usize, bodies: &[usize], first: &mut usize) -> LineSource {
    let tendon = &model.tendons()[index];
    if tendon.path.is_empty() {
        return LineSource::Tendon { index, terms: tendon.terms.iter().map(term_layout).collect() };
    }
    let way = Way::of(&tendon.path, model.sites(), model.shapes());
    let place = |link: &Link| link.body().and_then(|body| bodies.iter().position(|b| *b == body.index()));
    let moves: Vec<Option<usize>> = way.places.iter().map(|(link, _)| place(link)).collect();
    let own = *first;
    *first += way.places.len();
    LineSource::Path { index, way, first: own, moves }
}

fn drives_tendon(actuator: &Actuator, tendon: usize) -> bool {
    matches!(&actuator.target, Target::Tendon(id) if id.id().index() == tendon)
}

/// Tendons that have a motor or resist, then motors at sites of bodies.
pub(crate) fn line_layouts(model: &Model, pattern: &BlockPattern) -> Vec<TendonLayout> {
    let count = model.actuators().len();
    let mut lines = Vec::new();
    let mut places = 0;
    for t in (0..model.tendons().len()).filter(|t| pulls(model, *t)) {
        let bodies = tendon_bodies(model, t);
        if bodies.is_empty() {
            continue; // all of it is on the world, and moves nothing
        }
        lines.push(TendonLayout {
            source: tendon_source(model, t, &bodies, &mut places),
            stops: stops(model, t),
            slack: model.tendons()[t].slack,
            motors: (0..count).filter(|a| drives_tendon(&model.actuators()[*a], t)).collect(),
            blocks: pair_blocks(&bodies, pattern),
            bodies,
        });
    }
    for (a, actuator) in model.actuators().iter().enumerate() {
        // the model lists motors with a reference site as ignored
        let Target::Site { site, reference: None, wrench } = &actuator.target else { continue };
        let Some(body) = model.sites()[site.id().index()].link.body() else { continue };
        let source = LineSource::Site { index: site.id().index(), wrench: *wrench };
        lines.push(TendonLayout {
            source,
            motors: vec![a],
            stops: Vec::new(),
            slack: 0.0,
            bodies: vec![body.index()],
            blocks: Vec::new(),
        });
    }
    lines
}
