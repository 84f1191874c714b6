"""``python -m rankings analyse``: everything a report computes, from two CSV files."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from text_rankings.base.options import add_options, chosen_engine, prose

from ..agreement.settings import Declared, Settings, declared_settings
from ..elicitation.pairs import Codes, codes_of
from ..errors import RankingError
from ..inference.resampling import N_RESAMPLES, SEED

# Fewer images than this take less time than starting processes for them.
FEW_IMAGES: Final = 150


def whole_number(text: str) -> int:
    """Parse an option's value as a whole number, 0 or more.

    Raises ArgumentTypeError if it is negative; the parser reports it.
    """
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must not be negative: {number}")
    return number


def add_settings(parser: argparse.ArgumentParser, *only: str) -> None:
    """Add options for the settings of a report, or for some of them."""
    for name, declared in declared_settings().items():
        if not only or name in only:
            parser.add_argument(
                f"--{name.replace('_', '-')}",
                type=_reader(declared),
                choices=list(declared.choices) if declared.is_closed else None,
                default=declared.default,
                help=declared.help,
            )


def _reader(declared: Declared) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        return declared.parsed(text)

    # The parser names it when a text is not valid.
    read.__name__ = type(declared.default).__name__
    return read


def add_computing(parser: argparse.ArgumentParser) -> None:
    """Add options for the seed and the engine."""
    parser.add_argument("--seed", type=whole_number, default=SEED)
    add_options(parser)


def add_codes(parser: argparse.ArgumentParser) -> None:
    """Add the option for codes of verdicts in answers."""
    parser.add_argument(
        "--codes",
        type=_codes,
        default=None,
        metavar="CODE=VERDICT,...",
        help="what numbers (or a choice of Label Studio) mean as a verdict: 0=left,1=right,2=equal",
    )


def _codes(text: str) -> Codes:
    try:
        return codes_of(text)
    except RankingError as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings given by the options."""
    return Settings(**{name: getattr(options, name) for name in declared_settings()})


def add_analyse(commands: Any) -> None:
    """Add the command ``analyse``."""
    text = (
        "what may be said of the protocols, and all tables of a report. RANKINGS.csv has the columns "
        "image, annotator, criterion and buckets (a list of lists, as JSON), like the raw data of a "
        "study; or image, annotator, method_a, method_b and verdict (left, right or equal), or model_a, "
        "model_b and winner, as other tools have them. It may have group (the annotator's site) and "
        "scene (the image's), whose members resemble each other. SCORES.csv has protocol, method, image, "
        "recall and precision, as text-protocols score and the raw data write them."
    )
    parser = commands.add_parser("analyse", help=text.partition(". ")[0], description=text)
    parser.add_argument("file", metavar="RANKINGS.csv")
    parser.add_argument("scores", metavar="SCORES.csv")
    parser.add_argument("--json", action="store_true", help="JSON instead of tables")
    parser.add_argument(
        "--resamples", type=whole_number, default=N_RESAMPLES, metavar="N", help="of the intervals"
    )
    parser.add_argument(
        "--sentinel",
        action="append",
        default=[],
        metavar="PROTOCOL",
        help="looks at no ground truth: warn of protocols that are farther; may be repeated",
    )
    add_codes(parser)
    add_settings(parser)
    add_computing(parser)
    parser.set_defaults(run=_analyse, read=str)


def _analyse(path: str, options: argparse.Namespace) -> dict[str, Any] | str:
    # Statistics take a while to load, and the other commands are called often.
    from ..analysis.analysis import analyse
    from ..analysis.meeting import require_names_that_meet
    from ..inference.clusters import Declared
    from ..output.signature import signed_counts
    from .answer_files import read_declared, read_rankings
    from .files import read_plain_scores

    rankings = read_rankings(path, partial(print, file=sys.stderr), codes=options.codes)
    scores = read_plain_scores(options.scores)
    require_names_that_meet(rankings, scores)
    named = {protocol for of_image in scores.values() for protocol in of_image}
    strangers = sorted(set(options.sentinel) - named)
    if strangers:
        raise RankingError(f"{options.scores} has no protocol {strangers[0]}")
    n_images = sum(map(len, rankings.values()))
    if options.workers is None and n_images < FEW_IMAGES:
        options.workers = 1
    with chosen_engine(options, preload=["rankings.analysis.analysis"]) as engine:
        answer = analyse(
            rankings,
            scores,
            settings_of(options),
            sentinels=options.sentinel,
            other_consensuses=("mean-rank", "kemeny"),
            n_resamples=options.resamples,
            seed=options.seed,
            declared=Declared() if path == "-" else read_declared(path),
            executor=engine,
        ).to_json()
    answer |= signed_counts(answer["settings"], rankings)
    return answer if options.json else _as_text(answer)


def _as_text(data: Mapping[str, Any]) -> str:
    """Return an analysis as the sentences and tables of a report, in plain text."""
    from ..output.analysis_tables import tables_of
    from ..output.signature import SIGNATURE
    from ..output.table import as_columns
    from ..output.verdict_tables import VERDICTS

    tables = [table for table in tables_of(data) if table.slug != VERDICTS]
    said = [*_said(data), f"{data[SIGNATURE]}\n", *_paper(data)]
    return "\n".join([*said, *map(as_columns, tables)])


def _said(data: Mapping[str, Any]) -> Iterator[str]:
    from ..analysis.verdicts import for_whom, verdicts

    for verdict in verdicts(data):
        yield f"By {verdict.criterion}"
        yield from (prose(sentence, sys.stdout, "  ") for sentence in verdict.sentences)
    yield from (f"{prose(text, sys.stdout)}\n" for text in [for_whom(data)] if text)


def _paper(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield Best, Worst and Score of each criterion, and why images were left out."""
    from ..agreement.main_table import row_from_json
    from ..output.table import Table, as_columns, main_columns

    for criterion, table in data["criteria"].items():
        rows = tuple(row_from_json(row).cells for row in (*table["rows"], *table["baselines"]))
        note = f"{table['n_images']} images, {table['n_rankings']} rankings."
        yield as_columns(Table(criterion, criterion.capitalize(), note, main_columns(), rows))
        for left_out in table["left_out"]:
            yield f"{left_out['image']} is left out: {left_out['reason']}"
