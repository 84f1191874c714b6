"""Is-a ontologies, and how similar their terms are."""

import json
import sys

import pytest

from protocols.core.errors import ParameterError
from protocols.slot_error.ontology import (
    Ontology,
    OntologyError,
    WangSimilarity,
    read_ontology,
)
from tests.support.cases import cases
from tests.support.shared import shared_path

TOY = Ontology(
    {
        "dog": ("mammal",),
        "cat": ("mammal",),
        "mammal": ("animal",),
        "bat": ("mammal", "flyer"),
        "flyer": ("animal",),
        "animal": ("thing",),
    }
)
OBO = """format-version: 1.2
! a comment

[Term]
id: X:1
name: root: of all

[Term]
id: X:2 ! second
is_a: X:1 ! root
is_a: X:9 {source="elsewhere"} ! not in this file

[Term]
id: X:3
is_a: X:2
is_obsolete: true

[Typedef]
id: part_of
is_a: X:1
"""


def test_obo_gives_the_parents_of_terms_that_are_not_obsolete():
    assert dict(read_ontology(OBO).parents) == {"X:1": (), "X:2": ("X:1", "X:9")}


def test_child_parent_lines_may_repeat_and_be_empty():
    parents = read_ontology("a\tb\n\na\tc\na\tb\n").parents
    assert dict(parents) == {"a": ("b", "c")}


def test_an_empty_text_is_an_empty_ontology():
    assert dict(read_ontology("").parents) == {}


@cases(
    ("text", "message"),
    [
        ("a\tb\nc d\n", "line 2: expected child, tab, parent; got 'c d'"),
        ("a\tb\tc\n", "line 1: expected child, tab, parent"),
        ("a\t \n", "line 1: expected child, tab, parent"),
        ("[Term]\nid: A\nnonsense\n", "line 3: expected tag: value; got 'nonsense'"),
        ("[Term]\nid: A\nis_a: \n", "line 3: expected one value of is_a"),
        ("[Term]\nid: A\n\n[Term]\nname: b\n", "line 4: this term has no id"),
        ("[Term]\nid: A\n\n[Term]\nid: A\n", "line 4: the term A is there twice"),
        ("a\tb\nb\tc\nc\ta\n", "the ontology has a cycle: a is a b is a c is a a"),
        ("a\ta\n", "the ontology has a cycle: a is a a"),
        ("x\ta\na\tb\nb\ta\n", "the ontology has a cycle: a is a b is a a"),
    ],
)
def test_a_refusal_names_the_line_or_the_terms(text, message):
    with pytest.raises(OntologyError) as refusal:
        read_ontology(text)
    assert str(refusal.value).startswith(message)


def test_two_ways_up_to_one_ancestor_are_no_cycle():
    assert TOY.steps_up("bat") == {"bat": 0, "mammal": 1, "flyer": 1, "animal": 2, "thing": 3}


def test_a_long_chain_is_no_matter_of_recursion():
    n = 5 * sys.getrecursionlimit()
    chain = Ontology({str(i): (str(i + 1),) for i in range(n)})
    assert chain.steps_up("0")[str(n)] == n


# By hand: S values of dog are 1, 0.65, 0.65^2, 0.65^3; of mammal 1, 0.65, 0.65^2; dog and mammal
# share mammal, animal, thing: (0.65 + 1 + 0.4225 + 0.65 + 0.274625 + 0.4225) / (2.347125 + 2.0725).
@cases(
    ("a", "b", "similarity"),
    [
        ("dog", "mammal", 0.7737),
        ("dog", "cat", 0.5739),
        ("dog", "thing", 0.3808),
        ("bat", "animal", 0.5051),
        ("dog", "dog", 1.0),
        ("rock", "rock", 1.0),
        ("rock", "dog", 0.0),
    ],
)
def test_terms_share_their_ancestors(a, b, similarity):
    wang = WangSimilarity(TOY)
    assert wang.of_terms(a, b) == pytest.approx(similarity, abs=5e-5)
    assert wang.of_terms(b, a) == wang.of_terms(a, b)


def test_the_shortest_of_two_paths_counts():
    # a is a root in one step and, through b, in two.
    wang = WangSimilarity(Ontology({"a": ("b", "root"), "b": ("root",)}), 0.5)
    assert wang.of_terms("a", "root") == pytest.approx((0.5 + 1) / (1 + 0.5 + 0.5 + 1))


def test_without_an_ontology_only_equal_labels_are_similar():
    wang = WangSimilarity()
    assert (wang.of_terms("dog", "dog"), wang.of_terms("dog", "cat")) == (1.0, 0.0)


@cases(
    ("a", "b", "similarity"),
    [
        ([], [], 1.0),
        (["dog"], [], 0.0),
        ([], ["dog"], 0.0),
        (["dog", "dog"], ["dog"], 1.0),
        # dog finds itself twice, rock finds nothing: (1 + 0 + 1) / 3.
        (["dog", "rock"], ["dog"], 2 / 3),
    ],
)
def test_sets_average_their_best_matches(a, b, similarity):
    assert WangSimilarity(TOY).of_sets(a, b) == pytest.approx(similarity)


@cases("weight", [-0.1, 1.1, "0.5", True, None, float("nan")])
def test_a_weight_outside_its_range_is_refused(weight):
    with pytest.raises(ParameterError, match="is_a_weight must be a number in"):
        WangSimilarity(TOY, weight)


def test_sets_of_labels_are_as_similar_as_the_organisers_program_says():
    reference = json.loads(shared_path("reference", "slot_error_cases.json").read_text())
    text = shared_path("data", "bb2016", "OntoBiotope_BioNLP-ST-2016_parents.txt").read_text()
    ontology = read_ontology(text)
    assert len(set(ontology.parents).union(*ontology.parents.values())) == 2320
    assert len(reference["wang"]) == 150
    for case in reference["wang"]:
        similarity = WangSimilarity(ontology, case["w"]).of_sets(case["a"], case["b"])
        assert similarity == pytest.approx(case["similarity"], abs=reference["tolerance"])
