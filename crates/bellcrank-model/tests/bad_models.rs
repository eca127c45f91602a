//! Bad models give errors that name file, line, element and the way out, all at once. The texts are snapshots.

use bellcrank_math::{Pose, Quat, Sym3, Vec3};
use bellcrank_model::{
    Actuator, Body, Coupling, Dof, Geometry, HeightField, Joint, Keyframe, Mesh, ModelBuilder, Place, Sensor,
    SensorKind, Shape, Site, WORLD, Zone,
};
use std::sync::Arc;

/// A thigh and a shank on which the faults are tried; what follows is said on line 10 and on.
fn leg() -> ModelBuilder {
    let mut b = ModelBuilder::new("leg");
    b.body(Body::new("thigh").solid_sphere(1.0, 0.1).place(Place::new("robots/leg.urdf", 1)));
    let shank = Body::new("shank").at(Pose::translation(0.0, 0.0, -0.4)).solid_sphere(0.5, 0.05);
    b.body(shank.place(Place::new("robots/leg.urdf", 2)));
    b.joint(
        Joint::revolute("knee", "thigh", "shank")
            .placed(Vec3::new(0.0, 0.0, -0.2), Vec3::y_axis())
            .place(Place::new("robots/leg.urdf", 3)),
    );
    b.place(Place::new("robots/leg.urdf", 10));
    b
}

fn text(builder: ModelBuilder) -> String {
    builder.build().expect_err("the model is bad").to_string()
}

fn at(line: u32) -> Place {
    Place::new("robots/leg.urdf", line)
}

#[test]
fn a_zero_axis_is_named() {
    let mut b = leg();
    b.joint(Joint::revolute("knee_rod", "thigh", "shank").placed(Vec3::zero(), Vec3::zero()));
    insta::assert_snapshot!(text(b), @r#"
    robots/leg.urdf:10: <joint name="knee_rod">: the axis has no direction
      hint: a joint that does not move is type="fixed"
    "#);
}

/// 1 + 2 < 4: no distribution of mass has these principal moments.
#[test]
fn an_impossible_inertia_is_named() {
    let mut b = leg();
    b.body(Body::new("foot").mass(0.2).inertia_diagonal(1e-3, 2e-3, 4e-3));
    b.body(
        Body::new("toe")
            .mass(0.1)
            .inertia(Sym3 { xx: 1.0, xy: 2.0, xz: 0.0, yy: 1.0, yz: 0.0, zz: 1.0 })
            .place(at(11)),
    );
    b.body(Body::new("nail").mass(0.0).inertia_diagonal(1.0, 1.0, 1.0).place(at(12)));
    b.body(Body::new("claw").mass(0.1).place(at(13)));
    insta::assert_snapshot!(text(b));
}

#[test]
fn dangling_names_are_named_with_the_nearest() {
    let mut b = leg();
    b.joint(Joint::revolute("ankle", "shnak", "foot").placed(Vec3::zero(), Vec3::y_axis()));
    b.actuator(Actuator::position("motor", "kne", 10.0, 1.0).place(at(11)));
    b.sensor(Sensor::imu("imu", "nowhere").place(at(12)));
    b.shape(Shape::new("sole", "foot", Geometry::Sphere { radius: 0.1 }).place(at(13)));
    b.coupling(Coupling::new("mimic").term("knee", 1.0).term("hip", -1.0).place(at(14)));
    b.keyframe(Keyframe::new("stand").joint("hip", [0.1]).body("pelvis", Pose::identity()).place(at(15)));
    b.place(at(16)).exclude("thigh", "thihg");
    insta::assert_snapshot!(text(b));
}

#[test]
fn a_joint_from_a_body_to_itself_is_named() {
    let mut b = leg();
    b.joint(Joint::fixed("ring", "shank", "shank"));
    b.joint(Joint::fixed("ground", WORLD, WORLD).place(at(11)));
    b.joint(Joint::fixed("backwards", "shank", WORLD).place(at(12)));
    insta::assert_snapshot!(text(b));
}

#[test]
fn what_is_not_a_number_is_named() {
    let mut b = leg();
    let nan = f64::NAN;
    b.body(
        Body::new("a")
            .at(Pose::translation(nan, 0.0, 0.0))
            .com(Vec3::new(0.0, f64::INFINITY, 0.0))
            .solid_sphere(1.0, 0.1),
    );
    b.body(Body::new("b").solid_sphere(nan, 0.1).place(at(11)));
    b.joint(
        Joint::revolute("j", "thigh", "shank").placed(Vec3::zero(), Vec3::new(nan, 0.0, 1.0)).place(at(12)),
    );
    b.joint(Joint::revolute("k", "thigh", "shank").damping(nan).limits(nan, 1.0).place(at(13)));
    b.shape(Shape::new("ball", "shank", Geometry::Sphere { radius: nan }).friction(nan).place(at(14)));
    b.site(Site::new("tip", "shank").at(Pose::new(Quat::from_wxyz([0.0; 4]), Vec3::zero())).place(at(15)));
    b.gravity(Vec3::new(0.0, 0.0, nan));
    insta::assert_snapshot!(text(b));
}

#[test]
fn values_out_of_range_are_named() {
    let mut b = leg();
    b.joint(Joint::revolute("j", "thigh", "shank").limits(1.0, -1.0).armature(-0.1).effort_limit(0.0));
    b.joint(Joint::screw("thread", "thigh", "shank", 0.0).spring(-5.0, 0.0).place(at(11)));
    b.actuator(Actuator::position("m", "knee", -1.0, 0.0).gear(0.0).control_range(2.0, 1.0).place(at(12)));
    b.actuator(Actuator::effort("n", "knee").dof(3).place(at(13)));
    b.shape(
        Shape::new("box", "shank", Geometry::Box { half: Vec3::new(0.1, 0.0, 0.1) })
            .restitution(1.5)
            .place(at(14)),
    );
    b.shape(Shape::new("floor", "shank", Geometry::Plane).place(at(15)));
    b.coupling(Coupling::new("nothing").place(at(16)));
    b.sensor(Sensor::touch("t", "tip", -1.0).place(at(17)));
    b.keyframe(Keyframe::new("k").joint("knee", [0.1, 0.2]).place(at(18)));
    b.time_step(0.0);
    insta::assert_snapshot!(text(b));
}

#[test]
fn broken_meshes_are_named() {
    let mut b = leg();
    let mesh = |vertices: Vec<Vec3>, triangles| Arc::new(Mesh::new(vertices, triangles));
    b.shape(Shape::new("flat", WORLD, Geometry::ConvexMesh(mesh(vec![Vec3::zero(); 3], vec![]))));
    let corners = vec![Vec3::zero(), Vec3::x_axis(), Vec3::y_axis()];
    b.shape(Shape::new("torn", WORLD, Geometry::TriangleMesh(mesh(corners, vec![[0, 1, 7]]))).place(at(11)));
    let field = HeightField { rows: 2, columns: 3, size: [1.0, 1.0], heights: vec![0.0; 5] };
    b.shape(Shape::new("hills", WORLD, Geometry::HeightField(Arc::new(field))).place(at(12)));
    insta::assert_snapshot!(text(b));
}

#[test]
fn names_must_be_unique_and_not_empty() {
    let mut b = leg();
    b.body(Body::new("thigh").solid_sphere(1.0, 0.1));
    b.body(Body::new("").solid_sphere(1.0, 0.1).place(at(11)));
    b.place(at(12)).exclude("thigh", "thigh");
    insta::assert_snapshot!(text(b));
}

#[test]
fn a_model_without_bodies_is_no_model() {
    insta::assert_snapshot!(text(ModelBuilder::new("void")), @r#"
    model:0: <model name="void">: the model has no bodies
      hint: add at least one body
    "#);
}

/// Built in code, a fault names the line of the program.
#[test]
fn a_fault_names_the_line_of_the_program() {
    let mut b = ModelBuilder::new("leg");
    let line = line!() + 1;
    b.body(Body::new("thigh").mass(-1.0).inertia_diagonal(1.0, 1.0, 1.0));
    let faults = b.build().expect_err("a negative mass");
    assert!(faults.0[0].place.file.ends_with("bad_models.rs"), "{faults}");
    assert_eq!(faults.0[0].place.line, line);
}

/// An id from another builder is told, not followed.
#[test]
fn a_foreign_id_is_named() {
    let mut b = leg();
    b.joint(Joint::fixed("weld", "thigh", bellcrank_model::BodyId::new(7)));
    insta::assert_snapshot!(text(b), @r#"
    robots/leg.urdf:10: <joint name="weld">: there is no body number 7; the model has 2
      hint: use an id that this builder returned for a body
    "#);
}

/// Each of these is finite, and a step that squares or adds it up is not.
#[test]
fn magnitudes_beyond_all_measure_are_named_where_they_are_said() {
    let far = Vec3::new(0.0, 0.0, 1e308);
    let with = |change: &dyn Fn(&mut ModelBuilder)| {
        let mut b = leg();
        change(&mut b);
        text(b)
    };
    let ball = |radius: f64| Shape::new("ball", "shank", Geometry::Sphere { radius });
    let found = [
        with(&|b| _ = b.body(Body::new("foot").solid_sphere(1.0, 0.1).com(far))),
        with(&|b| _ = b.body(Body::new("foot").solid_sphere(1e300, 0.1))),
        with(&|b| _ = b.body(Body::new("foot").mass(1e-30).inertia_diagonal(1e-30, 1e-30, 1e-30))),
        with(&|b| _ = b.body(Body::new("foot").solid_sphere(1.0, 0.1).at(Pose::translation(1e20, 0.0, 0.0)))),
        with(&|b| _ = b.gravity(Vec3::new(0.0, -1e308, 0.0))),
        with(&|b| _ = b.shape(ball(1e200))),
        with(&|b| _ = b.shape(ball(1e-200))),
        with(&|b| _ = b.shape(Shape::new("box", "shank", Geometry::Box { half: Vec3::new(1.0, 1.0, 1e99) }))),
        with(&|b| _ = b.actuator(Actuator::position("motor", "knee", 1e300, 1.0))),
        with(&|b| _ = b.joint(Joint::revolute("far", "thigh", "shank").placed(far, Vec3::y_axis()))),
    ];
    insta::assert_snapshot!(found.join("\n"));
}

/// Lists may be longer or shorter than they should be, and bounds may leave nothing between them.
#[test]
fn parts_that_do_not_fit_are_named() {
    let mut b = leg();
    let mut slider = Joint::cylindrical("slider", "thigh", "shank").placed(Vec3::zero(), Vec3::y_axis());
    slider.dofs.pop();
    b.joint(slider);
    b.joint(Joint::fixed("weld", WORLD, "thigh").dof(0, Dof::default()).place(at(11)));
    let nowhere = [f64::INFINITY, f64::INFINITY];
    b.joint(Joint::revolute("stuck", WORLD, "thigh").limits(nowhere[0], nowhere[1]).place(at(12)));
    b.site(Site::new("sole", "shank").place(at(13)));
    b.sensor(Sensor::imu("imu", "sole").numbers(usize::MAX, 2).place(at(14)));
    b.sensor(Sensor::imu("cut", "sole").bounds(nowhere[0], nowhere[1]).place(at(15)));
    let zone = Zone::Box { half: Vec3::new(0.1, f64::INFINITY, 0.1) };
    let kind = SensorKind::Touch { site: "sole".into(), zone };
    b.sensor(Sensor::new("touch", kind).place(at(16)));
    let field = HeightField { rows: 2, columns: 2, size: [f64::NAN, 1.0], heights: vec![0.0; 4] };
    b.shape(Shape::new("hills", WORLD, Geometry::HeightField(Arc::new(field))).place(at(17)));
    let ball = Geometry::Sphere { radius: 0.1 };
    b.shape(Shape::new("ball", WORLD, ball).color([0.0, f32::NAN, 0.0, 1.0]).place(at(18)));
    insta::assert_snapshot!(text(b));
}
