//! `bellcrank-bench pictures`: what it costs to draw worlds, and to measure distances in them, by raster and by rays.

use crate::{Bench, Record, options, shipped};
use bellcrank::collide::{Queries, Ray};
use bellcrank::math::{Pose, Vec3};
use bellcrank::render::{Camera, Kind, Mount, Size, views};
use bellcrank::sim::{Batch, Precision};
use bellcrank_cli::{Error, cpu_seconds};

const WORLDS: usize = 64;
/// Pixels across and down of a picture that a policy looks at.
const SMALL: usize = 64;

/// How pictures are made.
#[derive(Clone, Copy)]
enum Way {
    Raster(Kind, Size),
    Rays,
}

const SEEN: Size = Size { width: SMALL, height: SMALL };
const WAYS: [(&str, Way); 4] = [
    ("depths of 64 × 64, by raster", Way::Raster(Kind::Depth, SEEN)),
    ("depths of 64 × 64, by rays", Way::Rays),
    ("colours of 64 × 64, with shadows", Way::Raster(Kind::Color, SEEN)),
    ("colours of 640 × 360, with shadows", Way::Raster(Kind::Color, Size { width: 640, height: 360 })),
];

/// Pictures of 64 bipeds that a camera one metre before them takes.
pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let model = shipped("hybrid_biped")?;
    let batch = Batch::new(model, WORLDS, options(Precision::F32, 1)).map_err(Error::Batch)?;
    let camera =
        Camera { field_of_view: 1.0, ..Camera::new(Vec3::new(1.0, -0.4, 0.5), Vec3::new(0.0, 0.0, 0.3)) };
    let worlds: Vec<usize> = (0..WORLDS).collect();
    let mut records = Vec::new();
    for (what, way) in WAYS.into_iter().filter(|(what, _)| bench.wants(what)) {
        let (start, mut pictures) = (cpu_seconds(), 0);
        while cpu_seconds() - start < bench.seconds {
            match way {
                Way::Raster(kind, size) => {
                    views(&batch, &worlds, size, (kind, &Mount::World(camera))).map_err(Error::Render)?;
                    pictures += WORLDS;
                }
                Way::Rays => {
                    cast(&batch, &camera)?;
                    pictures += 1;
                }
            }
        }
        let rate = pictures as f64 / (cpu_seconds() - start);
        records.push(Record(vec![("what", what.into()), ("pictures per core-second", rate.round().into())]));
    }
    Ok(records)
}

/// Distances of one picture, ray by ray, as a sensor of a few rays finds them.
fn cast(batch: &Batch, camera: &Camera) -> Result<Vec<f64>, Error> {
    let model = batch.model(0).map_err(Error::Batch)?;
    let parameters = batch.parameters(0).map_err(Error::Batch)?;
    let queries = Queries::in_world(model, parameters, 0);
    let poses = (0..model.bodies().len()).map(|body| batch.body_pose(0, body));
    let X_WB: Vec<Pose> = poses.collect::<Result<_, _>>().map_err(Error::Batch)?;
    let ahead = (camera.target - camera.eye).normalized();
    let right = ahead.cross(camera.up).normalized();
    let up = right.cross(ahead);
    let pixel = 2.0 * (0.5 * camera.field_of_view).tan() / SMALL as f64;
    let mut distances = Vec::with_capacity(SMALL * SMALL);
    for k in 0..SMALL * SMALL {
        let place = |k: usize| (k as f64 + 0.5 - 0.5 * SMALL as f64) * pixel;
        let direction = ahead + right * place(k % SMALL) - up * place(k / SMALL);
        let ray = Ray { origin: camera.eye, direction, reach: 100.0, ignore: None };
        distances.push(queries.ray_cast(&X_WB, &ray).map_or(f64::INFINITY, |hit| hit.distance));
    }
    Ok(distances)
}
