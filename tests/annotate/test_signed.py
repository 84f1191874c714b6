"""Every place that prints or exports a score says in one line how it was made."""

import csv
import io
import json
import re
import zipfile
from itertools import cycle, islice, product

import pytest
from django.urls import get_resolver, reverse
from drf_spectacular.generators import SchemaGenerator

import text_rankings as tr
from annotate.exchange.work import write_causes
from annotate.guide.playground import DEFAULT, score_drawing
from annotate.leaderboards.models import PublicBoard
from annotate.publication import papers
from annotate.publication.models import PublicPage
from annotate.report_pages.questions import services as questions
from annotate.reports.exports import FORMATS, tables_in
from annotate.reports.services import asked_now, available_runs, usual_settings
from annotate.scoring.services import score_protocol
from protocols.command_line import main as detection
from protocols.command_line.commands import _parser as detection_parser
from rankings.__main__ import _parser as rankings_parser
from rankings.__main__ import main as text_order
from rankings.agreement.report import Settings
from rankings.output.latex import Look
from rankings.output.signature import SIGNATURE
from rankings.output.verification import verification_tables
from tests.support.archives import zip_file
from tests.support.factories import add_researcher
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.worked import ranked_study
from tests.support.world import signed_in

# Of scores: protocol, truth, results; of distances to people: report and settings.
OF_SCORES = re.compile(
    r"\b[a-z0-9-]+(:\w+)?\\?\|[^\n\"]*truth:[^|\n]+\|results:[^|\n]+\|images:\d+\\?\|v:\d"
)
# Markdown has a backslash before each bar.
OF_REPORTS = re.compile(r"report\\?\|[^\n\"]*\|annotators:\d+\\?\|images:\d+\\?\|v:\d")
SCENE = {"truth": [{"rect": [0, 0, 99, 39]}], "detections": [{"rect": [0, 0, 99, 39]}]}
COCO = {
    "images": [{"id": 1, "width": 200, "height": 100}],
    "categories": [{"id": 1}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 100, 40]}],
}
FOUND = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 100, 40], "score": 0.9}]
ITEM = {"spans": [[0, 10]], "labels": ["dog"]}
SLOTS = {"documents": [{"references": [ITEM], "predictions": [ITEM]}]}
VOTES = {"systems": [[1, 1, 0], [1, 0, 0]]}
TABLE = '<document><table><Coords points="0,0 0,9 9,9 9,0"/></table></document>'


@pytest.fixture
def files(tmp_path):
    """A folder with ground truth, results and answers for every command."""
    zip_file(tmp_path / "gt.zip", {"gt_img_1.txt": "0,0,99,39,one\r\n200,0,299,39,two\r\n"})
    zip_file(tmp_path / "east.zip", {"res_img_1.txt": "0,0,99,39\r\n"})
    texts = {
        "scenes.json": json.dumps([SCENE]),
        "truth.json": json.dumps(COCO),
        "found.json": json.dumps(FOUND),
        "slots.json": json.dumps(SLOTS),
        "votes.json": json.dumps([VOTES]),
        "gt/a.xml": TABLE,
        "res/a.xml": TABLE,
        "rankings.csv": "image,annotator,criterion,buckets\n"
        + "".join(f'i,{name},recall,"[[""a""], [""b""]]"\n' for name in ("ann", "ben", "cem")),
        "scores.csv": "protocol,method,image,recall,precision\niou,a,i,1,1\niou,b,i,0,0\n",
        "report.json": json.dumps(
            {
                "annotator_rankings": {"i": [[["a"], ["b"]]] * 3},
                "protocol_scores": {"i": {"iou": {"a": 1, "b": 0}}},
            }
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


BOTH = ("--truth", "gt.zip", "--results", "east.zip")
OF_DETECTION = {
    "score": [(*BOTH, "--protocol", "iou"), (*BOTH, "--protocol", "iou", "--out", "out.json")],
    "errors": [BOTH, (*BOTH, "--json"), (*BOTH, "--out", "out.csv")],
    "graphs": [BOTH],
    "scenes": [("scenes.json", "--protocol", "iou")],
    "tables": [("--track", track, "--truth", "gt", "--results", "res") for track in "AB"],
    "coco": [("--truth", "truth.json", "--results", "found.json")],
    "slot-error": [("slots.json",)],
    "no-ground-truth": [("votes.json",)],
}
# Codabench's scoring program and its rehearsal print what a competition expects.
WITHOUT_SCORES = {"list", "convert", "codabench"}
OF_RANKINGS = {
    "report": [("report.json", "--bootstrap", "0"), ("report.json", "--bootstrap", "10")],
    "analyse": [
        ("rankings.csv", "scores.csv", "--resamples", "10", *more) for more in ((), ("--json",))
    ],
    "detectors": [("rankings.csv", "scores.csv", *more) for more in ((), ("--json",))],
}
# Rankings, pairs, programs, and sizes of studies.
WITHOUT_PROTOCOLS = {
    *("distance", "consensus", "preflib", "judges"),
    *("plan", "power", "simulate", "elicit", "next"),
}


def commands_of(parser):
    [commands] = parser._subparsers._group_actions
    return set(commands.choices)


@pytest.mark.parametrize(
    ("main", "parser", "signed", "others", "line"),
    [
        (detection.main, detection_parser, OF_DETECTION, WITHOUT_SCORES, OF_SCORES),
        (text_order, rankings_parser, OF_RANKINGS, WITHOUT_PROTOCOLS, OF_REPORTS),
    ],
    ids=["text-protocols", "text-order"],
)
def test_every_command_that_prints_scores_signs_them(
    main, parser, signed, others, line, files, monkeypatch, capfd
):
    assert commands_of(parser()) == signed.keys() | others
    monkeypatch.chdir(files)
    unsigned = []
    for command, calls in signed.items():
        for given in calls:
            code = main([command, *given])
            printed = capfd.readouterr()
            assert code == 0, printed.err
            text = (files / given[-1]).read_text() if "--out" in given else printed.out
            unsigned += [] if line.search(text) else [(command, given)]
    assert not unsigned


@pytest.mark.filterwarnings("ignore:.*found the same boxes as")
def test_whatever_the_facade_shows_or_saves_is_signed(files, tmp_path):
    truth, found = str(files / "gt.zip"), str(files / "east.zip")
    scored = tr.score(truth, {"east": found, "again": found})
    compared = tr.compare(truth, {"east": found, "again": found}, n_resamples=10)
    for one in (scored, compared):
        assert OF_SCORES.search(str(one))
        assert OF_SCORES.search(one._repr_html_())
        assert OF_SCORES.search(json.dumps(dict(one.plot().spec)))
        assert all(map(OF_SCORES.match, signatures(one)))
    rankings = {"recall": {"i": dict.fromkeys(("ann", "ben", "cem"), (("a",), ("b",)))}}
    report = tr.report(rankings, {"i": {"iou": {"a": (1, 1), "b": (0, 0)}}}, n_resamples=10)
    for text in (str(report), report._repr_html_(), report.to_latex(), report.to_markdown()):
        assert OF_REPORTS.search(text)
    assert signatures(report) == {report.header[SIGNATURE]}
    tables = [path for path in report.save(tmp_path / "saved") if path.name != "verdicts.txt"]
    assert len(tables) > 10
    assert not [path.name for path in tables if not OF_REPORTS.search(path.read_text())]


def signatures(shown):
    return {row["signature"] for row in shown.rows()}


@made_once
def made_study():
    study = ranked_study()
    score_protocol(dataset=study.dataset, slug="iou")
    return study


def names_of(resolver, space=""):
    """Yield the names of addresses that have an extension."""
    for entry in resolver.url_patterns:
        if hasattr(entry, "url_patterns"):
            yield from names_of(entry, f"{space}{entry.namespace}:" if entry.namespace else space)
        elif "extension" in entry.pattern.regex.groupindex:
            yield f"{space}{entry.name}"


# Regions, answers, a map of plans: no scores.
WITHOUT_NUMBERS = {"api:own_answers", "files:truth_file", "files:results_file", "planning:map"}
PICTURES = {"figures:figure", "figures:kept_figure", "leaderboards:figure"}


def addresses(study, kept):
    """Return the arguments, without extension, of every address of files with numbers."""
    around = [table.slug for table in tables_in(kept.data) if table.rows]
    assert len(around) > 10
    live = [study.slug]
    return {
        "reports:export": [live],
        "reports:export_table": [[*live, table] for table in around],
        "reports:kept_file": [[*live, kept.pk]],
        "reports:kept_table": [[*live, kept.pk, table] for table in around],
        "public:file": [["the-page"]],
        "public:table": [["the-page", table] for table in around],
        "api:report_table": [[*live, table] for table in ("report", "measures")],
        "api:kept_table": [[kept.pk, table] for table in ("report", "measures")],
        "leaderboards:file": [[study.dataset.slug, "leaderboard"]],
        "boards:file": [["the-board"]],
        "questions:table": [[*live, "thresholds"]],
    }


@pytest.fixture
def kept(study):
    found = keep_report(study=study, settings=Settings(), runs=available_runs(study), person=None)
    PublicPage.objects.create(report=found, address="the-page", title="A page")
    PublicBoard.objects.create(dataset=study.dataset, address="the-board")
    return found


@pytest.mark.django_db
def test_every_file_of_the_site_with_scores_is_signed(study, researcher, kept):
    known = addresses(study, kept)
    assert set(names_of(get_resolver())) == known.keys() | WITHOUT_NUMBERS | PICTURES
    asked = asked_now(study, usual_settings(study))
    questions.keep(asked, questions.compute(asked))
    unsigned = []
    for turn, (name, some) in enumerate(known.items()):
        line = OF_SCORES if "board" in name else OF_REPORTS
        # Of many tables each is asked in one format here, and at the next such address in another one.
        by_turns = zip(some, islice(cycle(FORMATS), turn // 2, None), strict=False)
        for given, extension in by_turns if len(some) > 9 else product(some, FORMATS):
            response = researcher.get(reverse(name, args=[*given, extension]))
            assert response.status_code == 200, (name, given, response.text)
            # In CSV every row has it.
            rows = response.text.splitlines()[1:] if extension == "csv" else [response.text]
            if not (rows and all(map(line.search, rows))):
                unsigned.append((name, given, extension))
    assert not unsigned


@pytest.mark.django_db
def test_figures_papers_bundles_and_causes_are_signed(study, kept, researcher):
    pytest.importorskip("vl_convert")
    for name, given in (("figures:figure", []), ("figures:kept_figure", [kept.pk])):
        address = reverse(name, args=[study.slug, *given, "nearness", "svg"])
        assert OF_REPORTS.search(researcher.get(address).text)
    board = reverse("leaderboards:figure", args=[study.dataset.slug, "svg"])
    assert OF_SCORES.search(researcher.get(board).text)
    # Texts, and what is recomputed before the tables.
    texts = ("verify", "README", "references", "methods", "paper.tex", "supplement.tex")
    others = (*texts, *(table.slug for table in verification_tables(kept.data)))
    unsigned = [
        name
        for name, text in papers.files(kept.data, Look(), {})
        if not OF_REPORTS.search(text) and not name.removeprefix("csv/").startswith(others)
    ]
    assert not unsigned
    out = io.BytesIO()
    write_causes(study.dataset.runs.get(protocol="iou"), out, lambda *_: None)
    with zipfile.ZipFile(out) as archive:
        for name in archive.namelist():
            [head, *rows] = csv.reader(archive.read(name).decode().splitlines())
            assert head[-1] == SIGNATURE
            assert all(OF_SCORES.search(row[-1]) for row in rows)


def properties(schema, part, seen=()):
    """Yield the names of all properties of a part of the API's description."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from properties(schema, schema["components"]["schemas"][name], (*seen, name))
    for name, inner in part.get("properties", {}).items():
        yield name
        yield from properties(schema, inner, seen)
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield from properties(schema, part[key], seen)
    for inner in part.get("allOf", []):
        yield from properties(schema, inner, seen)


@pytest.mark.django_db
def test_every_answer_of_the_api_with_scores_is_signed(study, kept):
    schema = SchemaGenerator().get_schema(public=True)
    unsigned, signed = [], []
    for path, of_path in schema["paths"].items():
        for method, operation in of_path.items():
            for response in operation.get("responses", {}).values():
                content = response.get("content", {}).get("application/json", {})
                names = set(properties(schema, content.get("schema", {})))
                if names & {"f_score", "best", "value", "distances", "changes"}:
                    # A report's header has its signature.
                    is_signed = names & {SIGNATURE, "header"}
                    (signed if is_signed else unsigned).append(f"{method} {path}")
    assert not unsigned
    assert len(signed) == 7, signed
    api = signed_in(add_researcher(study))
    report = api.get(f"/api/v1/studies/{study.slug}/report").json()
    assert OF_REPORTS.match(report["header"][SIGNATURE])
    run = study.dataset.runs.get(protocol="iou")
    for path in (
        f"runs/{run.pk}",
        f"runs/{run.pk}/scores",
        f"datasets/{study.dataset.slug}/leaderboard",
    ):
        assert OF_SCORES.search(api.get(f"/api/v1/{path}").text)
    sent = {"images": [{"truth": [], "detections": []}]}
    assert OF_SCORES.search(api.post("/api/v1/protocols/iou/score", sent, format="json").text)


def test_the_playground_signs_what_it_shows():
    [said] = score_drawing(DEFAULT.drawing, "iou")
    assert OF_SCORES.search(said[SIGNATURE])
