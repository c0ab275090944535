"""The options of every agent, as typed keywords of ``Agent``.

Written by crates/tucrl-lab/tests/suite/python_options.rs from the options types; do not edit.
"""

from typing import Literal, TypedDict

__all__ = [
    "DiffQ",
    "DsPsrl",
    "Focus",
    "ImedRl",
    "KlUcrl",
    "OptimisticPsrl",
    "OptimisticQ",
    "PmeviDt",
    "Psrl",
    "Regal",
    "RegalC",
    "RegalD",
    "Scal",
    "Tsde",
    "Tucrl",
    "TucrlPlus",
    "Ucrl",
    "Ucrl2",
    "Ucrl2b2020",
    "Ucrl3",
]


class Tucrl(TypedDict, total=False):
    """Options of ``tucrl``: UCRL without transitions to states that seem unreachable."""

    relaxation: Literal["l1", "zeta", "mass"]
    """how sets without unseen states are widened: to L1 balls (the main algorithm), to boxes that take back the forbidden mass (the appendix), or to L1 balls that do not grow with S (ours, for vast spaces); l1 unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; published unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    warm_start: bool
    """whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the guarantee; false unless given."""
    planner: Literal["plain", "accelerated"]
    """plain sweeps, or with exact evaluations in between where they pay; same guarantees; accelerated unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 1 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class TucrlPlus(TypedDict, total=False):
    """Options of ``tucrl-plus``: TUCRL with the number of states only in logarithms."""

    set: Literal["tight", "bernstein"]
    """which MDPs are plausible: intervals and missing mass that hold at all times at once, or L1 balls with the paper's constants; tight unless given."""
    union: Literal["auto", "nominal", "discovery"]
    """how delta is divided among pairs and next states: equally, in order of discovery without using the number of states, or the latter only where that number is not known; auto unless given."""
    rule: Literal["new-state", "vm"]
    """when an episode ends, besides before acting in a new state: when a pair doubles its visits, or adds a vanishing share to them (vm: fewer bad steps in a row, more plans; nothing is proved about it here); new-state unless given."""
    f: Literal["sqrt-log", "cube-root", "one"]
    """with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3), or 1, which is rule=new-state; sqrt-log unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    warm_start: bool
    """whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the guarantee; true unless given."""
    planner: Literal["plain", "accelerated"]
    """plain sweeps, or with exact evaluations in between where they pay; same guarantees; accelerated unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 1 unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Ucrl(TypedDict, total=False):
    """Options of ``ucrl``: optimism with Bernstein boxes, the paper's UCRL."""

    set: Literal["bernstein", "bernstein-2020", "l1", "kl", "ucrl3"]
    """which MDPs are plausible: bernstein (the paper's Bernstein boxes), bernstein-2020 (the tighter ones of 2020), l1 (UCRL2's L1 balls), kl (KL-UCRL's divergences), ucrl3 (UCRL3's boxes over selected next states); bernstein unless given."""
    rule: Literal["doubling", "new-state", "tsde", "vm"]
    """when an episode ends: doubling (when a pair doubles its visits), new-state (when a pair doubles its visits, or before acting in a new state), tsde (when it is longer than the last one or a pair has more than doubled), vm (when a pair adds a vanishing share to its visits); doubling unless given."""
    f: Literal["sqrt-log", "cube-root", "one"]
    """with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3), or 1, which is rule=doubling; sqrt-log unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; published unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    warm_start: bool
    """whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the guarantee; true unless given."""
    planner: Literal["plain", "accelerated"]
    """plain sweeps, or with exact evaluations in between where they pay; same guarantees; accelerated unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 1 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Ucrl2(TypedDict, total=False):
    """Options of ``ucrl2``: optimism with Hoeffding and L1 sets."""

    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    warm_start: bool
    """whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the guarantee; false unless given."""
    planner: Literal["plain", "accelerated"]
    """plain sweeps, or with exact evaluations in between where they pay; same guarantees; accelerated unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 1 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Ucrl2b2020(TypedDict, total=False):
    """Options of ``ucrl2b-2020``: ucrl with the tighter Bernstein widths of 2020."""

    rule: Literal["doubling", "new-state", "tsde", "vm"]
    """when an episode ends: doubling (when a pair doubles its visits), new-state (when a pair doubles its visits, or before acting in a new state), tsde (when it is longer than the last one or a pair has more than doubled), vm (when a pair adds a vanishing share to its visits); doubling unless given."""
    f: Literal["sqrt-log", "cube-root", "one"]
    """with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3), or 1, which is rule=doubling; sqrt-log unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; population unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    warm_start: bool
    """whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the guarantee; false unless given."""
    planner: Literal["plain", "accelerated"]
    """plain sweeps, or with exact evaluations in between where they pay; same guarantees; accelerated unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 1 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class KlUcrl(TypedDict, total=False):
    """Options of ``kl-ucrl``: optimism with Kullback-Leibler balls."""

    rule: Literal["doubling", "new-state", "tsde", "vm"]
    """when an episode ends: doubling (when a pair doubles its visits), new-state (when a pair doubles its visits, or before acting in a new state), tsde (when it is longer than the last one or a pair has more than doubled), vm (when a pair adds a vanishing share to its visits); doubling unless given."""
    f: Literal["sqrt-log", "cube-root", "one"]
    """with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3), or 1, which is rule=doubling; sqrt-log unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    warm_start: bool
    """whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the guarantee; false unless given."""
    planner: Literal["plain", "accelerated"]
    """plain sweeps, or with exact evaluations in between where they pay; same guarantees; accelerated unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 1 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Ucrl3(TypedDict, total=False):
    """Options of ``ucrl3``: optimism with a Bernoulli bound for each of few next states."""

    rule: Literal["doubling", "new-state", "tsde", "vm"]
    """when an episode ends: doubling (when a pair doubles its visits), new-state (when a pair doubles its visits, or before acting in a new state), tsde (when it is longer than the last one or a pair has more than doubled), vm (when a pair adds a vanishing share to its visits); doubling unless given."""
    f: Literal["sqrt-log", "cube-root", "one"]
    """with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3), or 1, which is rule=doubling; sqrt-log unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; population unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    warm_start: bool
    """whether a plan starts from the values of the last one, not from 0 as in the paper; both keep the guarantee; false unless given."""
    planner: Literal["plain", "accelerated"]
    """plain sweeps, or with exact evaluations in between where they pay; same guarantees; accelerated unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 1 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Scal(TypedDict, total=False):
    """Options of ``scal``: optimism under a known bound on the span."""

    c: float | Literal["inf", "world"]
    """an upper bound on the bias span; in units of reward, inf for none, world for the span itself, which is then told; required."""
    mode: Literal["practical", "theory"]
    """what can be run, or what is proved: a perturbed model with a contraction term; practical unless given."""
    operator: Literal["t", "n"]
    """where no mixture of actions meets the bound: fail, or play the most pessimistic; t unless given."""
    augment: bool
    """whether rewards may be imagined down to 0; true unless given."""
    set: Literal["bernstein", "bernstein-2020", "l1", "kl"]
    """which MDPs are plausible: bernstein (the paper's Bernstein boxes), bernstein-2020 (the tighter ones of 2020), l1 (UCRL2's L1 balls), kl (KL-UCRL's divergences); bernstein unless given."""
    rule: Literal["doubling", "new-state", "tsde", "vm"]
    """when an episode ends: doubling (when a pair doubles its visits), new-state (when a pair doubles its visits, or before acting in a new state), tsde (when it is longer than the last one or a pair has more than doubled), vm (when a pair adds a vanishing share to its visits); doubling unless given."""
    f: Literal["sqrt-log", "cube-root", "one"]
    """with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3), or 1, which is rule=doubling; sqrt-log unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; published unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 0.9 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Focus(TypedDict, total=False):
    """Options of ``focus``: clipped discounted values with a bonus, told the span or nothing."""

    h: float | Literal["theory", "seen", "world"]
    """H, the largest span of values, in units of reward: a number, of which the proof asks twice the span of the optimal bias; theory, r_max sqrt(T/(S^3 A)); seen, the same with the states seen so far for S (ours); or world, twice the span, which is then told; theory unless given."""
    horizon: int | Literal["doubling", "run"]
    """T, the steps to plan for: a number, run for those of the run, or doubling for the next power of two (ours); doubling unless given."""
    delta: float
    """how often the bonus may fail to be optimistic; 0.05 unless given."""
    alpha: float
    """shrinks the bonus and the widths of rewards; 1 is what the proof needs, and with more than 1 values would not be monotone; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told, as in the paper; false unless given."""
    aperiodicity: float
    """the weight of the new values in a sweep; 0.9 unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class PmeviDt(TypedDict, total=False):
    """Options of ``pmevi-dt``: optimism with bounds on differences of the bias."""

    prior: Literal["none", "monotone"] | str
    """what is known of the optimal bias: none, monotone (it grows with the number of the state), or a file of bounds h(state) - h(other) <= most in units of reward, as CSV with these three columns or as JSON; none unless given."""
    c0: float | Literal["theory"]
    """c0, a bound on the span of the optimal bias in units of reward, or theory for r_max T^(1/5); theory unless given."""
    estimate: bool
    """whether differences of biases are estimated from visits; takes memory and time of the order of seen states squared; true unless given."""
    set: Literal["bernstein", "bernstein-2020", "l1", "kl"]
    """which MDPs are plausible: bernstein (the paper's Bernstein boxes), bernstein-2020 (the tighter ones of 2020), l1 (UCRL2's L1 balls), kl (KL-UCRL's divergences); bernstein unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; published unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 0.9 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class RegalC(TypedDict, total=False):
    """Options of ``regal-c``: scal under another name (an approximation)."""

    h: float | Literal["inf"]
    """an upper bound on the bias span; in units of reward, inf for none; required."""
    c: float | Literal["inf"]
    """the same as h."""
    set: Literal["bernstein", "bernstein-2020", "l1", "kl"]
    """which MDPs are plausible: bernstein (the paper's Bernstein boxes), bernstein-2020 (the tighter ones of 2020), l1 (UCRL2's L1 balls), kl (KL-UCRL's divergences); bernstein unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; published unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 0.9 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Regal(TypedDict, total=False):
    """Options of ``regal``: optimism that pays for span (approximation)."""

    penalty: float | Literal["last-length"]
    """C: a number, or theory's constant over the root of the last episode's length, a stand-in; last-length unless given."""
    set: Literal["bernstein", "bernstein-2020", "l1", "kl"]
    """which MDPs are plausible: bernstein (the paper's Bernstein boxes), bernstein-2020 (the tighter ones of 2020), l1 (UCRL2's L1 balls), kl (KL-UCRL's divergences); bernstein unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; published unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 0.9 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class RegalD(TypedDict, total=False):
    """Options of ``regal-d``: regal with guessed episode lengths (approximation)."""

    set: Literal["bernstein", "bernstein-2020", "l1", "kl"]
    """which MDPs are plausible: bernstein (the paper's Bernstein boxes), bernstein-2020 (the tighter ones of 2020), l1 (UCRL2's L1 balls), kl (KL-UCRL's divergences); bernstein unless given."""
    delta: float | Literal["inv-sqrt"]
    """how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the published code); 0.05 unless given."""
    alpha: float
    """shrinks all confidence widths; 1 is what the proofs need; 1 unless given."""
    alpha_r: float | Literal["alpha"]
    """shrinks the widths of rewards only; alpha unless given."""
    alpha_p: float | Literal["alpha"]
    """shrinks the widths of transitions only; alpha unless given."""
    shrink: Literal["linear", "log"]
    """what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published code); linear unless given."""
    variance: Literal["published", "sample", "population"]
    """which empirical variance: of the population for transitions and of the sample for rewards (the published code), or one of them for both; published unless given."""
    ties: Literal["least-visited", "lowest", "noise"]
    """which of equally good actions: the least tried, the lowest number, or by a tiny random bonus (the published code); least-visited unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    aperiodicity: float
    """the weight of the real transition against staying; 1 in the paper, 0.9 in the published code; 0.9 unless given."""
    sa: float | Literal["nominal"]
    """S times A inside the logarithms; nominal is what the proofs need; nominal unless given."""
    sweeps: int
    """sweeps after which a plan is given up and the run fails; 1000000 unless given."""


class Psrl(TypedDict, total=False):
    """Options of ``psrl``: plays the optimal policy of an MDP drawn from a posterior."""

    concentration: float | Literal["inverse-states"]
    """of the Dirichlet prior for each next state; inverse-states lets all of them count for one visit; 1 unless given."""
    rewards: Literal["fractional", "bernoulli", "normal-gamma", "known"]
    """how mean rewards are learned: a beta law fed with fractions of a success, the same fed with Bernoulli draws, a normal law of unknown mean and precision, or told; fractional unless given."""
    a: float
    """successes of the beta prior; 1 unless given."""
    b: float
    """failures of the beta prior; 1 unless given."""
    m0: float
    """the normal prior's mean, in units of r_max; 1 unless given."""
    l0: float
    """how many rewards that mean counts for; 1 unless given."""
    a0: float
    """the shape of the precision's gamma prior; 1 unless given."""
    b0: float
    """its rate, in units of r_max squared; 1 unless given."""
    split: Literal["exact", "mean"]
    """how mass is split among next states never observed from a pair: at random as the Dirichlet law has it, or evenly, an approximation whose cost does not depend on the nominal size; exact unless given."""
    rule: Literal["doubling", "new-state", "tsde", "vm", "powers-of-two"]
    """when an episode ends: doubling (when a pair doubles its visits), new-state (when a pair doubles its visits, or before acting in a new state), tsde (when it is longer than the last one or a pair has more than doubled), vm (when a pair adds a vanishing share to its visits), powers-of-two (at the times 1, 2, 4, 8, ...); doubling unless given."""


class Tsde(TypedDict, total=False):
    """Options of ``tsde``: posterior sampling with episodes that grow by at most one step."""

    concentration: float | Literal["inverse-states"]
    """of the Dirichlet prior for each next state; inverse-states lets all of them count for one visit; 1 unless given."""
    rewards: Literal["fractional", "bernoulli", "normal-gamma", "known"]
    """how mean rewards are learned: a beta law fed with fractions of a success, the same fed with Bernoulli draws, a normal law of unknown mean and precision, or told; fractional unless given."""
    a: float
    """successes of the beta prior; 1 unless given."""
    b: float
    """failures of the beta prior; 1 unless given."""
    m0: float
    """the normal prior's mean, in units of r_max; 1 unless given."""
    l0: float
    """how many rewards that mean counts for; 1 unless given."""
    a0: float
    """the shape of the precision's gamma prior; 1 unless given."""
    b0: float
    """its rate, in units of r_max squared; 1 unless given."""
    split: Literal["exact", "mean"]
    """how mass is split among next states never observed from a pair: at random as the Dirichlet law has it, or evenly, an approximation whose cost does not depend on the nominal size; exact unless given."""


class DsPsrl(TypedDict, total=False):
    """Options of ``ds-psrl``: posterior sampling at the times 1, 2, 4, 8, ...."""

    concentration: float | Literal["inverse-states"]
    """of the Dirichlet prior for each next state; inverse-states lets all of them count for one visit; 1 unless given."""
    rewards: Literal["fractional", "bernoulli", "normal-gamma", "known"]
    """how mean rewards are learned: a beta law fed with fractions of a success, the same fed with Bernoulli draws, a normal law of unknown mean and precision, or told; fractional unless given."""
    a: float
    """successes of the beta prior; 1 unless given."""
    b: float
    """failures of the beta prior; 1 unless given."""
    m0: float
    """the normal prior's mean, in units of r_max; 1 unless given."""
    l0: float
    """how many rewards that mean counts for; 1 unless given."""
    a0: float
    """the shape of the precision's gamma prior; 1 unless given."""
    b0: float
    """its rate, in units of r_max squared; 1 unless given."""
    split: Literal["exact", "mean"]
    """how mass is split among next states never observed from a pair: at random as the Dirichlet law has it, or evenly, an approximation whose cost does not depend on the nominal size; exact unless given."""


class OptimisticPsrl(TypedDict, total=False):
    """Options of ``optimistic-psrl``: plays for the best of many posterior samples."""

    rho: float
    """how often the samples may fail to be optimistic; 0.05 unless given."""
    psi: int | Literal["theory"]
    """samples for each pair; theory is S ln(S A / rho); theory unless given."""
    known_rewards: bool
    """whether the true mean rewards of visited states are told; false unless given."""
    rule: Literal["doubling", "new-state", "tsde", "vm"]
    """when an episode ends: doubling (when a pair doubles its visits), new-state (when a pair doubles its visits, or before acting in a new state), tsde (when it is longer than the last one or a pair has more than doubled), vm (when a pair adds a vanishing share to its visits); doubling unless given."""


class OptimisticQ(TypedDict, total=False):
    """Options of ``optimistic-q``: optimistic Q-learning, without a model."""

    horizon: float | Literal["theory"]
    """H of the discounted surrogate, gamma = 1 - 1/H, or what theory recommends; 100 unless given."""
    bonus: Literal["practical", "theory"]
    """c sqrt(H/n), or 4 span sqrt(H/n ln(2T/delta)); practical unless given."""
    c: float
    """the factor of bonus=practical; 1 unless given."""
    span: float
    """a bound on the span of the optimal bias, in units of r_max, for theory; 1 unless given."""
    delta: float
    """how often theory may fail; 0.05 unless given."""


class ImedRl(TypedDict, total=False):
    """Options of ``imed-rl``: the least possible regret in ergodic worlds, asymptotically."""

    accuracy: float
    """value iteration stops when increments differ by at most this, in units of r_max; 0.001 unless given."""
    sweeps: int
    """the most sweeps of value iteration per step; 3000 unless given."""


class DiffQ(TypedDict, total=False):
    """Options of ``diff-q``: differential Q-learning, epsilon-greedy."""

    step: float
    """the step size of the values; 0.1 unless given."""
    eta: float
    """the step size of the average reward, divided by that of the values; 1 unless given."""
    epsilon: float
    """the probability of a random action; 0.1 unless given."""
