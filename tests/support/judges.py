"""Judges of studies, their answers, and releases of pictures to them."""

from datetime import timedelta

from django.utils import timezone

from annotate.judges import services
from annotate.judges.models import Judge, Release
from annotate.judges.tasks import to_do
from tests.support.factories import make_admin, make_person

HOST = "127.0.0.1"
JUDGE = {
    "name": "Counter",
    "kind": "model",
    "model": "counter-1",
    "host": HOST,
    "prompt": "{questions}",
    "parts": ["both"],
    "pairs": "all",
    "criteria": ["recall", "precision"],
}
RELEASE = {"hosts": [HOST], "purpose": "Try a model", "licence": "", "may_send": True}


def make_judge(study, **settings) -> Judge:
    made = JUDGE | {"sampling": {"temperature": 0.0, "max_tokens": 100}} | settings
    return services.make_judge(study=study, person=make_person(), **made)[0]


def release(study, hosts=(HOST,), **fields) -> Release:
    defaults = {"until": timezone.now() + timedelta(days=1), "purpose": "Try a model"}
    licence = study.dataset.licence
    return services.release_pictures(
        study=study, admin=make_admin(), hosts=list(hosts), licence=licence, **defaults | fields
    )


def answer_all(judge, verdicts_of, outcome="answered"):
    """Answer everything that a judge has still to do: verdicts_of(task) are the verdicts."""
    sent = [
        {"task": task.name, "attempt": attempt, "outcome": outcome, "verdicts": verdicts_of(task)}
        for task, attempt in to_do(judge)
    ]
    stored = [
        one
        for at in range(0, len(sent), 100)
        for one in services.record_answers(judge=judge, sent=sent[at : at + 100])
    ]
    assert {one.status for one in stored} <= {services.STORED}
    return stored
