"""A paragraph for a paper's methods section, with its references."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from text_rankings.base.counts import counted

from ..analysis.verdicts import n_different
from ..elicitation.log import CRITERIA
from ..inference.moderation import ENOUGH_PROTOCOLS
from ..inference.multi_reader import STEPS_FROM
from ..inference.resampling import FEW_IMAGES
from .escaping import latex_text, markdown_text
from .judge_tables import programs_of
from .skips import ALIKE, END, KEPT, REASONS, UNFINISHED, VISITS, n_lost

_CONSENSUS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "mean-rank": ("by their mean ranks", ("DPTF18",)),
    "kemeny": ("into the ranking that is nearest to all of them", ("KS62", "YE21")),
}
_DISTANCES: Final = {
    "edit": ("ranking edit distance", ("DPTF18",)),
    "kemeny": ("Kemeny distance", ("FKMSV06",)),
}


# The start of each entry; the reason that follows may contain anything.
_LEFT_OUT: Final = re.compile(r"(?:^|; )[\w-]+ since \d{4}-\d\d-\d\d: ")
# The key of the program itself, which is in no list of references.
SOFTWARE: Final = "text-detection-rankings"


@dataclass(frozen=True, slots=True)
class Citation:
    """A place where works are cited, by the keys of the packages' references."""

    keys: tuple[str, ...]


# Text and citations in turn.
Paragraph = Sequence[str | Citation]


def methods_paragraph(data: Mapping[str, Any]) -> Paragraph:
    """Return a paragraph on what was done in a study.

    ``data`` is an analysis as JSON with its "header" and, if known, the "runs" of protocols: name,
    version, parameters, whether they were computed here ("origin"), and a "reference".
    """
    return tuple(_parts(data))


def n_left_out(header: Mapping[str, str]) -> int:
    """Return how many annotators a report leaves out, from what its header says of each."""
    return len(_LEFT_OUT.findall(header.get("annotators left out", "")))


def keys_of(paragraph: Paragraph) -> list[str]:
    """Return the keys that a paragraph cites, each once, in order."""
    return list(
        dict.fromkeys(key for part in paragraph if isinstance(part, Citation) for key in part.keys)
    )


def as_latex(paragraph: Paragraph, stands_for: Mapping[str, str]) -> str:
    r"""Return a paragraph with ``\cite``; ``stands_for`` has the key to cite each key's work by.

    Works without an entry are not cited.
    """
    text = _rendered(paragraph, stands_for, _breakable, lambda keys: rf"~\cite{{{','.join(keys)}}}")
    return f"\\begin{{sloppypar}}\n{text}\n\\end{{sloppypar}}"


def _breakable(text: str) -> str:
    # Names of parameters are long, and TeX knows no place to break them.
    return latex_text(text).replace(r"\_", r"\_\allowbreak{}").replace("=", r"=\allowbreak{}")


def as_markdown(paragraph: Paragraph, stands_for: Mapping[str, str]) -> str:
    """Return a paragraph with citations as Pandoc reads them; keys are as for :func:`as_latex`."""
    return _rendered(
        paragraph,
        stands_for,
        markdown_text,
        lambda keys: f" [{'; '.join(f'@{key}' for key in keys)}]",
    )


def _rendered(
    paragraph: Paragraph,
    stands_for: Mapping[str, str],
    write: Callable[[str], str],
    cite: Callable[[list[str]], str],
) -> str:
    rendered = ""
    for part in paragraph:
        if isinstance(part, str):
            # ``write`` strips spaces from both ends.
            before, after = (" " * part[at].isspace() for at in (0, -1))
            rendered += f"{before}{write(part)}{after}"
        elif keys := _known(part, stands_for):
            rendered += cite(keys)
    return rendered


def _known(citation: Citation, stands_for: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(stands_for[key] for key in citation.keys if key in stands_for))


def _parts(data: Mapping[str, Any]) -> Iterator[str | Citation]:
    header, settings = data["header"], data["settings"]
    is_external = "origin of the answers" in header
    how = "" if is_external else ", side by side and without knowing whose they were"
    criteria = list(CRITERIA)
    if is_external:
        criteria = [name for name, own in data["criteria"].items() if own["n_rankings"]] or criteria
    yield (
        f"Annotators compared the results of text detection methods ({header['methods']}) on images of "
        f"{header['dataset']}, two at a time{how}, by {_listed(criteria)}"
    )
    yield Citation(("DPTF18",))
    yield (
        f". {counted(header['annotators'], 'annotator')} gave "
        f"{counted(header['complete rankings'], 'complete ranking')} on "
        f"{counted(header['images of the study'], 'image')}. "
    )
    if is_external:
        yield f"Their answers were {header['origin of the answers']}. "
    if found := header.get("people who came by a link"):
        yield f"People took part by a link, without an account: {found}. "
    if n_left := n_left_out(header):
        yield f"The rankings of {counted(n_left, 'further annotator')} were left out. "
    yield from _missing(header)
    words, keys = _CONSENSUS[settings["consensus"]]
    yield f"The rankings of an image were merged {words}"
    yield Citation(keys)
    yield (
        f", where at least {counted(settings['min_annotators'], 'annotator')} had ranked it: "
        f"{_used(data)}. "
    )
    yield from _protocols(data)
    yield from _score(settings)
    yield from _statistics(data)
    yield from _programs(data)
    if end := header.get(END):
        yield f"The study was ended by a rule that was chosen before it opened: {end}. "
    if "state" in header:
        yield (
            "The study was still open: its tests hold their level only if the time to look was fixed "
            "beforehand. "
        )
    yield f"All was computed with {header['software']}"
    yield Citation((SOFTWARE,))
    yield f" on {header['date']}."


def _missing(header: Mapping[str, str]) -> Iterator[str]:
    """Yield sentences on what does not count because pairs were skipped, or was not finished."""
    lost, visits = n_lost(header), n_lost(header, VISITS)
    if lost:
        n, n_all = lost
        yield (
            f"Of {n_all} rankings that were ended, {n} {_is_or_are(n)} missing, because pairs were "
            "skipped. "
        )
    if visits:
        n, n_all = visits
        yield (
            f"Of {n_all} visits that asked methods that were drawn, {n} {_is_or_are(n)} missing, because "
            "pairs were skipped; losses per pair are given with their limits for all possible answers "
            "to these pairs. "
        )
    if n_kept := header.get(KEPT):
        yield (
            f"Visits of these with other answers: {n_kept}; they enter the losses with the answered "
            "pairs, weighted up to all pairs of the visit. "
        )
    if lost or visits:
        yield f"Reasons for skipping: {header[REASONS]}. "
    if n_alike := header.get(ALIKE):
        yield (
            "Pairs answered as looking the same, which is equal by every criterion asked: "
            f"{n_alike}. "
        )
    if n_unfinished := header.get(UNFINISHED):
        yield f"Rankings and visits that were begun and not finished, and do not count: {n_unfinished}. "


def _is_or_are(n: int) -> str:
    return "is" if n == 1 else "are"


def _used(data: Mapping[str, Any]) -> str:
    return _listed(
        [
            f"{counted(table['n_images'], 'image')} by {name}"
            for name, table in data["criteria"].items()
        ]
    )


def _protocols(data: Mapping[str, Any]) -> Iterator[str | Citation]:
    runs = data.get("runs")
    if not runs:
        return
    yield f"Every result was scored by {counted(len(runs), 'evaluation protocol')}: "
    for at, run in enumerate(runs):
        yield f"{'; ' if at else ''}{run['name']}"
        if run["reference"]:
            yield Citation((run["reference"],))
        if run["origin"] == "imported":
            yield " (scores computed elsewhere)"
        else:
            given = ", ".join(f"{name}={value}" for name, value in sorted(run["changed"].items()))
            yield f" (version {run['version']}{f', {given}' if given else ''})"
    yield "; other parameters as usual in these versions. "


def _score(settings: Mapping[str, Any]) -> Iterator[str | Citation]:
    decimals = settings["decimals"]
    rounded = "unrounded" if decimals is None else f"rounded to {decimals} decimals"
    distance, keys = _DISTANCES[settings["distance"]]
    yield (
        f"A protocol's recall, precision and F-score (beta = {settings['beta']:g}), {rounded}, rank the "
        f"methods of each image, and its Score is the mean {distance}"
    )
    yield Citation(keys)
    yield (
        " between these rankings and those merged from the annotators, by recall, precision and "
        "preference; lower is better. Best and Worst are the numbers of images on which no protocol, "
        "sentinels included, is nearer, and on which none is farther. "
    )
    if settings["distance"] == "edit":
        yield (
            "That distance is the least cost of turning one ranking into the other by swaps of two "
            "methods (1 each), splits of a bucket of tied methods and merges of two buckets (0.5 each), "
            "where what was merged is not split again: the number of pairs that both order, oppositely, "
            "plus c - (a + b) / 2, where a and b are the numbers of their buckets, and c that of the "
            "non-empty intersections of a bucket of one with a bucket of the other. "
        )


def _statistics(data: Mapping[str, Any]) -> Iterator[str | Citation]:
    analysis = [around for around in data["analysis"].values() if around["intervals"]["n_images"]]
    if not analysis:
        return
    if n := max(around["intervals"]["n_resamples"] for around in analysis):
        yield f"Intervals are 95 % percentile intervals of {n} bootstrap resamples of the images"
        yield Citation(("ET93",))
        yield ", with the annotators fixed"
    else:
        yield f"The Scores have no intervals, which need at least {FEW_IMAGES} images"
    if "against_silence" in analysis[0]:
        yield from _of_losses()
        yield from _of_tests(analysis)
    for name, what in (("n_groups", "annotators of a group"), ("n_scenes", "images of a scene")):
        n = max(around["comparisons"][name] for around in analysis)
        if n == 1:
            yield f"; all {what.split()[0]} were of one {name[2:-1]}"
        elif n:
            yield f"; {what} counted as one ({n} {name[2:]})"
    if sentinels := data.get("sentinels"):
        took = "took part as a sentinel" if len(sentinels) == 1 else "took part as sentinels"
        yield f"; of the protocols that look at no ground truth, {_listed(sentinels)} {took}"
        yield Citation(("PPSBN24",))
    yield ". Agreement of the annotators was measured by Kendall's W"
    yield Citation(("Ken45",))
    yield " and Krippendorff's alpha"
    yield Citation(("Kri19",))
    yield ". "


def _of_losses() -> Iterator[str | Citation]:
    yield (
        ". What follows is not about the Score but about pairs: of 100 pairs of methods, how many a "
        "protocol orders differently from an annotator's own ranking, a pair that only one of them ties "
        "counting half (Kemeny's loss), which ties do not make smaller"
    )
    yield Citation(("FKMSV06",))
    yield "; intervals of its mean are by Student's t, images and annotators random"
    yield Citation(("Gal06",))
    yield (
        ". Every two protocols were compared by this loss, with images and annotators random, as in "
        "studies of several readers and cases"
    )
    yield Citation(("DBM92", "Hil07", "GO17", "Sat46"))


def _of_tests(analysis: Sequence[Mapping[str, Any]]) -> Iterator[str | Citation]:
    n_protocols = max(n_different(around["comparisons"]) for around in analysis)
    if n_protocols > 2:
        yield (
            ", where each pair's mean square of annotators, relative to its other components of variance, "
            "was shrunk to the one that all pairs share"
        )
        yield Citation(("Smy04",))
        if n_protocols >= ENOUGH_PROTOCOLS:
            yield ", which may fall as these components grow"
            yield Citation(("STW06",))
        yield (
            ", was not less than that of the rest, and Satterthwaite's degrees of freedom not more than "
            "those of the shrunk mean square unless the pairs differed by no more than chance"
        )
    yield "; a component of variance below 0 counted as 0; p-values were adjusted "
    steps = all(around["comparisons"]["n_annotators"] >= STEPS_FROM for around in analysis)
    if steps:
        yield "by Shaffer's rule"
        yield Citation(("Sha86",))
        yield ", and intervals hold for all pairs together (Bonferroni)"
    else:
        yield "by Bonferroni's rule, as intervals are"
    if any(around["comparisons"]["equal"] for around in analysis):
        yield "; protocols that order all images alike counted as one"
    yield (
        ". Each protocol was also compared with a ranking that ties all methods, p-values adjusted by "
        f"{'Holm' if steps else 'Bonferroni'}'s rule"
    )
    if steps:
        yield Citation(("Hol79",))
    yield (
        "; a protocol is called nearest only if it is significantly nearer. Protocols were compared with "
        "a person by pseudo-values of a jackknife over people"
    )
    yield Citation(("CRD25",))
    yield ", by Hillis's degrees of freedom, p-values adjusted by Holm's rule"
    yield Citation(("Hil07", "Hol79"))


def _programs(data: Mapping[str, Any]) -> Iterator[str | Citation]:
    """Yield sentences on the programs that answered pairs, which are not among the annotators."""
    if not (programs := programs_of(data)):
        return
    yield "Programs answered pairs, too, and count neither among annotators nor among protocols: "
    yield "; ".join(_program(row, programs["judges"]) for row in programs["settings"])
    yield (". A program's verdict of a pair is the side that won in every order asked, else equal")
    yield Citation(("ZCS23",))
    yield (
        ", and a missing one counts as equal; each program was compared with a person as protocols "
        "were. "
    )


def _program(row: Mapping[str, Any], judges: Mapping[str, Any]) -> str:
    models = [" ".join(name for name in named if name) for named in row["answered_as"]]
    model = f"model {_listed(models)}" if models else "a command"
    orders = "both orders" if row["orders"] == "both" else "one order"
    times = f", {row['repeats']} times each" if row["repeats"] > 1 else ""
    first, last = row["first"][:10], row["last"][:10]
    days = first if first == last else f"{first} to {last}"
    missing = _listed(
        [
            f"{one['n_missing']} of {one['n_pairs']} by {criterion}"
            for criterion, of in judges.items()
            for one in of
            if one["judge"] == row["judge"]
        ]
    )
    return (
        f"{row['judge']} ({model}, prompt with SHA-256 {row['prompt_sha256'][:12]}, pairs: "
        f"{row['pairs']}, in {orders}{times}, {days}, margin {100 * row['margin']:g} of 100 pairs, "
        f"verdicts missing: {missing})"
    )


def _listed(texts: Sequence[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


_ENTRY: Final = re.compile(r"^@\w+\{([^,\s]+),.*?^\}$", re.MULTILINE | re.DOTALL)
_TITLE: Final = re.compile(r"^ *title = \{(.*)\},?$", re.MULTILINE)


def entries(package: str) -> dict[str, str]:
    """Return a package's references by their keys, which are those of its REFERENCES.md."""
    text = files(package).joinpath("references.bib").read_text(encoding="utf-8")
    return {found[1]: found[0] for found in _ENTRY.finditer(text)}


def cited(keys: Iterable[str], packages: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the BibTeX of cited entries by key, and for every cited key the one to cite it by.

    Two packages with a ``references.bib`` may have different keys for the same work: the first
    cited key is used for both. Keys that no package knows are in neither.
    """
    known: Mapping[str, str] = {
        key: entry for package in packages for key, entry in entries(package).items()
    }
    chosen: dict[str, str] = {}
    key_of_title: dict[str, str] = {}
    stands_for: dict[str, str] = {}
    for key in dict.fromkeys(keys):
        if key in known:
            title = _title(known[key])
            stands_for[key] = key_of_title.setdefault(title, key)
            chosen.setdefault(stands_for[key], known[key])
    return chosen, stands_for


def _title(entry: str) -> str:
    found = _TITLE.search(entry)
    return re.sub(r"[{}]", "", found[1]).lower() if found else entry
