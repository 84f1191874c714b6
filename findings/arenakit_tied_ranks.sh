#!/usr/bin/env bash
# Where people tie all detectors in every pair, arenakit is certain of their ranks, in the order of the names.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'numpy==2.4.6' 'pydantic==2.14.4'
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps 'arenakit==0.1.1'
"$folder/venv/bin/python" - <<'PYTHON'
from itertools import combinations

import arenakit

print(f"arenakit {arenakit.__version__}")
print("Input: 20 annotators compare each two of three detectors on 10 images, and tie all of them.")
print("Expected: the rank of each detector is open: 1 to 3, or all share one.")


def limits(*names):
    battles = [
        arenakit.Battle(model_a=a, model_b=b, winner="tie", item_id=f"{image}", voter_id=f"{voter}")
        for a, b in combinations(names, 2)
        for image in range(10)
        for voter in range(20)
    ]
    arena = arenakit.Arena(battles)
    found = arenakit.bootstrap(arena, n_resamples=200, cluster="voter").rank_ci().tolist()
    return dict(zip(arena.models, found, strict=True))


seen = limits("craft", "east", "psenet"), limits("x-craft", "east", "psenet")
for of in seen:
    print(f"Seen: limits of the ranks: {of}")
print(
    "Why it matters: a rank interval of 1 to 1 reads as 'certainly the best'. It is the order of the names, since\n"
    "equal scores of a resample are numbered in their order and do not share a rank. Detectors that people\n"
    "cannot tell apart look decided; renaming one moves it to the last place, as certainly."
)
certain = [[1, 1], [2, 2], [3, 3]]
assert seen == (
    dict(zip(("craft", "east", "psenet"), certain)),
    dict(zip(("east", "psenet", "x-craft"), certain)),
), "the behaviour changed"
PYTHON
