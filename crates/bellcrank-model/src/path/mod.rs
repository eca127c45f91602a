//! Tendons that run through space: by which sites, around what, and how long they are.
//!
//! A tendon with a path is as long as its stretches between neighbouring sites, each divided by what the pulley before it says. Its rate
//! is Σ f·v over the ends of all straight parts, f being the unit vector of the pull at a point that moves with v: what lies on a ball or
//! cylinder moves with that, since the way there is the shortest one.

mod wrap;

pub use wrap::{Detour, Hoop, detour};

use crate::ids::{Link, Ref, ShapeId, SiteId};
use crate::shape::{Geometry, Shape};
use crate::site::Site;
use bellcrank_math::{Pose, Real, Vec3};

/// What a tendon goes by, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Waypoint {
    /// Through the origin of a site.
    Site(Ref<SiteId>),
    /// Around a ball or a cylinder, where that is in the way between the sites before and after. The cylinder has no ends here.
    Around {
        /// A sphere or a cylinder.
        shape: Ref<ShapeId>,
        /// On which side it passes; inside, where that site is inside.
        side: Option<Ref<SiteId>>,
    },
    /// A branch of its own begins, whose length is divided by this.
    Pulley {
        /// Above zero.
        divisor: f64,
    },
}

/// A tendon's path, ready to be measured.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Frames that it needs, each on its link.
    pub places: Vec<(Link, Pose)>,
    /// From site to site.
    pub stretches: Vec<Stretch>,
}

/// From one site to the next. Places are numbers in [`Way::places`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// It counts so much.
    pub share: f64,
    /// What may be in the way.
    pub around: Option<Around>,
}

/// What a stretch goes around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Around {
    /// Its frame.
    pub place: usize,
    /// A point on the side where the stretch passes.
    pub side: Option<usize>,
    /// What it is.
    pub hoop: Hoop,
    /// Of the ball or cylinder [m].
    pub radius: f64,
}

/// A pull at a point.
#[derive(Clone, Copy, Debug)]
pub struct Pull<R> {
    /// On what is at this place.
    pub place: usize,
    /// Where, in the world [m].
    pub point: Vec3<R>,
    /// How the length grows with the point's velocity.
    pub along: Vec3<R>,
}

impl Way {
    /// The path over these sites and shapes, whose references are resolved.
    pub fn of(path: &[Waypoint], sites: &[Site], shapes: &[Shape]) -> Way {
        let mut way = Way::default();
        let (mut last, mut around, mut share) = (None, None, 1.0);
        for point in path {
            match point {
                Waypoint::Pulley { divisor } => (last, around, share) = (None, None, 1.0 / divisor),
                Waypoint::Around { shape, side } => {
                    let shape = &shapes[shape.id().index()];
                    let Some((hoop, radius)) = hoop(shape) else { continue };
                    let side = side.as_ref().map(|site| way.site(&sites[site.id().index()]));
                    way.places.push((shape.link.clone(), shape.X_LG));
                    around = Some(Around { place: way.places.len() - 1, side, hoop, radius });
                }
                Waypoint::Site(site) => {
                    let to = way.site(&sites[site.id().index()]);
                    if let Some(from) = last {
                        way.stretches.push(Stretch { from, to, share, around });
                    }
                    (last, around) = (Some(to), None);
                }
            }
        }
        way
    }

    fn site(&mut self, site: &Site) -> usize {
        self.places.push((site.link.clone(), site.X_LS));
        self.places.len() - 1
    }

    /// Its length with its links at these poses [m], and its rate with these velocities of points: `velocity(link, point)` [m/s].
    pub fn state(&self, X_WL: impl Fn(&Link) -> Pose, velocity: impl Fn(&Link, Vec3) -> Vec3) -> [f64; 2] {
        let places: Vec<Pose> = self.places.iter().map(|(link, X)| X_WL(link) * *X).collect();
        let (mut length, mut rate) = (0.0, 0.0);
        for stretch in &self.stretches {
            let (own, pulls) = stretch.pulls(&places);
            length += own;
            for pull in &pulls {
                rate += pull.along.dot(velocity(&self.places[pull.place].0, pull.point));
            }
        }
        [length, rate]
    }
}

/// What a shape is for a tendon that goes around it.
pub(crate) fn hoop(shape: &Shape) -> Option<(Hoop, f64)> {
    match shape.geometry {
        Geometry::Sphere { radius } => Some((Hoop::Ball, radius)),
        Geometry::Cylinder { radius, .. } => Some((Hoop::Cylinder, radius)),
        _ => None,
    }
}

impl Stretch {
    /// Its length, and how it pulls at its ends and at what it goes around, with all places where they are in the world.
    #[inline(always)]
    pub fn pulls<R: Real>(&self, places: &[Pose<R>]) -> (R, [Pull<R>; 4]) {
        let (a, b) = (places[self.from].p, places[self.to].p);
        let share = R::constant(self.share);
        let (straight, along) = apart(a, b);
        let none = Vec3::zero();
        let at = |place: usize, point: Vec3<R>, along: Vec3<R>| Pull { place, point, along: along * share };
        let Some(around) = &self.around else {
            let pulls =
                [at(self.from, a, -along), at(self.to, b, along), at(self.to, b, none), at(self.to, b, none)];
            return (straight * share, pulls);
        };
        let side = around.side.map(|side| places[side].p);
        let kind = (around.hoop, R::constant(around.radius));
        let way = detour([a, b], side, places[around.place], kind);
        let ((first, enters), (last, leaves)) = (apart(a, way.enters), apart(way.leaves, b));
        let bent = |yes: Vec3<R>, no: Vec3<R>| Vec3::select(way.touches, yes, no);
        let length = R::select(way.touches, first + way.length + last, straight);
        let pulls = [
            at(self.from, a, -bent(enters, along)),
            at(self.to, b, bent(leaves, along)),
            at(around.place, bent(way.enters, a), bent(enters, none)),
            at(around.place, bent(way.leaves, b), bent(-leaves, none)),
        ];
        (length * share, pulls)
    }
}

/// Distance and direction from a to b; along x where they are the same point.
#[inline(always)]
fn apart<R: Real>(a: Vec3<R>, b: Vec3<R>) -> (R, Vec3<R>) {
    let way = b - a;
    let length = way.norm_squared().sqrt();
    let same = length.lt(R::constant(1e-15));
    let unit = way * R::select(same, R::one(), length).recip();
    (length, Vec3::select(same, Vec3::x_axis(), unit))
}

/// Why a path is none.
pub(crate) fn fault(path: &[Waypoint], shapes: &[Shape]) -> Option<&'static str> {
    for branch in path.split(|point| matches!(point, Waypoint::Pulley { .. })) {
        let first = path.first().is_some_and(|point| matches!(point, Waypoint::Pulley { .. }));
        if branch.is_empty() && first {
            continue; // a pulley may come first
        }
        let sites = branch.iter().filter(|point| matches!(point, Waypoint::Site(_))).count();
        let ends = [branch.first(), branch.last()];
        if sites < 2 || ends.iter().any(|end| !matches!(end, Some(Waypoint::Site(_)))) {
            return Some("each branch of a tendon begins and ends at a site, of which it has two or more");
        }
        if branch.windows(2).any(|two| two.iter().all(|point| matches!(point, Waypoint::Around { .. }))) {
            return Some("between two things that a tendon goes around there must be a site");
        }
    }
    let round = |shape: &Ref<ShapeId>| match shape {
        Ref::Id(id) => shapes.get(id.index()).is_none_or(|shape| hoop(shape).is_some()),
        Ref::Name(_) => true,
    };
    let odd = path.iter().any(|point| matches!(point, Waypoint::Around { shape, .. } if !round(shape)));
    odd.then_some("a tendon can go around spheres and cylinders only")
}
