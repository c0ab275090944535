//! How does an error message name the option to set?
//!
//! Command line and Python spell the library's options as flags and keywords. Errors carry the option as data; `Display`
//! uses the library's own words, and a shell passes its spelling to [`Spelled::spelled`].

/// An option that a message tells the reader to set. Exhaustive, so that a shell has to spell each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Replace an existing file; completes "choose another name, or …".
    Overwrite,
    /// Which reward model of a file to read; completes "choose one with …".
    RewardModel,
    /// The largest possible reward; overrides the file.
    RMax,
    /// The smallest and the largest possible reward; overrides the file.
    RewardRange,
    /// The number of bytes that a compressed file may unpack to; completes "allow more with …".
    UnpackLimit,
    /// Where results go; completes "choose another with …".
    Directory,
    /// Continue stored results; completes "continue with …".
    Resume,
}

/// Spells an option.
pub type Spelling = fn(Setting) -> &'static str;

/// The library's own spelling.
pub fn by_name(setting: Setting) -> &'static str {
    match setting {
        Setting::Overwrite => "allow replacing it",
        Setting::RewardModel => "`reward_model`",
        Setting::RMax => "`r_max`",
        Setting::RewardRange => "`reward_range`",
        Setting::UnpackLimit => "`unpack_limit`",
        Setting::Directory => "`out`",
        Setting::Resume => "`resume`",
    }
}

/// An error whose message names options.
pub trait Spelled {
    /// The message with options spelled by `spelling`.
    fn spelled(&self, spelling: Spelling) -> String;
}
