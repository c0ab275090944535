"""The catalogues of worlds and agents."""

import json
from typing import TypedDict

from tucrl import _native


class Parameter(TypedDict):
    """One key that a world or an agent accepts."""

    key: str
    aliases: list[str]
    default: str
    accepts: str
    meaning: str


class WorldEntry(TypedDict):
    """The catalogue entry of a world."""

    name: str
    summary: str
    states: int
    actions: int
    parameters: list[Parameter]
    facts: list[str]
    example: str


class AgentEntry(TypedDict):
    """The catalogue entry of an agent."""

    name: str
    aliases: list[str]
    summary: str
    source: str
    needs: str
    guarantee: str
    caution: str
    parameters: list[Parameter]
    example: str


def worlds() -> dict[str, WorldEntry]:
    """Return every world of the library, by name.

    >>> import tucrl
    >>> tucrl.worlds()["taxi"]["states"]
    500
    >>> [p["key"] for p in tucrl.worlds()["three-state"]["parameters"]]
    ['delta', 'rewards']
    """
    entries: list[WorldEntry] = json.loads(_native.worlds())
    return {entry["name"]: entry for entry in entries}


def agents() -> dict[str, AgentEntry]:
    """Return every agent of the library, by name.

    >>> import tucrl
    >>> print(tucrl.agents()["tucrl"]["needs"])
    The number of states and actions, junk states included, and r_max.
    """
    entries: list[AgentEntry] = json.loads(_native.agents())
    return {entry["name"]: entry for entry in entries}
