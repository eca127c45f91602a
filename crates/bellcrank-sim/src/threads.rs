//! Threads that a forked child does not wait for in vain.
//!
//! `fork` copies the memory of a process and only the thread that called it: a pool is there in the child, but nobody works in it,
//! and whoever asked it would wait for ever. Hence a pool belongs to the process that made it; another process makes one of its own.

use std::sync::OnceLock;

/// Forks of forks that get threads of their own; beyond, the one thread that is there does all the work.
const GENERATIONS: usize = 4;

/// So many threads, in whichever process asks for them.
pub struct Threads {
    count: usize,
    generations: [OnceLock<Generation>; GENERATIONS],
}

/// The pool of one process.
struct Generation {
    process: u32,
    pool: Option<rayon::ThreadPool>,
}

impl Threads {
    /// A pool of so many threads; zero for one per core.
    ///
    /// # Errors
    /// When the system has no threads to give.
    pub fn new(count: usize) -> Result<Self, String> {
        let threads = Threads { count, generations: Default::default() };
        let pool = build(count)?;
        // nobody else knows of it yet: the place is free
        let _ = threads.generations[0].set(Generation { process: std::process::id(), pool: Some(pool) });
        Ok(threads)
    }

    /// The pool of this process. None where it is so deep a child that it gets none, or where it could not be had: whoever asks
    /// then works alone, with the same result.
    pub fn pool(&self) -> Option<&rayon::ThreadPool> {
        let process = std::process::id();
        for generation in &self.generations {
            let make = || Generation { process, pool: build(self.count).ok() };
            let found = generation.get_or_init(make);
            if found.process == process {
                return found.pool.as_ref();
            }
        }
        None
    }
}

fn build(count: usize) -> Result<rayon::ThreadPool, String> {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().map_err(|error| error.to_string())
}

impl Drop for Generation {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // ending a pool takes its locks, and one that a thread held at the fork is never given back
            std::mem::forget(self.pool.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fork is played by changing the number of the process that a generation belongs to.
    #[test]
    fn another_process_gets_threads_of_its_own() {
        let threads = Threads::new(2).unwrap();
        let own = threads.pool().map(std::ptr::from_ref);
        assert!(own.is_some() && own == threads.pool().map(std::ptr::from_ref));
        let forked = Threads { count: 2, generations: Default::default() };
        let parents = Generation { process: std::process::id() + 1, pool: build(3).ok() };
        assert!(forked.generations[0].set(parents).is_ok());
        let pool = forked.pool().expect("a pool of this process");
        assert_eq!(pool.install(rayon::current_num_threads), 2);
        assert!(forked.generations[2].get().is_none());
    }
}
