#!/usr/bin/env bash
# Argilla's client exports a ranking without its ranks, and a draft like an answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'argilla==2.8.0' 'requests==2.34.2'
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from uuid import UUID

ME, DRAFTER, RECORD = (str(UUID(int=number)) for number in (1, 2, 3))


def answer(user, status, ranks):
    value = [{"value": name, "rank": rank} for name, rank in ranks]
    return {"id": user, "user_id": user, "status": status, "record_id": RECORD, "values": {"order": {"value": value}}}


TIED = answer(ME, "submitted", [("EAST", 1), ("DB", 1), ("CRAFT", 3)])
DRAFT = answer(DRAFTER, "draft", [("CRAFT", 3), ("DB", 2), ("EAST", 1)])


class Server(BaseHTTPRequestHandler):
    """Answers as Argilla's server does, for as much as the client asks."""

    def do_GET(self):
        body = json.dumps({"id": ME, "username": "me", "role": "owner"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()

import argilla as rg  # noqa: E402  (asks the server for the user)
from argilla._models import RecordModel  # noqa: E402

client = rg.Argilla(api_url=f"http://127.0.0.1:{server.server_port}", api_key="any")
settings = rg.Settings(
    fields=[rg.TextField(name="image")],
    questions=[rg.RankingQuestion(name="order", values=["DB", "EAST", "CRAFT"])],
)
dataset = rg.Dataset(name="detectors", settings=settings, client=client)
# What the client makes of each record of the server's answer before it exports it.
stored = {"id": RECORD, "external_id": "a", "fields": {"image": "a.jpg"}, "status": "pending",
          "metadata": [], "vectors": [], "suggestions": [], "responses": [TIED, DRAFT]}  # fmt: skip
exported = rg.Record.from_model(RecordModel(**stored), dataset=dataset).to_dict()["responses"]["order"]
print(f"argilla {version('argilla')}")
print("Input: two answers to a ranking question, as the server stores them:")
for given in (TIED, DRAFT):
    print(f"  {given['status']}: {given['values']['order']['value']}")
print("Expected: the export has the ranks, and says which answer is a draft.")
for given in exported:
    print(f"Seen: {given}")
print(
    "Why it matters: EAST and DB were tied and are now first and second; the other ranking is reversed,\n"
    "because the list keeps the stored order; and it was never submitted. Agreement among annotators and\n"
    "consensus rankings from this export count judgements that people did not make."
)
server.shutdown()
assert [given["value"] for given in exported] == [["EAST", "DB", "CRAFT"], ["CRAFT", "DB", "EAST"]], (
    "the behaviour changed"
)
assert all("status" not in given for given in exported), "the behaviour changed"
PYTHON
