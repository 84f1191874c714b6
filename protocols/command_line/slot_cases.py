"""Slot error rates of documents given as JSON cases ([BB13]_)."""

from collections.abc import Mapping
from typing import Any

from ..signatures import DATA, signature_of_figures
from ..slot_error.counts import VIEWS, SlotCounts, count_slots
from ..slot_error.documents import DocumentError, checked_labels, checked_object, read_documents
from ..slot_error.ontology import IS_A_WEIGHT, Ontology, OntologyError, WangSimilarity
from ..slot_error.pairing import pair_items


def score_documents(
    given: Any, ontology: Ontology | None = None, is_a_weight: float = IS_A_WEIGHT
) -> Any:
    """Return the counts and scores of documents given as JSON data.

    A case is ``{"name"?, "documents": [{"references": [item...], "predictions": [item...]}...],
    "ontology"?, "w"?}``; several are a list, or ``{"cases": [case...]}``. An item is ``{"spans":
    [[start, end]...] | "polygons": [[[x, y]...]...], "labels"?: [label...]}``. ``ontology`` is
    an object from term to parents, or a name: then ``{"<name>_parents": object}`` is given with
    the cases, or the ontology passed here is used. Without any, equal labels count 1 and others 0.

    For a case the answer is ``{"N", "P", "I", "D", "pairings", "pairs", "views"}``, pooled over its
    documents: ``pairs`` has, by document, for each reference [prediction, boundary score, label
    score] or None; ``views`` has "combined", "boundaries" and "labels" with M, S, ser, recall,
    precision (may exceed 1) and f1; and "signature". For several cases it is a list of ``{"name",
    "result", "signature"}``.
    Raises DocumentError if the data are anything else; the message names the place. Raises
    ParameterError if a weight is outside [0, 1].
    """
    cases = given.get("cases") if isinstance(given, Mapping) and "cases" in given else given
    named = given if isinstance(given, Mapping) else {}
    similarities = _Similarities(named, ontology, is_a_weight)
    if isinstance(cases, Mapping):
        result = _score_case(cases, similarities, "the case")
        return {**result, "signature": similarities.signature(cases)}
    if not isinstance(cases, list):
        raise DocumentError('expected a case with "documents", or a list of cases')
    answers = []
    for at, case in enumerate(cases):
        place = f"case {at}"
        result = _score_case(checked_object(case, place), similarities, place)
        signed = similarities.signature(case)
        answers.append({"name": str(case.get("name", "")), "result": result, "signature": signed})
    return answers


class _Similarities:
    """The similarities of cases, shared by cases with the same ontology and weight."""

    def __init__(
        self, named: Mapping[str, Any], ontology: Ontology | None, is_a_weight: float
    ) -> None:
        self._named = named
        self._given = ontology
        self._is_a_weight = is_a_weight
        self._ontologies: dict[str, Ontology] = {}
        self._made: dict[tuple[int, float], WangSimilarity] = {}

    def of(self, case: Mapping[str, Any], place: str) -> WangSimilarity:
        ontology = self._ontology(case.get("ontology"), place)
        weight = case.get("w")
        weight = self._is_a_weight if weight is None else weight
        made = WangSimilarity(ontology, weight)
        if isinstance(case.get("ontology"), Mapping):
            return made
        return self._made.setdefault((id(ontology), weight), made)

    def signature(self, case: Mapping[str, Any]) -> str:
        own, weight = case.get("ontology"), case.get("w")
        settings: dict[str, object] = {"w": self._is_a_weight if weight is None else weight}
        if own is not None or self._given is not None:
            settings["ontology"] = own if isinstance(own, str) else "given"
        return signature_of_figures("slot-error", settings, DATA, DATA, len(case["documents"]))

    def _ontology(self, asked: Any, place: str) -> Ontology | None:
        if asked is None:
            return self._given
        if isinstance(asked, Mapping):
            return _given_ontology(asked, f"{place}, ontology")
        if asked in self._ontologies:
            return self._ontologies[asked]
        parents = self._named.get(f"{asked}_parents")
        if parents is not None:
            ontology = _given_ontology(parents, f"{asked}_parents")
            return self._ontologies.setdefault(asked, ontology)
        if self._given is None:
            raise DocumentError(f"{place} names the ontology {asked!r}, which was not given")
        return self._given


def _given_ontology(parents: Any, place: str) -> Ontology:
    checked = {
        term: checked_labels(above, f"{place}, {term}")
        for term, above in checked_object(parents, place).items()
    }
    try:
        return Ontology(checked)
    except OntologyError as refusal:
        raise DocumentError(f"{place}: {refusal}") from refusal


def _score_case(case: Mapping[str, Any], similarities: _Similarities, place: str) -> dict[str, Any]:
    similarity = similarities.of(case, place)
    documents = read_documents(case.get("documents"), place)
    paired = [pair_items(document, similarity) for document in documents]
    views = {
        view: SlotCounts.total(
            count_slots(pairs, len(document.predictions), view)
            for pairs, document in zip(paired, documents, strict=True)
        )
        for view in VIEWS
    }
    counts = views["combined"]
    return {
        "N": counts.n_references,
        "P": counts.n_predictions,
        "I": counts.insertions,
        "D": counts.deletions,
        "pairings": counts.n_pairs,
        "pairs": [
            [pair and [pair.prediction, pair.boundaries, pair.labels] for pair in pairs]
            for pairs in paired
        ],
        "views": {
            view: {
                "M": counts_of_view.matches,
                "S": counts_of_view.substitutions,
                "ser": counts_of_view.slot_error_rate,
                "recall": counts_of_view.recall,
                "precision": counts_of_view.precision,
                "f1": counts_of_view.f1,
            }
            for view, counts_of_view in views.items()
        },
    }
