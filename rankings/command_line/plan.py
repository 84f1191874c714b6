"""``python -m rankings plan`` and ``power``: the size that a study needs, and its power."""

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Final

from text_rankings.base.options import prose

from ..orders.buckets import Ranking
from ..orders.from_scores import MAX_DECIMALS
from .analyse import add_codes

_MOST_METHODS: Final = 1000
_ABOUT_FILES: Final = (
    "RANKINGS.csv and SCORES.csv are a pilot, as text-order analyse reads them; without them the "
    "demo's variances are taken."
)


def add_plans(commands: Any) -> None:
    """Add the commands ``plan`` and ``power``."""
    plan = _add(
        commands,
        "plan",
        _plan,
        "which images, people and people an image find a difference of two protocols, and what that costs",
    )
    plan.add_argument(
        "--hours", type=float, help="of work of all people together: also say what they find"
    )
    power = _add(
        commands,
        "power",
        _power,
        "how often a study of given size finds a difference, and which it finds",
    )
    power.add_argument("--per-image", type=int, default=1, help="people an image")
    power.add_argument(
        "--repeated", type=float, default=0.0, help="share of images that three people see (0 to 1)"
    )


def _add(commands: Any, name: str, run: Callable[..., Any], text: str) -> argparse.ArgumentParser:
    from ..design.study_plans import USUAL_MINUTES, USUAL_PEOPLE
    from ..elicitation.strategies import SECONDS_A_PAIR

    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text}. {_ABOUT_FILES}"
    )
    parser.add_argument("file", metavar="RANKINGS.csv", nargs="?", default="")
    parser.add_argument("scores", metavar="SCORES.csv", nargs="?", default="")
    parser.add_argument(
        "--difference",
        type=float,
        default=0.03,
        help="of two protocols' losses a pair of methods, from 0 to 1 (default 0.03: three pairs of 100)",
    )
    parser.add_argument("--people", type=int, default=USUAL_PEOPLE, help="at most")
    parser.add_argument("--images", type=int, required=name == "power", help="that there are")
    parser.add_argument("--power", type=float, default=0.8, help="how often it should be found")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument(
        "--protocols",
        type=int,
        default=2,
        help="tested in pairs; alpha is divided by the number of pairs",
    )
    parser.add_argument(
        "--criterion", choices=("recall", "precision", "preference"), default="preference"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS_A_PAIR, help="an answer takes")
    parser.add_argument(
        "--methods", type=_n_methods, help="that are ranked (default: the pilot's, else ten)"
    )
    parser.add_argument(
        "--screens", type=float, help="a whole ranking takes (default: by the number of methods)"
    )
    parser.add_argument(
        "--minutes", type=float, default=USUAL_MINUTES, help="a person needs before the first pair"
    )
    parser.add_argument(
        "--decimals", type=int, choices=range(MAX_DECIMALS + 1), default=4, metavar="N",
        help="to which a pilot's scores are rounded",
    )  # fmt: skip
    add_codes(parser)
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.set_defaults(run=run, read=str)
    return parser


def _plan(path: str, options: argparse.Namespace) -> dict[str, Any] | str:
    from ..design.kinds import kinds_table
    from ..design.pilots import USUAL_METHODS
    from ..design.reach import hours_in_words, reach_of_hours
    from ..design.study_plans import plan, plan_table
    from ..output.table import as_columns

    pilot, question = _asked(path, options)
    found = plan(pilot, question)
    within = None if options.hours is None else reach_of_hours(pilot, question, options.hours)
    if options.json:
        own = {} if within is None else {"within_hours": [asdict(one) for one in within]}
        return {**found.to_json(), **own}
    budget = () if within is None else hours_in_words(within, question, options.hours)
    lines = (prose(line, sys.stdout) for line in (*budget, *found.remarks))
    kinds = kinds_table(round(pilot.methods or USUAL_METHODS))
    return "\n".join([as_columns(plan_table(found)), *lines, "", as_columns(kinds)])


def _power(path: str, options: argparse.Namespace) -> dict[str, Any] | str:
    from ..design.designs import Design
    from ..design.reach import reach
    from ..design.study_plans import ASKED, in_100

    design = Design(options.images, options.people, options.per_image, options.repeated)
    pilot, question = _asked(path, options)
    found = reach(pilot, question, design)
    if options.json:
        return {
            "origin": pilot.origin,
            "reach": [asdict(one) for one in found],
            "remarks": list(pilot.remarks),
        }
    lines = [
        f"{ASKED[one.asking]}, {one.answers} answers: a difference of {in_100(question.difference)} "
        f"in 100 pairs is found in {100 * one.power:.0f} % of studies; "
        + ("none" if one.least is None else f"one of {100 * one.least:.3g}")
        + f" in {100 * question.share:g} %."
        for one in found
    ]
    return "\n".join([*(prose(line, sys.stdout) for line in (*lines, *pilot.remarks)), ""])


def _n_methods(text: str) -> int:
    n = int(text) if text.isdecimal() else 0
    if not 2 <= n <= _MOST_METHODS:
        raise argparse.ArgumentTypeError(f"expected a number from 2 to {_MOST_METHODS}, got {text}")
    return n


def _asked(path: str, options: argparse.Namespace) -> tuple[Any, Any]:
    """Return the pilot and the question of a plan."""
    from ..design.pilots import TEN_METHODS, USUAL_METHODS, demo_pilot, ties_of
    from ..design.study_plans import Question
    from ..elicitation.strategies import pairs_of_ranking
    from ..errors import RankingError

    rankings: Mapping[str, Mapping[str, Ranking]] = {}
    n_methods, tied = options.methods, 0.0
    if path:
        from .answer_files import read_rankings

        if not options.scores:
            raise RankingError("a pilot needs its protocols' scores, too: give SCORES.csv")

        tell = partial(print, file=sys.stderr)
        read = read_rankings(path, tell, codes=options.codes)
        rankings = read.get(options.criterion) or {}
        # A screen asks all criteria, and is needed while one of them is open.
        tied = min(map(ties_of, filter(None, read.values())), default=0.0)
        if not rankings:
            raise RankingError(f"there is no ranking by {options.criterion}")
        of_pilot = max(
            sum(map(len, ranking)) for of in rankings.values() for ranking in of.values()
        )
        n_methods = n_methods or max(2, of_pilot)
    pilot = _pilot(path, rankings, options) if path else demo_pilot()
    if n_methods is None and options.screens is None:
        pilot = replace(pilot, remarks=(*pilot.remarks, TEN_METHODS))
    if n_methods is not None:
        pilot = pilot.for_methods(n_methods)
    return pilot, Question(
        difference=options.difference,
        people=options.people,
        share=options.power,
        n_protocols=options.protocols,
        alpha=options.alpha,
        images=options.images,
        screens=pairs_of_ranking(n_methods or USUAL_METHODS, tied)
        if options.screens is None
        else options.screens,
        seconds=options.seconds,
        minutes_a_person=options.minutes,
    )


def _pilot(
    path: str, rankings: Mapping[str, Mapping[str, Ranking]], options: argparse.Namespace
) -> Any:
    from ..agreement.report import Settings
    from ..design.pilots import pilot_of_rankings
    from .answer_files import read_declared
    from .files import read_plain_scores

    return pilot_of_rankings(
        rankings,
        read_plain_scores(options.scores),
        options.criterion,
        Settings(decimals=options.decimals),
        declared=read_declared(path),
    )
