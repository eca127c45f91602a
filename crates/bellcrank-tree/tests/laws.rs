//! What must hold whatever the mechanism: identities of dynamics, independence of lanes and threads, errors as values.

use crate::support::{Dice, close};
use bellcrank_math::{Level, Pose, Vec3, so3};
use bellcrank_model::{Body, Joint, ModelBuilder, WORLD, library};
use bellcrank_tree::{TreeError, TreeModel};

/// Random states of a shipped mechanism's tree (its loops cut open): q, v, and something like v.
struct States {
    tree: TreeModel<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    n: usize,
}

fn states(name: &str, n: usize) -> States {
    let tree = TreeModel::<f64>::new(&library::by_name(name).expect(name).build().expect(name));
    let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
    let mut dice = Dice(11);
    let start: Vec<f64> = (0..n).flat_map(|_| tree.neutral()).collect();
    let mut q = vec![0.0; n * nq];
    tree.batch().integrate(&start, &dice.many(n * nv, 1.0), &mut q).unwrap();
    States { tree, q, v: dice.many(n * nv, 1.0), a: dice.many(n * nv, 1.0), n }
}

/// M a + bias = rnea(a), aba(rnea(a)) = a, M M⁻¹ = 1; rounding grows with the condition of M (up to 1e5 here).
#[test]
fn inverse_and_forward_dynamics_and_the_mass_matrix_agree_on_every_shipped_mechanism() {
    for name in library::names().filter(|name| *name != "tree_and_loops") {
        let States { tree, q, v, a, n } = states(name, 3);
        let nv = tree.dof_count();
        let (mut tau, mut bias, mut back) = (vec![0.0; n * nv], vec![0.0; n * nv], vec![0.0; n * nv]);
        let (mut M, mut inverse) = (vec![0.0; n * nv * nv], vec![0.0; n * nv * nv]);
        let batch = tree.batch();
        batch.rnea(&q, &v, &a, &mut tau).unwrap();
        batch.bias(&q, &v, &mut bias).unwrap();
        batch.crba(&q, &mut M).unwrap();
        batch.aba(&q, &v, &tau, &mut back).unwrap();
        batch.mass_inverse(&q, &mut inverse).unwrap();
        close(&format!("{name}: aba of rnea"), &back, &a, 1e-9);
        for s in 0..n {
            let M = &M[s * nv * nv..][..nv * nv];
            let sum: Vec<f64> = (0..nv)
                .map(|r| bias[s * nv + r] + (0..nv).map(|c| M[r * nv + c] * a[s * nv + c]).sum::<f64>())
                .collect();
            close(&format!("{name}: M a + bias"), &sum, &tau[s * nv..][..nv], 1e-12);
            let inverse = &inverse[s * nv * nv..][..nv * nv];
            let product: Vec<f64> = (0..nv * nv)
                .map(|i| (0..nv).map(|k| M[i / nv * nv + k] * inverse[k * nv + i % nv]).sum())
                .collect();
            let unit: Vec<f64> = (0..nv * nv).map(|i| if i / nv == i % nv { 1.0 } else { 0.0 }).collect();
            close(&format!("{name}: M M⁻¹"), &product, &unit, 1e-9);
        }
    }
}

/// Two bars, hinged about every two of the coordinate axes, with frames beside the hinges: a point x of the second goes
/// to R(a, q₀)(c + R(b, q₁)(x − c)) for its hinge at c.
#[test]
fn frames_beside_their_hinges_are_where_two_rotations_put_them() {
    let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    let (near, far) = (Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.5, -0.4, 0.7));
    let c = Vec3::new(0.2, 0.1, 0.4);
    for (a, b) in (0..9).map(|k| (axes[k / 3], axes[k % 3])) {
        let mut m = ModelBuilder::new("two bars");
        let first = m.body(Body::new("first").at(Pose::from_position(near)).solid_sphere(1.0, 0.1));
        let second = m.body(Body::new("second").at(Pose::from_position(far)).solid_sphere(1.0, 0.1));
        m.joint(Joint::revolute("ground", WORLD, first).placed(Vec3::zero(), a));
        m.joint(Joint::revolute("elbow", first, second).placed(c, b));
        let tree = TreeModel::<f64>::new(&m.build().expect("two bars"));
        let frames = ["first", "second"].map(|name| tree.frame(name).expect(name));
        let mut poses = [0.0; 24];
        tree.batch().fk(&[0.7, -1.1], &frames, &mut poses).unwrap();
        let (A, B) = (so3::exp(a * 0.7), so3::exp(b * -1.1));
        let expected = [A.rotate(near), A.rotate(c + B.rotate(far - c))];
        for (pose, p) in poses.chunks_exact(12).zip(expected) {
            close("origin", &[pose[3], pose[7], pose[11]], &p.to_array(), 1e-14);
        }
        let whole = (A * B).to_mat3();
        let turned: Vec<f64> =
            (0..3).flat_map(|r| [12 + 4 * r, 13 + 4 * r, 14 + 4 * r]).map(|k| poses[k]).collect();
        let rows: Vec<f64> =
            (0..3).flat_map(|r| [whole.x, whole.y, whole.z].map(|column| column.to_array()[r])).collect();
        close("rotation", &turned, &rows, 1e-14);
    }
}

#[test]
fn lanes_threads_and_batch_size_do_not_change_a_single_bit() {
    let States { tree, q, v, a, n } = states("hybrid_biped", 300);
    let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
    let mut all = vec![0.0; n * nv];
    tree.batch().rnea(&q, &v, &a, &mut all).unwrap();
    let mut other = vec![0.0; n * nv];
    tree.batch().one_by_one().rnea(&q, &v, &a, &mut other).unwrap();
    assert_eq!(all, other, "one by one");
    tree.batch().threads(2).rnea(&q, &v, &a, &mut other).unwrap();
    assert_eq!(all, other, "two threads");
    // long enough for threads to be woken: some microseconds per state
    other.fill(0.0);
    tree.batch().threads(3).one_by_one().rnea(&q, &v, &a, &mut other).unwrap();
    assert_eq!(all, other, "three threads, one by one");
    for s in [0, 7, 8, 299] {
        let (q, v, a) = (&q[s * nq..][..nq], &v[s * nv..][..nv], &a[s * nv..][..nv]);
        let mut one = vec![0.0; nv];
        tree.batch().rnea(q, v, a, &mut one).unwrap();
        assert_eq!(one, all[s * nv..][..nv], "state {s} alone");
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let States { tree, q, v, a, n } = states("hybrid_biped", 20);
    let mut best = vec![0.0; n * tree.dof_count()];
    tree.batch().aba(&q, &v, &a, &mut best).unwrap();
    for level in Level::ALL {
        let mut other = vec![0.0; best.len()];
        tree.batch().level(level).aba(&q, &v, &a, &mut other).unwrap();
        assert_eq!(best, other, "{level}");
    }
}

/// The same numbers, each once; what is not listed is zero.
#[test]
fn entries_are_the_matrices_without_their_zeros() {
    for name in ["hybrid_biped", "all_joints"] {
        let States { tree, q, v, a, n } = states(name, 11);
        let nv = tree.dof_count();
        let listed = (tree.mass_entries(), tree.derivative_entries());
        let dense = || vec![0.0; n * nv * nv];
        let (mut M, mut by_q, mut by_v) = (dense(), dense(), dense());
        let packed = || vec![0.0; n * listed.1.len()];
        let (mut mass, mut q_entries, mut v_entries) = (vec![0.0; n * listed.0.len()], packed(), packed());
        let batch = tree.batch();
        batch.crba(&q, &mut M).unwrap();
        batch.crba_entries(&q, &mut mass).unwrap();
        batch.rnea_derivatives(&q, &v, &a, &mut by_q, &mut by_v).unwrap();
        batch.rnea_derivatives_entries(&q, &v, &a, [&mut q_entries, &mut v_entries]).unwrap();
        let spread = |values: &[f64], entries: &[(usize, usize)], mirror: bool| {
            let mut matrices = dense();
            for (matrix, values) in matrices.chunks_mut(nv * nv).zip(values.chunks(entries.len())) {
                for (&(r, c), value) in entries.iter().zip(values) {
                    matrix[r * nv + c] = *value;
                    if mirror {
                        matrix[c * nv + r] = *value;
                    }
                }
            }
            matrices
        };
        assert!(listed.0.len() < nv * nv);
        assert_eq!(spread(&mass, &listed.0, true), M, "{name}: M");
        assert_eq!(spread(&q_entries, &listed.1, false), by_q, "{name}: by q");
        assert_eq!(spread(&v_entries, &listed.1, false), by_v, "{name}: by v");
    }
}

#[test]
fn single_precision_agrees_to_its_digits() {
    let States { tree, q, v, a, n } = states("five_bar_quadruped", 20);
    let single = tree.cast::<f32>();
    let narrow = |x: &[f64]| -> Vec<f32> { x.iter().map(|x| *x as f32).collect() };
    let mut tau = vec![0.0; n * tree.dof_count()];
    let mut tau32 = vec![0.0; n * tree.dof_count()];
    tree.batch().rnea(&q, &v, &a, &mut tau).unwrap();
    single.batch().rnea(&narrow(&q), &narrow(&v), &narrow(&a), &mut tau32).unwrap();
    let wide: Vec<f64> = tau32.iter().map(|x| f64::from(*x)).collect();
    close("rnea in single precision", &wide, &tau, 1e-5);
}

#[test]
fn wrong_sizes_are_told_by_name() {
    let States { tree, q, v, a, .. } = states("double_pendulum", 2);
    let mut tau = vec![0.0; 4];
    let short = tree.batch().rnea(&q, &v[..3], &a, &mut tau);
    assert_eq!(short, Err(TreeError::WrongSize { what: "v", found: 3, batch: 2, width: 2 }));
    let odd = tree.batch().rnea(&q[..3], &v, &a, &mut tau);
    assert_eq!(odd, Err(TreeError::NotWholeStates { what: "q", found: 3, width: 2 }));
    assert!(tree.frame("no such frame").is_err());
    assert_eq!(tree.batch().rnea(&[], &[], &[], &mut []), Ok(()));
}

#[test]
fn coordinates_are_named_and_ordered_as_in_the_model() {
    let tree = TreeModel::<f64>::new(&library::all_joints().build().unwrap());
    assert_eq!(tree.coordinate_names().len(), tree.coordinate_count());
    assert_eq!(tree.dof_names().len(), tree.dof_count());
    assert_eq!(tree.coordinate_names()[..4], ["revolute", "prismatic", "cylindrical.x", "cylindrical.angle"]);
    assert_eq!(tree.dof_names().last().unwrap(), "free.wz");
}
