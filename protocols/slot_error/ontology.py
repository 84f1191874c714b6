"""Is-a ontologies, and the similarity of two terms or two sets of labels ([BB13]_)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..core.errors import ParameterError, ProtocolError

IS_A_WEIGHT: Final = 0.65
_MODIFIER: Final = re.compile(r"\s*\{[^{}]*\}\s*$")


class OntologyError(ProtocolError, ValueError):
    """Text that is not an ontology, or one with a cycle; the message names the line or terms."""


@dataclass(frozen=True)
class Ontology:
    """Terms and their is-a parents: a directed acyclic graph.

    A term that is only a parent, or unknown, is a root without parents. Raises OntologyError, with
    its terms, if there is a cycle.
    """

    parents: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        _check_acyclic(self.parents)

    def steps_up(self, term: str) -> dict[str, int]:
        """Return the term and all its ancestors with the length of the shortest path to each."""
        steps = {term: 0}
        level = [term]
        while level:
            above = []
            for below in level:
                for parent in self.parents.get(below, ()):
                    if parent not in steps:
                        steps[parent] = steps[below] + 1
                        above.append(parent)
            level = above
        return steps


def _check_acyclic(parents: Mapping[str, Sequence[str]]) -> None:
    done: set[str] = set()
    for start in parents:
        if start in done:
            continue
        # The path from the start to the term at hand, each with its parents still to visit.
        path = {start: iter(parents[start])}
        while path:
            term = next(reversed(path))
            parent = next(path[term], None)
            if parent is None:
                done.add(term)
                del path[term]
            elif parent in path:
                terms = list(path)
                cycle = [*terms[terms.index(parent) :], parent]
                raise OntologyError(f"the ontology has a cycle: {' is a '.join(cycle)}")
            elif parent not in done:
                path[parent] = iter(parents.get(parent, ()))


def read_ontology(text: str) -> Ontology:
    r"""Return the ontology of an .obo file or of child-tab-parent lines, whichever the text is.

    Raises OntologyError if a line is neither, or the terms form a cycle; the message names the line
    or the terms.
    """
    lines = (line.strip() for line in text.splitlines())
    return _read_obo(text) if "[Term]" in lines else _read_child_parent(text)


def _read_child_parent(text: str) -> Ontology:
    """Return the ontology of lines with a child, a tab and a parent; empty lines are ignored."""
    parents: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        terms = [term.strip() for term in line.split("\t")]
        if len(terms) != 2 or not all(terms):
            raise OntologyError(f"line {number}: expected child, tab, parent; got {line[:60]!r}")
        child, parent = terms
        parents.setdefault(child, []).append(parent)
    return _ontology(parents)


def _read_obo(text: str) -> Ontology:
    """Return the ontology of an OBO file: ``id`` and ``is_a`` of its terms except obsolete ones."""
    stanzas: list[_Stanza] = []
    stanza: _Stanza | None = None
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if content.startswith("["):
            stanza = _Stanza(number) if content == "[Term]" else None
            if stanza is not None:
                stanzas.append(stanza)
        elif stanza is not None and content and not content.startswith("!"):
            stanza.read(content, number)
    parents: dict[str, list[str]] = {}
    for stanza in stanzas:
        if not stanza.term:
            raise OntologyError(f"line {stanza.line}: this term has no id")
        if stanza.obsolete:
            continue
        if stanza.term in parents:
            raise OntologyError(f"line {stanza.line}: the term {stanza.term} is there twice")
        parents[stanza.term] = stanza.parents
    return _ontology(parents)


@dataclass(slots=True)
class _Stanza:
    """One term of an OBO file while it is read."""

    line: int
    term: str = ""
    obsolete: bool = False
    parents: list[str] = field(default_factory=list)

    def read(self, content: str, number: int) -> None:
        tag, colon, value = content.partition(":")
        if not colon:
            raise OntologyError(f"line {number}: expected tag: value; got {content[:60]!r}")
        if tag not in ("id", "is_a", "is_obsolete"):
            return
        value = _MODIFIER.sub("", value.partition(" !")[0]).strip()
        if not value or " " in value:
            raise OntologyError(f"line {number}: expected one value of {tag}; got {content[:60]!r}")
        if tag == "id":
            self.term = value
        elif tag == "is_a":
            self.parents.append(value)
        else:
            self.obsolete = value == "true"


def _ontology(parents: Mapping[str, Iterable[str]]) -> Ontology:
    return Ontology({term: tuple(dict.fromkeys(above)) for term, above in parents.items()})


class WangSimilarity:
    """Similarity of terms by the ancestors they share, each step up weighing less ([BB13]_).

    ``S_A(t)`` is the weight to the power of the fewest steps from A up to t, 1 for A itself;
    ``SV(A)`` is the sum over A and all its ancestors; the similarity of A and B is the sum of
    ``S_A(t) + S_B(t)`` over common terms, divided by ``SV(A) + SV(B)``. Results are cached. Without
    an ontology, equal labels have similarity 1 and others 0. Raises ParameterError if the weight is
    outside [0, 1].
    """

    def __init__(self, ontology: Ontology | None = None, is_a_weight: float = IS_A_WEIGHT) -> None:
        a_number = isinstance(is_a_weight, int | float) and not isinstance(is_a_weight, bool)
        if not a_number or not 0 <= is_a_weight <= 1:
            raise ParameterError(f"is_a_weight must be a number in [0, 1], got {is_a_weight!r}")
        self._ontology = ontology
        self._weight = float(is_a_weight)
        self._values: dict[str, tuple[dict[str, float], float]] = {}
        self._similarities: dict[tuple[str, str], float] = {}

    def of_terms(self, a: str, b: str) -> float:
        """Return the similarity of two terms, in [0, 1]."""
        if a == b:
            return 1.0
        if self._ontology is None:
            return 0.0
        # One order for both, so that the similarity is exactly symmetric.
        key = (a, b) if a < b else (b, a)
        similarity = self._similarities.get(key)
        if similarity is None:
            similarity = self._similarities[key] = self._computed(*key)
        return similarity

    def _computed(self, a: str, b: str) -> float:
        of_a, sum_a = self._semantic_values(a)
        of_b, sum_b = self._semantic_values(b)
        if len(of_b) < len(of_a):
            of_a, of_b = of_b, of_a
        shared = sum(value + of_b[term] for term, value in of_a.items() if term in of_b)
        return shared / (sum_a + sum_b)

    def _semantic_values(self, term: str) -> tuple[dict[str, float], float]:
        known = self._values.get(term)
        if known is None:
            steps = {} if self._ontology is None else self._ontology.steps_up(term)
            values = {above: self._weight**n for above, n in steps.items()}
            known = self._values[term] = (values, sum(values.values()))
        return known

    def of_sets(self, a: Iterable[str], b: Iterable[str]) -> float:
        """Return the best-match average of two sets of labels; repeats do not count.

        1 if both are empty (a task without labels), 0 if only one is.
        """
        xs, ys = list(dict.fromkeys(a)), list(dict.fromkeys(b))
        if not xs and not ys:
            return 1.0
        if not xs or not ys:
            return 0.0
        forth = sum(max(self.of_terms(x, y) for y in ys) for x in xs)
        back = sum(max(self.of_terms(x, y) for x in xs) for y in ys)
        return (forth + back) / (len(xs) + len(ys))
