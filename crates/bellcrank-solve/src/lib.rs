//! Linear algebra and solvers of the step. Nothing here knows a robot.
//!
//! | file | what |
//! |---|---|
//! | `pattern` `path` | which blocks of a sparse symmetric matrix fill in, and which of them a few bodies reach: analysed once per model |
//! | `factor` | its Cholesky factor in 6×6 blocks, every step, over any `Real` |
//! | `cone` | projections: push only, boxes, Coulomb's cone |
//! | `problem` | the dual problem G λ + g of the rows that have cones |
//! | `delassus` `body_space` | the matrix G as solvers see it: with all entries, or through the bodies |
//! | `padmm` | Proximal-ADMM on it, no penalty to tune |
//! | `newton/` `simd_rows` | Newton's method on the cones, which goes first: world by world, in vectors of neighbouring rows |
//! | `body_newton/` | the same for many loose bodies, through the bodies |
//! | `budget` | what all of that may cost in one step |
//! | `sticking/` | before that, all worlds in lanes: where nothing slides, gives way or changes, the equations are linear |
//! | `comfree` | reactions in closed form |
//! | `interior/` | the interior point: everything at the end of the step, products of κ |
//! | `sparse` `residual` | products with the Delassus matrix, and conjugate residuals on them: for comparison |
#![forbid(unsafe_code)]

mod body_newton;
mod body_space;
mod budget;
mod comfree;
mod cone;
mod delassus;
mod factor;
mod interior;
mod newton;
mod padmm;
mod path;
mod pattern;
mod problem;
mod residual;
mod simd_rows;
mod sparse;
mod sticking;
mod sweeps;

pub use body_newton::BodyNewton;
pub use body_space::{BodySpace, BodySpaceWorkspace};
pub use budget::Budget;
pub use comfree::{ComFree, ContactState, Impedance, Variant, move_reactions};
pub use cone::{Complementarity, Cone, MOST_ROWS, project, project_dual};
pub use delassus::{Delassus, Dense, DenseWorkspace, LinearSolver};
pub use factor::{Block, BlockFactor};
pub use interior::{
    Aim, BlockLu, Directions, Friction, FrictionCone, FrictionLinearization, InteriorPoint, MOST_DIRECTIONS,
    Newton, Pyramid, RoundFriction, SlackPair, Smoothing, Solution, Start, Violation, none_acts,
};
pub use padmm::{Iterate, Outcome, Padmm, PadmmWorkspace, Penalty};
pub use path::Path;
pub use pattern::BlockPattern;
pub use problem::DualProblem;
pub use residual::{Product, ResidualWorkspace, conjugate_residual};
pub use sparse::{SparseRow, SparseRows};
pub use sticking::StickingRows;
pub use sweeps::{Sweeps, Swept};
