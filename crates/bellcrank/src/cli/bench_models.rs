//! Trees of the sizes that robots have: an arm of 7 joints, a quadruped of 12 and a humanoid of 29 on floating bases.

use bellcrank::math::{Pose, Vec3};
use bellcrank::model::{Body, Faults, Joint, Link, Model, ModelBuilder, WORLD};

/// A link: its name, the axis of the joint that carries it, where that joint is from the one before [m], mass [kg].
type Segment<'a> = (&'a str, char, [f64; 3], f64);

/// All three.
pub fn all() -> Result<[Model; 3], Faults> {
    Ok([arm()?, quadruped()?, humanoid()?])
}

fn arm() -> Result<Model, Faults> {
    let mut b = ModelBuilder::new("arm");
    let segments = [
        ("shoulder_yaw", 'z', [0.0, 0.0, 0.15], 4.1),
        ("shoulder_pitch", 'y', [0.0, 0.0, 0.19], 4.0),
        ("upper_arm_roll", 'z', [0.0, 0.0, 0.21], 3.2),
        ("elbow_pitch", 'y', [0.0, 0.0, 0.19], 2.9),
        ("forearm_roll", 'z', [0.0, 0.0, 0.21], 1.9),
        ("wrist_pitch", 'y', [0.0, 0.06, 0.19], 1.5),
        ("wrist_roll", 'z', [0.0, 0.08, 0.06], 0.7),
    ];
    add_limb(&mut b, &WORLD, Vec3::zero(), ("", 1.0), &segments);
    b.build()
}

fn quadruped() -> Result<Model, Faults> {
    let mut b = ModelBuilder::new("quadruped");
    let (trunk, at) = add_trunk(&mut b, 6.9, Vec3::new(0.38, 0.09, 0.11), 0.32);
    for (leg, x, side) in [
        ("front_left_", 0.19, 1.0),
        ("front_right_", 0.19, -1.0),
        ("rear_left_", -0.19, 1.0),
        ("rear_right_", -0.19, -1.0),
    ] {
        let segments = [
            ("hip", 'x', [x, 0.047, 0.0], 0.68),
            ("thigh", 'y', [0.0, 0.096, 0.0], 1.15),
            ("shank", 'y', [0.0, 0.0, -0.213], 0.19),
        ];
        add_limb(&mut b, &trunk, at, (leg, side), &segments);
    }
    b.build()
}

fn humanoid() -> Result<Model, Faults> {
    let mut b = ModelBuilder::new("humanoid");
    let (pelvis, at) = add_trunk(&mut b, 3.8, Vec3::new(0.12, 0.2, 0.1), 0.79);
    let waist = [
        ("waist_yaw", 'z', [0.0, 0.0, 0.04], 0.5),
        ("waist_roll", 'x', [0.0, 0.0, 0.04], 0.2),
        ("chest", 'y', [0.0, 0.0, 0.03], 8.9),
    ];
    let (chest, chest_at) = add_limb(&mut b, &pelvis, at, ("", 1.0), &waist);
    for (name, side) in [("left_", 1.0), ("right_", -1.0)] {
        let leg = [
            ("hip_pitch", 'y', [0.0, 0.065, -0.1], 1.35),
            ("hip_roll", 'x', [0.0, 0.052, -0.03], 1.52),
            ("hip_yaw", 'z', [0.025, 0.0, -0.124], 1.7),
            ("knee", 'y', [-0.08, 0.002, -0.177], 1.93),
            ("ankle_pitch", 'y', [0.0, 0.0, -0.3], 0.07),
            ("foot", 'x', [0.0, 0.0, -0.018], 0.61),
        ];
        add_limb(&mut b, &pelvis, at, (name, side), &leg);
        let arm = [
            ("shoulder_pitch", 'y', [0.0, 0.1, 0.24], 0.72),
            ("shoulder_roll", 'x', [0.0, 0.04, -0.01], 0.64),
            ("shoulder_yaw", 'z', [0.0, 0.006, -0.1], 0.73),
            ("elbow", 'y', [0.016, 0.0, -0.08], 0.6),
            ("wrist_roll", 'x', [0.1, 0.002, -0.01], 0.09),
            ("wrist_pitch", 'y', [0.038, 0.0, 0.0], 0.48),
            ("hand", 'z', [0.046, 0.0, 0.0], 0.25),
        ];
        add_limb(&mut b, &chest, chest_at, (name, side), &arm);
    }
    b.build()
}

/// A box that floats.
fn add_trunk(b: &mut ModelBuilder, mass: f64, size: Vec3, height: f64) -> (Link, Vec3) {
    let at = Vec3::new(0.0, 0.0, height);
    let body = Body::new("trunk").at(Pose::from_position(at)).com(Vec3::new(0.02, 0.0, -0.005));
    (b.body(body.solid_box(mass, size)).into(), at)
}

/// Links in a row; `side` −1 mirrors y. Gives the last link and where its joint is.
fn add_limb(
    b: &mut ModelBuilder,
    first: &Link,
    mut at: Vec3,
    (name, side): (&str, f64),
    segments: &[Segment<'_>],
) -> (Link, Vec3) {
    let mut last = first.clone();
    for (segment, axis, [x, y, z], mass) in segments {
        at += Vec3::new(*x, side * y, *z);
        let name = format!("{name}{segment}");
        let com = Vec3::new(0.01, side * 0.02, -0.05);
        let body = Body::new(&*name).at(Pose::from_position(at)).com(com);
        let body = b.body(body.solid_box(*mass, Vec3::new(0.06, 0.05, 0.12)));
        let axis = match axis {
            'x' => Vec3::x_axis(),
            'y' => Vec3::y_axis(),
            _ => Vec3::z_axis(),
        };
        b.joint(Joint::revolute(format!("{name}_joint"), last, body).placed(at, axis));
        last = body.into();
    }
    (last, at)
}
