//! Parts of a model by their identifiers, or by plain numbers; a joint's identifier does not do for a body.

use bellcrank_model::{ActuatorId, BodyId, JointId};

/// Which body, joint or actuator: its identifier, or its number.
pub trait Part<Id> {
    /// Its number.
    fn number(self) -> usize;
}

macro_rules! numbered {
    ($($id:ident),*) => {
        $(
            impl Part<$id> for usize {
                fn number(self) -> usize {
                    self
                }
            }

            impl Part<$id> for $id {
                fn number(self) -> usize {
                    self.index()
                }
            }
        )*
    };
}
numbered!(ActuatorId, BodyId, JointId);
