//! One time step: hard loops, drives, limits and contacts solved together, in any numbers.
//!
//! Everything here is generic over its numbers; [`group::make`] is where the step is compiled for those of the processor at
//! hand. This crate is the engine's inside: programs use `bellcrank-sim`, which has batches of worlds on top of it, and
//! `bellcrank-gradient`, which differentiates it.
//!
//! | file | what |
//! |---|---|
//! | `layout` | the structure of a model's step, worked out once |
//! | `constants` | its numbers per block of worlds, from the parameters |
//! | `state` `workspace` | what must be saved; what may be thrown away |
//! | `activation` | motors with a state: filters and integrals of their controls |
//! | `drag` | forces of air and water |
//! | `settings` | how a step is computed |
//! | `step/` | one time step on one screen; momentum, poses, the rounds that close joints |
//! | `rows/` | what holds and drives: joints, couplings, motors, tendons, limits |
//! | `reactions/` | what only pushes: limits, boxes, contacts; exactly, in closed form, in piles |
//! | `interior/` | the implicit step: everything met at its end, by the interior point |
//! | `assemble` | poses that close, from any subset of joint coordinates |
//! | `readout` `status` | what a step leaves behind: reactions, efforts, how well the equations are met |
//! | `group` `group_access` `field` `lane_access` | blocks of lanes over threads: stepped, read, written, saved |
#![forbid(unsafe_code)]
#![allow(missing_docs)] // parts of the step, told of where they are not plain
#![allow(rustdoc::private_intra_doc_links)] // its readers have the source

pub mod activation;
pub mod adhesion;
pub mod assemble;
pub mod constants;
pub mod contact;
pub mod drag;
pub mod effort;
pub mod ellipsoid;
pub mod field;
pub mod group;
pub mod group_access;
pub mod interior;
pub mod lane_access;
pub mod law;
pub mod layout;
pub mod lines;
pub mod reactions;
pub mod readout;
pub mod rows;
pub mod settings;
pub mod state;
pub mod status;
pub mod step;
pub mod workspace;
