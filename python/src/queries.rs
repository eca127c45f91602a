//! What rays hit, in many worlds.

use bellcrank::collide::{Queries, Ray};
use bellcrank::math::{Pose, Vec3};
use bellcrank::model::BodyId;
use bellcrank::sim::{Batch, BatchError, Quantity};

/// Rays of one world after the other: three numbers each.
pub struct Rays<'a> {
    pub origins: &'a [f64],
    pub directions: &'a [f64],
    /// [m]
    pub reach: f64,
    /// The body that rays pass through.
    pub ignore: Option<&'a str>,
}

/// One entry per ray: infinite distance and shape −1 where nothing was hit.
#[derive(Default)]
pub struct Hits {
    pub distance: Vec<f64>,
    pub shape: Vec<i64>,
    pub point: Vec<f64>,
    pub normal: Vec<f64>,
}

/// Casts the same number of rays in each listed world.
pub fn ray_cast(batch: &Batch, chosen: &[usize], rays: &Rays<'_>) -> Result<Hits, BatchError> {
    let mut hits = Hits::default();
    let per_world = rays.origins.len() / chosen.len().max(1);
    let mut shared: Vec<Option<Queries>> = vec![None; batch.models().len()];
    for (k, &world) in chosen.iter().enumerate() {
        let (model, (m, row)) = (batch.model(world)?.clone(), batch.find(world)?);
        let fresh = || Ok::<_, BatchError>(Queries::in_world(&model, batch.parameters(m)?, row));
        let queries = match shared[m].take() {
            Some(queries) if !solids_differ(batch, m) => queries,
            _ => fresh()?,
        };
        let X_WB = (0..model.bodies().len()).map(|b| batch.body_pose(world, b));
        let X_WB: Vec<Pose> = X_WB.collect::<Result<_, _>>()?;
        let ignore = rays.ignore.map(|name| find_body(batch, world, name)).transpose()?;
        let numbers = k * per_world..(k + 1) * per_world;
        let (origins, directions) = (&rays.origins[numbers.clone()], &rays.directions[numbers]);
        for (origin, direction) in origins.chunks_exact(3).zip(directions.chunks_exact(3)) {
            let ray = Ray { origin: vector(origin), direction: vector(direction), reach: rays.reach, ignore };
            match queries.ray_cast(&X_WB, &ray) {
                Some(hit) => {
                    let (point, normal) = (hit.point.to_array(), hit.normal.to_array());
                    hits.put(hit.distance, hit.shape.index() as i64, point, normal);
                }
                None => hits.put(f64::INFINITY, -1, [f64::NAN; 3], [f64::NAN; 3]),
            }
        }
        shared[m] = Some(queries);
    }
    Ok(hits)
}

impl Hits {
    fn put(&mut self, distance: f64, shape: i64, point: [f64; 3], normal: [f64; 3]) {
        self.distance.push(distance);
        self.shape.push(shape);
        self.point.extend(point);
        self.normal.extend(normal);
    }
}

/// The body of that name in a world's model.
pub fn find_body(batch: &Batch, world: usize, name: &str) -> Result<BodyId, BatchError> {
    let model = batch.model(world)?;
    model.body_id(name).ok_or_else(|| {
        let near = bellcrank::model::nearest(name, model.bodies().iter().map(|body| &body.name));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        BatchError::NoSuchName { what: "body", name: name.to_owned(), hint }
    })
}

/// Three numbers as a vector.
pub fn vector(v: &[f64]) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}

/// Whether shapes or centres of mass may differ between worlds of a model.
fn solids_differ(batch: &Batch, model: usize) -> bool {
    [Quantity::BodyCom, Quantity::Friction].into_iter().any(|quantity| batch.worlds_differ(model, quantity))
}
