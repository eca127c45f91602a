//! Ctrl-C: the first one asks the work to end, the second ends the program.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static LISTENING: OnceLock<()> = OnceLock::new();

/// True after Ctrl-C, for work that wants to end in order.
pub fn asked() -> &'static AtomicBool {
    LISTENING.get_or_init(|| {
        // where no handler can be set, Ctrl-C ends the program as usual
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &STOP
}
