//! How much time has passed?
//!
//! Records say how long planning and simulating took. WebAssembly without a host has no clock, where
//! `std::time::Instant` panics: there no time passes. No result depends on it.

use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// A moment to measure from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    started: Instant,
}

impl Stopwatch {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self {
            #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
            started: Instant::now(),
        }
    }

    /// The time since the start; zero where there is no clock.
    pub(crate) fn elapsed(&self) -> Duration {
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        return self.started.elapsed();
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        Duration::ZERO
    }
}
