//! Which state, and which of its actions, should agents explain? `STATE` or `STATE,ACTION`.

use std::str::FromStr;

/// Which pairs to explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Explained {
    pub(crate) state: u64,
    /// All of them if none is given.
    pub(crate) action: Option<u32>,
}

impl FromStr for Explained {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused =
            |part: &str| format!("`{part}` is no number of a state or an action: write 3 or 3,1");
        let (state, action) = match text.split_once(',') {
            Some((state, action)) => (state.trim(), Some(action.trim())),
            None => (text.trim(), None),
        };
        let action = action.map(|text| text.parse().map_err(|_| refused(text))).transpose()?;
        Ok(Self { state: state.parse().map_err(|_| refused(state))?, action })
    }
}
