//! What every shipped mechanism must satisfy; the figures of each stand at the foot of its own file.

use super::*;
use crate::Model;

/// What a mechanism is expected to count.
pub(super) struct Figures {
    pub bodies: usize,
    pub joints: usize,
    pub loops: usize,
    pub mobility: usize,
    pub redundant: usize,
}

impl Figures {
    /// Builds the mechanism, compares, and gives it back for further questions.
    pub fn check(&self, builder: ModelBuilder) -> Model {
        let model = builder.build().expect("a shipped mechanism builds");
        let (metres, radians) = model.reference_gap();
        assert!(metres < 1e-12 && radians < 1e-12, "open by {metres} m, {radians} rad");
        assert_eq!(model.bodies().len(), self.bodies, "bodies");
        assert_eq!(model.joints().len(), self.joints, "joints");
        assert_eq!(model.loops().len(), self.loops, "loops");
        assert_eq!(model.mobility(), self.mobility, "mobility");
        assert_eq!(model.redundant_rows(), self.redundant, "redundant rows");
        model
    }
}

#[test]
fn every_name_is_listed_once_and_found() {
    for name in names() {
        assert_eq!(names().filter(|other| *other == name).count(), 1, "{name}");
        assert!(by_name(name).is_some(), "{name}");
    }
    assert!(by_name("perpetuum_mobile").is_none());
}

#[test]
fn every_mechanism_builds_closed() {
    for (name, _, build) in ALL {
        let model = build().build().unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let (metres, radians) = model.reference_gap();
        assert!(metres < 1e-12 && radians < 1e-12, "{name} is open by {metres} m, {radians} rad");
    }
}
