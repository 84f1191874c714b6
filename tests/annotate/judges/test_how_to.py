"""The how-to about models, run with a stub in place of the model."""

import json
import shlex
import sys

import pytest
from django.urls import reverse

from annotate.judges.models import Judge, JudgeAnswer
from tests.support.documents import ROOT, blocks_of
from tests.support.factories import add_researcher, make_study
from tests.support.judges import release
from tests.support.model_server import model_server
from tests.support.world import create_token
from text_rankings.judge import command

pytestmark = pytest.mark.django_db(transaction=True)
HOW_TO = ROOT / "docs" / "how-to" / "judge-with-a-model.md"


def test_it_runs_as_it_is_written(live_server, client, tmp_path, monkeypatch, capfd):
    boxes = {"a": [(10, 10, 300, 90), (10, 100, 300, 190)], "b": [(10, 10, 300, 90)], "c": []}
    study = make_study([*"abc"], images=2, boxes=boxes, name="Street")
    researcher = add_researcher(study)
    _, secret = create_token(person=researcher, name="judge", scopes=["program"])
    release(study, ["127.0.0.1", "command"])
    monkeypatch.setenv("TOKEN", secret)
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(HOW_TO)
    [script] = [block for block in blocks if block.title]
    tmp_path.joinpath(script.title).write_text(script.text)
    summaries = []
    with model_server() as stub:
        for block in blocks:
            if block.language != "sh":
                continue
            line = block.text.replace("http://127.0.0.1:8000", live_server.url)
            line = line.replace("http://127.0.0.1:8001/v1", stub.url)
            words = [word.replace("python ", f"{sys.executable} ") for word in shlex.split(line)]
            assert words[:2] == ["text-rankings", "judge"]
            # There are no rankings here.
            assert command.main([*words[2:], "--pairs", "all"]) == 0
            summaries.append(json.loads(capfd.readouterr().out.splitlines()[-1]))
            assert len(stub.requests) == (0 if len(summaries) == 1 else 12)
    counted, asked, by_command = summaries
    assert counted["requests"] == asked["requests"] == 12
    assert len([*tmp_path.glob("pictures/*.png")]) == 3
    assert asked["left"] == by_command["left"] == 0
    assert {*Judge.objects.values_list("name", flat=True)} == {"my-model", "boxes"}
    assert JudgeAnswer.objects.filter(outcome="answered").count() == 24
    client.force_login(researcher)
    page = client.get(reverse("judges:judges", args=[study.slug])).text
    assert "my-model" in page
    assert "stub-7b" in page
