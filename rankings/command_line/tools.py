"""Pairwise answers in the JSON of Argilla, Label Studio and Potato, as rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..elicitation.log import CRITERIA
from ..elicitation.pairs import are_pairs, has_verdict
from ..errors import RankingError

Record = Mapping[str, Any]
Rows = Iterator[dict[str, Any]]

_OF_POTATO: Final = {"A": "left", "B": "right", "tie": "equal"}
# Name of a tool, and the place where the names of image and methods are expected.
_PLACES: Final = {
    "Argilla": "the fields or metadata of its records",
    "Label Studio": "the data of its tasks",
    "Potato": "items in the same file, the lines of Potato's data file",
}


def rows_in(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the pairwise answers in the export of a tool, or the records if they are rows already.

    A question whose name is no criterion gives one only if there are several. Raises RankingError
    if it is the export of a tool and holds no pairs, or has an unexpected shape.

    ``records`` are those of ``Dataset.records.to_json`` of Argilla, tasks of Label Studio, or lines
    of Potato's export and of its data file together.
    """
    tool, read = next(filter(None, map(_reader, records)), ("", None))
    if read is None:
        return [dict(record) for record in records]
    try:
        rows = list(read(records))
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise RankingError(f"cannot read this export of {tool}: {fault!r}") from fault
    if not rows:
        raise RankingError(f"no pairwise answers in the export of {tool}")
    if not any(map(are_pairs, rows)):
        raise RankingError(
            f"answers of {tool} without methods; image, method_a and method_b are expected in "
            f"{_PLACES[tool]}"
        )
    named = {row.get("criterion") for row in rows}
    if len(named) == 1 and not named <= set(CRITERIA):
        rows = [row | {"criterion": ""} for row in rows]
    return rows


def _reader(record: Record) -> tuple[str, Callable[[Sequence[Record]], Rows]] | None:
    if "annotations" in record:
        return "Label Studio", _of_label_studio
    if "responses" in record:
        return "Argilla", _of_argilla
    return ("Potato", _of_potato) if {"instance_id", "labels"} <= record.keys() else None


def _of_label_studio(tasks: Sequence[Record]) -> Rows:
    """Yield a row for each answer of the tag Pairwise."""
    for task in tasks:
        for annotation in task["annotations"]:
            person = annotation.get("completed_by")
            for result in annotation["result"]:
                if result["type"] == "pairwise" and not annotation.get("was_cancelled"):
                    yield {
                        **task["data"],
                        "annotator": person.get("id") if isinstance(person, dict) else person,
                        "verdict": result["value"]["selected"],
                        "seconds": annotation.get("lead_time"),
                    }


def _of_argilla(records: Sequence[Record]) -> Rows:
    """Yield a row for each answer to a question with labels, or with two options to rank."""
    rows = []
    for record in records:
        data = {**(record.get("fields") or {}), **(record.get("metadata") or {})}
        for question, answers in (record["responses"] or {}).items():
            for answer in answers:
                verdict = _verdict_of_argilla(answer["value"])
                if verdict and answer.get("status") not in ("draft", "discarded"):
                    person = answer.get("user_id")
                    rows.append(
                        data | {"annotator": person, "criterion": question, "verdict": verdict}
                    )
    # Comments and other labels are questions, too, of which no answer is a verdict.
    of_pairs = {row["criterion"] for row in rows if has_verdict(row)}
    yield from (row for row in rows if row["criterion"] in of_pairs)


def _verdict_of_argilla(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or len(value) != 2:
        return None
    if all(isinstance(option, str) for option in value):
        return str(value[0])
    if not all(isinstance(option, dict) and {"value", "rank"} <= option.keys() for option in value):
        return None
    first, second = sorted(value, key=lambda option: int(option["rank"]))
    return "equal" if first["rank"] == second["rank"] else str(first["value"])


def _of_potato(records: Sequence[Record]) -> Rows:
    """Yield a row for each answer of a pairwise scheme, whichever its mode."""
    items = {str(one["id"]): one for one in records if "id" in one}
    for record in records:
        item = items.get(str(record.get("instance_id")), {})
        for scheme, answers in record.get("labels", {}).items():
            for name, value in answers.items():
                if name == "scale_value":
                    number = float(value)
                    verdict = "left" if number < 0 else "right" if number > 0 else "equal"
                else:
                    verdict = _OF_POTATO.get(str(value), "")
                if verdict:
                    by = scheme if name in ("scale_value", "selection") else name
                    person = record.get("user_id")
                    yield {**item, "annotator": person, "criterion": by, "verdict": verdict}
