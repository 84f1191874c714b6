"""preflibtools reads the files below ``ours``, checks them, and writes them again below ``theirs``."""

import json
from pathlib import Path

from preflibtools.instances import OrdinalInstance, sanity
from preflibtools.properties import pairwise_scores

found = {}
for path in sorted(Path("ours").rglob("*.?o?")):
    instance = OrdinalInstance(str(path))
    names = instance.alternatives_name
    found[str(path)] = {
        "faults": [*sanity.metadata(instance), *sanity.orders(instance)],
        "image": instance.title,
        "criterion": instance.description,
        "rankings": [
            [sorted(names[at] for at in bucket) for bucket in order]
            for order in instance.full_profile()
        ],
        "before": {
            names[a]: {names[b]: n for b, n in row.items()}
            for a, row in pairwise_scores(instance).items()
        },
    }
    written = Path("theirs") / path.relative_to("ours")
    written.parent.mkdir(parents=True, exist_ok=True)
    instance.write(str(written))
Path("found.json").write_text(json.dumps(found), encoding="utf-8")
