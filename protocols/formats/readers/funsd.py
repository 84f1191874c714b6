"""FUNSD and XFUND: the words, or the entities, of forms."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from protocols.core.regions import Region

from ..containers import checked
from ..containers.collecting import REGION, Collector, reader_of
from ..containers.contents import Kind
from ..containers.documents import Document, image_name, json_of
from ..containers.pages import units_of
from ..problems import Fault, Problems

_WANTED: Final = 'an object with "form", or with "documents"'
_Object = Mapping[str, Any]
# A word and its entity, or an entity alone.
_Unit = tuple[_Object, _Object | None]


def _read_forms(
    document: Document, collector: Collector, problems: Problems, _: Kind, *, words: bool
) -> None:
    data = json_of(document, problems)
    if not isinstance(data, Mapping) or not ("form" in data or "documents" in data):
        raise Fault("A1", checked.shown(data), _WANTED)
    forms: list[tuple[str, tuple[int, int] | None, list[_Object]]] = []
    if "form" in data:
        forms.append((image_name(document.stem), None, checked.objects_in(data, "form")))
    for given in checked.objects_in(data, "documents"):
        image = given.get("img")
        image = image if isinstance(image, Mapping) else {}
        path = checked.text_in(image, "fname") or checked.text_in(given, "id")
        if path is None:
            raise Fault("S3", "a document without an image", "the path of the image")
        forms.append(
            (collector.named(path), checked.size_in(image), checked.objects_in(given, "document"))
        )
    for name, size, entities in forms:
        found: Sequence[_Unit] = [(entity, None) for entity in entities]
        if words:
            of_words: list[_Unit] = [
                (word, of) for of in entities for word in checked.objects_in(of, "words")
            ]
            bare: list[_Unit] = [(of, None) for of in entities if not of.get("words")]
            found = units_of(of_words, bare, [], collector, document.entry)
        collector.image_with(name, found, _region, REGION, size=size, entry=document.entry)


read_words: Final = reader_of("funsd", ".json", partial(_read_forms, words=True))
read_entities: Final = reader_of("funsd-entities", ".json", partial(_read_forms, words=False))


def _region(given: _Unit) -> Region:
    one, entity = given
    box = one.get("box")
    if not isinstance(box, list) or len(box) != 4:
        raise Fault("L1", checked.shown(box), "a box of left, top, right, bottom")
    left, top, right, bottom = map(checked.finite, box)
    id_ = (entity or one).get("id")
    known = {"parent": None if id_ is None else str(id_)[:100]}
    if entity is None:
        known = {"id": known["parent"], "label": checked.text_in(one, "label")}
    return checked.box_region(
        left, top, right - left, bottom - top, text=checked.text_in(one, "text"), **known
    )
