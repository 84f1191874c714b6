"""Argilla's client: records with verdicts, and with the order of a ranking question, as JSON."""

from uuid import UUID

import argilla
from argilla.records._io import JsonIO

FIELDS = {"method_a": "east", "method_b": "craft"}
PEOPLE = [UUID(int=at) for at in (1, 2)]


def write(name, *values):
    responses = [
        argilla.Response("recall", value, user_id=person, status="submitted")
        for value, person in zip(values, PEOPLE, strict=True)
    ]
    record = argilla.Record(
        id="7", fields=FIELDS, metadata={"image": "street.jpg"}, responses=responses
    )
    # As Dataset.records.to_json does for the records of a server.
    JsonIO.to_json([record], name)


write("verdicts.json", "left", "equal")
write("rankings.json", ["east", "craft"], ["craft", "east"])
