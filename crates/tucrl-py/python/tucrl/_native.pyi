"""The part that is written in Rust."""

import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, Literal, SupportsFloat, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, Unpack

from tucrl import options as _options
from tucrl._endings import TerminalReward
from tucrl._records import Episode, Explanation, Hardness
from tucrl._run import Own

__all__ = [
    "MDP",
    "VERSION",
    "Agent",
    "Cells",
    "Plan",
    "Runs",
    "Stream",
    "Walk",
    "World",
    "_ask",
    "_play",
    "agents",
    "check",
    "command",
    "learn",
    "run",
    "worlds",
]

VERSION: Final[str]

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]
_Bools = npt.NDArray[np.bool_]
_Whole = SupportsIndex | float
_Path = str | PathLike[str]
_Range = Sequence[float]
_Mask = Callable[[Any], Any] | npt.ArrayLike
_Policy = Literal["optimistic", "greedy"]
_Unvisited = Literal["error"] | tuple[Literal["stay", "uniform"], float]
_Columns = tuple[_Ints, _Ints, _Floats, _Ints]
_Evidence = tuple[
    list[int], float, str, bool, int, int | None, list[tuple[float, float, float, float, float]]
]
_Seed = SupportsIndex | np.random.Generator | random.Random | None

@final
class Agent:
    # Overloads written by crates/tucrl-lab/tests/suite/python_options.rs; do not edit.
    @overload
    def __new__(
        cls,
        spec: Literal["tucrl"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Tucrl],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["tucrl-plus", "tucrl+"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.TucrlPlus],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["ucrl", "ucrl2b"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Ucrl],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["ucrl2"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Ucrl2],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["ucrl2b-2020"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Ucrl2b2020],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["kl-ucrl"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.KlUcrl],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["ucrl3"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Ucrl3],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["scal"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Scal],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["focus"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Focus],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["pmevi-dt"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.PmeviDt],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["regal-c"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.RegalC],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["regal"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Regal],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["regal-d"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.RegalD],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["psrl"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Psrl],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["tsde"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.Tsde],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["ds-psrl"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.DsPsrl],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["optimistic-psrl"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.OptimisticPsrl],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["optimistic-q"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.OptimisticQ],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["imed-rl"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.ImedRl],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: Literal["diff-q", "differential-q"],
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: Unpack[_options.DiffQ],
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: str,
        states: _Whole | None = None,
        actions: _Whole | None = None,
        *,
        mask: _Mask | None = None,
        world: MDP | World | None = None,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        steps: _Whole | None = None,
        seed: _Seed = 0,
        run: SupportsIndex = 0,
        **options: float | str | bool,
    ) -> Self: ...
    # End of the overloads.
    def act(self, state: Hashable | None = None) -> int: ...
    def observe(
        self, reward: SupportsFloat, state: Hashable, action: SupportsIndex | None = None
    ) -> None: ...
    @overload
    def explain(self, state: Hashable, action: None = None) -> list[Explanation]: ...
    @overload
    def explain(self, state: Hashable, action: SupportsIndex) -> Explanation: ...
    def absorb(self, states: Any, actions: Any, rewards: Any, next_states: Any) -> None: ...
    @property
    def absorbed(self) -> int: ...
    @property
    def episodes_ended(self) -> int: ...
    def predict(self, state: Hashable, *, policy: _Policy = "optimistic") -> int: ...
    def policy_dict(self, *, policy: _Policy = "optimistic") -> dict[Any, int]: ...
    def full_policy(
        self, *, default: int | Sequence[int] | _Ints | Callable[[int], int], policy: _Policy = "optimistic"
    ) -> list[int]: ...
    def to_mdp(self, *, unvisited: _Unvisited) -> MDP: ...
    def to_json(self) -> str: ...
    def save(self, path: _Path) -> None: ...
    @staticmethod
    def load(
        path: _Path, *, mask: _Mask | None = None, world: MDP | World | None = None
    ) -> Agent: ...
    @staticmethod
    def _restore(
        document: bytes, labels: list[Any] | None, mask: Any | None, world: MDP | World | None
    ) -> Agent: ...
    @property
    def spec(self) -> str: ...
    @property
    def states(self) -> int | None: ...
    @property
    def actions(self) -> int: ...
    @property
    def reward_range(self) -> tuple[float, float]: ...
    @property
    def r_max(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def state(self) -> Any: ...
    @property
    def seen(self) -> int: ...
    @property
    def seen_states(self) -> list[Any]: ...
    @property
    def visits(self) -> _Ints: ...
    @property
    def mean_rewards(self) -> _Floats: ...
    @property
    def transitions(self) -> tuple[_Ints, _Ints, _Ints, _Ints]: ...
    @property
    def plan(self) -> Plan | None: ...
    @property
    def policy(self) -> _Floats | None: ...
    @property
    def episode(self) -> Episode | None: ...
    @property
    def episodes(self) -> list[Episode]: ...
    @property
    def poor_steps(self) -> tuple[int, int]: ...
    def __copy__(self) -> Agent: ...
    def __deepcopy__(self, _memo: Any) -> Agent: ...
    def __reduce__(self) -> Any: ...

@final
class Plan:
    @property
    def gain(self) -> float: ...
    @property
    def gain_bounds(self) -> tuple[float, float]: ...
    @property
    def bias(self) -> _Floats: ...
    @property
    def bias_unseen(self) -> float | None: ...
    @property
    def span(self) -> float: ...
    @property
    def span_seen(self) -> float: ...
    @property
    def sweeps(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def unseen(self) -> int: ...
    @property
    def under_visited(self) -> int: ...
    @property
    def believes_unseen(self) -> bool: ...
    @staticmethod
    def _restore(content: bytes) -> Plan: ...
    def __reduce__(self) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class MDP:
    def __new__(
        cls,
        world: _Path,
        *,
        r_max: SupportsFloat | None = None,
        reward_range: _Range | None = None,
        reward_model: str | None = None,
        unpack_limit: int | None = None,
    ) -> Self: ...
    @staticmethod
    def from_arrays(
        transitions: Any,
        rewards: Any,
        *,
        axes: Literal["sas", "ass"] | None = None,
        normalize: bool = False,
        start: int | npt.ArrayLike = 0,
        r_max: float | None = None,
        reward_range: tuple[float, float] | None = None,
        law: str = "constant",
        name: str = "arrays",
        state_names: Sequence[str] | None = None,
        action_names: Sequence[str] | None = None,
    ) -> MDP: ...
    @staticmethod
    def from_gymnasium(
        env: Any,
        *,
        reward_range: tuple[float, float] | None = None,
        terminal_reward: float | Callable[[int, int, float, int], float] | None = None,
        reset_cost: float = 0.0,
        name: str | None = None,
    ) -> MDP: ...
    @staticmethod
    def from_log(
        log: Any,
        *,
        unvisited: _Unvisited,
        columns: Sequence[str] = ("state", "action", "reward", "next_state"),
        n_states: int | None = None,
        n_actions: int | None = None,
        reward_range: tuple[float, float] | None = None,
        start: Hashable | None = None,
        name: str = "log",
    ) -> MDP: ...
    @staticmethod
    def from_transitions(
        states: Any,
        actions: Any,
        rewards: Any,
        next_states: Any,
        *,
        unvisited: _Unvisited,
        n_states: int | None = None,
        n_actions: int | None = None,
        reward_range: tuple[float, float] | None = None,
        start: Hashable | None = None,
        name: str = "log",
    ) -> MDP: ...
    @staticmethod
    def _empirical(
        name: str,
        sizes: tuple[int, int],
        columns: _Columns,
        unvisited: _Unvisited,
        reward_range: tuple[float, float],
        start: int,
        names: tuple[list[str], list[str]],
    ) -> MDP: ...
    def _certify(
        self, samples: int, is_deterministic: bool, delta: float, shrink: float, seed: _Seed
    ) -> _Evidence: ...
    @staticmethod
    def _certify_log(
        sizes: tuple[int, int],
        columns: _Columns,
        reward_range: tuple[float, float],
        samples: int,
        is_deterministic: bool,
        is_size_random: bool,
        delta: float,
        shrink: float,
    ) -> _Evidence: ...
    @staticmethod
    def _from_transitions(
        name: str,
        states: int,
        state: _Ints,
        action: _Ints,
        next: _Ints,
        probability: _Floats,
        reward: _Floats,
        start: Sequence[tuple[int, float]],
        r_max: float,
        law: str,
        reward_range: tuple[float, float] | None = None,
        state_names: Sequence[str] | None = None,
        action_names: Sequence[str] | None = None,
    ) -> MDP: ...
    @staticmethod
    def _from_json(name: str, content: bytes, part_of: int | None = None) -> MDP: ...
    @property
    def name(self) -> str: ...
    @property
    def states(self) -> int: ...
    @property
    def part_of(self) -> int | None: ...
    @property
    def actions(self) -> int: ...
    @property
    def pairs(self) -> int: ...
    @property
    def r_max(self) -> float: ...
    @property
    def reward_range(self) -> tuple[float, float]: ...
    @property
    def state_names(self) -> list[str]: ...
    @property
    def action_names(self) -> list[str]: ...
    @property
    def start(self) -> _Floats: ...
    @property
    def action_mask(self) -> _Bools: ...
    @property
    def mean_rewards(self) -> _Floats: ...
    @property
    def transitions(self) -> tuple[_Ints, _Ints, _Ints, _Floats]: ...
    @property
    def gain(self) -> float: ...
    @property
    def gain_error(self) -> float: ...
    @property
    def gains(self) -> _Floats: ...
    @property
    def bias(self) -> _Floats: ...
    @property
    def span(self) -> float: ...
    @property
    def policy(self) -> _Ints: ...
    @property
    def reachable(self) -> _Bools: ...
    @property
    def end_components(self) -> list[_Ints]: ...
    @property
    def start_is_recoverable(self) -> bool: ...
    def classify(self) -> str: ...
    def diameter(self, *, reachable: bool = True) -> float: ...
    def hardness(self, *, diameters: bool = True) -> Hardness: ...
    def evaluate(self, policy: npt.ArrayLike | dict[Any, int]) -> tuple[_Floats, _Floats]: ...
    def sample(
        self, state: int, action: int, size: int = 1, *, seed: _Seed = None
    ) -> tuple[_Ints, _Floats]: ...
    def walk(self, *, seed: _Seed = 0, run: int = 0) -> Walk: ...
    def to_file(self, path: _Path, *, overwrite: bool = False) -> None: ...
    def __reduce__(self) -> Any: ...
    def _repr_svg_(self) -> str | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Walk:
    @property
    def state(self) -> int: ...
    @property
    def offered(self) -> int: ...
    def step(self, action: SupportsIndex) -> tuple[int, float]: ...
    @staticmethod
    def _restore(world: MDP | World, position: bytes) -> Walk: ...
    def __reduce__(self) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class World:
    def __new__(cls, world: _Path | MDP) -> Self: ...
    @property
    def name(self) -> str: ...
    @property
    def states(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def reward_range(self) -> tuple[float, float]: ...
    @property
    def r_max(self) -> float: ...
    @property
    def factors(self) -> list[tuple[str, int]]: ...
    def decode(self, state: int) -> list[int]: ...
    def encode(self, values: Sequence[int]) -> int: ...
    def offered(self, state: int) -> int: ...
    @property
    def start(self) -> dict[int, float]: ...
    def rows(self, states: Sequence[int] | _Ints) -> tuple[_Ints, _Ints, _Floats, _Ints, _Floats]: ...
    def walk(self, *, seed: _Seed = 0, run: int = 0) -> Walk: ...
    @staticmethod
    def from_successors(
        successors: Callable[[int, int], Iterable[tuple[int, float, float]]],
        states: int,
        actions: int | Sequence[int],
        *,
        start: int | Mapping[int, float] = 0,
        reward_range: tuple[float, float] = (0.0, 1.0),
        name: str | None = None,
    ) -> World: ...
    @staticmethod
    def from_gymnasium(
        env: Any,
        *,
        reward_range: tuple[float, float] | None = None,
        terminal_reward: TerminalReward | None = None,
        reset_cost: float = 0.0,
        simulate: bool = False,
        name: str | None = None,
    ) -> MDP | World: ...
    @staticmethod
    def _listed(
        name: str,
        function: Callable[[int, int], Iterable[tuple[int, float, float]]],
        states: int,
        actions: Sequence[int],
        start: Sequence[tuple[int, float]],
        reward_range: tuple[float, float],
    ) -> World: ...
    @staticmethod
    def _simulated(
        name: str,
        make: Callable[[int], Any],
        states: int,
        actions: int,
        reward_range: tuple[float, float],
    ) -> World: ...
    def __reduce__(self) -> Any: ...

@final
class Stream:
    def __new__(cls, seed: _Seed = 0) -> Self: ...
    @staticmethod
    def of_run(seed: _Seed, run: int) -> Stream: ...
    def bits(self) -> int: ...
    def unit(self) -> float: ...
    def chance(self, probability: float) -> bool: ...
    def below(self, bound: int) -> int: ...
    def normal(self) -> float: ...
    @staticmethod
    def _restore(content: bytes) -> Stream: ...
    def __reduce__(self) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Runs:
    def table(self, name: str) -> dict[str, Any]: ...
    def failed(self) -> list[tuple[str, int, str]]: ...
    def visits(self, agent: str, run: int) -> list[tuple[int, int, int]]: ...
    def report(self, path: _Path) -> list[PathLike[str]]: ...
    def figure(self, world: str) -> str | None: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> Any: ...
    @staticmethod
    def _restore(content: bytes) -> Runs: ...

@final
class Cells:
    @staticmethod
    def of_file(path: _Path, text: str | None, files: Sequence[tuple[_Path, bytes]], own: Own) -> Cells: ...
    @staticmethod
    def of_world(
        world: MDP | World,
        agents: Sequence[tuple[str | None, str]],
        own: Own,
        steps: _Whole,
        seeds: _Whole,
        seed: _Seed,
        checkpoints: _Whole,
        exploration: bool,
    ) -> Cells: ...
    @property
    def text(self) -> tuple[str, str]: ...
    @property
    def master_seed(self) -> int: ...
    def files(self) -> list[tuple[PathLike[str], bytes]]: ...
    def __len__(self) -> int: ...
    def title(self, index: int) -> tuple[str, int]: ...
    def file(self, index: int) -> str: ...
    def open(self, directory: _Path | None, resume: bool, only: str | None, retry_failed: bool) -> list[int]: ...
    def work(self, index: int, directory: _Path | None, checkpoint_seconds: float) -> bytes: ...
    def accept(self, index: int, sealed: bytes) -> None: ...
    def result(self) -> Runs: ...

def learn(
    world: MDP | World,
    agents: Sequence[tuple[str | None, str]],
    own: Own,
    steps: _Whole,
    seeds: _Whole,
    seed: _Seed,
    jobs: _Whole | None,
    checkpoints: _Whole,
    progress: Callable[[int], object] | None,
    exploration: bool,
) -> Runs: ...
def run(
    path: _Path,
    text: str | None,
    out: _Path | None,
    own: Own,
    resume: bool,
    jobs: _Whole | None,
    only: str | None,
    retry_failed: bool,
    checkpoint_seconds: float,
    progress: Callable[[int, int], object] | None,
) -> Runs: ...
def check(
    agent: str,
    own: Own,
    steps: _Whole,
    long_steps: _Whole,
    seed: int,
    resumes: bool,
    sublinear: bool,
    may_know: bool,
) -> list[tuple[str, str]]: ...
def _ask(act: Callable[[int], SupportsIndex], state: int, offered: int) -> int: ...
def _play(
    table: MDP,
    position: str,
    act: Callable[[int], SupportsIndex],
    observe: Callable[[float, int], object],
    steps: int,
    seconds: float,
) -> tuple[bytes, str | None]: ...
def command(arguments: Sequence[str]) -> int: ...
def worlds() -> str: ...
def agents() -> str: ...
