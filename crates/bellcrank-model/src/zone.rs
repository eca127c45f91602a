//! The sensitive volumes of touch sensors.

use bellcrank_math::Vec3;

/// A volume around a site's origin, in the site's axes. Capsule and cylinder stand along z.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // lengths in metres, named plainly
pub enum Zone {
    Ellipsoid {
        radii: Vec3,
    },
    Box {
        half: Vec3,
    },
    /// `half_length` reaches to the centres of the caps.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
}

impl Zone {
    /// A ball.
    pub fn ball(radius: f64) -> Self {
        Zone::Ellipsoid { radii: Vec3::new(radius, radius, radius) }
    }

    /// Whether a ray from p along d, in the site's axes, starts in the zone or meets it.
    pub fn meets(&self, p: Vec3, d: Vec3) -> bool {
        match *self {
            Zone::Ellipsoid { radii } => {
                let over = |v: Vec3| Vec3::new(v.x / radii.x, v.y / radii.y, v.z / radii.z);
                ahead(within_ball(over(p), over(d), 1.0))
            }
            Zone::Box { half } => {
                let slabs = [(p.x, d.x, half.x), (p.y, d.y, half.y), (p.z, d.z, half.z)];
                ahead(slabs.into_iter().map(within_slab).fold(Some(ALL), meet))
            }
            Zone::Cylinder { radius, half_length } => {
                let round = within_round(p, d, radius);
                ahead(meet(round, within_slab((p.z, d.z, half_length))))
            }
            Zone::Capsule { radius, half_length } => {
                let cap = |z: f64| within_ball(p - Vec3::new(0.0, 0.0, z), d, radius);
                let trunk = Zone::Cylinder { radius, half_length };
                trunk.meets(p, d) || ahead(cap(half_length)) || ahead(cap(-half_length))
            }
        }
    }

    /// All lengths.
    pub(crate) fn lengths(&self) -> [f64; 3] {
        match *self {
            Zone::Ellipsoid { radii } => radii.to_array(),
            Zone::Box { half } => half.to_array(),
            Zone::Capsule { radius, half_length } | Zone::Cylinder { radius, half_length } => {
                [radius, half_length, half_length]
            }
        }
    }
}

/// Values of t for which p + t d lies inside; `None` for nowhere.
type Span = Option<[f64; 2]>;

const ALL: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Some of it lies at t ≥ 0.
fn ahead(span: Span) -> bool {
    span.is_some_and(|[_, end]| end >= 0.0)
}

fn meet(a: Span, b: Span) -> Span {
    let ([a, b], [c, d]) = (a?, b?);
    let both = [a.max(c), b.min(d)];
    (both[0] <= both[1]).then_some(both)
}

/// |p + t d| ≤ r: between the roots of t² d·d + 2 t p·d + p·p − r².
fn within_ball(p: Vec3, d: Vec3, radius: f64) -> Span {
    roots(d.dot(d), p.dot(d), p.dot(p) - radius * radius)
}

/// The same across z.
fn within_round(p: Vec3, d: Vec3, radius: f64) -> Span {
    let (a, b) = (d.x * d.x + d.y * d.y, p.x * d.x + p.y * d.y);
    roots(a, b, p.x * p.x + p.y * p.y - radius * radius)
}

/// Where a t² + 2 b t + c ≤ 0.
fn roots(a: f64, b: f64, c: f64) -> Span {
    if a == 0.0 {
        return (c <= 0.0).then_some(ALL);
    }
    let square = b * b - a * c;
    (square >= 0.0).then(|| [(-b - square.sqrt()) / a, (-b + square.sqrt()) / a])
}

/// |x + t dx| ≤ half.
fn within_slab((x, dx, half): (f64, f64, f64)) -> Span {
    if dx == 0.0 {
        return (x.abs() <= half).then_some(ALL);
    }
    let ends = [(-half - x) / dx, (half - x) / dx];
    Some([ends[0].min(ends[1]), ends[0].max(ends[1])])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: zones that reach to 1 along x and z; a ray from (−3, 0, 0) along +x meets them, along −x it does not; from
    /// inside it always does; from (0, 0, 2) along x it passes above all but those that are taller.
    #[test]
    fn rays_meet_zones_that_lie_ahead() {
        let one = Vec3::new(1.0, 1.0, 1.0);
        let zones = [
            (Zone::Ellipsoid { radii: one }, 1.0),
            (Zone::Box { half: one }, 1.0),
            (Zone::Cylinder { radius: 1.0, half_length: 2.5 }, 2.5),
            (Zone::Capsule { radius: 1.0, half_length: 1.5 }, 2.5),
        ];
        for (zone, height) in zones {
            let from = |x: f64, z: f64, d: f64| zone.meets(Vec3::new(x, 0.0, z), Vec3::new(d, 0.0, 0.0));
            assert!(from(-3.0, 0.0, 1.0) && !from(-3.0, 0.0, -1.0), "{zone:?}");
            assert!(from(0.1, 0.0, 1.0) && from(0.1, 0.0, -1.0), "{zone:?}");
            assert_eq!(from(0.0, 2.0, 1.0), height > 2.0, "{zone:?}");
            assert!(!from(0.0, 2.6, 1.0), "{zone:?}");
            assert!(!zone.meets(Vec3::new(-3.0, 1.01, 0.0), Vec3::x_axis()), "{zone:?}");
        }
    }
}
