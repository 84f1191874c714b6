"""The description of a report on its public page: anonymous, with a citation and metadata."""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from django.urls import reverse
from django.utils import translation

from annotate.figures.parts import ENGLISH
from annotate.figures.words import counted_annotators
from annotate.reports import presentation as reports
from annotate.reports.models import KeptReport
from rankings.agreement.main_table import MEASURES
from rankings.agreement.packed_tables import images_of_table
from rankings.output.escaping import latex_text
from rankings.output.methods_text import n_left_out
from text_rankings.base.counts import counted

from .models import PublicPage

_LEFT_OUT: Final = "annotators left out"
# Characters that could end the element that holds the description. In JSON their escapes mean the
# same.
_HARMLESS: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def public_report(page: PublicPage) -> KeptReport:
    """Return the report of a page without free texts about a person."""
    report = page.report
    header = dict(report.data["header"])
    if n_left := n_left_out(header):
        with translation.override(ENGLISH):
            header[_LEFT_OUT] = counted_annotators(n_left)
    report.data = {**report.data, "header": header}
    return report


def facts_shown(header: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the facts about a public report's origin, in the reader's language."""
    n_left = header.get(_LEFT_OUT, "").partition(" ")[0]
    return [
        (
            words,
            counted_annotators(int(n_left)) if name == _LEFT_OUT and n_left.isdecimal() else value,
        )
        for name, (words, value) in zip(header, reports.facts_shown(header), strict=True)
    ]


def public_json(page: PublicPage) -> str:
    """Return the content of the report as its page offers it: without rankings and answers one by one."""
    data = {name: value for name, value in public_report(page).data.items() if name != "inputs"}
    if programs := data.get("programs"):
        data["programs"] = {name: programs[name] for name in programs if name != "answers"}
    return json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"


def citation(page: PublicPage, address: str) -> str:
    """Return a one-line citation of the report."""
    authors = f"{page.authors.rstrip('.')}. " if page.authors else ""
    where = f"https://doi.org/{page.doi}" if page.doi else address
    title = page.title if page.title.endswith(("?", "!", ".")) else f"{page.title}."
    return f"{authors}{title} {page.created:%Y}. {where}"


def as_bibtex(page: PublicPage, address: str) -> str:
    """Return the report as a BibTeX entry, with the special characters of TeX escaped."""
    key = re.sub(r"[^A-Za-z0-9]+", "-", page.report.study.slug).strip("-") or "report"
    fields = {
        "author": f"{{{latex_text(page.authors)}}}" if page.authors else "",
        "title": f"{{{latex_text(page.title)}}}",
        "year": f"{page.created:%Y}",
        "doi": latex_text(page.doi),
        "howpublished": rf"\url{{{address}}}",
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{key}-{page.created:%Y},\n" + ",\n".join(lines) + "\n}\n"


def description(page: PublicPage, base: str) -> dict[str, Any]:
    """Return the report as a schema.org Dataset; ``base`` is the site's URL without final slash."""
    report = public_report(page)
    header: Mapping[str, str] = report.data["header"]
    address = f"{base}{reverse('public:page', args=[page.address])}"
    content = public_json(page)
    files: list[dict[str, Any]] = [
        {
            "@type": "DataDownload",
            "name": "report.json",
            "encodingFormat": "application/json",
            "contentUrl": f"{base}{reverse('public:file', args=[page.address, 'json'])}",
            "sha256": sha256(content.encode()).hexdigest(),
        },
        {
            "@type": "DataDownload",
            "name": "report.csv",
            "encodingFormat": "text/csv",
            "contentUrl": f"{base}{reverse('public:file', args=[page.address, 'csv'])}",
        },
    ]
    if page.file:
        files.append(
            {
                "@type": "DataDownload",
                "name": _in_english(page),
                "encodingFormat": "application/zip",
                "contentUrl": f"{base}{reverse('public:download', args=[page.address])}",
                "contentSize": f"{page.file_bytes} B",
                "sha256": page.file_sha256,
            }
        )
    said = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": page.title,
        "description": page.description or _usual_description(report.data),
        "url": address,
        "identifier": f"https://doi.org/{page.doi}" if page.doi else address,
        "creator": {"@type": "Organization", "name": page.authors} if page.authors else None,
        "license": page.licence or None,
        "datePublished": f"{page.created:%Y-%m-%d}",
        "dateCreated": f"{report.created:%Y-%m-%d}",
        "version": report.checksum[:12],
        "isAccessibleForFree": True,
        "keywords": ["text detection", "evaluation protocols", "ranking", header["dataset"]],
        "isBasedOn": {
            "@type": "Dataset",
            "name": header["dataset"],
            "description": header["dataset"],
        },
        "measurementTechnique": "pairwise comparison of results by annotators",
        "variableMeasured": [measure.heading for measure in MEASURES],
        "citation": citation(page, address),
        "distribution": files,
    }
    return {name: value for name, value in said.items() if value is not None}


def _in_english(page: PublicPage) -> str:
    with translation.override(ENGLISH):
        return str(page.get_download_display())


def element_text(described: Mapping[str, Any]) -> str:
    """Return a description as JSON that is safe inside an HTML element."""
    return json.dumps(described, ensure_ascii=False).translate(_HARMLESS)


def _usual_description(data: Mapping[str, Any]) -> str:
    header: Mapping[str, str] = data["header"]
    # The header's list cannot be counted: a name may hold a comma.
    methods = {
        method
        for own in data["criteria"].values()
        for ranking in images_of_table(own)[0].values()
        for bucket in ranking
        for method in bucket
    }
    n_methods = counted(len(methods), "method") if methods else "methods"
    return (
        "How near evaluation protocols for text detection come to people: "
        f"{counted(header['annotators'], 'annotator')} ranked the results of {n_methods} on "
        f"{counted(header['images of the study'], 'image')} of {header['dataset']} by recall, "
        "precision and preference. Best, Worst and Score of each protocol with intervals and tests."
    )
