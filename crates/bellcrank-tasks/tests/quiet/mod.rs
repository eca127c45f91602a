//! Settings of walking tasks that leave nothing to chance.

/// Everything that chance changes is off, and the command is this forward speed [m/s].
pub fn quiet(forward: f64) -> Vec<(String, f64)> {
    let off = [
        "push",
        "command_interval",
        "mass_spread",
        "strength_spread",
        "delay_max",
        "sideways_max",
        "turn_max",
    ];
    let set =
        [("friction_min", 0.8), ("friction_max", 0.8), ("forward_min", forward), ("forward_max", forward)];
    off.map(|name| (name, 0.0)).into_iter().chain(set).map(|(name, value)| (name.to_owned(), value)).collect()
}
