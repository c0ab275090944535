//! Which random numbers do the agents of the library draw? `tucrl.Stream`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tucrl::rng::{Purpose, RandomStream};

use crate::errors::{bad_input, failed};
use crate::seed::Seed;

/// A stream of random numbers: the same ones that Rust draws, on every machine and in every version.
///
/// Stream(seed)
///
/// seed: a number; that of a factory gives an agent in Python the numbers that `RandomStream::new(start.seed())` gives
///     the same agent in Rust. A generator of NumPy is a seed too, and `None` is a new one every time.
///
/// Streams can be copied and pickled, and continue alike.
///
/// >>> import tucrl
/// >>> stream = tucrl.Stream(7)
/// >>> stream.unit(), stream.below(6)
/// (0.05536043647833311, 1)
#[pyclass(name = "Stream", module = "tucrl")]
pub(crate) struct PyStream(RandomStream);

#[pymethods]
impl PyStream {
    #[new]
    #[pyo3(signature = (seed=Seed(0)), text_signature = "(seed=0)")]
    fn new(seed: Seed) -> Self {
        Self(RandomStream::new(seed.0))
    }

    /// Return the stream of an agent of the library in run `run` of `tucrl learn --seed seed`.
    #[staticmethod]
    fn of_run(seed: Seed, run: u64) -> Self {
        Self(RandomStream::of_run(seed.0, run, Purpose::Agent))
    }

    /// Return 64 random bits.
    fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Return a uniform number in [0, 1).
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Return whether something with this probability happens.
    fn chance(&mut self, probability: f64) -> bool {
        self.0.chance(probability)
    }

    /// Return a uniform whole number below `bound`.
    fn below(&mut self, bound: u64) -> PyResult<u64> {
        if bound == 0 {
            return Err(bad_input("below(0): no number lies below 0, give at least 1"));
        }
        Ok(self.0.below(bound))
    }

    /// Return a standard normal number.
    fn normal(&mut self) -> f64 {
        self.0.normal()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.borrow());
        let content = serde_json::to_vec(&this.0).map_err(failed)?;
        let restore = slf.get_type().getattr("_restore")?;
        (restore, (PyBytes::new(py, &content),)).into_pyobject(py).map(Bound::into_any)
    }

    /// A stream for pickle.
    #[staticmethod]
    fn _restore(content: &[u8]) -> PyResult<Self> {
        let no_stream = |error| bad_input(format!("this is no pickled stream: {error}"));
        Ok(Self(serde_json::from_slice(content).map_err(no_stream)?))
    }
}
