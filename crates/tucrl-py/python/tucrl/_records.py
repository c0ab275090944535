"""Records that Python code holds: equality, pickle and data frames are those of named tuples."""

import json
import math
from typing import Any, NamedTuple, TypedDict


class Episode(NamedTuple):
    """The record of an episode of an agent; ``pandas.DataFrame(agent.episodes)`` has a row for each."""

    start: int
    length: int
    stop: str
    seen: int
    unseen: int
    under_visited: int
    believes_unseen: bool
    gain: float
    span: float
    span_seen: float
    sweeps: int


class Explanation(TypedDict):
    """What an agent assumes about a pair; ``Agent.explain`` says what the keys mean."""

    action: int
    is_planned: bool
    visits: int
    next_states: int
    width: float | None
    missing_mass: float | None
    threshold: float | None
    given_up_since: int | None
    reconsidered_from: int | None


class LowerBound(NamedTuple):
    """The asymptotic lower bound on regret over ln T of every uniformly good learner (docs/hardness.md)."""

    certainty: str
    constant: float | None
    reason: str


class BurnIn(NamedTuple):
    """Numbers of steps before bounds say something; infinite where they never do."""

    ucrl_linear_regime: float
    tucrl_exploratory_phase: float
    span_squared: float
    diameter: float


class Hardness(NamedTuple):
    """How hard an MDP is to learn, of the part that is reachable from the start (docs/hardness.md)."""

    smallest_gap: float | None
    zero_gaps: int
    undecided_gaps: int
    gap_error: float
    sum_of_inverse_gaps: float
    is_unique: bool
    is_unichain: bool | None
    bias_deviation: float
    regret_variance: float | None
    hitting_time: float | None
    mixing_time: int | None
    lower_bound: LowerBound
    lower_bound_known_rewards: LowerBound
    burn_in: BurnIn | None
    left_out: dict[str, str]


def hardness(text: str) -> Hardness:
    """Read the record that Rust writes."""

    def bound(fields: dict[str, Any]) -> LowerBound:
        certainty = fields["certainty"].replace("_", " ")
        constant = math.inf if certainty == "infinite" else fields["constant"]
        return LowerBound(certainty, constant, fields["reason"])

    known = json.loads(text)
    for key in ("lower_bound", "lower_bound_known_rewards"):
        known[key] = bound(known[key])
    if known["burn_in"] is not None:
        # JSON has no infinity.
        steps = {key: math.inf if value is None else value for key, value in known["burn_in"].items()}
        known["burn_in"] = BurnIn(**steps)
    return Hardness(**known)


_DOCUMENTATION = {
    "start": "The time of its first action, counted from 1.",
    "length": "The number of its actions.",
    "stop": 'The stop reason: "doubling", "new state", "return to new start", or "horizon" while it is running.',
    "seen": "States seen when it started.",
    "unseen": "Unseen states when it started.",
    "under_visited": "Under-visited pairs when it started.",
    "believes_unseen": "Whether unseen states were planned on.",
    "gain": "The optimistic gain.",
    "span": "The span of the optimistic bias over all states planned on.",
    "span_seen": "The span over the states seen.",
    "sweeps": "Sweeps of the plan.",
}
_HARDNESS = {
    "smallest_gap": "The smallest Bellman gap that is certainly positive; None if there is none.",
    "zero_gaps": "Reachable pairs whose gap is not certainly positive: one per state, and all ties.",
    "undecided_gaps": "How many of these look positive and may be zero, by `gap_error`.",
    "gap_error": "By how much a gap may be wrong.",
    "sum_of_inverse_gaps": "The sum of 1 / gap over gaps that are certainly positive.",
    "is_unique": "Whether every reachable state has one optimal action.",
    "is_unichain": "Whether the optimal policy has one closed class among the reachable states; None if unknown.",
    "bias_deviation": "The largest standard deviation of the bias of the next state of a pair.",
    "regret_variance": "The variance per step of the regret of the optimal policy itself.",
    "hitting_time": "The largest expected time of the optimal policy to a state that it visits forever.",
    "mixing_time": "Steps until the optimal policy is within 1/4 of its stationary law in total variation.",
    "lower_bound": "The lower bound for learners that know neither rewards nor transitions.",
    "lower_bound_known_rewards": "The lower bound for learners that know the mean rewards.",
    "burn_in": "When theorems begin to say something; None without the diameters.",
    "left_out": "Why a field is None.",
}
_LOWER_BOUND = {
    "certainty": '"theorem", "lower estimate", "infinite" or "unknown".',
    "constant": "Regret over ln T is at least that for large T; inf if no multiple is enough, None if unknown.",
    "reason": "Why it is what it is.",
}
_BURN_IN = {
    "ucrl_linear_regime": "The end of the linear regime of UCRL, T†.",
    "tucrl_exploratory_phase": "The end of the exploratory phase of TUCRL, C(k), with failure probability 0.05.",
    "span_squared": "sp² S^C A, with the span in units of r_max.",
    "diameter": "D^C S^C A.",
}
_CLASSES: tuple[tuple[type, dict[str, str]], ...] = (
    (Episode, _DOCUMENTATION),
    (Hardness, _HARDNESS),
    (LowerBound, _LOWER_BOUND),
    (BurnIn, _BURN_IN),
)
for _class, _fields in _CLASSES:
    for _field, _text in _fields.items():
        getattr(_class, _field).__doc__ = _text
