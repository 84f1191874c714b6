"""Cases of one rule in one test, which reports all that fail."""

import inspect
import json
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest


def cases(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable], Callable]:
    """Run a test for each row, as `pytest.mark.parametrize` does, but as one test.

    All cases run; those that fail are raised together. For tests whose other arguments, if any, the
    cases may share.
    """
    named = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    given = [dict(zip(named, row if len(named) > 1 else [row], strict=True)) for row in rows]
    assert given, f"no case of {names}"

    def decorate(test: Callable) -> Callable:
        @wraps(test)
        def run(*itself: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            skipped: list[BaseException] = []
            for case in given:
                try:
                    test(*itself, **fixtures, **case)
                except pytest.skip.Exception as left_out:
                    skipped.append(left_out)
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"The case: {case}")
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(given)} cases fail", failures)
            if skipped and len(skipped) == len(given):
                raise skipped[0]

        signature = inspect.signature(test)
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[one for name, one in signature.parameters.items() if name not in named]
        )
        return run

    return decorate


def listed(module: str, table: str) -> list[Any]:
    """Return the cases of a long table, from the JSON file next to a test module."""
    return json.loads(Path(module).with_suffix(".json").read_text(encoding="utf-8"))[table]
