"""Handling of pip-audit's answer: a vulnerability fails, an unreachable service is reported."""

import importlib.util
import json
from pathlib import Path

from tests.support.cases import cases

_FILE = Path(__file__).resolve().parents[1] / ".ci" / "audit.py"
_SPEC = importlib.util.spec_from_file_location("audit", _FILE)
audit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(audit)

CLEAN = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@cases(
    ("packages", "status", "said"),
    [
        ([CLEAN], 0, "no vulnerability of 1 packages"),
        ([CLEAN, BAD], 1, "b 2: CVE-1, repaired in 3"),
        ([CLEAN, UNKNOWN], 0, "could not look up c"),
        ([UNKNOWN, BAD], 1, "CVE-1"),
        ([UNKNOWN], 0, "SKIPPED"),
    ],
)
def test_the_answer_decides(packages, status, said):
    code, sentences = audit.verdict(0, json.dumps({"dependencies": packages}), "")
    assert code == status
    assert said in " ".join(sentences)


def test_no_connection_is_a_said_skip_and_any_other_silence_a_failure():
    code, sentences = audit.verdict(1, "", "Could not connect to the vulnerability feed")
    assert code == 0
    assert "SKIPPED" in sentences[0]
    code, sentences = audit.verdict(1, "", "unrecognized arguments: --format")
    assert code == 1
    assert "unrecognized" in " ".join(sentences)


def test_where_there_is_a_network_a_skip_fails():
    unreachable = (1, "", "Could not connect to the vulnerability feed")
    unknown = (0, json.dumps({"dependencies": [UNKNOWN]}), "")
    for run in (unreachable, unknown):
        code, sentences = audit.verdict(*run, may_skip=False)
        assert code == 1
        assert "SKIPPED" in sentences[0]
    clean = json.dumps({"dependencies": [CLEAN]})
    assert audit.verdict(0, clean, "", may_skip=False)[0] == 0
