"""Writing the file of a study that exists, which makes the same study elsewhere."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from annotate.datasets.mending import mended
from annotate.datasets.models import Image
from annotate.imports.models import DraftFile, FileKind, Import
from annotate.judges import services as judges
from annotate.judges.models import Judge
from annotate.names import address_of
from annotate.recruiting.models import Entrance
from annotate.recruiting.platforms import NAMES
from annotate.recruiting.questions import as_lines
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from annotate.studies.settings import BY_NAME, usual
from protocols import registry

from .reading import schema

# The kinds of files that a receipt is of, and the keys of each that a study file may have.
_OF_RECEIPTS: Final[Mapping[str, Sequence[str]]] = {
    Import.Kind.DATASET: (FileKind.TRUTH, FileKind.PHOTOGRAPHS),
    Import.Kind.PHOTOGRAPHS: (FileKind.PHOTOGRAPHS,),
    Import.Kind.RESULTS: (FileKind.RESULTS,),
}
_KEYS: Final[Mapping[str, Sequence[str]]] = {
    FileKind.TRUTH: ("format", "reading", "encoding"),
    FileKind.PHOTOGRAPHS: ("reading",),
    FileKind.RESULTS: ("format", "reading", "missing", "encoding"),
}
_USUAL, _USUAL_JUDGE = Entrance(), Judge()
_OF_ENTRANCES = schema()["properties"]["entrance"]["items"]["properties"]


def as_file(study: Study) -> str:
    """Return the TOML text of a study. Data files are named as loaded."""
    images = Image.objects.filter(studies=study).in_order().values_list("name", flat=True)
    every_image = study.dataset.images.count() == len(images)
    design: dict[str, Any] = {} if every_image else {"images": [*images]}
    design["seed"] = study.seed
    settings = {name: getattr(study, name) for name in BY_NAME}
    design |= {
        name: value
        for name, value in settings.items()
        if value is not None and value != usual(name)
    }
    parts = [
        _table("", {"name": study.name, "open": study.state == Study.State.OPEN}),
        _table("data", _data(study)),
        _table("protocols", {"use": _protocols(study)}),
        _table("design", design),
        *(_table("[entrance]", _entrance(entrance)) for entrance in study.entrances.all()),
        *(_table("[judge]", _judge(judge)) for judge in study.judges.all()),
    ]
    return "\n".join(parts)


def _data(study: Study) -> dict[str, Any]:
    """Return the files of the dataset, with how each was read, and guesses where no receipt tells."""
    dataset = study.dataset
    names: dict[str, Any] = {"dataset": dataset.name, "truth": "gt.zip"}
    methods = study.methods.order_by("pk").values_list("name", flat=True)
    results: dict[str, Any] = {name: f"{name}.zip" for name in methods}
    title_of = {address_of(name): name for name in methods}
    name_of = dict(study.methods.values_list("pk", "name"))
    for receipt in dataset.imports.filter(undone=None).order_by("pk"):
        if receipt.kind == Import.Kind.DATASET and receipt.files:
            told = [file["name"] for file in receipt.files]
            names |= dict(zip(("truth", "photographs"), told, strict=False))
        if receipt.draft_id is None:
            # Of a bundle; a file may hold several methods.
            loaded, files = receipt.added.get("methods", ()), receipt.files
            pairs = zip(loaded, files, strict=True) if len(loaded) == len(files) else ()
            results |= {name_of[pk]: file["name"] for pk, file in pairs if pk in name_of}
        kinds = _OF_RECEIPTS.get(receipt.kind, ())
        is_later = receipt.kind == Import.Kind.PHOTOGRAPHS
        for file in DraftFile.objects.filter(draft=receipt.draft_id, kind__in=kinds):
            read = _as_read(file)
            if file.kind != FileKind.RESULTS:
                # A study file names one place: of several loads, a folder with all photographs.
                names[file.kind] = "photographs" if file.kind in names and is_later else read
                continue
            titles = [title_of.get(address_of(title)) for title in file.counts.get("methods", {})]
            known = [title for title in titles if title is not None]
            # A file that names several methods is there once.
            results = {name: of for name, of in results.items() if name not in known}
            results |= dict.fromkeys(known[:1], read)
    if mended(dataset):
        # The files as loaded would make another ground truth than the corrected one.
        names["truth"] = f"{dataset.slug}-ground-truth.json"
    names |= {
        key: value for key in ("provenance", "licence") if (value := getattr(dataset, key, ""))
    }
    return names | {"results": results}


def _as_read(file: DraftFile) -> Any:
    """Return a file, or a table of the file and how it was read where a person or a guess said so."""
    said = {key: getattr(file, key) for key in _KEYS[file.kind] if getattr(file, key)}
    return {"file": file.name, **said} if said else file.name


def _protocols(study: Study) -> list[Any]:
    runs = study.dataset.runs.latest_of_each_protocol().filter(origin=ProtocolRun.Origin.COMPUTED)
    known = [run for run in runs.order_by("pk") if run.protocol in registry.PROTOCOLS]
    changed = {run.pk: _changed(run) for run in known}
    return [
        {"slug": run.protocol, **changed[run.pk]} if changed[run.pk] else run.protocol
        for run in known
    ]


def _changed(run: ProtocolRun) -> dict[str, Any]:
    """Return the parameters of a run that are not the published ones."""
    published = registry.PROTOCOLS[run.protocol]().parameters()
    return {
        name: value
        for name, value in run.parameters.items()
        if name not in published or value != published[name]
    }


def _entrance(entrance: Entrance) -> dict[str, Any]:
    names = NAMES[entrance.platform]  # type: ignore[index]  # its values are those of the enumeration
    platform = {
        "person_parameter": names.person,
        "submission_parameter": names.submission,
        "way_back": names.way_back,
    }
    written: dict[str, Any] = {"platform": entrance.platform, entrance.unit: entrance.size}
    for name in _OF_ENTRANCES:
        if name in written or name in Entrance.Unit.values:
            continue
        value = getattr(entrance, name)
        if name == "questions":
            value = as_lines(value).splitlines()
        usual_value = platform.get(name, getattr(_USUAL, name))
        # Codes are drawn, so that each is written.
        if value not in (None, "", [], usual_value) or name.startswith("code_"):
            written[name] = value
    return written


def _judge(judge: Judge) -> dict[str, Any]:
    """Return the settings that are not the usual ones; the host is left out."""
    settings = judges.settings_of(judge)
    given = settings["sampling"].items()
    settings["sampling"] = {name: value for name, value in given if value is not None}
    return {
        name: value
        for name, value in settings.items()
        if name != "host" and value not in (None, "", [], {}, getattr(_USUAL_JUDGE, name))
    }


def _table(header: str, content: Mapping[str, Any]) -> str:
    lines = [f"[{header}]"] if header else []
    return "\n".join([*lines, *(f"{key} = {_value(value)}" for key, value in content.items()), ""])


def _value(value: Any) -> str:
    """Return a value of TOML, which writes texts, numbers and lists as JSON does."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_value(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Decimal):
        return str(value)
    # JSON leaves this one control character as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
