//! What the page may ask for. Worlds, bodies, actuators and joints are numbers in the batch and its models.

use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Command {
    Play,
    Pause,
    /// Advances by so many steps and pauses.
    Step {
        count: usize,
    },
    /// Back to the reference pose; all worlds when none are listed.
    Reset {
        worlds: Vec<usize>,
    },
    /// To a named pose.
    Keyframe {
        worlds: Vec<usize>,
        name: String,
    },
    /// Simulated seconds per second.
    Speed {
        value: f64,
    },
    /// Motors follow the program, or what was set by hand.
    Program {
        on: bool,
    },
    /// Target of an actuator, in its unit.
    Target {
        worlds: Vec<usize>,
        actuator: usize,
        value: f64,
    },
    /// Moves a joint's first coordinate; loops stay closed.
    Joint {
        world: usize,
        joint: usize,
        value: f64,
    },
    /// Pulls a point of a body, given in its frame, to a point of its world.
    Drag {
        world: usize,
        body: usize,
        anchor: [f64; 3],
        target: [f64; 3],
    },
    /// Lets go.
    Release,
    /// A body stays while others are posed, or may move again.
    Pin {
        world: usize,
        body: usize,
    },
    /// How well motors hold each joint of the world in focus is wanted.
    Singular {
        on: bool,
    },
    /// Turns a dial that the program offers; none leaves it to chance.
    Dial {
        dial: usize,
        value: Option<f64>,
    },
    /// The page looks at this world: its contacts are wanted.
    Focus {
        world: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_nonsense_is_refused() {
        let read = |text: &str| serde_json::from_str::<Command>(text);
        assert_eq!(read(r#"{"type":"play"}"#).expect("sound"), Command::Play);
        let drag = read(r#"{"type":"drag","world":1,"body":2,"anchor":[0,0,0.1],"target":[1,2,3]}"#);
        assert!(matches!(drag, Ok(Command::Drag { world: 1, body: 2, .. })));
        for bad in
            [r#"{"type":"shutdown"}"#, r#"{"type":"speed"}"#, r#"{"type":"speed","value":"fast"}"#, "[]"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
