"""The command line of ``text-rankings judge``."""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..base.options import Program, output_ended
from .budget import Budget
from .errors import Refused, Stopped
from .judges import Command, Model
from .prompt import filled, usual_prompt
from .running import Run, parts_sent
from .site import Site
from .web import checked_address

_DONE, _FAILED, _REFUSED = 0, 1, 2
_FORMATS: Final = ("text", "json", "schema")
_CRITERIA: Final = ("recall", "precision", "preference")
_PARTS: Final = ("plain", "left", "right", "both", "crops", *(f"crop-{n}" for n in range(1, 7)))
# The host in a release for a command, which may send pictures anywhere.
_COMMAND_HOST: Final = "command"
_N_SHOWN: Final = 3


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 done or budget reached, 2 refused, 1 anything else."""
    options = _parser().parse_args(arguments)
    try:
        _judge(options)
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        return _REFUSED
    except Stopped as stopped:
        print(stopped, file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        return _FAILED
    except OSError as fault:
        return output_ended(fault)
    return _DONE


def _judge(options: argparse.Namespace) -> None:
    checked_address(options.site)
    host = _COMMAND_HOST
    if options.command is None:
        host = checked_address(options.model_url).hostname or ""
    site = Site(options.site, _from_environment(options.token_env))
    # Before anything is made, and before the model hears of it.
    released = site.released_hosts(options.study)
    if host not in released:
        raise Refused(
            f"The pictures of {options.study} are not released to {host}, but to "
            f"{', '.join(released)}. An admin releases them."
        )
    settings = _settings(options, host)
    judge = site.judge(options.study, settings)
    if options.dry_run:
        _dry_run(options, site, judge)
        return
    budget = Budget(
        max_requests=options.max_requests,
        max_tokens=options.max_tokens_total,
        max_cost=options.max_cost,
        price_in=options.price_in or 0.0,
        price_out=options.price_out or 0.0,
        most_out=options.max_tokens if options.command is None else 0,
    )
    run = Run(
        site,
        judge,
        _asked(options, settings, budget),
        budget,
        parallel=options.parallel,
        allow_change=options.allow_change,
    )
    try:
        run.go()
    finally:
        _print_summary(run)


def _asked(
    options: argparse.Namespace, settings: Mapping[str, Any], budget: Budget
) -> Model | Command:
    if options.command is not None:
        return Command(shlex.split(options.command), options.timeout, budget)
    return Model(
        address=options.model_url,
        model=options.model,
        prompt=settings["prompt"],
        sampling=settings["sampling"],
        answer_format=options.answer_format,
        timeout=options.timeout,
        budget=budget,
        key=_from_environment(options.key_env) if options.key_env else "",
    )


def _print_summary(run: Run) -> None:
    budget = run.budget
    summary = {
        "judge": run.judge["id"],
        "name": run.judge["name"],
        "outcomes": dict(run.counts),
        "left": run.n_left,
        "requests": budget.n_requests,
        "tokens_in": budget.tokens_in,
        "tokens_out": budget.tokens_out,
        "cost": round(budget.cost, 6),
        "ended_by": run.reason or None,
    }
    print(json.dumps(summary), flush=True)


def _dry_run(options: argparse.Namespace, site: Site, judge: Mapping[str, Any]) -> None:
    found = site.tasks(judge["id"], _N_SHOWN)
    n_each = len(judge["criteria"]) if options.one_by_one else 1
    sizes = []
    for task in found["tasks"]:
        for part in parts_sent(judge["parts"], task["parts"]):
            content = site.picture(judge["id"], task["task"], part)
            sizes.append(len(content))
            if options.out:
                options.out.mkdir(parents=True, exist_ok=True)
                (options.out / f"{task['task']}-{part}.png").write_bytes(content)
    n_left, n_seen = found["n_left"], max(len(found["tasks"]), 1)
    if options.command is None:
        print(filled(judge["prompt"], found["questions"]), file=sys.stderr)
    counts = {
        "images": found["n_images"],
        "pairs": found["n_pairs"],
        "tasks": n_left,
        "requests": n_left * n_each,
        # Of what the first tasks have.
        "pictures_about": len(sizes) * n_left * n_each // n_seen,
        "bytes_about": sum(sizes) * n_left * n_each // n_seen,
    }
    if options.price_out is not None:
        most = options.max_tokens * options.price_out / 1e6 * counts["requests"]
        counts["cost_of_answers_at_most"] = round(most, 6)
    print(json.dumps(counts), flush=True)


_SAMPLING: Final = ("temperature", "seed", "max_tokens", "one_by_one")
# Options that have the names of the site's settings.
_SETTINGS: Final = (
    *("parts", "max_side", "answer_format", "pairs", "orders", "repeats", "criteria"),
    *("sees_truth", "tuned_on", "price_in", "price_out", "margin"),
)


def _settings(options: argparse.Namespace, host: str) -> dict[str, Any]:
    """Return what the site stores of the judge: no key, no path."""
    prompt = ""
    if options.command is None:
        prompt = options.prompt or usual_prompt(options.parts)
        if "{questions}" not in prompt:
            raise Refused("The prompt needs {questions}, the place of the study's questions.")
    images = options.images
    return {
        **{name: getattr(options, name) for name in _SETTINGS},
        "name": options.name or options.model or "command",
        "kind": "model" if options.command is None else "command",
        "model": options.model or "",
        "host": host,
        "prompt": prompt,
        "sampling": {name: getattr(options, name) for name in _SAMPLING},
        "images": None if isinstance(images, int) else images,
        "n_images": images if isinstance(images, int) else None,
    }


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise argparse.ArgumentTypeError(f"{Path(path).name} cannot be read: {fault}") from None


def _lines(path: str) -> list[str]:
    return _text(path).split("\n")


def _images(text: str) -> int | list[str]:
    return int(text) if text.isdecimal() else _lines(text)


def _from_environment(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise Refused(f"The environment has no variable {name}.")
    return value


def _parser() -> Program:
    parser = Program(
        "text-rankings judge",
        description="Let a model or a command answer the pairs of a study. Its answers stand apart from "
        "people's. The pictures go to hosts that an admin released them to, and the same command goes on "
        "where an earlier run ended.",
        examples=(
            "text-rankings judge street --site http://127.0.0.1:8000 --token-env TOKEN "
            "--model-url http://127.0.0.1:8001/v1 --model my-model --dry-run",
        ),
    )
    parser.add_argument("study", metavar="STUDY", help="the study, as in its address")
    parser.add_argument("--site", required=True, metavar="URL", help="the address of the site")
    parser.add_argument(
        "--token-env", required=True, metavar="NAME", help="variable with a token for programs"
    )
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--model-url", metavar="URL", help="a server of chat completions: .../v1")
    asked.add_argument("--command", metavar="COMMAND", help="a program that answers line by line")
    parser.add_argument("--model", metavar="NAME", help="the model's name, as the server knows it")
    parser.add_argument("--key-env", metavar="NAME", help="variable with the model server's key")
    parser.add_argument("--name", help="the judge's name (the model's)")
    _add_choice(parser)
    _add_request(parser)
    _add_limits(parser)
    return parser


def _add_choice(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("what is asked").add_argument
    add("--pairs", default="people", metavar="KIND", help="all, people or sample:N (people)")
    add(
        "--images",
        type=_images,
        metavar="FILE",
        help="a file with names, or a number of images to draw",
    )
    add("--criteria", default=",".join(_CRITERIA), type=_names(_CRITERIA), help="(all)")
    add("--one-by-one", action="store_true", help="one request for each criterion")
    add("--orders", choices=("both", "one"), default="both", help="sides of each pair (both)")
    add("--repeats", type=_positive, default=1, metavar="N", help="the same request again (1)")
    add("--sees-truth", action="store_true", help="tasks of a command hold the ground truth")
    add(
        "--tuned-on",
        type=_lines,
        default=[],
        metavar="FILE",
        help="names of images that it was tuned on",
    )
    add("--margin", type=float, default=0.05, help="of pairs, to stand in for a person (0.05)")


def _add_request(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("how it is asked").add_argument
    add("--parts", default="both", type=_names(_PARTS), help="pictures of a request (both)")
    add("--max-side", type=_positive, default=1024, metavar="PIXELS", help="of a panel (1024)")
    add("--prompt", type=_text, metavar="FILE", help="text with {questions} and {criteria}")
    add("--format", dest="answer_format", choices=_FORMATS, default=_FORMATS[0], help="(text)")
    add("--temperature", type=float, default=0.0, help="as sent (0)")
    add("--seed", type=int, default=1, help="as sent (1)")
    add("--max-tokens", type=_positive, default=1024, metavar="N", help="as sent (1024)")
    add("--timeout", type=_positive, default=120, metavar="SECONDS", help="of a request (120)")
    add("--parallel", type=_positive, default=4, metavar="N", help="requests at once (4)")
    add("--allow-change", action="store_true", help="go on if the server's model changes")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("when it ends").add_argument
    add("--max-requests", type=_positive, metavar="N")
    add("--max-tokens-total", type=_positive, metavar="N")
    add("--max-cost", type=float, metavar="COST", help="in the unit of the prices")
    add("--price-in", type=float, metavar="PRICE", help="per million tokens")
    add("--price-out", type=float, metavar="PRICE", help="per million tokens")
    add("--dry-run", action="store_true", help="count, show the prompt, do not ask the model")
    add("--out", type=Path, metavar="DIR", help="with --dry-run: three tasks' pictures")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _names(known: Sequence[str]) -> Any:
    def checked(text: str) -> list[str]:
        names = text.split(",")
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(known)}")
        return names

    return checked
