//! Pictures and films without a window, a browser or a graphics card: worlds of a batch are drawn by the processor.
//!
//! ```
//! use bellcrank_model::library;
//! use bellcrank_render::{Camera, Renderer, Size};
//! use bellcrank_sim::{Batch, BatchOptions};
//!
//! let batch = Batch::new(library::four_bar().build()?.into(), 1, BatchOptions::default())?;
//! let mut renderer = Renderer::new(&batch, &[0], Size { width: 320, height: 180 })?;
//! let camera = Camera::framing(renderer.stage(), renderer.size());
//! let picture = renderer.draw(&batch, &camera)?;
//! assert_eq!(picture.rgb.len(), 320 * 180 * 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `triangles` | the surface of every form as triangles |
//! | `stage` | what there is to draw: surfaces, their colours, and the bodies that carry them |
//! | `camera` | from where, and how wide |
//! | `raster` | triangles → what each pixel shows: which shape, how far, turned how |
//! | `shade` `floor` `light` | colours of pixels: light, shadow, the floor with its grid |
//! | `moment` | where all bodies are, now or in a frame of a recording |
//! | `renderer` `picture` | all of it together |
//! | `views` | every world in a picture of its own, by all threads: colours, distances or bodies as one array |
//! | `film` `palette` `shot` | pictures → PNG, GIF, animated PNG, MP4; a batch filmed while it runs |
//! | `gltf` `log` | the scene itself as a file, with its motion: glTF; MCAP |
#![forbid(unsafe_code)]

mod camera;
mod error;
mod film;
mod floor;
mod gltf;
mod light;
mod log;
mod moment;
mod palette;
mod picture;
mod raster;
mod renderer;
mod shade;
mod shot;
mod stage;
mod triangles;
mod views;

pub use camera::Camera;
pub use error::RenderError;
pub use film::{Film, FilmKind};
pub use moment::Moment;
pub use picture::Picture;
pub use renderer::{Renderer, Size};
pub use shot::{Shot, ShotOptions};
pub use stage::Stage;
pub use views::{Kind, Mount, Pixels, views};
