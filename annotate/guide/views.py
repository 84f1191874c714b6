"""Pages of the protocols and the playground. They are public and store nothing."""

import dataclasses
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import localize, number_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from protocols import registry
from protocols.core.base import NEEDED, Protocol

from . import markdown
from .playground import (
    DEFAULT,
    HEIGHT,
    MAX_BOXES,
    MAX_LINE,
    MAX_TEXT,
    MIN_SIDE,
    PRESETS,
    WIDTH,
    Box,
    Drawing,
    NotAScene,
    add_box,
    change_box,
    from_link,
    place_of,
    score_drawing,
    to_link,
)
from .shortcuts import within_seconds

_LIMITS: Final = {
    "width": WIDTH,
    "height": HEIGHT,
    "minSide": MIN_SIDE,
    "maxBoxes": MAX_BOXES,
    "maxText": MAX_TEXT,
    "maxLine": MAX_LINE,
}
_KINDS: Final = {
    "one-to-one": gettext_lazy("matched"),
    "split": gettext_lazy("split"),
    "merge": gettext_lazy("merged"),
    "many-to-many": gettext_lazy("many to many"),
    "unmatched": gettext_lazy("unmatched"),
    "ignored": gettext_lazy("ignored"),
    "unknown": gettext_lazy("no match named"),
}
_A_DAY: Final = 24 * 3600
_PICTURE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}


@require_safe
def protocol_list(request: HttpRequest) -> HttpResponse:
    sources = markdown.sources()
    keys = {key for protocol in registry.all_protocols() for key in _keys(protocol)}
    context = {
        "groups": {
            family: [
                {
                    "protocol": protocol,
                    "needs": NEEDED.get(protocol.needs, ""),
                    "keys": _linked_keys(protocol, sources),
                }
                for protocol in protocols
            ]
            for family, protocols in registry.families().items()
        },
        "sources": {key: text for key, text in sources.items() if key in keys},
    }
    return render(request, "guide/list.html", context)


def _keys(protocol: Protocol) -> list[str]:
    return [key.strip(" []") for key in protocol.reference.replace(";", ",").split(",")]


def _linked_keys(protocol: Protocol, sources: Mapping[str, str]) -> list[tuple[str, bool]]:
    """Return the keys of a protocol's sources, and whether the page lists each."""
    return [(key, key in sources) for key in _keys(protocol)]


@within_seconds
@require_safe
def protocol_page(request: HttpRequest, slug: str) -> HttpResponse:
    if slug not in registry.PROTOCOLS:
        raise Http404
    protocol = registry.get(slug)
    sources = markdown.sources()
    package = registry.package_of(slug)
    document = markdown.of_plugin(protocol) if package else markdown.document(slug)
    named = re.findall(r"\[(\w+)\]", document.html) if document else []
    context = {
        "protocol": protocol,
        "document": document,
        "package": package,
        "parameters": parameters_of(protocol),
        "sources": {key: sources.get(key) for key in _keys(protocol)}
        | {key: sources[key] for key in named if key in sources},
    }
    return _with_playground(request, "guide/protocol.html", context, only=slug)


@require_safe
def shared_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a document that belongs to several protocols."""
    document = markdown.document(name) if name in markdown.SHARED_PAGES else None
    if document is None:
        raise Http404
    return render(request, "guide/page.html", {"document": document})


def parameters_of(protocol: Protocol) -> list[dict[str, str]]:
    """Return name, published value, allowed values and meaning of each parameter."""
    return [
        {
            "name": declared.name,
            "default": _plain(declared.default),
            "allowed": _allowed(declared),
            "says": declared.metadata.get("says", ""),
        }
        for declared in protocol.declared()
    ]


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(localize(float(f"{value:g}") if isinstance(value, float) else value))


def _allowed(declared: "dataclasses.Field[Any]") -> str:
    if isinstance(declared.default, bool):
        return _("yes or no")
    if "choices" in declared.metadata:
        return ", ".join(declared.metadata["choices"])
    low, high = declared.metadata.get("low"), declared.metadata.get("high")
    return (
        ""
        if low is None or high is None
        else _("{low} to {high}").format(low=localize(low), high=localize(high))
    )


@within_seconds
@require_safe
def playground_page(request: HttpRequest) -> HttpResponse:
    return _with_playground(request, "guide/playground_page.html", {}, only=None)


@cache_control(public=True, max_age=_A_DAY)
@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponse:
    drawing = markdown.picture(name)
    if drawing is None:
        raise Http404
    return HttpResponse(drawing, content_type="image/svg+xml", headers=_PICTURE_HEADERS)


@within_seconds
@require_POST
def score(request: HttpRequest) -> JsonResponse:
    """Score the scene of a link by every protocol, or by the one that is named."""
    only = request.POST.get("protocol")
    if only is not None and only not in registry.PROTOCOLS:
        return JsonResponse({"message": _("There is no protocol of this name.")}, status=400)
    try:
        drawing = from_link(request.POST.get("scene", ""))
    except NotAScene as refusal:
        return JsonResponse({"message": str(refusal)}, status=400)
    return JsonResponse({"protocols": _in_words(drawing, only)})


def _with_playground(
    request: HttpRequest, template: str, context: dict[str, Any], only: str | None
) -> HttpResponse:
    """Render a page that holds the playground, or redirect to it after a step of its form."""
    notice, status = "", 200
    drawing = DEFAULT.drawing
    preset = PRESETS.get(request.GET.get("preset", ""), None)
    if "scene" in request.GET:
        try:
            drawing = from_link(request.GET["scene"])
        except NotAScene as refusal:
            notice = _("{refusal} Here is another one to start with.").format(refusal=refusal)
    elif preset:
        drawing = preset.drawing
    elif "preset" in request.GET:
        notice = _("There is no such situation. Here is another one to start with.")
    selected = request.GET.get("box", "")
    if "do" in request.GET and not notice:
        try:
            drawing, selected = _step(drawing, request.GET)
            return redirect(f"{request.path}?{_address(drawing, selected, request.GET)}#stage")
        except NotAScene as refusal:
            notice, status = _("{refusal} Nothing was changed.").format(refusal=refusal), 422
    context |= _stage(request, drawing, selected, only) | {"notice": notice}
    return render(request, template, context, status=status)


def _address(drawing: Drawing, selected: str, sent: QueryDict) -> str:
    fields = {
        "scene": to_link(drawing),
        "box": selected,
        "protocol": sent.get("protocol", ""),
    }
    return urlencode({name: value for name, value in fields.items() if value})


def _step(drawing: Drawing, sent: QueryDict) -> tuple[Drawing, str]:
    """Return the drawing after one step of the form, and the box that is then selected."""
    do, name = sent["do"], sent.get("box", "")
    if do in ("add-truth", "add-detection"):
        return add_box(drawing, "truth" if do == "add-truth" else "detections")
    if do == "delete":
        return change_box(drawing, name, None), ""
    side, at = place_of(drawing, name)
    was: Box = getattr(drawing, side)[at]
    left, top = _whole(sent, "left", was.left), _whole(sent, "top", was.top)
    right = left + _whole(sent, "width", was.width)
    bottom = top + _whole(sent, "height", was.height)
    if side == "truth":
        own: dict[str, Any] = {"line": _whole(sent, "line", 0), "ignored": "ignored" in sent}
    else:
        own = {"confidence": _hundredths(sent)}
    box = Box(left, top, right, bottom, sent.get("text", "").strip(), **own)
    return change_box(drawing, name, box), name


_WHOLE: Final = {
    "left": gettext_lazy("The left side of a box is a whole number."),
    "top": gettext_lazy("The top of a box is a whole number."),
    "width": gettext_lazy("The width of a box is a whole number."),
    "height": gettext_lazy("The height of a box is a whole number."),
    "line": gettext_lazy("The line of a box is a whole number."),
}


def _whole(sent: QueryDict, name: str, otherwise: int) -> int:
    text = sent.get(name, "").strip()
    if not text:
        return otherwise
    if not (text.isascii() and text.isdecimal() and len(text) <= 4):
        raise NotAScene(str(_WHOLE[name]))
    return int(text)


def _hundredths(sent: QueryDict) -> int | None:
    text = sent.get("confidence", "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError as fault:
        raise NotAScene(_("A confidence is a number from 0 to 1.")) from fault
    if not 0 <= value <= 1:
        raise NotAScene(_("A confidence is a number from 0 to 1."))
    return round(100 * value)


def _stage(
    request: HttpRequest, drawing: Drawing, selected: str, only: str | None
) -> dict[str, Any]:
    """Return the context of the playground's template."""
    scored = _in_words(drawing, only)
    wanted = only or request.GET.get("protocol", "")
    shown = next((said for said in scored if said["slug"] == wanted), scored[0])
    boxes = [
        _drawn("t", at, box, shown["status"]["truth"][at], selected)
        for at, box in enumerate(drawing.truth)
    ] + [
        _drawn("d", at, box, shown["status"]["detections"][at], selected)
        for at, box in enumerate(drawing.detections)
    ]
    link = to_link(drawing)
    preset = next((preset for preset in PRESETS.values() if preset.drawing == drawing), None)
    return {
        "drawing": drawing,
        "link": link,
        "boxes": boxes,
        "selected": next((box for box in boxes if box["selected"]), None),
        "only": only or "",
        "shown": shown,
        "rows": scored,
        "kinds": _KINDS,
        "presets": PRESETS.values(),
        "preset": preset,
        "limits": _LIMITS,
        "for_script": {
            "limits": _LIMITS,
            "kinds": {kind: str(said) for kind, said in _KINDS.items()},
            "presets": [
                {
                    "slug": preset.slug,
                    "says": _(preset.says),
                    "scene": to_link(preset.drawing),
                    "drawing": preset.drawing.data(),
                }
                for preset in PRESETS.values()
            ],
            "scene": link,
            "drawing": drawing.data(),
            "protocols": scored,
            "shown": shown["slug"],
            "only": only or "",
        },
        "whole": f"{reverse('guide:playground')}?{urlencode({'protocol': shown['slug'], 'scene': link})}",
    }


def _four_digits(value: float) -> str:
    return number_format(f"{value:.4g}")


def _drawn(side: str, at: int, box: Box, status: str, selected: str) -> dict[str, Any]:
    name = f"{side}{at}"
    return {
        "name": name,
        "label": f"{side.upper()}{at + 1}",
        "is_truth": side == "t",
        "box": box,
        # As text: a template would write a comma in French, which in SVG starts another number.
        "middle_x": f"{(box.left + box.right) / 2:g}",
        "middle_y": f"{(box.top + box.bottom) / 2:g}",
        "text_size": _text_size(box),
        "status": status,
        "kind": _KINDS[status],
        "selected": name == selected,
        "confidence": "" if box.confidence is None else f"{box.confidence / 100:.2f}",
    }


def _text_size(box: Box) -> str:
    """Return the font size at which a text fits its box; letters are about 0.62 of it wide."""
    return f"{min(0.62 * box.height, box.width / (0.62 * max(len(box.text), 1))):.1f}"


def _in_words(drawing: Drawing, only: str | None) -> list[dict[str, Any]]:
    """Return the scores of a drawing with the words that page and script show."""
    shown = []
    for said in score_drawing(drawing, only):
        figures = [percent(said[name]) for name in ("recall", "precision", "f_score")]
        recall, precision, f = (_("undefined") if of == _NO_FIGURE else of for of in figures)
        words = _("{name}: recall {recall}, precision {precision}, F-score {f}.")
        if "error" in said:
            words = _("{name}: undefined, {why}.")
        sentence = words.format(
            name=said["name"], recall=recall, precision=precision, f=f, why=said.get("error")
        )
        indicators = {
            name: _NO_FIGURE if value is None else _four_digits(value)
            for name, value in said["indicators"].items()
        }
        more = {"figures": figures, "reasons": _reasons(said), "sentence": sentence}
        shown.append(said | more | {"indicators": indicators})
    return shown


_NO_FIGURE: Final = "–"


def percent(value: float | None) -> str:
    """Return a score in percent; a dash if undefined."""
    if value is None:
        return _NO_FIGURE
    return number_format(Decimal(100 * value).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _reasons(said: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a label and a sentence for each match and each region without one."""
    matches = [
        (
            ", ".join(
                [f"T{at + 1}" for at in match["truth"]]
                + [f"D{at + 1}" for at in match["detections"]]
            ),
            _("{kind}, recall credit {recall}, precision credit {precision}").format(
                kind=_KINDS[match["kind"]],
                recall=number_format(match["recall_credit"], 2),
                precision=number_format(match["precision_credit"], 2),
            ),
        )
        for match in said["matches"]
    ]
    return matches + [
        (f"{'T' if left['side'] == 'truth' else 'D'}{left['region'] + 1}", left["reason"])
        for left in said["unmatched"]
    ]
