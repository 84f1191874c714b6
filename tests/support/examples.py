"""Numbers of examples for property tests, and examples that many tests share."""

import inspect
from collections.abc import Callable
from copy import deepcopy
from functools import cache, wraps
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

USUAL = 20


def scaled(n_examples: int) -> int:
    """Return the number in a default run; other profiles scale it in proportion."""
    return max(1, n_examples * settings.default.max_examples // USUAL)


@cache
def examples_of(strategy: st.SearchStrategy[Any], n_examples: int) -> list[Any]:
    """Draw this many examples, the same ones for all tests of a process."""
    drawn = []

    @settings(
        max_examples=n_examples,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(example: Any) -> None:
        drawn.append(example)

    draw()
    return drawn


def given_shared(**strategies: st.SearchStrategy[Any]) -> Callable[[Callable], Callable]:
    """Give a test examples as `hypothesis.given` does, but draw them once for all tests.

    Drawing takes longer than most tests of a protocol. The thorough profile draws again for each
    test, and shrinks failures.
    """
    if settings.get_current_profile_name() == "thorough":
        return given(**strategies)

    def decorate(test: Callable) -> Callable:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            n_examples = settings.default.max_examples
            drawn = [examples_of(strategy, n_examples) for strategy in strategies.values()]
            for values in zip(*drawn, strict=False):
                example = dict(zip(strategies, values, strict=True))
                try:
                    test(**fixtures, **deepcopy(example))
                except Exception as error:
                    error.add_note(f"The example: {example}")
                    raise

        signature = inspect.signature(test)
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[
                parameter
                for name, parameter in signature.parameters.items()
                if name not in strategies
            ]
        )
        return run

    return decorate
