"""Warnings about protocols that do well although they should not.

The caller passes the names of these protocols, the sentinels. The analysis adds the baseline that
ties everything.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..errors import RankingError
from ..inference.significance import ALPHA
from ..rounding import in_decimals, p_in_words


@dataclass(frozen=True, slots=True)
class SentinelWarning:
    """A sentinel that is nearer to people than a real protocol; ``text`` is the warning."""

    sentinel: str
    protocol: str
    sentinel_loss: float
    protocol_loss: float
    told_apart: bool | None
    text: str


def sentinel_warnings(
    losses: Mapping[str, float | None],
    sentinels: Collection[str],
    *,
    p_values: Mapping[tuple[str, str], float | None] | None = None,
) -> tuple[SentinelWarning, ...]:
    """Warn of every real protocol with a larger mean loss than a sentinel ([PPSBN24]_).

    A sentinel ignores the ground truth, or always ties. If one is nearer to people than a real
    protocol, either the protocol does not measure what people look at, or people's judgements
    depend on something that needs no ground truth, such as the number of boxes.

    ``sentinels`` are names among ``losses``, everything else is a real protocol; a loss of None
    (no images) is ignored. With p-values of tests of two of them, in either order and adjusted, the
    warning says whether chance may explain the difference: not at p-values up to 0.05. The
    largest gap is first, then by name. Raises RankingError if a sentinel is not among the losses;
    the message names it.
    """
    strangers = sorted(set(sentinels) - set(losses))
    if strangers:
        raise RankingError(f"sentinels without a loss: {', '.join(strangers)}")
    warnings = []
    for sentinel in sorted(set(sentinels)):
        for protocol in sorted(set(losses) - set(sentinels)):
            low, high = losses[sentinel], losses[protocol]
            if low is None or high is None or low >= high:
                continue
            p = _p_of(p_values or {}, sentinel, protocol)
            told_apart = None if p is None else p <= ALPHA
            text = _text(sentinel, protocol, low, high, p, told_apart)
            warnings.append(SentinelWarning(sentinel, protocol, low, high, told_apart, text))
    return tuple(
        sorted(
            warnings,
            key=lambda warning: (warning.sentinel_loss - warning.protocol_loss, warning.sentinel),
        )
    )


def _p_of(
    p_values: Mapping[tuple[str, str], float | None], sentinel: str, protocol: str
) -> float | None:
    p = p_values.get((sentinel, protocol))
    return p_values.get((protocol, sentinel)) if p is None else p


def _text(
    sentinel: str, protocol: str, low: float, high: float, p: float | None, told_apart: bool | None
) -> str:
    text = (
        f"{sentinel} cannot know which results are good, and yet it is nearer to people"
        f" ({in_decimals(low, 1)} of 100 pairs ordered differently) than {protocol}"
        f" ({in_decimals(high, 1)})."
        f" Either {protocol} does not measure what people look at,"
        " or this study cannot show it: look at its images, its instructions and its annotators."
    )
    if p is None or told_apart is None:
        return text
    by = f"adjusted {p_in_words(p)}"
    if told_apart:
        return f"{text} Chance hardly explains the difference ({by})."
    return f"{text} The difference may be chance ({by})."
