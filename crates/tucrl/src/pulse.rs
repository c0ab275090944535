//! How far is a long computation, and should it stop?
//!
//! A [`Pulse`] is set for a thread and a closure, not passed through every function: results do not depend on it. Plans,
//! exact solutions, searches and the tables of worlds look at it. A loop that is told to stop ends as if it had not
//! converged; the function that a caller sees then returns an error `Interrupted` and no result.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The progress of a computation, for another thread that may show or stop it.
#[derive(Debug, Default)]
pub struct Pulse {
    stop: Arc<AtomicBool>,
    sweeps: AtomicU64,
    span: AtomicU64,
    tolerance: AtomicU64,
}

thread_local! {
    static PULSE: RefCell<Option<Arc<Pulse>>> = const { RefCell::new(None) };
}

impl Pulse {
    /// A pulse whose computations are stopped when the flag is set.
    pub fn new(stop: Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self { stop, ..Self::default() })
    }

    /// Calls `work`; computations made on this thread meanwhile report here.
    pub fn during<R>(self: &Arc<Self>, work: impl FnOnce() -> R) -> R {
        /// Also when the work panics.
        struct Restore(Option<Arc<Pulse>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                PULSE.with(|pulse| {
                    if let Some(pulse) = pulse.replace(self.0.take()) {
                        pulse.sweeps.store(0, Relaxed);
                    }
                });
            }
        }
        let _restore = Restore(PULSE.with(|pulse| pulse.replace(Some(Arc::clone(self)))));
        work()
    }

    /// Whether the computation on this thread should stop. A stop that was asked for stays.
    #[inline]
    pub fn is_stopped() -> bool {
        PULSE.with(|pulse| pulse.borrow().as_ref().is_some_and(|pulse| pulse.stop.load(Relaxed)))
    }

    /// The pulse set for this thread, if any.
    pub(crate) fn present() -> Option<Arc<Self>> {
        PULSE.with(|pulse| pulse.borrow().clone())
    }

    /// Calls `work` with the pulse of another thread, for the tasks of a parallel computation.
    pub(crate) fn carry<R>(pulse: Option<&Arc<Self>>, work: impl FnOnce() -> R) -> R {
        match pulse {
            Some(pulse) => pulse.during(work),
            None => work(),
        }
    }

    /// Reports the progress of a plan; returns false if the plan should stop.
    pub(crate) fn beat(&self, sweeps: u64, span: f64, tolerance: f64) -> bool {
        self.span.store(span.to_bits(), Relaxed);
        self.tolerance.store(tolerance.to_bits(), Relaxed);
        self.sweeps.store(sweeps, Relaxed);
        !self.stop.load(Relaxed)
    }

    /// Sweeps of the plan under way, the span of its increments, and the tolerance; `None` between plans.
    pub fn read(&self) -> Option<(u64, f64, f64)> {
        let number = |bits: &AtomicU64| f64::from_bits(bits.load(Relaxed));
        let sweeps = self.sweeps.load(Relaxed);
        (sweeps > 0).then(|| (sweeps, number(&self.span), number(&self.tolerance)))
    }
}

/// The items, until the computation on this thread is told to stop.
pub fn unless_stopped<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    items.into_iter().take_while(|_| !Pulse::is_stopped())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_ends_when_its_thread_is_told_to_stop_and_only_then() {
        let stop = Arc::new(AtomicBool::new(false));
        let pulse = Pulse::new(Arc::clone(&stop));
        let counted = || {
            let items = unless_stopped(0..10).inspect(|&item| stop.store(item == 4, Relaxed));
            let count = items.count();
            stop.store(false, Relaxed);
            count
        };
        assert_eq!(pulse.during(counted), 5);
        assert_eq!(counted(), 10, "no pulse is set");
        stop.store(true, Relaxed);
        assert!(pulse.during(Pulse::is_stopped) && !Pulse::is_stopped());
        let there = pulse.during(Pulse::present);
        let elsewhere = std::thread::scope(|scope| {
            let task = scope.spawn(|| Pulse::carry(there.as_ref(), Pulse::is_stopped));
            task.join()
        });
        assert!(matches!(elsewhere, Ok(true)), "a task carries the pulse of its caller");
    }
}
