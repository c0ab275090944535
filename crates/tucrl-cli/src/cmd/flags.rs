//! Which command-line flag sets an option that a library error names?

use std::error::Error;

use tucrl_lab::spelling::{Setting, Spelled};
use tucrl_lab::{ExperimentError, FormatError, LoadError, StoreError};
use tucrl_paper::reproduce::ReproduceError;

pub(super) fn flag(setting: Setting) -> &'static str {
    match setting {
        Setting::Overwrite => "replace it with --force",
        Setting::RewardModel => "--reward-model",
        Setting::RMax => "--r-max",
        Setting::RewardRange => "--reward-range",
        Setting::UnpackLimit => "--unpack-limit",
        Setting::Directory => "--out",
        Setting::Resume => "--resume",
    }
}

/// The message of an error, with flags for options.
pub(super) fn spelled(error: &(dyn Error + 'static)) -> String {
    None.or_else(|| of::<FormatError>(error))
        .or_else(|| of::<LoadError>(error))
        .or_else(|| of::<ExperimentError>(error))
        .or_else(|| of::<StoreError>(error))
        .or_else(|| of::<ReproduceError>(error))
        .unwrap_or_else(|| error.to_string())
}

fn of<E: Spelled + Error + 'static>(error: &(dyn Error + 'static)) -> Option<String> {
    error.downcast_ref::<E>().map(|error| error.spelled(flag))
}
