"""Studies with drawn rankings and scores, stored without answering a screen."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from django.utils import timezone

from annotate.judging.models import Assignment
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Study

from .factories import add_annotator, make_study

METHODS = "abcd"
# image, annotator -> the quality that the annotator sees of each method
Seen = Callable[[int, int], Mapping[str, float]]


class Drawn:
    """Quality and noise: every method has a quality on an image, the same in every call of a seed."""

    def __init__(self, n_images: int, seed: int = 1, methods: Sequence[str] = METHODS) -> None:
        self.rng, self.methods = np.random.default_rng(seed), methods
        self.quality = self.rng.normal(size=(n_images, len(methods))) - np.arange(len(methods)) / 2

    def seen(self, image: int, noise: float, step: float = 0.5) -> dict[str, float]:
        values = self.quality[image] + noise * self.rng.normal(size=len(self.methods))
        return dict(zip(self.methods, np.round(values / step) * step, strict=True))

    def scores(self, image: int, noise: float, decimals: int = 4) -> dict[str, float]:
        share = 1 / (
            1
            + np.exp(
                -self.quality[image]
                - noise * self.rng.normal(size=max(4, len(self.methods)))[: len(self.methods)]
            )
        )
        return dict(zip(self.methods, share.round(decimals).tolist(), strict=True))


def drawn_study(
    n_images: int,
    n_annotators: int,
    seen: Seen,
    methods: Sequence[str] = METHODS,
    **fields: object,
) -> Study:
    """Return a study in which everyone has ranked the methods that ``seen`` has, on every image."""
    study = make_study(methods, images=n_images, **{"min_annotators": 1} | fields)
    keys = dict(study.methods.values_list("name", "pk"))
    now = timezone.now()
    for number in range(n_annotators):
        person = add_annotator(study)
        for position, image in enumerate(study.images.in_order()):
            value_of = seen(position, number)
            buckets = [
                sorted(keys[name] for name, own in value_of.items() if own == value)
                for value in sorted({*value_of.values()}, reverse=True)
            ]
            Assignment.objects.create(
                study=study,
                image=image,
                annotator=person,
                position=position + 1,
                state=Assignment.State.COMPLETE,
                items=[],
                rankings=dict.fromkeys(("recall", "precision", "preference"), buckets),
                finished=now,
            )
    return study


def scored(
    study: Study, name: str, score: Callable[[int], Mapping[str, float]], slug: str = ""
) -> None:
    """Store a run with the scores of each image, by its place; of methods without one there is none."""
    run = ProtocolRun.objects.create(
        dataset=study.dataset,
        name=name,
        protocol=slug,
        version="1",
        origin=ProtocolRun.Origin.IMPORTED,
    )
    for position, image in enumerate(study.images.in_order()):
        values = score(position)
        Score.objects.bulk_create(
            Score(run=run, result=result, recall=value, precision=value, f_score=value)
            for result in image.results.select_related("method")
            if (value := values.get(result.method.name)) is not None
        )
