"""Judges of studies, their answers, and releases of pictures to them."""

from datetime import timedelta

from django.utils import timezone

from annotate.datasets.mending import mend
from annotate.datasets.models import Selection
from annotate.judges import services
from annotate.judges.models import Judge, Release
from annotate.judges.tasks import to_do
from annotate.judging.models import Assignment
from tests.support.factories import add_annotator, make_admin, make_person, make_study

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
# The worked example of the specification: rankings of two images by three people, and the judge's.
PEOPLE = [{"P": "a>b>c", "Q": "a>b=c", "R": "b>a>c"}, {"P": "a>b>c", "Q": "a>c>b", "R": "a>b>c"}]
RANKED = ["a=b>c", "c>a>b"]
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


def with_judges(study):
    """Add two judges with answers on the first image, an earlier ground truth of it, and a selection."""
    [image, *_] = study.dataset.images.in_order()
    admin = make_admin()
    mend(image=image, regions=[], version=1, reason="no text", person=admin)
    selection = Selection.objects.create(dataset=study.dataset, name="one", person=admin)
    selection.images.set([image])
    one_image = {"images": [image.name], "criteria": ["recall"]}
    answer_all(make_judge(study, **one_image), lambda _: {"recall": "left"})
    refuser = make_judge(study, name="Refuser", **one_image)
    answer_all(refuser, lambda _: {}, outcome="refused")
    return study


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


def buckets(text):
    return [bucket.split("=") for bucket in text.split(">")]


def make_worked_example():
    study = make_study([*"abc"], images=2)
    key_of = dict(study.methods.values_list("name", "pk"))
    people = {name: add_annotator(study) for name in "PQR"}
    for position, image in enumerate(study.images.in_order()):
        for name, person in people.items():
            ranking = [[key_of[m] for m in bucket] for bucket in buckets(PEOPLE[position][name])]
            Assignment.objects.create(
                study=study,
                image=image,
                annotator=person,
                position=position + 1,
                state="complete",
                items=[[result.pk] for result in image.results.all()],
                rankings={"recall": ranking, "precision": ranking, "preference": ranking},
            )
    return study


def verdicts_of(study, rankings=tuple(RANKED), criteria=("recall", "precision")):
    """The verdicts of a judge by its rankings of the two images."""
    images = [image.pk for image in study.images.in_order()]
    places = [
        {name: at for at, bucket in enumerate(buckets(text)) for name in bucket}
        for text in rankings
    ]
    names = {
        result.pk: result.method.name
        for image in study.images.all()
        for result in image.results.select_related("method")
    }

    def verdicts(task):
        of_image = places[images.index(task.image)]
        left, right = of_image[names[task.left]], of_image[names[task.right]]
        verdict = "equal" if left == right else "left" if left < right else "right"
        return dict.fromkeys(criteria, verdict)

    return verdicts
