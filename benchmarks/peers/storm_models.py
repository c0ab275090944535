"""Writes stormpy's own example MDPs as .drn files; run by run.py inside stormpy's virtual environment.

    python storm_models.py DIRECTORY

The examples are checked for reachability and have no useful average rewards, so every choice gets a reward in
[0, 1] with four digits, by a seed. Where an example leaves a constant open it is set here, and the grid is enlarged. Prints the
names of the files as a JSON list.
"""

import json
import random
import sys
from pathlib import Path

import stormpy
import stormpy.examples.files as files

FIREWIRE = {"const int delay;": "const int delay = 36;", "const double fast;": "const double fast = 0.5;"}
OTHER_FIREWIRE = {"const int delay;": "const int delay = 11;", "const double fast;": "const double fast = 0.3;"}
MORE = Path(files.testfile_dir) / "mdp"
# Name, program, replacements in its text, seed of the rewards. Those with seed 7 were not used to tune our solver.
EXAMPLES = [
    ("storm-coin2-K2", files.prism_mdp_coin_2_2, {}, 1),
    ("storm-coin2-K16", files.prism_mdp_coin_2_2, {"const int K=2;": "const int K=16;"}, 1),
    ("storm-firewire-36", files.prism_mdp_firewire, FIREWIRE, 1),
    ("storm-maze", files.prism_mdp_maze, {}, 1),
    ("storm-slipgrid-60", files.prism_mdp_slipgrid, {"N = 4": "N = 60", "M = 4": "M = 60"}, 1),
    ("other-coin2-K5", MORE / "coin2.nm", {"const int K;": "const int K=5;"}, 7),
    ("other-csma2-2", MORE / "csma2-2.nm", {}, 7),
    ("other-firewire-11", files.prism_mdp_firewire, OTHER_FIREWIRE, 7),
    ("other-leader4", MORE / "leader4.nm", {}, 7),
    ("other-wlan0", MORE / "wlan0-2-2.nm", {}, 7),
]


def build(program, replacements, scratch):
    text = Path(program).read_text(encoding="utf-8")
    for old, new in replacements.items():
        if old not in text:
            sys.exit(f"{program} has no {old!r}: stormpy's examples have changed")
        text = text.replace(old, new)
    scratch.write_text(text, encoding="utf-8")
    parsed = stormpy.parse_prism_program(str(scratch))
    scratch.unlink()
    return stormpy.build_model(parsed)


def write(model, path, seed):
    stream = random.Random(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write("@type: MDP\n@parameters\n\n@reward_models\nreward\n")
        file.write(f"@nr_states\n{model.nr_states}\n@nr_choices\n{model.nr_choices}\n@model\n")
        for state in model.states:
            label = " init" if state.id in model.initial_states else ""
            file.write(f"state {state.id} [0]{label}\n")
            for number, action in enumerate(state.actions):
                file.write(f"\taction {number} [{stream.randrange(10001) / 10000}]\n")
                for transition in action.transitions:
                    file.write(f"\t\t{transition.column} : {transition.value!r}\n")


def main():
    directory = Path(sys.argv[1])
    names = []
    for name, program, replacements, seed in EXAMPLES:
        path = directory / f"{name}.drn"
        if not path.exists():
            model = build(program, replacements, directory / f"{name}.prism")
            write(model, path.with_suffix(".part"), seed)
            path.with_suffix(".part").replace(path)
        names.append(path.name)
    print(json.dumps(names))


if __name__ == "__main__":
    main()
