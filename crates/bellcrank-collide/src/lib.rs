//! What touches, where, with which normal, how deep.
//!
//! A [`ContactPlan`] lists once per model which shapes may touch and gives every pair a fixed number of slots.
//! [`collide`] fills the slots of `R::LANES` worlds from body poses, without allocation and without branches on
//! numbers.
//!
//! ```
//! use bellcrank_collide::{ContactPlan, Contacts, ShapeData, collide};
//! use bellcrank_math::Pose;
//! use bellcrank_model::{Parameters, library};
//!
//! let model = library::box_on_plane().build()?; // a cube of 0.2 m
//! let plan = ContactPlan::of(&model);
//! let shapes = ShapeData::of(&plan, &Parameters::of(&model), 0);
//! let mut contacts = Contacts::new(&plan);
//! let X_WB = [Pose::translation(0.0, 0.0, 0.099)];
//! collide(&plan, &shapes, &X_WB, 0.0, &mut contacts);
//! assert_eq!(contacts.count(0), 4); // its lower corners,
//! assert!((contacts.slots()[0].distance + 0.001).abs() < 1e-12); // one millimetre deep
//! # Ok::<(), bellcrank_model::Faults>(())
//! ```
//!
//! Scenes of many loose bodies use a [`Pile`] instead; [`Queries`] answer questions about rays and distances.
//!
//! | file | what |
//! |---|---|
//! | `filter` | which shapes may touch at all |
//! | `plan` | candidate pairs, slots, features |
//! | `material` | the surface of a pair |
//! | `data` `solid` | sizes and places per lane; points of meshes |
//! | `contacts` | what was found |
//! | `collide` `one` | one step; one shape and one pair of it |
//! | `pairs/` | one routine per kind of pair |
//! | `terrain/` | height fields and meshes at rest |
//! | `hull` | corners of a mesh within a budget |
//! | `pile` | broad phase and a bounded list of contacts, for many loose bodies |
//! | `query/` | ray casts, distance of two bodies |
//! | `convex/` | any two convex shapes: distance, way out, manifold |
#![forbid(unsafe_code)]

mod collide;
mod contacts;
mod convex;
mod data;
mod filter;
mod hull;
mod material;
mod one;
pub mod pairs;
mod pile;
mod plan;
mod query;
mod solid;
mod terrain;

pub use collide::{Narrow, Near, Side, collide};
pub use contacts::{Contact, Contacts, Hints, tangents};
pub use data::{Placed, ShapeData};
pub use hull::{HULL_BUDGET, Hull, HullError};
pub use material::Surface;
pub use one::{collide_pair, is_near, place_shape};
pub use pile::{ContactsDropped, NearPair, Pile, PileContact};
pub use plan::{ContactPlan, Form, Pair, PairKind, PlanShape, Slot, Unsupported};
pub use query::{Closest, Queries, Ray, RayHit};
pub use solid::Solid;
pub use terrain::{Bounds, Triangle, TriangleMesh};
