"""BioNLP stand-off annotations."""

import pytest

from protocols.slot_error.counts import SlotCounts, count_slots
from protocols.slot_error.documents import Document, Item, StandoffError, read_standoff
from protocols.slot_error.ontology import WangSimilarity, read_ontology
from protocols.slot_error.pairing import pair_items
from tests.support.cases import cases
from tests.support.shared import shared_path

STANDOFF = """T1\tTitle 0 9\tsome text
T2\tHabitat 0 4;8 12\tsome here
T3\tBacteria 20 24\tcoli
T4\tHabitat 30 34\tmilk
N1\tOntoBiotope Annotation:T2 Referent:OBT:000001
N2\tNCBI_Taxonomy Annotation:T3 Referent:562
N3\tOntoBiotope Annotation:T2 Referent:OBT:000002
R1\tLives_In Bacteria:T3 Location:T4
"""


def test_standoff_habitats_have_fragments_and_labels():
    assert read_standoff(STANDOFF) == (
        Item(spans=((0, 4), (8, 12)), labels=("OBT:000001", "OBT:000002")),
        Item(spans=((30, 34),)),
    )


@cases(
    ("text", "message"),
    [
        ("T1\n", "a.a2, line 1: expected a type and start end"),
        ("T1\tHabitat 3\tx\n", "a.a2, line 1: expected a type and start end"),
        ("\nT1\tHabitat 0 x\tx\n", "a.a2, line 2: expected a type and start end"),
        ("T1\tHabitat 9 3\tx\n", "a.a2, line 1: expected 0 <= start <= end, got '9 3'"),
        ("T1\tHabitat 1 3\tx\nT1\tHabitat 1 3\tx\n", "a.a2, line 2: the entity T1 is there twice"),
        (
            "N1\tOntoBiotope Annotation:T9 Referent:A\n",
            "a.a2, line 1: a label of T9, which is not there",
        ),
        ("N1\tOntoBiotope Annotation:T9\n", "a.a2, line 1: expected Annotation:... Referent:..."),
        ("N1\n", "a.a2, line 1: expected Annotation:... Referent:..., got nothing"),
    ],
)
def test_a_refusal_of_standoff_names_file_and_line(text, message):
    with pytest.raises(StandoffError) as refusal:
        read_standoff(text, "a.a2")
    assert str(refusal.value).startswith(message)


def test_published_standoff_files_are_read_whole_and_match_themselves():
    folder = shared_path("data", "bb2016")
    text = (folder / "OntoBiotope_BioNLP-ST-2016_parents.txt").read_text()
    similarity = WangSimilarity(read_ontology(text))
    documents = []
    for path in sorted(folder.glob("*.a2")):
        items = read_standoff(path.read_text(encoding="utf-8"), path.name)
        documents.append(Document(items, items))
    items = [item for document in documents for item in document.references]
    assert len(documents) == 18
    assert len(items) == 237
    assert sum(len(item.labels) for item in items) == 279
    assert sum(len(item.spans) > 1 for item in items) > 8
    counts = SlotCounts.total(
        count_slots(pair_items(document, similarity), len(document.predictions), "combined")
        for document in documents
    )
    assert counts.matches == pytest.approx(237)
    assert counts.slot_error_rate == pytest.approx(0)
