"""Answers of a model: verdicts for each criterion, or why there are none."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

VERDICTS: Final = ("left", "equal", "right")
MAX_RAW: Final = 8192


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it is stored. Tokens are None if the server does not count them."""

    outcome: str
    verdicts: Mapping[str, str] = field(default_factory=dict)
    raw: str = ""
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0
    # SHA-256 of each picture that was sent.
    pictures: Sequence[str] = ()


def verdicts_in(text: str, criteria: Sequence[str]) -> dict[str, str] | None:
    """Return the verdicts of the last JSON object of a text; None if it has not all of them.

    Other keys are ignored. Nothing is guessed: a later object that is cut off, a key that comes
    twice, or another word than a verdict makes the answer unreadable.
    """
    found = _last_object(text)
    if found is None:
        return None
    given = {name: found.get(name) for name in criteria}
    return given if all(verdict in VERDICTS for verdict in given.values()) else None  # type: ignore[return-value]


def _last_object(text: str) -> dict[str, Any] | None:
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    last, at = None, text.find("{")
    while at >= 0:
        try:
            found, at = decoder.raw_decode(text, at)
            last = found
        except json.JSONDecodeError as fault:
            if fault.pos >= len(text.rstrip()) or fault.msg.startswith("Unterminated"):
                return None
            at += 1
        except (_Twice, RecursionError):
            return None
        at = text.find("{", at)
    return last


class _Twice(Exception):
    pass


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice
    return found


def answer_in(data: Any, criteria: Sequence[str], seconds: float) -> Answer:
    """Read a response of chat completions; ``data`` is its JSON, None if there was none."""
    try:
        choice = data["choices"][0]
        message = choice["message"]
        text, refusal = message.get("content") or "", message.get("refusal") or ""
        reason = str(choice.get("finish_reason") or "")[:40]
    except (AttributeError, IndexError, KeyError, TypeError):
        return Answer("unreadable", raw=_cut(data), seconds=seconds)
    if not isinstance(text, str):
        text = json.dumps(text)
    verdicts = verdicts_in(text, criteria)
    if refusal or reason == "content_filter":
        outcome, verdicts = "refused", None
    elif verdicts is not None:
        outcome = "answered"
    else:
        outcome = "cut off" if reason == "length" else "unreadable"
    usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    return Answer(
        outcome,
        verdicts or {},
        str(refusal or text),
        reason,
        str(data.get("model") or "")[:200],
        str(data.get("system_fingerprint") or "")[:200],
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        seconds,
    )


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 2**31 else None


def _cut(data: Any) -> str:
    return "" if data is None else json.dumps(data)[:MAX_RAW]


def together(answers: Mapping[str, Answer]) -> Answer:
    """Return the answers to single criteria as one row; one that is missing decides the outcome."""
    each = [*answers.values()]
    outcome = next((one.outcome for one in each if one.outcome != "answered"), "answered")
    verdicts = {name: one.verdicts[name] for name, one in answers.items() if one.verdicts}
    reason = next((one.finish_reason for one in each if one.outcome == outcome), "")
    return Answer(
        outcome,
        verdicts if outcome == "answered" else {},
        "\n".join(one.raw for one in each),
        reason,
        each[-1].model,
        each[-1].fingerprint,
        _sum([one.tokens_in for one in each]),
        _sum([one.tokens_out for one in each]),
        sum(one.seconds for one in each),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
