//! How much memory there is, where the system tells: Linux does.
//!
//! A program that asks for more than there is does not get an error but an end. Hence whoever wants very much asks first.

use std::fs;

/// Bytes of a page, as `/proc/self/statm` counts: the smallest that there are, so that free memory is not overrated.
const PAGE: u64 = 4096;

/// Memory that this process could still get [bytes]: what the system has, within the limits of the process and of its group.
pub fn free_memory() -> Option<u64> {
    let free = [available(), within_limit(), within_group()];
    free.into_iter().flatten().min()
}

fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Address space up to its limit (`ulimit -v`).
fn within_limit() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?; // "unlimited" is no number
    let used: u64 = fs::read_to_string("/proc/self/statm").ok()?.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(used * PAGE))
}

/// Of the control group, as containers have it.
fn within_group() -> Option<u64> {
    let number = |name: &str| {
        fs::read_to_string(format!("/sys/fs/cgroup/{name}"))
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok())
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_how_much_there_is() {
        let free = free_memory().expect("Linux tells");
        assert!(free > 1 << 20 && free < 1 << 50, "{free}");
    }
}
