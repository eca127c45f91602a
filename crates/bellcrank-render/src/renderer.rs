//! Worlds of a batch to pictures.

use crate::camera::{Camera, Projection};
use crate::error::RenderError;
use crate::floor::Floor;
use crate::light::Light;
use crate::moment::Moment;
use crate::picture::Picture;
use crate::raster::{Buffer, Coat, Corner, Flat, NOBODY, project};
use crate::shade::{Paint, Shading, Sun};
use crate::stage::{Part, Stage};
use crate::triangles::V;
use bellcrank_math::{Pose, Vec3};
use bellcrank_sim::Batch;

/// Pixels of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Across.
    pub width: usize,
    /// Down.
    pub height: usize,
}

/// The most pixels across or down.
const MOST: usize = 8192;
/// Pictures smaller than this have rounder things drawn with fewer corners.
const SMALL: usize = 200;
/// Side of the sun's picture, in pixels, at most; and as a multiple of the picture's own.
const SUN: usize = 1536;
const SUN_SHARE: usize = 4;
/// Samples per pixel, across and down.
const FINENESS: usize = 2;

/// Draws the same worlds again and again; see [`crate`].
pub struct Renderer {
    stage: Stage,
    worlds: Vec<usize>,
    size: Size,
    /// Numbers of parts go on from world to world: the first of each.
    first_part: Vec<u32>,
    /// By number of part.
    paints: Vec<Paint>,
    flats: Vec<Flat>,
    samples: Buffer,
    shadow: Buffer,
}

impl Renderer {
    /// For these worlds of a batch, shown side by side.
    ///
    /// # Errors
    /// When a world does not exist, none is given, or the size makes no sense.
    pub fn new(batch: &Batch, worlds: &[usize], size: Size) -> Result<Self, RenderError> {
        let Size { width, height } = size;
        if !(1..=MOST).contains(&width) || !(1..=MOST).contains(&height) {
            return Err(RenderError::Size { width, height, most: MOST });
        }
        let round = if width.min(height) < SMALL { 8 } else { 24 };
        let stage = Stage::new(batch, worlds, round)?;
        let (mut first_part, mut paints) = (Vec::new(), Vec::new());
        for model in &stage.models {
            first_part.push(paints.len() as u32);
            let paint = |part: &Part| Paint { color: part.color, texture: part.texture.clone() };
            paints.extend(stage.parts[*model].iter().map(paint));
        }
        Ok(Renderer {
            stage,
            worlds: worlds.to_vec(),
            size,
            first_part,
            paints,
            flats: Vec::new(),
            samples: Buffer::default(),
            shadow: Buffer::default(),
        })
    }

    /// What there is to see.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Pixels of its pictures.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The worlds that it shows.
    pub fn worlds(&self) -> &[usize] {
        &self.worlds
    }

    /// Shows another world of the same model in place of the only one.
    pub(crate) fn turn_to(&mut self, world: usize) {
        self.worlds = vec![world];
    }

    /// Leaves the floor out.
    pub fn without_floor(mut self) -> Self {
        self.stage.floor = None;
        self
    }

    /// The worlds as they are now.
    ///
    /// # Errors
    /// When the camera sees nothing, or the batch has other worlds than it had.
    pub fn draw(&mut self, batch: &Batch, camera: &Camera) -> Result<Picture, RenderError> {
        let moment = Moment::of(batch, &self.worlds)?;
        self.draw_moment(&moment, camera)
    }

    /// The worlds as they were at some moment.
    ///
    /// # Errors
    /// When the camera sees nothing.
    pub fn draw_moment(&mut self, moment: &Moment, camera: &Camera) -> Result<Picture, RenderError> {
        camera.check()?;
        self.shadow(moment, camera);
        let (width, height) = (self.size.width, self.size.height);
        let fine = Size { width: FINENESS * width, height: FINENESS * height };
        let projection = camera.projection(fine);
        self.project(&projection, moment);
        self.samples.fill([fine.width, fine.height], 0.0, &self.flats);
        let mut rgb = vec![0; 3 * width * height];
        let centre = Vec3::constant(camera.target);
        let shading = Shading {
            camera: projection,
            samples: &self.samples,
            fineness: FINENESS,
            paints: &self.paints,
            floor: self.stage.floor.map(|height| Floor::new(height, self.stage.size(), centre)),
            sun: Some(Sun {
                projection: self.sun(camera),
                buffer: &self.shadow,
                bias: 3.0 * self.sun_reach(camera) as f32 / self.sun_side() as f32,
            }),
            light: Light::day(),
        };
        shading.paint(width, &mut rgb);
        Ok(Picture { width, height, rgb })
    }

    /// How far what each pixel shows is, along the direction in which the camera looks [m], infinite for nothing; and the number of
    /// the body there: −1 for the world's own shapes and the floor, −2 for nothing.
    ///
    /// # Errors
    /// As those of [`Renderer::draw`].
    pub fn measure(&mut self, batch: &Batch, camera: &Camera) -> Result<(Vec<f32>, Vec<i32>), RenderError> {
        camera.check()?;
        let projection = camera.projection(self.size);
        self.project(&projection, &Moment::of(batch, &self.worlds)?);
        self.samples.fill([self.size.width, self.size.height], 0.0, &self.flats);
        let bodies = self.bodies();
        let floor = self.stage.floor.map(|height| Floor::new(height, self.stage.size(), V::zero()));
        let (mut depth, mut segments) = (Vec::new(), Vec::new());
        for (at, (part, near)) in self.samples.part.iter().zip(&self.samples.near).enumerate() {
            let (x, y) = ((at % self.size.width) as f32 + 0.5, (at / self.size.width) as f32 + 0.5);
            let ground = floor.and_then(|floor| floor.met(&projection, x, y)).map_or(0.0, |met| met.near);
            let (near, body) = match *part {
                NOBODY if ground == 0.0 => (0.0, -2),
                NOBODY => (ground, -1),
                _ if ground > *near => (ground, -1),
                part => (*near, bodies[part as usize]),
            };
            depth.push(1.0 / near);
            segments.push(body);
        }
        Ok((depth, segments))
    }

    /// By number of part: the body that it is on, or −1.
    fn bodies(&self) -> Vec<i32> {
        let parts = self.stage.models.iter().flat_map(|model| &self.stage.parts[*model]);
        parts.map(|part| part.body.map_or(-1, |body| body as i32)).collect()
    }

    /// Turns everything into triangles on a picture.
    fn project(&mut self, to: &Projection, moment: &Moment) {
        self.flats.clear();
        let least = 1e-3 * self.stage.size() as f32;
        let mut seen = Vec::new();
        for (place, (model, poses)) in self.stage.models.iter().zip(&moment.poses).enumerate() {
            let stands = Pose::from_position(Vec3::from_array(self.stage.scene.offset(place)));
            for (k, part) in self.stage.parts[*model].iter().enumerate() {
                let on = part.body.and_then(|body| poses.get(body)).map_or(stands, |X_WB| stands * *X_WB);
                let X_WG: Pose<f32> = Pose::constant(on * part.X_BG);
                if !X_WG.is_finite() {
                    continue; // a frozen world may stand anywhere
                }
                let surface = &self.stage.surfaces[part.surface];
                seen.clear();
                let corners = surface.points.iter().zip(&surface.normals).enumerate();
                seen.extend(corners.map(|(k, (p, n))| Corner {
                    seen: to.seen(X_WG * *p),
                    normal: X_WG.R.rotate(*n),
                    uv: surface.uvs.get(k).copied().unwrap_or_default(),
                }));
                let coat = Coat {
                    part: self.first_part[place] + k as u32,
                    opacity: part.opacity.max(0.05),
                    covered: part.texture.is_some(),
                    least,
                };
                for face in &surface.faces {
                    project(to, face.map(|k| seen[k as usize]), coat, &mut self.flats);
                }
            }
        }
    }

    /// Half of the side of the square around the camera's target that the sun's picture shows [m].
    fn sun_reach(&self, camera: &Camera) -> f64 {
        let seen = (camera.eye - camera.target).norm() * camera.tangent() * 3.0;
        let [low, high] = self.stage.bounds();
        seen.min(0.75 * (high - low).norm() + self.stage.size())
    }

    /// Small pictures need no fine shadows.
    fn sun_side(&self) -> usize {
        SUN.min(SUN_SHARE * self.size.width.max(self.size.height))
    }

    fn sun(&self, camera: &Camera) -> Projection {
        let reach = self.sun_reach(camera);
        let light = Light::day().key_from;
        let from = Vec3::new(light.x.into(), light.y.into(), light.z.into());
        let sun = Camera::new(camera.target + from, camera.target);
        Projection {
            eye: Vec3::constant(camera.target),
            axes: sun.axes().map(Vec3::constant),
            scale: [(0.5 * self.sun_side() as f64 / reach) as f32; 2],
            middle: [0.5 * self.sun_side() as f32; 2],
            parallel: true,
        }
    }

    fn shadow(&mut self, moment: &Moment, camera: &Camera) {
        let sun = self.sun(camera);
        self.project(&sun, moment);
        self.shadow.fill([self.sun_side(); 2], f32::NEG_INFINITY, &self.flats);
    }
}
