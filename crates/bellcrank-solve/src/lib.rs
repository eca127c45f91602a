//! Linear algebra and solvers of the step. Nothing here knows a robot.
//!
//! | file | what |
//! |---|---|
//! | `pattern` | which blocks of a sparse symmetric matrix fill in: analysed once per model |
//! | `factor` | its Cholesky factor in 6×6 blocks, every step, over any `Real` |
//! | `cone` | projections: push only, boxes, Coulomb's cone |
//! | `problem` | the dual problem G λ + g of the rows that have cones |
//! | `padmm` | Proximal-ADMM on it, no penalty to tune |
//! | `interior/` | the interior point: everything at the end of the step, products of κ |
//! | `sparse` `residual` | products with the Delassus matrix, and conjugate residuals on them: for comparison |

mod cone;
mod factor;
mod interior;
mod padmm;
mod pattern;
mod problem;
mod residual;
mod sparse;

pub use cone::{Complementarity, Cone, MOST_ROWS, project, project_dual};
pub use factor::{Block, BlockFactor};
pub use interior::{
    Aim, BlockLu, FrictionCone, InteriorPoint, MOST_DIRECTIONS, Newton, Push, Rub, RubLine, Solution,
    Violation, none_acts,
};
pub use padmm::{LinearSolver, Outcome, Padmm, PadmmWorkspace, Penalty};
pub use pattern::BlockPattern;
pub use problem::DualProblem;
pub use residual::{Product, ResidualWorkspace, conjugate_residual};
pub use sparse::{SparseRow, SparseRows};
