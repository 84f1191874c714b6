"""Pairwise answers in the exports of Argilla, Label Studio and Potato, as rows."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from ..elicitation.log import CRITERIA
from ..elicitation.pairs import (
    METHOD_COLUMNS,
    Codes,
    LeftOut,
    are_pairs,
    has_verdict,
    is_verdict,
    unread_columns,
)
from ..errors import RankingError

Record = Mapping[str, Any]
# A row, or an answer that is not used.
Units = Iterator[dict[str, Any] | LeftOut]

_OF_POTATO: Final = {"A": "left", "B": "right", "tie": "equal"}
# Name of a tool, and the place where the names of image and methods are expected.
_PLACES: Final = {
    "Argilla": "the fields or metadata of its records",
    "Label Studio": "the data of its tasks",
    "Potato": "items in the same file, the lines of Potato's data file",
}
# Columns of Label Studio's own in JSON_MIN and CSV that may be empty.
_NO_TAGS: Final = ("annotator", "agreement", "created_at", "updated_at", "lead_time", "seconds")
# Columns with the answer in tables that are no export.
_VERDICTS: Final = ("verdict", "winner", "buckets")
_RANKS_LOST: Final = (
    "Argilla's client (records.to_json, to_dict) writes a ranking as plain names in the order of the "
    "settings, without ranks and statuses, so the answers are lost in this file; load the records of "
    "Argilla's server API (/api/v1/datasets/ID/records?include=responses), whose answers have value, "
    "rank and status"
)
_NO_STATUS: Final = (
    "Argilla's client writes no status of answers, so drafts and discarded ones count; the records of "
    "the server API have it"
)


@dataclass(frozen=True, slots=True)
class Read:
    """Rows of answers; ``left_out`` are the answers that give none, ``notes`` are for people.

    ``tool`` is empty if the records are rows.
    """

    tool: str
    rows: list[dict[str, Any]]
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def counted(left_out: Iterable[LeftOut]) -> list[str]:
    """Return a sentence for each reason for which answers are left out, with their number."""
    reasons = Counter(reason for _, _, reason in left_out)
    return [
        f"{n} {'answer is' if n == 1 else 'answers are'} left out: {reason}"
        for reason, n in sorted(reasons.items())
    ]


def read_records(records: Sequence[Record], codes: Codes) -> Read:
    """Return the pairwise answers in the export of a tool, or the records if they are rows already.

    A question whose name is no criterion gives one only if there are several. ``codes`` say which
    numbers are verdicts, and which choice of Label Studio means that both are equal. Raises
    RankingError if it is the export of a tool and holds no pairs, or has an unexpected shape.

    ``records`` are those of Argilla's server or of ``Dataset.records.to_json``, tasks of Label Studio
    or rows of its JSON_MIN and CSV, or lines of Potato's export and of its data file together.
    """
    tool, read = next(filter(None, map(_reader, records)), ("", None))
    if read is None:
        return Read("", [dict(record) for record in records], notes=_of_columns(records))
    try:
        units = list(read(records, codes))
    except RankingError:
        raise
    except KeyError as fault:
        raise RankingError(
            f'cannot read this export of {tool}: an answer lacks "{fault.args[0]}"'
        ) from fault
    except (TypeError, AttributeError, ValueError) as fault:
        raise RankingError(
            f"cannot read this export of {tool}: an answer has another shape than {tool} writes"
        ) from fault
    rows = [one for one in units if isinstance(one, dict)]
    left_out = [one for one in units if isinstance(one, tuple)]
    if not rows:
        why = "; ".join(counted(left_out))
        raise RankingError(f"no pairwise answers in the export of {tool}{why and f': {why}'}")
    if not any(map(are_pairs, rows)):
        raise RankingError(
            f"answers of {tool} without methods; image, method_a and method_b are expected in "
            f"{_PLACES[tool]}"
        )
    named = {row.get("criterion") for row in rows}
    if len(named) == 1 and not named <= set(CRITERIA):
        rows = [row | {"criterion": ""} for row in rows]
    is_of_client = any(isinstance(record.get("responses"), Mapping) for record in records)
    return Read(tool, rows, left_out, [_NO_STATUS] if is_of_client else [])


def _of_columns(rows: Sequence[Record]) -> list[str]:
    """Return a note on the columns of pairs that are not read, where they have values."""
    columns = dict.fromkeys(name for row in rows if are_pairs(row) for name in row)
    unread = [name for name in unread_columns(columns) if any(row.get(name) for row in rows)]
    if not unread:
        return []
    known = "image, annotator, criterion, seconds"
    return [f"columns that are not read: {', '.join(unread)}; those that are: {known}"]


def _reader(record: Record) -> tuple[str, Callable[[Sequence[Record], Codes], Units]] | None:
    if "annotations" in record:
        return "Label Studio", _of_label_studio
    own = record.keys() & {"annotation_id", "lead_time"}
    if len(own) == 2 or (own and not record.keys() & {*_VERDICTS}):
        return "Label Studio", _of_label_studio_rows
    if any(map(_selected, record.values())):
        return "Label Studio", _of_label_studio_rows
    if "responses" in (record.get("record") or record):
        return "Argilla", _of_argilla
    return ("Potato", _of_potato) if {"instance_id", "labels"} <= record.keys() else None


def _left_out(data: Record, person: Any, reason: str) -> LeftOut:
    return str(data.get("image") or ""), "" if person is None else str(person), reason


def _of_label_studio(tasks: Sequence[Record], codes: Codes) -> Units:
    """Yield a row for each answer of a tag Pairwise; its ``name`` is the criterion."""
    tags = dict.fromkeys(
        result.get("from_name")
        for task in tasks
        for annotation in task["annotations"]
        for result in annotation["result"]
        if result["type"] == "pairwise"
    )
    for task in tasks:
        data = task["data"] if task["annotations"] else {}
        for annotation in task["annotations"]:
            person = annotation.get("completed_by")
            person = person.get("id") if isinstance(person, dict) else person
            given: dict[Any, Any] = {}
            others: dict[Any, Any] = {}
            for result in annotation["result"]:
                value = result.get("value", {})
                if result["type"] == "pairwise":
                    given[result.get("from_name")] = value["selected"]
                elif result["type"] == "choices":
                    others[result.get("from_name")] = value["choices"]
                else:
                    others[result.get("from_name") or result["type"]] = None
            if annotation.get("was_cancelled"):
                yield _left_out(data, person, "skipped by the annotator")
                continue
            row = {**data, "annotator": person, "seconds": annotation.get("lead_time")}
            yield from _of_annotation(row, given, others, tags, codes)
        for draft in task.get("drafts") or []:
            if isinstance(draft, dict):
                yield _left_out(task["data"], draft.get("user"), "a draft")


def _of_label_studio_rows(rows: Sequence[Record], codes: Codes) -> Units:
    """Yield a row for each answer of a tag Pairwise in JSON_MIN or CSV: a column for each tag."""
    selected = [{name: _selected(value) for name, value in row.items()} for row in rows]
    names = dict.fromkeys(name for row in rows for name in row)
    tags = [name for name in names if any(row.get(name) for row in selected)]
    data_of_task = ("image", *METHOD_COLUMNS)
    plain = [
        name
        for name in names
        if name not in (*tags, *_NO_TAGS, *data_of_task) and _is_tag(name, rows)
    ]
    # Next to a tag Pairwise, a column with the words left and right may be data of the tasks.
    tags += [name for name in plain if not tags or name in CRITERIA]
    # Columns of a task's data are filled in every row; those of other tags where they were used.
    used = [
        name
        for name in names
        if name not in (*tags, *_NO_TAGS) and not all(row.get(name) for row in rows)
    ]
    for row, own in zip(rows, selected, strict=True):
        words = {name: row[name] for name in tags if is_verdict(str(row.get(name) or ""))}
        given = {
            name: own.get(name) or words[name] for name in tags if own.get(name) or name in words
        }
        data = {name: value for name, value in row.items() if name not in tags}
        others = {name: [row[name]] for name in used if row.get(name)}
        data["seconds"] = row.get("lead_time")
        yield from _of_annotation(data, given, others, tags, codes)


def _is_tag(name: str, rows: Sequence[Record]) -> bool:
    """Return whether a column has only verdicts as words, as a tag Choices with such choices has."""
    words = {value for row in rows if isinstance(value := row.get(name), str) and value}
    others = any(row.get(name) and not isinstance(row[name], str) for row in rows)
    # A choice "equal" alone is a remark on another tag.
    is_two_sided = any(word.strip().lower() in ("left", "right") for word in words)
    return is_two_sided and not others and all(map(is_verdict, words))


def _selected(value: Any) -> Any:
    """Return the answer in ``[{"selected": "left"}]``, also as JSON, or None."""
    if isinstance(value, str) and value.startswith('[{"selected"'):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return value[0].get("selected")
    return None


def _of_annotation(
    row: dict[str, Any],
    given: Record,
    others: Mapping[Any, Any],
    tags: Iterable[Any],
    codes: Codes,
) -> Units:
    """Yield the answers of one annotation.

    ``given`` are the verdicts of tags Pairwise, ``others`` the choices of other tags, None of tags
    without choices. A choice that ``codes`` explain is the verdict of every tag without one.
    """
    for tag, verdict in given.items():
        yield row | {"criterion": tag, "verdict": verdict}
    open_tags = [tag for tag in tags if tag not in given]
    for tag, choices in others.items():
        for choice in choices or [None]:
            meant = codes.get(str(choice).strip().lower())
            if choice is not None and meant and open_tags:
                yield from (row | {"criterion": one, "verdict": meant} for one in open_tags)
                open_tags = []
            elif choice is not None:
                why = f'the choice "{choice}" of the tag {tag}; if it means equal, say "{choice}=equal"'
                yield _left_out(row, row.get("annotator"), why + " (codes, --codes)")
            else:
                yield _left_out(row, row.get("annotator"), f"the tag {tag} is no Pairwise")
    if not given and not others:
        yield _left_out(row, row.get("annotator"), "without an answer")


def _of_argilla(records: Sequence[Record], codes: Codes) -> Units:
    """Yield a row for each answer to a question with labels, or with two options to rank."""
    rows: list[dict[str, Any]] = []
    for found in records:
        # A search gives each record with the score of the query.
        record = found.get("record") or found
        data = {**(record.get("fields") or {}), **(record.get("metadata") or {})}
        for question, answer in _answers_of_argilla(record["responses"] or {}):
            person, status = answer.get("user_id"), answer.get("status")
            if status in ("draft", "discarded"):
                yield _left_out(data, person, f"{status} in Argilla")
                continue
            verdict = _verdict_of_argilla(answer["value"])
            rows.append(data | {"annotator": person, "criterion": question, "verdict": verdict})
    # Comments and other labels are questions, too, of which no answer is a verdict.
    of_pairs = {row["criterion"] for row in rows if has_verdict(row, codes)}
    for row in rows:
        if row["criterion"] in of_pairs:
            yield row
        else:
            yield _left_out(row, row["annotator"], f"an answer to {row['criterion']} is no verdict")


def _answers_of_argilla(responses: Any) -> Iterator[tuple[str, Record]]:
    """Yield question and answer: of the client by question, of the server by person."""
    if isinstance(responses, Mapping):
        for question, answers in responses.items():
            yield from ((question, answer) for answer in answers)
        return
    for response in responses:
        for question, answer in (response["values"] or {"": {"value": None}}).items():
            person = {name: response.get(name) for name in ("user_id", "status")}
            yield question, {**person, "value": answer["value"]}


def _verdict_of_argilla(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(option, str) for option in value):
        # Labels chosen from many have one name at least, rankings all options.
        if len(value) > 1:
            raise RankingError(_RANKS_LOST)
        return None
    if len(value) != 2:
        return None
    if not all(isinstance(option, dict) and {"value", "rank"} <= option.keys() for option in value):
        return None
    if any(option["rank"] is None for option in value):
        return None
    first, second = sorted(value, key=lambda option: int(option["rank"]))
    return "equal" if first["rank"] == second["rank"] else str(first["value"])


def _of_potato(records: Sequence[Record], codes: Codes) -> Units:
    """Yield a row for each answer of a pairwise scheme, whichever its mode."""
    items = {str(one["id"]): one for one in records if "id" in one}
    for record in records:
        item = items.get(str(record.get("instance_id")), {})
        for scheme, answers in record.get("labels", {}).items():
            for name, value in answers.items():
                if name == "justification":
                    reason = f"the justification of an answer to {scheme} is not read"
                    yield _left_out(item, record.get("user_id"), reason)
                    continue
                if name == "scale_value":
                    number = float(value)
                    verdict = "left" if number < 0 else "right" if number > 0 else "equal"
                else:
                    verdict = _OF_POTATO.get(str(value), "")
                by = scheme if name in ("scale_value", "selection") else name
                person = record.get("user_id")
                if verdict:
                    yield {**item, "annotator": person, "criterion": by, "verdict": verdict}
                else:
                    yield _left_out(item, person, f"an answer to {scheme} is no verdict")
