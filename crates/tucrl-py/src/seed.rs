//! What is a seed? A number, a generator of random numbers, or none for fresh entropy.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::bad_input;

/// A seed. From a generator it is drawn, which advances the generator; `None` is drawn from the system.
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// A new one every time.
    pub(crate) fn fresh(py: Python<'_>) -> PyResult<Self> {
        let bytes: [u8; 8] = py.import("os")?.call_method1("urandom", (8,))?.extract()?;
        Ok(Self(u64::from_le_bytes(bytes)))
    }
}

impl<'py> FromPyObject<'_, 'py> for Seed {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = given.py();
        if given.is_none() {
            return Self::fresh(py);
        }
        if let Ok(number) = given.extract() {
            return Ok(Self(number));
        }
        // NumPy's generators, and those of the standard library.
        if given.hasattr("bit_generator")? {
            let options = PyDict::new(py);
            options.set_item("dtype", "uint64")?;
            options.set_item("endpoint", true)?;
            let drawn = given.call_method("integers", (0, u64::MAX), Some(&options))?;
            return Ok(Self(drawn.extract()?));
        }
        if given.hasattr("getrandbits")? {
            return Ok(Self(given.call_method1("getrandbits", (64,))?.extract()?));
        }
        let shown = given.repr().map_or_else(|_| "this".into(), |text| text.to_string());
        Err(bad_input(format!(
            "seed = {shown} is no seed: give a whole number from 0 to 2**64 - 1, a generator such as \
             numpy.random.default_rng(0), or None for fresh entropy"
        )))
    }
}
