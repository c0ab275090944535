//! Where does a world come from, and how is a model file read?

use clap::Args;
use tucrl::reward::RewardRange;
use tucrl_lab::formats::ReadOptions;

use super::values::{reward_range, unpack_limit};

#[derive(Debug, Args)]
pub(crate) struct Source {
    /// A world, as name:key=value,key=value, or a model file
    pub(crate) world: String,
    /// Which reward model of a DRN, UMB or PRISM file to read
    #[arg(long, value_name = "NAME")]
    pub(crate) reward_model: Option<String>,
    /// The largest possible reward; overrides the model file
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) r_max: Option<f64>,
    /// The lowest and the highest possible reward, such as -10,20; overrides the model file
    #[arg(long, value_name = "A,B", allow_hyphen_values = true, conflicts_with = "r_max", value_parser = reward_range)]
    pub(crate) reward_range: Option<RewardRange>,
    /// The number of bytes that a compressed model file may unpack to [default: 4e9]
    #[arg(long, value_name = "BYTES", value_parser = unpack_limit)]
    pub(crate) unpack_limit: Option<u64>,
}

impl Source {
    pub(crate) fn options(&self) -> ReadOptions {
        let Self { reward_model, r_max, reward_range, unpack_limit, .. } = self;
        ReadOptions {
            reward_model: reward_model.clone(),
            r_max: *r_max,
            reward_range: *reward_range,
            unpack_limit: *unpack_limit,
        }
    }
}
