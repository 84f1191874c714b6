"""Settings of the pages about single images, in addition to those of a report."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from annotate.datasets.facts import scripts_of
from annotate.datasets.models import Dataset, Selection
from annotate.languages import numeral
from annotate.names import NameField
from annotate.reports.forms import ReportForm
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from protocols.core.base import Protocol
from protocols.core.causes import CAUSES
from rankings.elicitation.log import CRITERIA

from .disagreement import BASELINES
from .worst_images import Question

# Fields shown first; the others are folded away.
_FIRST = ("protocol", "criterion", "distance", "only")
_CRITERIA = list(zip(CRITERIA, (_("Recall"), _("Precision"), _("Preference")), strict=True))


class ImageForm(ReportForm):
    """The report's settings for one image; criterion and pseudonyms are chosen by links."""

    criterion = forms.ChoiceField(choices=_CRITERIA, required=False, widget=forms.HiddenInput)
    pseudonyms = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def clean_criterion(self) -> str:
        return self.cleaned_data["criterion"] or CRITERIA[0]


class DisagreementForm(ReportForm):
    """A protocol and a criterion; a link from a report's count selects only its images."""

    protocol = forms.ChoiceField(required=False, label=_("Protocol"))
    criterion = forms.ChoiceField(choices=_CRITERIA, required=False, label=_("Criterion"))
    only = forms.ChoiceField(
        choices=[
            ("", _("all images")),
            ("best", _("where it is nearest")),
            ("worst", _("where it is farthest")),
        ],
        required=False,
        label=_("Images"),
    )
    # The protocols of the report; if empty, all of them.
    among = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)

    def __init__(self, data: QueryDict, *, study: Study) -> None:
        given = data.copy()
        if not given.get("criterion"):
            given["criterion"] = CRITERIA[0]
        super().__init__(given, study=study)
        runs = self.available
        protocol = cast(forms.ChoiceField, self.fields["protocol"])
        protocol.choices = [
            (_("Protocols"), [(run.name, run.name) for run in runs]),
            (_("Baselines"), [(name, name) for name in BASELINES]),
        ]
        among = cast(forms.ChoiceField, self.fields["among"])
        among.choices = [(run.name, run.name) for run in runs]
        self.order_fields(_FIRST)

    def _usual(self, names: list[str]) -> list[str]:
        return names[:1]

    @property
    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in _FIRST]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in _FIRST]

    def runs(self) -> list[ProtocolRun]:
        return [run for run in self.available if run.name == self.cleaned_data["protocol"]]

    def baseline(self) -> str:
        """Return the name of the baseline, or "" if the name is that of a protocol."""
        return "" if self.runs() else str(self.cleaned_data["protocol"])

    def rivals(self) -> list[ProtocolRun]:
        names = self.cleaned_data["among"]
        return [run for run in self.available if not names or run.name in names]


class ParametersForm(forms.Form):
    """A protocol's parameters with their ranges, to try out in the viewer of two methods.

    Without ``p-set`` in the address, the protocol's own hold; with it, an unchecked box is False.
    """

    set = forms.CharField(widget=forms.HiddenInput, initial="1", required=False)
    prefix = "p"

    def __init__(self, data: Any, *, protocol: Protocol) -> None:
        self._protocol = protocol
        super().__init__(_with_own(data, protocol) if "p-set" in data else None)
        published = type(protocol)()
        for declared in protocol.declared():
            usual = getattr(published, declared.name)
            self.fields[declared.name] = _field(
                declared,
                getattr(protocol, declared.name),
                gettext("published: {value}").format(value=_plain(usual)),
            )

    def protocol(self) -> Protocol:
        """Return the protocol with the parameters of the address.

        Raises ParameterError if they contradict each other.
        """
        if not self.is_bound:
            return self._protocol
        own = self._protocol.parameters()
        return replace(self._protocol, **{name: self.cleaned_data[name] for name in own})


def _with_own(data: Any, protocol: Protocol) -> Any:
    """Return the values from a query string, with the protocol's own for missing ones."""
    given = data.copy()
    for name, value in protocol.parameters().items():
        if not isinstance(value, bool) and not given.get(f"p-{name}"):
            given[f"p-{name}"] = str(value)
    return given


def changed_parameters(protocol: Protocol) -> list[str]:
    """Describe the parameters that differ from the published ones."""
    published = type(protocol)().parameters()
    return [
        gettext("{name} {value} (published {published})").format(
            name=name, value=_plain(value), published=_plain(published[name])
        )
        for name, value in protocol.parameters().items()
        if value != published[name]
    ]


def _field(declared: Any, value: Any, usual: str) -> forms.Field:
    told = {
        "label": declared.name,
        "initial": value,
        "required": False,
        "help_text": f"{declared.metadata['says']}; {usual}",
    }
    if isinstance(declared.default, bool):
        return forms.BooleanField(**told)
    if "choices" in declared.metadata:
        return forms.ChoiceField(
            choices=[(choice, choice) for choice in declared.metadata["choices"]], **told
        )
    low, high = declared.metadata["low"], declared.metadata["high"]
    kind = forms.IntegerField if isinstance(declared.default, int) else forms.FloatField
    field = kind(min_value=low, max_value=high, **told)
    # The script adds a slider.
    field.widget.attrs |= {"step": "1" if kind is forms.IntegerField else "any", "data-slides": ""}
    return field


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return numeral(f"{value:g}") if isinstance(value, float) else str(value)


_FIGURES: Final = [
    ("f_score", _("F-score")),
    ("recall", _("Recall")),
    ("precision", _("Precision")),
]


class WorstForm(forms.Form):
    """A method and its rival, what orders the images, and filters on images; all in the address."""

    method = forms.ChoiceField(label=_("Method"), required=False)
    against = forms.ChoiceField(required=False, widget=forms.HiddenInput)
    protocol = forms.ChoiceField(label=_("Protocol"), required=False)
    figure = forms.ChoiceField(label=_("Figure"), choices=_FIGURES, required=False)
    cause = forms.ChoiceField(
        required=False, widget=forms.HiddenInput, choices=[(name, name) for name in ("", *CAUSES)]
    )
    name = NameField(label=_("Name of the image"), max_length=200, required=False)
    words = NameField(label=_("Text in the image"), max_length=200, required=False)
    script = forms.ChoiceField(label=_("Script"), required=False)
    turned = forms.ChoiceField(
        label=_("Orientation"),
        required=False,
        choices=[("", _("any")), ("yes", _("with rotated words")), ("no", _("horizontal only"))],
    )
    height_from = forms.FloatField(label=_("Height of words from, px"), required=False, min_value=0)
    height_to = forms.FloatField(label=_("to, px"), required=False, min_value=0)
    selection = forms.ModelChoiceField(
        Selection.objects.none(), label=_("Selection"), required=False, empty_label=_("all images")
    )

    def __init__(self, data: Any, *, dataset: Dataset, runs: Sequence[ProtocolRun]) -> None:
        super().__init__(data)
        self.methods = {method.slug: method for method in dataset.methods.all()}
        self.available = {run.name: run for run in runs}
        names = [(slug, method.name) for slug, method in self.methods.items()]
        scripts = scripts_of(dataset)
        for field, choices in {
            "method": names,
            "against": [("", ""), *names],
            "protocol": [(name, name) for name in self.available],
            "script": [("", _("any")), *((name, name.capitalize()) for name in scripts)],
        }.items():
            self.fields[field].choices = choices  # type: ignore[attr-defined]
        self.fields["selection"].queryset = dataset.selections.all()  # type: ignore[attr-defined]
        if len(scripts) < 2:
            self.fields["script"].widget = forms.HiddenInput()

    @property
    def filters(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in _ORDERING]

    @property
    def ordering(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name in _ORDERING]

    @property
    def is_filtered(self) -> bool:
        return any(self[field.name].value() for field in self.filters)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The values of the fields that the comparison of two methods hands on."""
        sides = ("method", "against", "protocol")
        values = [(name, self[name].value()) for name in self.fields if name not in sides]
        return [(name, value) for name, value in values if value]

    def question(self) -> Question:
        """Return what is asked of a dataset with at least one method and one run."""
        asked = self.cleaned_data
        run = self.available[asked["protocol"] or next(iter(self.available))]
        method = self.methods[asked["method"] or next(iter(self.methods))]
        against = self.methods.get(asked["against"])
        conditions = {
            "name__icontains": asked["name"],
            "facts__words__contains": asked["words"].lower(),
            "facts__scripts__contains": asked["script"] and f" {asked['script']} ",
            "facts__height_px__gte": asked["height_from"],
            "facts__height_px__lte": asked["height_to"],
            "facts__n_turned__gt": 0 if asked["turned"] == "yes" else None,
            "facts__n_turned": 0 if asked["turned"] == "no" else None,
            "selections": asked["selection"] and asked["selection"].pk,
        }
        return Question(
            run,
            asked["figure"] or _FIGURES[0][0],
            method,
            None if against == method else against,
            asked["cause"] if run.has_causes else "",
            {lookup: value for lookup, value in conditions.items() if value not in (None, "")},
        )

    def query(self, **changed: str) -> str:
        """Return the query of this page with some fields changed."""
        question = self.question()
        asked = {
            **{name: self[name].value() or "" for name in self.fields},
            "method": question.method.slug,
            "protocol": question.run.name,
            **changed,
        }
        return urlencode({name: value for name, value in asked.items() if value})

    def query_of_image(self) -> str:
        """Return the query of the comparison of two methods that keeps the question."""
        question = self.question()
        asked = QueryDict(self.query(), mutable=True)
        asked["left"] = asked.pop("method")[-1]
        asked["right"] = (question.against or question.method).slug
        asked.pop("against", None)
        return asked.urlencode()


class KeepForm(forms.Form):
    """The name of a selection, and which of the images that a page shows it takes."""

    name = NameField(label=_("Name"), max_length=120)
    which = forms.ChoiceField(
        label=_("Images"), choices=[("ticked", _("ticked ones")), ("first", _("the first"))]
    )
    n = forms.IntegerField(
        label=_("how many; empty: all"), required=False, min_value=1, max_value=10**9
    )

    def which_said(self, n_ticked: int) -> str:
        """Return words on the choice, after validation."""
        said = self.cleaned_data
        if said["which"] == "ticked":
            return ngettext("{n} ticked image", "{n} ticked images", n_ticked).format(n=n_ticked)
        return gettext("the first {n}").format(n=said["n"]) if said["n"] else gettext("all images")


_ORDERING: Final = ("method", "protocol", "figure")


def worst_of(query: QueryDict) -> dict[str, str]:
    """Return the question behind the comparison of two methods, from its address."""
    asked = {name: query.get(name, "") for name in WorstForm.base_fields}
    left, right = query.get("left", ""), query.get("right", "")
    return {**asked, "method": left, "against": "" if left == right else right}
