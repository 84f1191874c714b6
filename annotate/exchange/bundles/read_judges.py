"""A bundle's earlier ground truths, selections, and judges with their answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.datasets.models import Dataset, EarlierTruth, Selection
from annotate.judges.models import Judge, JudgeAnswer
from annotate.judges.services import check_pairs
from annotate.studies.models import Study
from protocols.core.regions import decode_regions
from protocols.formats.problems import quoted
from rankings.elicitation.log import CRITERIA

from .members import Bundle, checked_list
from .read_data import DataReader
from .records import decoded


@dataclass
class JudgeReader:
    """Loader of what refers to images, results and people; ``people`` are accounts by name."""

    bundle: Bundle
    study: Study
    data: DataReader
    people: Mapping[Any, Any]
    judges: dict[str, Judge] = field(default_factory=dict)

    def read(self, dataset: Dataset | None) -> None:
        """Load the lists; of a dataset that was here already, None, only those of the study."""
        if dataset is None:
            self.bundle.count("earlier_truths", "selections")
        else:
            self._read_data(dataset)
        self.bundle.load("judges", self._judge, self._keep)
        self.bundle.load("judge_answers", self._answer)

    def _read_data(self, dataset: Dataset) -> None:
        self.bundle.load("earlier_truths", self._earlier_truth)
        chosen: list[Any] = []

        def selection(row: dict[str, Any]) -> Selection:
            chosen.append(self._images(row.pop("images")))
            return decoded(Selection, row, person=self.people[row.pop("by")], dataset=dataset)

        def choose(rows: list[Selection]) -> None:
            for row, images in zip(rows, chosen, strict=True):
                row.images.set(images)
            chosen.clear()

        self.bundle.load("selections", selection, choose)

    def _earlier_truth(self, row: dict[str, Any]) -> EarlierTruth:
        image, person = self.data.images[row.pop("image")], self.people[row.pop("by")]
        decode_regions(row["truth"])
        return decoded(EarlierTruth, row, image=image, person=person)

    def _images(self, names: Any) -> list[int]:
        return [self.data.images[name].pk for name in checked_list(names)]

    def _judge(self, row: dict[str, Any]) -> Judge:
        images, person = row.pop("images"), self.people[row.pop("by")]
        keys = None if images is None else self._images(images)
        for name in ("parts", "criteria", "tuned_on"):
            if not all(isinstance(each, str) for each in checked_list(row[name])):
                raise TypeError(f"{name} holds something else than texts")
        check_pairs(row["pairs"])
        if unknown := {*row["criteria"]} - {*CRITERIA}:
            raise ValueError(f"{quoted(min(unknown))} is no criterion")
        return decoded(Judge, row, study=self.study, made_by=person, images=keys)

    def _keep(self, judges: list[Judge]) -> None:
        self.judges |= {judge.name: judge for judge in judges}

    def _answer(self, row: dict[str, Any]) -> JudgeAnswer:
        judge, image = self.judges[row.pop("judge")], self.data.images[row.pop("image")]
        checked_list(row["pictures"])
        left, right = (self.data.results[image.name, row.pop(side)] for side in ("left", "right"))
        answer = decoded(JudgeAnswer, row, judge=judge, image=image, left_id=left, right_id=right)
        if unknown := answer.verdicts.keys() - {*judge.criteria}:
            raise ValueError(f"{quoted(min(unknown))} is no criterion of {judge.name}")
        return answer
