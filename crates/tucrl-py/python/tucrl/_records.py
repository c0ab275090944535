"""Records that Python code holds: equality, pickle and data frames are those of named tuples."""

from typing import NamedTuple, TypedDict


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
for _field, _text in _DOCUMENTATION.items():
    getattr(Episode, _field).__doc__ = _text
