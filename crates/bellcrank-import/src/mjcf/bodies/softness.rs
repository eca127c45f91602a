//! `solref`, `solimp` and their relatives, where the caller asks for MuJoCo's compliance.

use crate::Compliance;
use crate::mjcf::bodies::spec::{GeomSpec, Spec};
use crate::mjcf::mass::effective_inertia::EffectiveInertia;
use crate::mjcf::preamble::source::Context;
use crate::xml::Element;
use bellcrank_model::{DofSoftness, HeldSoftness, ShapeSoftness, Softness};

/// The law that an element gives, with MuJoCo's numbers where it says nothing.
pub(in crate::mjcf) fn law(element: &Element, [reference, impedance]: [&str; 2]) -> Softness {
    let mut law = Softness::default();
    for (name, numbers) in [(reference, &mut law.reference[..]), (impedance, &mut law.impedance[..])] {
        let said = element.numbers_between(name, 0, numbers.len()).unwrap_or_default();
        numbers.iter_mut().zip(said).for_each(|(number, said)| *number = said);
    }
    let [time, ratio] = law.reference;
    if (time > 0.0) != (ratio > 0.0) {
        element.ignore_attribute(
            reference,
            "a time constant beside a stiffness: the usual numbers hold, as in MuJoCo",
        );
        law.reference = Softness::default().reference;
    }
    law
}

/// Of the limits and the dry friction of a joint or tendon.
pub(in crate::mjcf) fn laws(element: &Element) -> [Softness; 2] {
    [law(element, ["solreflimit", "solimplimit"]), law(element, ["solreffriction", "solimpfriction"])]
}

/// What rows feel of the whole tree at the reference pose, for models that are soft.
pub(in crate::mjcf) struct Mobilities(Option<EffectiveInertia>);

impl Mobilities {
    pub fn of(spec: &Spec, context: Context<'_>) -> Self {
        let soft = context.options.compliance == Compliance::Mujoco;
        Mobilities(soft.then(|| EffectiveInertia::of(spec)))
    }

    /// Of a geom on a body of the file, `is_static` where that does not move.
    pub fn of_geom(&self, spec: &Spec, b: usize, geom: &GeomSpec, is_static: bool) -> Option<ShapeSoftness> {
        let whole = self.0.as_ref()?;
        let mobility = if is_static { 0.0 } else { whole.mobility(spec, b)[0] };
        Some(ShapeSoftness { law: geom.softness, mix: geom.softness_mix, mobility })
    }

    /// Of what holds two bodies of the file together.
    pub fn of_held(&self, spec: &Spec, law: Softness, bodies: [(usize, bool); 2]) -> Option<HeldSoftness> {
        let whole = self.0.as_ref()?;
        let of = |(b, is_static): (usize, bool)| if is_static { [0.0; 2] } else { whole.mobility(spec, b) };
        let [a, b] = bodies.map(of);
        Some(HeldSoftness { law, mobility: [a[0] + b[0], a[1] + b[1]] })
    }

    /// Of joint j of body b.
    pub fn of_joint(&self, spec: &Spec, (b, j): (usize, usize)) -> Option<DofSoftness> {
        let joint = &spec.bodies[b].joints[j];
        let mobility = 1.0 / self.0.as_ref()?.of_joint(b, j, joint.kind);
        let [limit, friction] = joint.softness;
        Some(DofSoftness { limit, friction, mobility })
    }

    /// Of a sum of hinges and slides.
    pub fn of_sum(&self, element: &Element, terms: &[(usize, usize, f64)]) -> Option<DofSoftness> {
        let mobility = 1.0 / self.0.as_ref()?.of_sum(terms);
        let [limit, friction] = laws(element);
        Some(DofSoftness { limit, friction, mobility })
    }
}
