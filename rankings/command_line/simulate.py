"""``python -m rankings simulate``: what a design finds, and how often it errs, by simulated studies."""

import argparse
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import RankingError

_USUAL_STUDIES = 200


def add_simulation(commands: Any) -> None:
    """Add the command ``simulate``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "simulate",
        help="how often a design errs and which share of true differences it finds, in simulated studies",
        description="DESIGN.toml has settings such as annotators = 12, images = 100, protocols = 7, "
        "farther = 3 (so many protocols are farther from people), per_image = 1, groups = 2 or "
        "scenes = 10; all settings and their defaults are those of rankings.design.simulation.",
    )
    parser.add_argument("file", metavar="DESIGN.toml")
    parser.add_argument("--studies", type=int, default=_USUAL_STUDIES, metavar="N")
    parser.add_argument("--seed", type=int, default=2018)
    parser.add_argument(
        "--looks", action="store_true", help="decide at planned looks while each study runs, too"
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of sentences")
    parser.set_defaults(run=_simulate, read=str)


def _simulate(path: str, options: argparse.Namespace) -> dict[str, Any] | str:
    from ..design.simulated_looks import outcome_of_looks
    from ..design.simulation import outcome, simulated_from

    try:
        settings = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise RankingError(f"{path} is not TOML: {fault}") from fault
    study = simulated_from(settings)
    found = outcome(study, options.studies, options.seed)
    looks = outcome_of_looks(study, options.studies, options.seed) if options.looks else None
    if options.json:
        of_looks = {} if looks is None else {"looks": asdict(looks)}
        return {"study": asdict(study), "outcome": asdict(found), **of_looks}
    if not found.tested:
        return "No study allows a test: it needs two annotators, or groups, and two images.\n"
    lines = [
        f"{found.n_studies} simulated studies of {study.protocols} protocols, {study.annotators} "
        f"annotators and {study.images} images.",
        f"Equally near protocols are called different in {100 * found.errors:.1f} % of studies.",
        f"The 95 % interval of a mean loss contains it in {100 * found.coverage:.1f} %.",
    ]
    if found.power is not None:
        lines.append(
            f"A difference of {100 * found.difference:.2g} in 100 pairs is found in "
            f"{100 * found.power:.0f} %."
        )
    if found.tested < 1:
        lines.append(f"{100 * found.tested:.0f} % of studies allow a test.")
    if looks is not None:
        lines.append(f"Looks while it runs decide wrongly in {100 * looks.wrong:.1f} % of studies.")
        if looks.found is not None and looks.share is not None:
            lines.append(
                f"They find {100 * looks.found:.0f} % of true differences, after "
                f"{100 * looks.share:.0f} % of the rankings on average."
            )
    return "\n".join([*lines, ""])
