"""Scoring after a corrected ground truth: only the corrected image, with the numbers of a whole run."""

import random

import pytest

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.mending import mend
from annotate.scoring import computing
from annotate.scoring.causes import explain
from annotate.scoring.services import NotScored, compute, outdated, protocol_named, publish
from protocols import registry
from protocols.core.regions import Region, encode_regions
from tests.support.factories import make_dataset, make_image, make_method, make_result

pytestmark = pytest.mark.django_db

WORDS = ("HOTEL", "bar", "Open", "exit", "Taxi")


def drawn(rng, n, **more):
    """Return regions of one row each, with every field that a protocol may need."""
    return [
        Region.from_box(
            x := rng.randrange(0, 60),
            40 * row,
            x + rng.randrange(60, 140),
            40 * row + 30,
            text=rng.choice(WORDS),
            label="word",
            id=f"w{row}",
            **{name: of(rng) for name, of in more.items()},
        )
        for row in range(n)
    ]


@pytest.fixture
def dataset():
    rng = random.Random(5)
    dataset = make_dataset("street")
    methods = [make_method(dataset, name) for name in ("a", "b", "c")]
    for name in ("img_1", "img_2", "img_3"):
        image = make_image(dataset, name)
        image.truth = encode_regions(drawn(rng, 4))
        image.save()
        for method in methods:
            result = make_result(image, method, [])
            found = drawn(rng, rng.randrange(2, 5), confidence=lambda rng: rng.random())
            result.regions, result.n_regions = encode_regions(found), len(found)
            result.save()
    return dataset


def corrected(dataset):
    image = dataset.images.get(name="img_2")
    mend(image=image, regions=image.truth_regions[1:], version=1, reason="x", person=None)


def numbers(run):
    fields = ("result", "recall", "precision", "f_score", "recalled", "precise", "indicators")
    return run.overall, list(run.scores.order_by("result").values_list(*fields))


def losses(run):
    rows = run.image_losses.order_by("result", "cause")
    return list(rows.values_list("result", "cause", "n_truth", "n_detections", "loss"))


def test_every_protocol_gives_the_numbers_of_a_whole_run(dataset):
    before = {}
    for slug in registry.PROTOCOLS:
        try:
            before[slug] = publish(compute(dataset, protocol_named(slug, {})))
        except NotScored:
            continue
        explain(before[slug])
    corrected(dataset)
    n_kept = 0
    for slug, run in before.items():
        again = compute(dataset, protocol_named(slug, {}), after=run)
        n_kept += again.kept is not None
        partly, whole = publish(again), publish(compute(dataset, protocol_named(slug, {})))
        assert numbers(partly) == numbers(whole), slug
        explain(partly, kept=again.kept)
        explain(whole)
        assert losses(partly) == losses(whole), slug
        for method, stored in (whole.losses or {}).items():
            own = partly.losses[method]
            assert own["tally"] == pytest.approx(stored["tally"], abs=1e-12)
            for cause, change in own["changes"].items():
                assert change == pytest.approx(stored["changes"].get(cause, [0] * 5), abs=1e-12)
    assert n_kept > len(before) - 5


def test_only_the_corrected_image_is_scored(dataset, monkeypatch):
    run = publish(compute(dataset, protocol_named("iou", {})))
    corrected(dataset)
    scored, plain = [], computing.scene_of
    monkeypatch.setattr(
        computing, "scene_of", lambda result: scored.append(result.image.name) or plain(result)
    )
    again = compute(dataset, protocol_named("iou", {}), after=run)
    assert scored == ["img_2"] * 3
    assert again.remarks == ["1 image was scored again."]


@pytest.mark.parametrize("change", ["version", "parameters", "results", "tallies", "sizes"])
def test_scores_that_may_be_others_are_not_kept(dataset, change):
    protocol = protocol_named("panoptic-quality:lines" if change == "sizes" else "iou", {})
    run = publish(compute(dataset, protocol))
    if change == "version":
        run.version = "0"
    elif change == "parameters":
        run.parameters["min_iou"] = 0.6
    elif change == "results":
        make_result(dataset.images.first(), make_method(dataset, "new"), [])
    elif change == "sizes":
        record(Act.PHOTOGRAPHS_LOADED, what=dataset.name)
    else:
        tally = dict.fromkeys(("recalled", "n_truth", "precise", "n_detections"))
        run.scores.filter(result__method__name="a").update(**tally)
    assert compute(dataset, protocol, after=run).kept is None


def test_photographs_outdate_no_scores_of_a_protocol_that_reads_no_sizes(dataset):
    protocol = protocol_named("iou", {})
    run = publish(compute(dataset, protocol))
    record(Act.PHOTOGRAPHS_LOADED, what=dataset.name)
    assert compute(dataset, protocol, after=run).kept is not None
    assert outdated([run]) == {}


def test_scores_are_not_stored_if_photographs_came_meanwhile(dataset):
    scored = compute(dataset, protocol_named("no-ground-truth", {}))
    record(Act.PHOTOGRAPHS_LOADED, what=dataset.name)
    with pytest.raises(NotScored, match="were changed while they were being scored"):
        publish(scored)
