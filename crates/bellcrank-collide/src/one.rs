//! The work of [`collide`](crate::collide()), one shape and one pair at a time: for those who put it together in their own way, such as kernels for other
//! devices.

use crate::collide::{Narrow, Side, run_kind, touch_pair};
use crate::contacts::Contact;
use crate::data::{Placed, ShapeData};
use crate::pairs;
use crate::plan::{ContactPlan, PairKind};
use bellcrank_math::{Pose, Real, Vec3};

/// Shape `i` of the plan in the world: X_WG = X_WB X_BG.
#[inline(always)]
pub fn place_shape<R: Real>(
    plan: &ContactPlan,
    shapes: &ShapeData<R>,
    X_WB: &[Pose<R>],
    i: usize,
) -> Placed<R> {
    let X_WG = match plan.shapes()[i].body {
        Some(body) => X_WB[body.index()] * shapes.X_BG[i],
        None => shapes.X_BG[i],
    };
    Placed::new(X_WG, shapes.size[i], shapes.bound[i])
}

/// Lanes in which pair `p` may be near enough to touch within `reach` \[m\]; its shapes are `placed`.
pub fn is_near<R: Real>(
    plan: &ContactPlan,
    shapes: &ShapeData<R>,
    placed: [&Placed<R>; 2],
    reach: R,
    p: usize,
) -> R::Mask {
    let limit = shapes.surfaces[p].margin + (shapes.surfaces[p].gap + reach);
    run_kind!(plan.pairs()[p].kind, Look { placed, limit })
}

struct Look<'a, R: Real> {
    placed: [&'a Placed<R>; 2],
    limit: R,
}

impl<R: Real> Look<'_, R> {
    fn run<N: Narrow>(self) -> R::Mask {
        N::near(self.placed[0], self.placed[1], self.limit)
    }
}

/// The contacts of pair `p`, into its slots.
pub fn collide_pair<R: Real>(
    plan: &ContactPlan,
    shapes: &ShapeData<R>,
    placed: [&Placed<R>; 2],
    reach: R,
    (p, slots): (usize, &mut [Contact<R>]),
) {
    run_kind!(plan.pairs()[p].kind, Touch { plan, shapes, placed, reach, p, slots });
}

struct Touch<'a, R: Real> {
    plan: &'a ContactPlan,
    shapes: &'a ShapeData<R>,
    placed: [&'a Placed<R>; 2],
    reach: R,
    p: usize,
    slots: &'a mut [Contact<R>],
}

impl<R: Real> Touch<'_, R> {
    fn run<N: Narrow>(self) {
        let (pair, surface) = (&self.plan.pairs()[self.p], &self.shapes.surfaces[self.p]);
        let side = |shape: usize, at| {
            let shape = &self.plan.shapes()[shape];
            Side { at, form: shape.form, solid: &shape.solid }
        };
        let sides = [side(pair.first, self.placed[0]), side(pair.second, self.placed[1])];
        let reach = [surface.margin, surface.gap + self.reach];
        touch_pair::<R, N>(pair, sides, reach, &mut Vec3::zero(), self.slots);
    }
}
