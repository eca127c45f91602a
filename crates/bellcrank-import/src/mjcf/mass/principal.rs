//! Principal axes of inertia as MuJoCo finds them: they are a frame of the format (`objtype="body"`, `align`), so that
//! order and signs count, which no other way of finding them would give.
//!
//! Jacobi's rotations, the largest element off the diagonal first, gathered in a quaternion; then the moments are sorted
//! to fall, each exchange turning the frame by a quarter.

use bellcrank_math::{Quat, Sym3};

/// Elements off the diagonal below this count as zero, and so do turns [kg·m², rad²].
const SMALL: f64 = 1e-12;
/// More rotations than this do not make it better.
const ROTATIONS: usize = 500;

/// The rotation from principal axes to those of the matrix, with the largest moment about x.
pub(in crate::mjcf) fn principal_axes(inertia: Sym3) -> Quat {
    let mut turn = Quat::identity();
    for _ in 0..ROTATIONS {
        let d = inertia.rotated(turn.inverse().to_mat3());
        let Some(next) = rotation(d) else { break };
        turn = (turn * next).normalized();
    }
    let d = inertia.rotated(turn.inverse().to_mat3());
    sorted(turn, [d.xx, d.yy, d.zz])
}

/// The rotation that makes the largest element off the diagonal vanish.
fn rotation(d: Sym3) -> Option<Quat> {
    let (off, low, high, about) = if d.xy.abs() > d.xz.abs() && d.xy.abs() > d.yz.abs() {
        (d.xy, d.xx, d.yy, 2)
    } else if d.xz.abs() > d.yz.abs() {
        (d.xz, d.xx, d.zz, 1)
    } else {
        (d.yz, d.yy, d.zz, 0)
    };
    if off.abs() < SMALL {
        return None;
    }
    let tau = (high - low) / (2.0 * off);
    let root = (1.0 + tau * tau).sqrt();
    let t = if tau >= 0.0 { 1.0 / (tau + root) } else { -1.0 / (root - tau) };
    let c = 1.0 / (1.0 + t * t).sqrt();
    if c > 1.0 - SMALL {
        return None;
    }
    let half = (0.5 - 0.5 * c).sqrt();
    let mut sine = if tau >= 0.0 { -half } else { half };
    if about == 1 {
        sine = -sine;
    }
    let mut wxyz = [(1.0 - sine * sine).sqrt(), 0.0, 0.0, 0.0];
    wxyz[about + 1] = sine;
    Some(Quat::from_wxyz(wxyz).normalized())
}

/// Neighbours exchanged (first and second, second and third, first and second) until the moments fall.
fn sorted(mut turn: Quat, mut moments: [f64; 3]) -> Quat {
    for k in [0, 1, 0] {
        if moments[k] + SMALL < moments[k + 1] {
            moments.swap(k, k + 1);
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let mut wxyz = [half, 0.0, 0.0, 0.0];
            wxyz[(k + 2) % 3 + 1] = half;
            turn = (turn * Quat::from_wxyz(wxyz)).normalized();
        }
    }
    turn
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The axes make the matrix diagonal, with falling moments.
    #[test]
    fn the_axes_make_the_matrix_diagonal() {
        let inertia = Sym3 { xx: 2.0, yy: 3.0, zz: 2.5, xy: 0.3, xz: -0.2, yz: 0.7 };
        let d = inertia.rotated(principal_axes(inertia).inverse().to_mat3());
        assert!(d.xy.abs() < 1e-9 && d.xz.abs() < 1e-9 && d.yz.abs() < 1e-9, "{d:?}");
        assert!(d.xx > d.yy && d.yy > d.zz, "{d:?}");
        assert!((d.trace() - inertia.trace()).abs() < 1e-12);
    }

    /// By hand: moments 1, 2, 3 along x, y, z become 3, 2, 1 by exchanging x and z: three quarter turns, about z, x and z.
    #[test]
    fn a_diagonal_matrix_is_only_sorted() {
        let turn = principal_axes(Sym3::diagonal(1.0, 2.0, 3.0));
        let d = Sym3::diagonal(1.0, 2.0, 3.0).rotated(turn.inverse().to_mat3());
        assert!((d.xx - 3.0).abs() + (d.yy - 2.0).abs() + (d.zz - 1.0).abs() < 1e-12, "{d:?}");
    }
}
