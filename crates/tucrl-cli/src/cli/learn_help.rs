//! What does `tucrl learn --help` say below the flags?

pub(super) const LEARN_HELP: &str = "\
Examples:
  tucrl learn three-state:delta=0 --agent tucrl --agent ucrl --agent scal:c=5
  tucrl learn taxi --agent tucrl-plus:alpha=0.01,warm_start=true --steps 100k
  tucrl learn river-swim --agent wide=ucrl --agent narrow=ucrl:alpha=0.1
  tucrl learn river-swim --agent optimistic-q --json > runs.jsonl
  tucrl learn model.json --agent tucrl-plus --steps 1e5

What precedes an equals sign that stands before the first colon is a label: `narrow`
is what ucrl:alpha=0.1 is called in the table, and `label` in the JSON.

Run number r of master seed M draws from streams that depend on M and r only:
all agents use the same random streams in runs of the same number, and the same
command gives bit-identical results with any --jobs.

With --json there is one line, an object, per agent and run. `gap_regret`,
`regret` (realised) and `pseudo_regret` are lists of [t, value]; `gap_regret` is
null where the optimal gain is unknown; `seed` is the run number; `options`
has every option of the agent (`inf` is infinite); `error` says why a run
failed; `stopped` is true after Ctrl-C, and `steps` how far it came; `explained`
is what --explain asks for.

Numbers may be written 100000, 100_000, 100k, 1e5, 1M.

Ctrl-C stops all runs, prints the results so far, and exits with 130; a run that
fails is reported, the others continue, and the exit code is 1. Where the standard
error is no terminal it gets a line of progress every minute, or every
TUCRL_LOG_SECONDS.";
