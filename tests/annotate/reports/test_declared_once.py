"""A column of the main table and a setting of reports are declared once, and every output has them."""

import io
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field

import pytest
from django.core.management import call_command
from django.urls import reverse

import text_rankings as tr
from annotate.exchange.bundles.writing import report_bytes
from annotate.publication import papers
from annotate.publication.models import PublicPage
from annotate.reports.models import KeptReport
from rankings.__main__ import main as text_order
from rankings.agreement.main_table import MEASURES, Measure
from rankings.agreement.settings import Declared, Settings
from rankings.output.latex import Look
from tests.support.factories import add_researcher
from tests.support.made_once import made_once
from tests.support.verified import program
from tests.support.worked import ranked_study
from tests.support.world import signed_in

pytestmark = pytest.mark.django_db

made_study = made_once(ranked_study)


@pytest.fixture
def replaced(monkeypatch):
    """Return a function that gives a name another value in every module that has imported it."""

    def replace(name, old, new):
        # A module that a page imports meanwhile would keep the value.
        reverse("home")
        for module in list(sys.modules.values()):
            if vars(module).get(name) is old:
                monkeypatch.setattr(module, name, new)

    return replace


def keep(client, study, **settings):
    client.post(reverse("reports:kept_reports", args=[study.slug]), settings)
    return KeptReport.objects.latest("pk")


def in_files(client, study):
    """Yield the name and the text of each format of the live report."""
    for extension in ("csv", "json", "tex", "md"):
        yield extension, client.get(reverse("reports:export", args=[study.slug, extension])).text


@pytest.fixture
def farthest(replaced):
    """A column with the distance on the image on which a protocol is farthest."""
    column = Measure(
        *("most", "Farthest", lambda table: table.max(axis=0).tolist(), min, 3),
        "distance on the image on which the protocol is farthest",
    )
    replaced("MEASURES", MEASURES, (*MEASURES, column))


# The worked study has Reversed three swaps away on each image.
SHOWN, FULL = "3.000", "3.0"


@pytest.mark.usefixtures("farthest")
def test_a_new_column_is_in_every_file(researcher, study):
    files = dict(in_files(researcher, study))
    names = ",".join(measure.name for measure in MEASURES)
    assert files["csv"].startswith(f"criterion,kind,protocol,{names},signature\n")
    assert names.endswith(",most")
    assert re.search(
        rf"^recall,protocol,Reversed,0,2,3\.0,.*\b{FULL},report\|", files["csv"], re.MULTILINE
    )
    [_, reversed_] = json.loads(files["json"])["criteria"]["recall"]["rows"]
    assert reversed_["most"] == 3.0
    headings = " | ".join(measure.heading for measure in MEASURES)
    assert f"| Protocol | {headings} |" in files["md"]
    assert re.search(rf"\| Reversed \| 0 \| 2 \| 3\.00 \|.* {SHOWN} \|", files["md"])
    assert re.search(rf"3\.00 &.* {SHOWN}", files["tex"])
    assert r"\textbf{0.000}" in files["tex"], "the best of the column is bold"
    assert "Farthest: distance on the image" in files["tex"]


@pytest.mark.usefixtures("farthest")
def test_a_new_column_is_on_every_page(researcher, client, study):
    pages = [researcher.get(reverse("reports:report", args=[study.slug]))]
    kept = keep(researcher, study)
    pages.append(researcher.get(reverse("reports:kept", args=[study.slug, kept.pk])))
    public = PublicPage.objects.create(report=kept, address="the-page", title="A page")
    pages.append(client.get(reverse("public:page", args=[public.address])))
    for page in pages:
        assert re.search(r"Farthest\s*</th>", page.text)
        assert SHOWN in page.text
        assert "Farthest</b>: distance on" in page.text.replace("strong>", "b>")
    described = client.get(reverse("public:described", args=[public.address])).json()
    assert described["variableMeasured"] == [measure.heading for measure in MEASURES]
    other = keep(researcher, study, protocol="Right")
    compared = reverse("reports:compared", args=[study.slug, kept.pk, other.pk])
    assert re.search(r"<td>\s*Farthest\s*</td>", researcher.get(compared).text)


@pytest.mark.usefixtures("farthest")
def test_a_new_column_is_in_the_api(study):
    api = signed_in(add_researcher(study))
    body = api.get(f"/api/v1/studies/{study.slug}/report").json()
    assert [row["most"] for row in body["criteria"]["recall"]["rows"]] == [0.0, 3.0]


@pytest.mark.usefixtures("farthest")
def test_a_new_column_is_in_the_paper_and_verified_by_one_formula(researcher, study, tmp_path):
    data = keep(researcher, study).data
    for name, text in papers.files(data, Look(), {}):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    metadata = json.loads((tmp_path / "metadata.json").read_text(encoding="utf-8"))
    assert metadata["files"]["csv/report.csv"]["columns"]["most"].startswith("distance on")
    ran = verified(tmp_path)
    assert ran.returncode == 1, "a column without a formula is no agreement"
    assert "DIFFERS csv/report.csv, most: NOT RECOMPUTED, no formula is for the column 'most'" in (
        ran.stdout
    )
    program = tmp_path / "verify.py"
    formula = '    "most": lambda d, at: d[:, at].max(),\n'
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace(HERE, formula + HERE), encoding="utf-8")
    ran = verified(tmp_path)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "Everything agrees.")


HERE = "    # Columns that the paper does not have follow here.\n"


def verified(folder):
    verify = [sys.executable, "-I", "verify.py"]
    return subprocess.run(verify, cwd=folder, capture_output=True, text=True, check=False)


def test_every_column_has_a_formula_in_the_program_that_verifies_papers():
    assert list(program().MEASURES) == [measure.name for measure in MEASURES]


SCORES = {"near": {"a": (0.9, 0.9), "b": (0.1, 0.1)}, "far": {"a": (0.1, 0.1), "b": (0.9, 0.9)}}
RANKINGS = {"recall": {"img_1": dict.fromkeys(("ann", "ben", "cem"), (("a",), ("b",)))}}


@pytest.mark.usefixtures("farthest")
def test_a_new_column_is_in_the_facade_and_the_shell(tmp_path, capsys):
    report = tr.report(RANKINGS, {"img_1": SCORES}, n_resamples=10)
    assert [row["most"] for row in report.rows()] == [0.0, 1.0]
    assert "Farthest" in str(report)
    assert "Farthest" in report.to_latex()
    assert run_analyse(tmp_path, capsys).count("Farthest") == 1


def run_analyse(folder, capsys, *options):
    rankings, scores = folder / "rankings.csv", folder / "scores.csv"
    lines = [f'img_1,{name},recall,"[[""a""], [""b""]]"' for name in ("ann", "ben", "cem")]
    rankings.write_text("\n".join(["image,annotator,criterion,buckets", *lines]), encoding="utf-8")
    lines = [
        f"{protocol},{method},img_1,{recall},{precision}"
        for protocol, of_method in SCORES.items()
        for method, (recall, precision) in of_method.items()
    ]
    scores.write_text("\n".join(["protocol,method,image,recall,precision", *lines]))
    text_order(["analyse", str(rankings), str(scores), "--resamples", "10", *options])
    return capsys.readouterr().out


@dataclass(frozen=True, slots=True)
class _WithHurry(Settings):
    hurry: str = field(
        default="slow",
        metadata={"declared": Declared("How fast", choices={"slow": "at ease", "fast": "at once"})},
    )


@pytest.fixture
def hurry(replaced):
    """A setting that changes no number."""
    replaced("Settings", Settings, _WithHurry)


@pytest.mark.usefixtures("hurry")
def test_a_new_setting_is_in_the_form_and_in_every_file(researcher, study):
    page = researcher.get(
        reverse("reports:report", args=[study.slug]), {"hurry": "fast", "open": "made"}
    )
    assert '<option value="fast" selected>at once</option>' in page.text
    assert "At once</td>" in page.text
    assert "&amp;hurry=fast" in page.text, "links pass it on"
    wrong = researcher.get(reverse("reports:report", args=[study.slug]), {"hurry": "never"})
    assert wrong.status_code == 422
    files = dict(in_files(researcher, study))
    assert json.loads(files["json"])["settings"]["hurry"] == "slow"
    assert "- hurry: slow" in files["md"]
    assert "% hurry: slow" in files["tex"]
    table = reverse("reports:export_table", args=[study.slug, "measures", "md"])
    assert "- hurry: slow" in researcher.get(table).text


@pytest.mark.usefixtures("hurry")
def test_a_new_setting_is_kept_and_shown_to_the_public(researcher, client, study):
    kept = keep(researcher, study, hurry="fast")
    assert kept.data["settings"]["hurry"] == "fast"
    address = reverse("reports:kept", args=[study.slug, kept.pk])
    shown = researcher.get(address, {"open": "made"}).text
    PublicPage.objects.create(report=kept, address="the-page", title="A page")
    public = client.get(reverse("public:page", args=["the-page"])).text
    assert "How fast" in shown
    assert "<dt>How fast</dt><dd>at once</dd>" in public
    assert "hurry" in dict(papers.files(kept.data, Look(), {}))["metadata.json"]


@pytest.mark.usefixtures("hurry")
def test_a_new_setting_is_in_the_api(study):
    api = signed_in(add_researcher(study))
    address = f"/api/v1/studies/{study.slug}/report"
    assert api.get(f"{address}?hurry=fast").json()["settings"]["hurry"] == "fast"
    assert api.get(f"{address}?hurry=never").status_code == 422


@pytest.mark.usefixtures("hurry")
def test_a_new_setting_is_in_the_command_and_the_bundle(study):
    out = io.StringIO()
    call_command("export_report", study.slug, "--hurry", "fast", format="json", stdout=out)
    assert json.loads(out.getvalue())["settings"]["hurry"] == "fast"
    assert json.loads(report_bytes(study, study.created))["settings"]["hurry"] == "slow"


@pytest.mark.usefixtures("hurry")
def test_a_new_setting_is_in_the_facade_and_the_shell(tmp_path, capsys):
    report = tr.report(RANKINGS, {"img_1": SCORES}, n_resamples=10, hurry="fast")
    assert "hurry: fast" in report.to_latex()
    said = json.loads(run_analyse(tmp_path, capsys, "--hurry", "fast", "--json"))
    assert said["settings"]["hurry"] == "fast"
