"""The package's command line: ``python -m rankings COMMAND FILE.json``."""

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, get_args

from text_rankings.base.errors import EngineError
from text_rankings.base.options import (
    Program,
    as_typed,
    chosen_engine,
    interrupted,
    output_ended,
    prose,
)

from . import __version__
from .agreement.report import Settings, build_report
from .command_line.analyse import (
    FEW_IMAGES,
    add_analyse,
    add_codes,
    add_computing,
    add_settings,
    settings_of,
    whole_number,
)
from .command_line.judges import add_judges
from .command_line.plan import add_plans
from .command_line.simulate import add_simulation
from .command_line.write_preflib import add_preflib
from .consensus.rules import CONSENSUS_METHODS, agreed
from .elicitation.careful import settle_carefully, simulate_carefully
from .elicitation.log import CRITERIA, Answer, Entry, Skip, State, replay, simulate
from .elicitation.partial_order import Verdict, verdict_of
from .elicitation.strategies import Strategy
from .errors import RankingError
from .inference.resampling import N_RESAMPLES, SEED
from .orders.buckets import Ranking, bucket_of, checked, methods_of
from .orders.distances import kemeny_distance, kendall_tau_b
from .orders.edit_distance import edit_distance, edit_script

_DONE, _NOT_DONE, _BAD_INPUT = 0, 1, 2
_PLAIN = "all"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns 0 on success, 1 if something was not computed, 2 if the input cannot be read. Arguments are
    those after the program's name, by default the process's.
    """
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return interrupted()
    except OSError as fault:
        return output_ended(fault)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        answer = options.run(options.read(options.file), options)
    except (RankingError, _BadInput) as refusal:
        # Tables are named by their own sentences.
        said = f"{options.file}: {refusal}" if options.read is _read else str(refusal)
        print(prose(said, sys.stderr), file=sys.stderr)
        return _BAD_INPUT
    except EngineError as refusal:
        print(prose(str(refusal), sys.stderr), file=sys.stderr)
        return _NOT_DONE
    if isinstance(answer, str):
        sys.stdout.write(answer)
        return _DONE
    json.dump(answer, sys.stdout, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")
    return _DONE


class _BadInput(Exception):
    """The input is not in the format of the command; the message says what was expected."""


def _parser() -> argparse.ArgumentParser:
    name = as_typed("rankings", "text-order")
    parser = Program(
        prog=name,
        description="Rankings are lists of lists of method names, best first. A FILE may be - for "
        "standard input; answers go to standard output.",
        examples=(
            f"{name} analyse rankings.csv scores.csv",
            f"{name} plan --people 6 --images 60",
            f"{name} consensus --method kemeny - < rankings.json",
        ),
    )
    parser.add_completions(__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[..., Any], text: str) -> argparse.ArgumentParser:
        subparser = commands.add_parser(name, help=text, description=text)
        subparser.add_argument("file", metavar="FILE.json")
        subparser.set_defaults(run=run, read=_read)
        return subparser

    command("distance", _distance, 'distances and edit script of a list of {"a", "b"} rankings')
    consensus = command("consensus", _consensus, "consensus of each list of rankings")
    consensus.add_argument("--method", choices=CONSENSUS_METHODS, default="mean-rank")
    report = command(
        "report",
        _report,
        "Best / Worst / Score. annotator_rankings is {image: [ranking]} with plain scores "
        f'(one table named "{_PLAIN}"), or {{criterion: {{image: [ranking]}}}} with '
        '{"recall", "precision"} scores.',
    )
    report.add_argument(
        "--bootstrap",
        type=whole_number,
        default=N_RESAMPLES,
        metavar="N",
        help=f"resamples of the intervals ({N_RESAMPLES}); 0: the tables alone",
    )
    add_settings(report)
    add_computing(report)
    add_analyse(commands)
    add_judges(commands)
    _add_detectors(commands)
    add_preflib(commands)
    add_plans(commands)
    add_simulation(commands)
    for planner in (
        command("elicit", _elicit, "let a simulated annotator answer by known rankings"),
        command("next", _next, "the pair to show next, or the finished rankings"),
    ):
        planner.add_argument("--strategy", choices=get_args(Strategy), default="insertion")
    return parser


def _add_detectors(commands: Any) -> None:
    text = (
        "where the methods stand over a dataset, by people and by every protocol. RANKINGS.csv has the "
        "columns image, annotator, criterion and buckets (a list of lists, as JSON), like the raw data "
        "of a study; SCORES.csv protocol, method, image, recall and precision, and where known "
        "recalled, n_truth, precise and n_detections, as text-protocols score --sums writes them."
    )
    parser = commands.add_parser("detectors", help=text.partition(". ")[0], description=text)
    parser.add_argument("file", metavar="RANKINGS.csv")
    parser.add_argument("scores", metavar="SCORES.csv")
    parser.add_argument("--json", action="store_true", help="JSON instead of tables")
    add_settings(parser, "decimals", "beta", "min_annotators")
    parser.set_defaults(min_annotators=1)
    parser.add_argument("--permutations", type=whole_number, metavar="N")
    parser.add_argument("--resamples", type=whole_number, metavar="N")
    parser.add_argument("--seed", type=whole_number, default=SEED)
    add_codes(parser)
    parser.set_defaults(run=_detectors, read=str)


def _detectors(path: str, options: argparse.Namespace) -> dict[str, Any] | str:
    from .command_line.answer_files import read_declared, read_rankings
    from .command_line.files import as_text, read_scores
    from .detectors.soft_accuracy import Options
    from .detectors.standings import detectors
    from .output.signature import SIGNATURE, signed_counts

    settings = Options(
        beta=options.beta,
        decimals=options.decimals,
        n_permutations=options.permutations,
        n_resamples=options.resamples,
        seed=options.seed,
    )
    rankings = read_rankings(
        path, partial(print, file=sys.stderr), codes=options.codes, whole=False
    )
    answer = detectors(
        rankings,
        read_scores(options.scores),
        settings,
        min_annotators=options.min_annotators,
        declared=read_declared(path),
    ).to_json()
    given = {name: getattr(options, name) for name in ("decimals", "beta", "min_annotators")}
    answer |= signed_counts(given, rankings)
    return answer if options.json else f"{answer[SIGNATURE]}\n\n{as_text(answer)}"


def _read(path: str) -> Any:
    try:
        if path == "-":
            return json.load(sys.stdin)
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file)
    except OSError as fault:
        raise _BadInput(f"cannot be read: {fault.strerror}") from fault
    except ValueError as fault:
        raise _BadInput(f"is not JSON: {fault}") from fault


def _list(data: Any, what: str) -> list[Any]:
    # The case files of a test suite wrap their list in an object.
    if isinstance(data, dict) and isinstance(data.get("cases"), list):
        return list(data["cases"])
    if not isinstance(data, list):
        raise _BadInput(f"expected a list of {what}")
    return data


def _get(item: Any, key: str, place: str) -> Any:
    if not isinstance(item, dict) or key not in item:
        raise _BadInput(f'{place} lacks "{key}"')
    return item[key]


def _each(data: Any, what: str, answer: Callable[[Any, str], Any]) -> list[Any]:
    """Return the answers to the items of a list, each with its position as a name for errors."""
    answers = []
    for at, item in enumerate(_list(data, what)):
        place = f"item {at}"
        try:
            answers.append(answer(item, place))
        except RankingError as refusal:
            raise _BadInput(f"{place}: {refusal}") from refusal
    return answers


def _distance(data: Any, options: argparse.Namespace) -> list[dict[str, Any]]:
    return _each(data, 'objects with "a" and "b"', _distances)


def _distances(item: Any, place: str) -> dict[str, Any]:
    a, b = (checked(_get(item, key, place)) for key in ("a", "b"))
    apart = edit_distance(a, b)
    return {
        "distance": apart.distance,
        "swaps": apart.swaps,
        "splits": apart.splits,
        "merges": apart.merges,
        "kemeny": kemeny_distance(a, b),
        "tau_b": kendall_tau_b(a, b),
        "script": [
            {"edit": step.edit, "cost": step.cost, "ranking": step.ranking}
            for step in edit_script(a, b)
        ],
    }


def _consensus(data: Any, options: argparse.Namespace) -> list[Any]:
    def answer(item: Any, place: str) -> Ranking | None:
        found = agreed(_list(item, "rankings"), options.method)
        if found.note:
            print(f"{place}: {found.note}", file=sys.stderr)
        return found.ranking

    return _each(data, "lists of rankings", answer)


def _report(data: Any, options: argparse.Namespace) -> dict[str, Any]:
    settings = settings_of(options)
    rankings = _get(data, "annotator_rankings", "the file")
    scores = _get(data, "protocol_scores", "the file")
    try:
        if set(rankings) <= set(CRITERIA):
            pairs = {
                image: {
                    protocol: {
                        method: (score["recall"], score["precision"])
                        for method, score in of_method.items()
                    }
                    for protocol, of_method in of_protocol.items()
                }
                for image, of_protocol in scores.items()
            }
            return _reported(rankings, pairs, settings, options)
        # A plain score takes the place of recall, which is used unchanged.
        values = {
            image: {
                protocol: {method: (value, None) for method, value in of_method.items()}
                for protocol, of_method in of_protocol.items()
            }
            for image, of_protocol in scores.items()
        }
        report = _reported({"recall": rankings}, values, settings, options)
        return {
            name: {_PLAIN: part["recall"]} if name in ("criteria", "analysis") else part
            for name, part in report.items()
        }
    except (AttributeError, KeyError, TypeError) as fault:
        raise _BadInput(
            f"annotator_rankings or protocol_scores has another shape: {fault}"
        ) from fault


def _reported(
    rankings: Any, scores: Any, settings: Settings, options: argparse.Namespace
) -> dict[str, Any]:
    from .output.signature import signed_counts

    named = {
        criterion: {
            image: {str(at): ranking for at, ranking in enumerate(of_image, 1)}
            for image, of_image in of_criterion.items()
        }
        for criterion, of_criterion in rankings.items()
    }
    signed = signed_counts(asdict(settings), named)
    if not options.bootstrap:
        return {**signed, **build_report(rankings, scores, settings).to_json()}
    # Statistics take a while to load, and the other commands are called often.
    from .analysis.analysis import analyse

    if options.workers is None and sum(map(len, named.values())) < FEW_IMAGES:
        options.workers = 1
    with chosen_engine(options, preload=["rankings.analysis.analysis"]) as engine:
        analysis = analyse(
            named,
            scores,
            settings,
            n_resamples=options.bootstrap,
            seed=options.seed,
            executor=engine,
        )
    return {**signed, **analysis.to_json()}


def _elicit(data: Any, options: argparse.Namespace) -> list[dict[str, Any]]:
    elicited = partial(_elicited, strategy=options.strategy)
    return _each(data, 'objects with "items" and "truth"', elicited)


def _elicited(case: Any, place: str, strategy: Any) -> dict[str, Any]:
    items = _names(_get(case, "items", place), place)
    truth = _get(case, "truth", place)
    rng = random.Random(case.get("seed", 0))
    if "seed" in case:
        rng.shuffle(items)
    places = {}
    for criterion in CRITERIA:
        ranking = checked(_get(truth, criterion, f"{place}, truth"))
        if methods_of(ranking) != set(items):
            raise RankingError(f"the {criterion} ranking is not of the items")
        places[criterion] = bucket_of(ranking)
    flip = case.get("flip", 0.0)

    def answer(left: int, right: int, criterion: str) -> Verdict:
        return _noisy(verdict_of(places[criterion], items[left], items[right]), flip, rng)

    is_careful = strategy == "careful"
    n = len(items)
    log = simulate_carefully(n, answer) if is_careful else simulate(n, answer, strategy)
    answers = [entry for entry in log if isinstance(entry, Answer)]
    rankings = _replayed(n, log, strategy).rankings() or {}
    return {
        "screens": len(answers),
        "questions": sum(len(entry.verdicts) for entry in answers),
        "rankings": {name: _named(ranking, items) for name, ranking in rankings.items()},
        "pairs": [[items[entry.left], items[entry.right]] for entry in answers],
    }


def _replayed(n: int, log: Sequence[Entry], strategy: Strategy) -> State:
    return settle_carefully(n, log).state if strategy == "careful" else replay(n, log)


def _noisy(verdict: Verdict, flip: float, rng: random.Random) -> Verdict:
    """Return one of the two other verdicts with probability ``flip``."""
    if not flip or rng.random() >= flip:
        return verdict
    values: tuple[Verdict, ...] = ("left", "equal", "right")
    return [value for value in values if value != verdict][rng.random() < 0.5]


def _next(data: Any, options: argparse.Namespace) -> dict[str, Any]:
    items = _names(_get(data, "items", "the file"), "items")
    if "seed" in data:
        random.Random(data["seed"]).shuffle(items)
    log = [
        _entry(entry, items, f"answer {at}")
        for at, entry in enumerate(_list(data.get("answers", []), "answers"))
    ]
    state = _replayed(len(items), log, options.strategy)
    pair = state.next_pair(options.strategy)
    if pair is None:
        rankings = {name: state.ranking(name) for name in CRITERIA}
        return {
            "rankings": {
                name: None if ranking is None else _named(ranking, items)
                for name, ranking in rankings.items()
            }
        }
    remaining = state.remaining(options.strategy)
    return {
        "left": items[pair[0]],
        "right": items[pair[1]],
        "open": state.open_criteria(*pair),
        "implied": state.implied(*pair),
        "remaining": {
            "least": remaining.least,
            "expected": remaining.expected,
            "most": remaining.most,
        },
    }


def _names(items: Any, place: str) -> list[str]:
    names = _list(items, "item names")
    if not all(isinstance(name, str) for name in names):
        raise _BadInput(f"{place}: items are named by text")
    if len(set(names)) != len(names):
        raise _BadInput(f"{place}: an item is named twice")
    return names


def _entry(entry: Any, items: Sequence[str], place: str) -> Answer | Skip:
    if isinstance(entry, dict) and "skip" in entry:
        pair = _list(entry["skip"], "two items")
        if len(pair) != 2:
            raise _BadInput(f"{place}: a skip names two items")
        return Skip(_number(pair[0], items, place), _number(pair[1], items, place))
    left = _number(_get(entry, "left", place), items, place)
    right = _number(_get(entry, "right", place), items, place)
    return Answer(left, right, {name: entry[name] for name in CRITERIA if entry.get(name)})


def _number(name: Any, items: Sequence[str], place: str) -> int:
    if name not in items:
        raise _BadInput(f"{place}: {name!r} is not one of the items")
    return items.index(name)


def _named(ranking: Sequence[Sequence[int]], items: Sequence[str]) -> list[list[str]]:
    return [[items[item] for item in bucket] for bucket in ranking]


if __name__ == "__main__":
    raise SystemExit(main())
