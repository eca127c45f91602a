//! How rows give way, as attributes of MJCF.

use super::write::{number, numbers};
use bellcrank_model::{Compliance, DofSoftness, HeldSoftness, ShapeSoftness, Softness};

type Said = Vec<(&'static str, String)>;

/// A law, under these names.
fn law(law: &Softness, [reference, impedance]: [&'static str; 2]) -> Said {
    vec![(reference, numbers(&law.reference)), (impedance, numbers(&law.impedance))]
}

/// Of a shape.
pub(super) fn of_shape(soft: Option<&ShapeSoftness>) -> Said {
    let all = |soft: &ShapeSoftness| {
        let mix = (soft.mix != 1.0).then(|| ("solmix", number(soft.mix)));
        law(&soft.law, ["solref", "solimp"]).into_iter().chain(mix).collect()
    };
    soft.map(all).unwrap_or_default()
}

/// Of a pair of shapes, or of what a loop holds.
pub(super) fn of_law(soft: Option<&Softness>) -> Said {
    soft.map(|soft| law(soft, ["solref", "solimp"])).unwrap_or_default()
}

/// Of a loop.
pub(super) fn of_held(held: Option<&HeldSoftness>) -> Said {
    of_law(held.map(|held| &held.law))
}

/// Of the limits and the dry friction of a joint or tendon.
pub(super) fn of_dof(soft: Option<&DofSoftness>) -> Said {
    let both = |soft: &DofSoftness| {
        let limit = law(&soft.limit, ["solreflimit", "solimplimit"]);
        [limit, law(&soft.friction, ["solreffriction", "solimpfriction"])].concat()
    };
    soft.map(both).unwrap_or_default()
}

/// Of the whole model, for `<option>`.
pub(super) fn of_model(compliance: Option<Compliance>) -> Said {
    let Some(Compliance { friction_ratio, pyramid }) = compliance else { return Vec::new() };
    let cone = if pyramid { "pyramidal" } else { "elliptic" };
    vec![("impratio", number(friction_ratio)), ("cone", cone.into())]
}
