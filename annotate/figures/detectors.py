"""Standings of the detectors, for their page: orders side by side, and wrongly ordered pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.languages import numeral
from annotate.tables import Cell, Column, Table, number, plain_number
from rankings.detectors.standings import TOO_FEW
from rankings.rounding import p_value

from .data import FigureData

# People count as sure of their own order if its one-sided p-value is at most this.
SURE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a method in an order, None if it is left out; whether it differs from people's."""

    place: int | None
    is_other: bool


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two methods that a protocol orders contrary to people, and the images behind that."""

    pair: Mapping[str, Any]
    is_sure: bool
    # (image, address)
    images: Sequence[tuple[str, str]]

    @property
    def p_people(self) -> str:
        return numeral(p_value(self.pair["p_people"]))

    @property
    def p_protocol(self) -> str:
        return numeral(p_value(self.pair["p_protocol"]))


@dataclass(frozen=True, slots=True)
class ShownStanding:
    """A protocol: its accuracies, its order next to people's, and the pairs it gets wrong."""

    standing: Mapping[str, Any]
    # In people's order of the methods.
    places: Sequence[Place]
    pairs: Sequence[ShownPair]

    @property
    def n_sure(self) -> int:
        return sum(pair.is_sure for pair in self.pairs)


@dataclass(frozen=True, slots=True)
class ShownStandings:
    """One criterion: people's order, and each protocol's next to it."""

    methods: Sequence[str]
    # By people, in the order of ``methods``.
    places: Sequence[int]
    protocols: Sequence[ShownStanding]
    left_out: Sequence[Sequence[str]]
    n_images_left_out: int
    # (image, reason)
    images_left_out: Sequence[Sequence[str]]
    n_pairs: int
    n_permutations: int
    is_exact: bool
    # Whether there are confidence limits over images and annotators, and also over methods.
    has_limits: bool
    has_wide_limits: bool

    @property
    def wrong(self) -> list[ShownStanding]:
        return [one for one in self.protocols if one.pairs]


def shown_standings(data: FigureData) -> ShownStandings:
    found = data.detectors
    methods = [one["method"] for one in found["people"]["strengths"]]
    of_people = _places(found["order"])
    slug_of = dict(data.study.methods.values_list("name", "slug"))
    protocols = []
    for standing in found["protocols"]:
        own = _places(standing["order"])
        # Places among the methods that the protocol orders.
        among = _places([[name for name in one if name in own] for one in found["order"]])
        protocols.append(
            ShownStanding(
                standing,
                [Place(own.get(name), own.get(name) != among.get(name)) for name in methods],
                [
                    ShownPair(
                        pair,
                        pair["p_people"] <= SURE,
                        [
                            (image, _address(data, image, standing["protocol"], pair, slug_of))
                            for image in pair["images"]
                        ],
                    )
                    for pair in standing["wrong"]
                ],
            )
        )
    n = len(methods)
    images_left_out = found["images_left_out"]
    lacking = [one for one in images_left_out if one[1] != TOO_FEW]
    return ShownStandings(
        methods=methods,
        places=[of_people[name] for name in methods],
        protocols=protocols,
        left_out=found["left_out"],
        n_images_left_out=max(found["n_images_left_out"] - len(lacking), 0),
        images_left_out=lacking,
        n_pairs=n * (n - 1) // 2,
        n_permutations=found["n_permutations"],
        is_exact=found["is_exact"],
        has_limits=any(one["soft"]["low"] is not None for one in found["protocols"]),
        has_wide_limits=any(one["soft"]["low_methods"] is not None for one in found["protocols"]),
    )


def _places(order: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the place of each method; methods in a bucket share its first place."""
    places: dict[str, int] = {}
    for bucket in order:
        first = len(places) + 1
        places |= dict.fromkeys(bucket, first)
    return places


def _address(
    data: FigureData,
    image: str,
    protocol: str,
    pair: Mapping[str, Any],
    slug_of: Mapping[str, str],
) -> str:
    """Return the address of a page that shows the two methods side by side on an image."""
    asked = {
        "left": slug_of.get(pair["first"], ""),
        "right": slug_of.get(pair["second"], ""),
        "protocol": protocol,
    }
    return f"{reverse('evidence:compare', args=[data.study.slug, image])}?{urlencode(asked)}"


def accuracy_table(shown: ShownStandings) -> Table:
    """Draw how many pairs of methods each protocol puts in people's order."""
    limits = [_column(_("95 % interval"), sorts=False)] if shown.has_limits else []
    wide = [_column(_("methods too"), sorts=False)] if shown.has_wide_limits else []
    columns = [
        Column(_("Protocol")),
        _column(_("Images")),
        _column(_("Soft accuracy")),
        *limits,
        *wide,
        _column(_("Pairs right")),
        *limits,
        _column(_("Pairs wrong")),
    ]
    rows = []
    for at, one in enumerate((shown.standing for shown in shown.protocols), 1):
        soft, hard = one["soft"], one["hard"]
        words = ngettext(
            "%(n)s pair that %(protocol)s gets wrong",
            "%(n)s pairs that %(protocol)s gets wrong",
            one["n_wrong"],
        )
        label = words % {"n": one["n_wrong"], "protocol": one["protocol"]}
        wrong = Cell("0", is_number=True)
        if one["n_wrong"]:
            wrong = Cell(str(one["n_wrong"]), f"#wrong-{at}", label, is_number=True)
        rows.append(
            [
                Cell(one["protocol"], is_heading=True),
                Cell(str(one["n_images"] or "–"), is_number=True),
                plain_number(soft["value"], 3),
                *([_interval(soft["low"], soft["high"])] if limits else []),
                *([_interval(soft["low_methods"], soft["high_methods"])] if wide else []),
                plain_number(hard["value"], 3),
                *([_interval(hard["low"], hard["high"])] if limits else []),
                wrong,
            ]
        )
    return Table(columns, rows, label=_("Accuracy of each protocol's order"))


def wrong_table(shown: ShownStanding) -> Table:
    """Draw the pairs of methods that a protocol orders contrary to people."""
    columns = [
        Column(_("People put first")),
        Column(_("before")),
        _column(_("Lead")),
        _column(_("p, people")),
        _column(_("Figures"), sorts=False),
        _column(_("p, protocol")),
        Column(_("Images"), sorts=False),
    ]
    rows = []
    for one in shown.pairs:
        pair = one.pair
        limits = "" if pair["low"] is None else _interval(pair["low"], pair["high"]).words
        first, second = (
            plain_number(pair[name], 3).words for name in ("figure_first", "figure_second")
        )
        rows.append(
            [
                Cell(pair["first"], is_heading=True),
                Cell(pair["second"]),
                number(pair["lead"], 2, small=limits),
                Cell(one.p_people, is_number=True),
                Cell(f"{first} < {second}", is_number=True),
                Cell(one.p_protocol, is_number=True),
                Cell(
                    format_html_join(
                        " ",
                        '<a href="{}">{}</a>',
                        ((address, image) for image, address in one.images),
                    ),
                    kind="standings__images",
                ),
            ]
        )
    words = _("Pairs that %(protocol)s gets wrong") % {"protocol": shown.standing["protocol"]}
    return Table(columns, rows, label=words)


def _column(words: str, *, sorts: bool = True) -> Column:
    return Column(words, is_number=True, sorts=sorts)


def _interval(low: float | None, high: float | None) -> Cell:
    limits = {"low": floatformat(low, 2), "high": floatformat(high, 2)}
    return Cell(_("[%(low)s, %(high)s]") % limits, is_number=True)


def said_of_methods_left_out(shown: ShownStandings) -> list[str]:
    """Say which methods each protocol leaves out of its order."""
    said = []
    for one in (shown.standing for shown in shown.protocols):
        methods = [
            _("%(method)s: %(n)s of %(of)s images") % {"method": method, "n": n, "of": of}
            for method, n, of in one["methods_left_out"]
        ]
        words = _("The order of %(protocol)s leaves out methods with scores on too few images:")
        if methods:
            said.append(f"{words % {'protocol': one['protocol']}} {_('; ').join(methods)}.")
    return said
