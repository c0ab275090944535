//! A world of one's own: a machine that wears out. `own-agent inspect machine:levels=4,wear=1`.
//!
//! A table of an MDP is built from options. A world that is too large for a table implements `tucrl::Generator` instead,
//! and is given as `Model::Generated`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tucrl::{Mdp, Model, WorldKind, own_world};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Machine {
    /// how many levels of wear there are
    #[schemars(extend("minimum" = 2, "maximum" = 1000))]
    levels: usize,
    /// the probability of one more level of wear in a step of work
    #[schemars(extend("minimum" = 0.0, "maximum" = 1.0))]
    wear: f64,
}

impl Default for Machine {
    fn default() -> Self {
        Self { levels: 5, wear: 0.3 }
    }
}

/// Action 0 works: it pays less the more the machine is worn. Action 1 repairs it, which pays nothing.
pub(crate) fn world() -> WorldKind {
    own_world("machine", "a machine that wears out, to be repaired in time", |machine: Machine| {
        let mut builder = Mdp::builder();
        for level in 0..machine.levels {
            let worn = (level + 1).min(machine.levels - 1);
            let pays = 1.0 - level as f64 / machine.levels as f64;
            builder.state().action(pays, [(level, 1.0 - machine.wear), (worn, machine.wear)]);
            builder.action(0.0, [(0, 1.0)]);
        }
        builder.start_at(0).action_names(["work", "repair"]);
        Ok(Model::from(builder.build()?))
    })
}
