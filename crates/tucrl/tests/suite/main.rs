//! The tests of the core in one program: linked once, with the helpers compiled once.
// Helpers outside of test functions may unwrap as well.
#![allow(missing_docs, clippy::unwrap_used)]

mod absorbing;
mod architecture;
mod batches;
mod behaviour;
mod certificates;
mod checks;
mod coverage;
mod edges;
mod exact_answers;
mod focus;
mod gaps;
mod golden;
mod hardness;
mod imed_rl;
mod interruption;
mod large_worlds;
mod later_sets;
mod open;
mod planning;
mod planning_invariants;
mod planning_numbers;
mod plus_runs;
mod plus_theory;
mod pmevi;
mod posterior;
mod refusals;
mod regal;
mod resume;
mod reward_range;
mod runs;
mod support;
mod vast_spaces;
mod vm;
mod world_facts;
