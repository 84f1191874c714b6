"""The figures: hand-computed numbers, files that open, who may see them, and what cannot be shown."""

import hashlib
import io
import json
import re
import zlib
from base64 import b64decode, b64encode
from datetime import date
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from django.urls import reverse
from fontTools.ttLib import TTFont
from PIL import Image as Pillow
from pypdf import PdfReader

from annotate.figures import data as figure_data
from annotate.figures import drawings as figures
from annotate.figures import files as figure_files
from annotate.figures import font as figure_fonts
from annotate.figures.papers import THEMES, WIDTHS_MM, Paper, _channels, _luminance
from annotate.judging import services
from annotate.reports import services as services_of_reports
from annotate.studies.exclusions import decide
from rankings.orders import checked
from rankings.report import Settings
from rankings.significance import critical_difference as nemenyi
from tests.support.factories import add_annotator, add_researcher, make_person, make_run, make_study
from tests.support.truths import rank_everything, same_truth

DISTANCES = {
    "one": {"A": 0.0, "B": 1.0, "C": 1.0, "all tied": 2.0},
    "two": {"A": 1.0, "B": 0.0, "C": 3.0, "all tied": 2.0},
    "three": {"A": 0.0, "B": 0.0, "C": 2.0, "all tied": 2.0},
    "four": {"A": 0.5, "B": 2.0, "C": 4.0, "all tied": 2.0},
}
ABC = ["A", "B", "C"]
PAPERS = [Paper(theme, width) for theme in THEMES for width in WIDTHS_MM]
FACTS = {"study": "Street <signs> & Ümläute", "date": "2026-03-04", "software": "rankings 0.1"}


def numbers(drawing):
    """Every value that a specification carries, in lists of its layers."""
    found = drawing.get("datasets", {}).values()
    return [row for rows in found for row in rows] + [
        row for part in parts(drawing) for row in part.get("data", {}).get("values", ())
    ]


def parts(drawing):
    yield drawing
    for key in ("layer", "concat", "hconcat", "vconcat"):
        for part in drawing.get(key, ()):
            yield from parts(part)


def drawn(figure):
    return numbers(figures.drawing(figure, Paper()).to_dict())


def a_figure():
    return figures.distance_distribution(DISTANCES, ABC, baselines=["all tied"])


# What is drawn


def test_a_share_of_wins_counts_a_tie_as_half():
    """A is nearer than B on images one and four, farther on two, equal on three: 2.5 of 4."""
    assert figures.win_shares(DISTANCES, ABC) == [
        [None, 2.5 / 4, 1.0],
        [1.5 / 4, None, 3.5 / 4],
        [0.0, 0.5 / 4, None],
    ]


def test_the_win_matrix_draws_its_shares_and_says_them_in_its_cells():
    figure = figures.win_matrix(DISTANCES, ABC)
    cells = {(cell["row"], cell["column"]): cell for cell in drawn(figure)}
    assert cells["A", "B"]["value"] == 0.625
    assert cells["B", "C"]["text"] == "0.88"
    assert cells["C", "C"] | {"value": None, "text": "–"} == cells["C", "C"]
    assert figure.rows[0] == ("A", None, 0.625, 1.0)


def test_a_box_has_the_quartiles_and_the_mean():
    """B: 0, 0, 1, 2; its quarters lie at places 0.75, 1.5 and 2.25 of 0 .. 3."""
    rows = {row["protocol"]: row for row in drawn(a_figure())}
    b = rows["B"]
    assert [b[name] for name in ("smallest", "q1", "median", "q3", "largest", "mean", "n")] == [
        0.0,
        0.0,
        0.5,
        1.25,
        2.0,
        0.75,
        4,
    ]
    assert [row["protocol"] for row in drawn(a_figure())][:4] == ["A", "B", "C", "all tied"]


def test_average_ranks_and_groups_are_those_of_the_test():
    """Ranks of A: 1, 2, 1.5, 1; of B: 2.5, 1, 1.5, 2; of C: 2.5, 3, 3, 3. CD of 3 protocols and
    4 images: 2.343 sqrt(3 x 4 / 24) = 1.657 (Demsar, table 5)."""
    table = [[row[name] for name in ABC] for row in DISTANCES.values()]
    figure = figures.critical_difference(nemenyi(table, ABC), p_value=0.04)
    assert [row[:2] for row in figure.rows] == [("A", 1.375), ("B", 1.75), ("C", 2.875)]
    assert "1.66" in figure.notes[0]
    assert [row[2] for row in figure.rows] == ["group 1"] * 3
    assert "p = 0.040" in figure.notes[1]
    words = [row["text"] for row in drawn(figure) if "text" in row]
    assert {"A", "B", "C", "CD = 1.66"} <= set(words)


def test_average_ranks_lie_where_the_axis_has_them():
    figure = figures.critical_difference(nemenyi([[0.0, 1, 2]] * 30, ABC))
    lines = [row for row in drawn(figure) if "x2" in row]
    words = {row["text"]: row["x"] for row in drawn(figure) if row.get("align") == "center"}
    drops = {line["x"] for line in lines if line["x"] == line["x2"] and line["y"] == 34.0}
    assert drops == {words["1"], words["2"], words["3"]}


def test_scores_stand_at_the_mean_places_of_ties():
    """a = b > c: ranks 1.5, 1.5 and 3."""
    scores = {"one": {"A": {"a": 0.9, "b": 0.5, "c": 0.1}}}
    figure = figures.score_by_rank(scores, {"one": checked([["a", "b"], ["c"]])}, ["A"])
    assert figure.rows == (
        ("A", 1.5, 2, 0.5, 0.6, pytest.approx(0.7), pytest.approx(0.8), 0.9),
        ("A", 3.0, 1, 0.1, 0.1, 0.1, 0.1, 0.1),
    )
    assert [row["median"] for row in drawn(figure) if row] == [pytest.approx(0.7), 0.1]


def test_curves_carry_their_values_and_their_best_beta():
    curves = {"A": [(0.5, 3.0), (1.0, 2.0), (2.0, 4.0)], "B": [(0.5, 1.0), (1.0, 1.0), (2.0, 1.0)]}
    best = {"A": (1.0, 2.0), "B": (1.0, 1.0)}
    figure = figures.beta_curves(curves, best, n_images=4)
    assert figure.rows == ((0.5, 3.0, 1.0), (1.0, 2.0, 1.0), (2.0, 4.0, 1.0))
    rows = drawn(figure)
    assert {
        (row["protocol"], row["beta"], row["distance"]) for row in rows if "end" not in row
    } == {(name, *point) for name, curve in curves.items() for point in curve}
    assert "Beta changes nothing for B." in figure.notes


def test_lines_differ_in_lightness_or_dash_or_mark():
    for paper in PAPERS:
        styles = [str(figures._style(paper, at)) for at in range(24)]
        assert len(set(styles)) == 24


def test_labels_of_equal_curves_do_not_cover_each_other():
    found = figures._spread({"a": 1.0, "b": 1.0, "c": 9.9}, 0.0, 10.0, 1.0)
    places = sorted(found.values())
    assert all(after - before >= 1 for before, after in pairwise(places))
    assert places[0] >= 0
    assert places[-1] <= 10


def test_days_add_up():
    figure = figures.progress_over_time([(date(2026, 3, 2), 2), (date(2026, 3, 1), 3)])
    assert figure.rows == ((date(2026, 3, 1), 3, 3), (date(2026, 3, 2), 2, 5))
    assert [(row["day"], row["rankings"]) for row in drawn(figure)] == [
        ("2026-03-01", 3),
        ("2026-03-02", 2),
    ]


def test_two_annotators_differ_by_the_mean_over_their_common_images():
    """One swap on the first image, nothing on the second; the third only one has ranked."""
    abc, bac = checked([["a"], ["b"], ["c"]]), checked([["b"], ["a"], ["c"]])
    found = figure_data.mean_distances(
        {"A1": {"i": abc, "j": abc, "k": abc}, "A2": {"i": bac, "j": abc}, "A3": {}}, "edit"
    )
    assert found == {("A1", "A2"): 0.5, ("A1", "A3"): None, ("A2", "A3"): None}


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_on_shaded_cells_can_be_read(theme):
    """4.5:1 on every shade, by the formula of WCAG 2."""
    colours = THEMES[theme]
    low, high = map(_channels, colours.ramp)
    for at in range(101):
        share = at / 100
        ground = _luminance([a + share * (b - a) for a, b in zip(low, high, strict=True)])
        ink = _luminance(_channels(colours.ink_on(share)))
        one, other = sorted((ground, ink))
        assert (other + 0.05) / (one + 0.05) >= 4.5, share


# Files


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_an_svg_is_as_wide_as_its_paper_and_names_its_source(paper):
    root = ElementTree.fromstring(figure_files.to_svg(a_figure(), paper, FACTS))
    assert root.get("width") == f"{paper.width_mm}mm"
    _, _, width, height = map(float, root.get("viewBox").split())
    assert float(root.get("height")[:-2]) == pytest.approx(
        paper.width_mm * height / width, abs=0.01
    )
    text = "".join(root.itertext())
    for fact in (*FACTS.values(), "Distances to the consensus"):
        assert fact in text
    assert "style" not in root.attrib
    assert not [element for element in root.iter() if element.tag.endswith("script")]


def test_an_svg_carries_every_letter_of_its_texts(monkeypatch):
    """The font inside is read back: it has a glyph for each letter, and the widths of the original."""
    names = {"i": {"Größe & <Ω>": 1.0, "B": 2.0, "文字": 3.0}}
    figure = figures.distance_distribution(names, list(names["i"]))
    root = ElementTree.fromstring(figure_files.to_svg(figure, Paper(), FACTS))
    [style] = [element for element in root.iter() if element.tag.endswith("style")]
    [data] = re.findall(r"url\(data:font/woff;base64,([\w+/=]+)\)", style.text)
    assert style.text.startswith('@font-face{font-family:"Liberation Sans"')
    inside = TTFont(io.BytesIO(b64decode(data)))
    whole = TTFont(figure_fonts._FILE)
    letters = {
        letter
        for element in root.iter()
        if element.tag.endswith("}text")
        for letter in element.text or ""
    }
    assert letters > set("Größe & <Ω>")
    for letter in letters - set("文字"):
        own, original = inside.getBestCmap()[ord(letter)], whole.getBestCmap()[ord(letter)]
        assert inside["hmtx"][own][0] == whole["hmtx"][original][0]


@pytest.mark.parametrize("name", ["distances", "progress"])
def test_every_font_of_a_pdf_is_inside(name):
    """As a reader of PDFs has it, font by font."""
    figure = {
        "distances": a_figure(),
        "progress": figures.progress_over_time([(date(2026, 3, day), day) for day in range(1, 9)]),
    }[name]
    [page] = PdfReader(io.BytesIO(figure_files.to_pdf(figure, Paper(), FACTS))).pages
    found = list(fonts_of(page["/Resources"]))
    assert found
    for font in found:
        [descendant] = font.get("/DescendantFonts", [font])
        descriptor = descendant.get_object()["/FontDescriptor"]
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor)


def fonts_of(resources):
    """The fonts of a page, those of the forms that it draws too."""
    for font in (resources.get("/Font") or {}).values():
        yield font.get_object()
    for drawn in (resources.get("/XObject") or {}).values():
        if "/Resources" in drawn.get_object():
            yield from fonts_of(drawn.get_object()["/Resources"])


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_a_png_opens_at_300_pixels_per_inch(paper):
    with Pillow.open(io.BytesIO(figure_files.to_png(a_figure(), paper, FACTS))) as png:
        png.load()
        assert png.width == pytest.approx(paper.width_mm / 25.4 * 300, abs=1)
        assert png.info["dpi"][0] == pytest.approx(300, abs=0.1)
        assert png.text["Title"] == "Distances to the consensus by recall"
        assert FACTS["study"] in png.text["Source"]
        ground = tuple(int(paper.theme.ground[at : at + 2], 16) for at in (1, 3, 5))
        assert png.convert("RGB").getpixel((png.width - 1, 0)) == ground


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_a_pdf_has_one_page_of_its_size_with_its_font_inside(paper):
    pdf = figure_files.to_pdf(a_figure(), paper, FACTS)
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert b"/FontFile2" in pdf
    assert re.search(rb"/BaseFont /[A-Z]{6}\+LiberationSans", pdf)
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ", pdf)
    assert float(box[1]) == pytest.approx(paper.width_mm * 72 / 25.4, abs=0.1)
    title = "Distances to the consensus by recall".encode("utf-16-be").hex().upper().encode()
    assert title in pdf
    assert b"/CreationDate (D:20260304)" in pdf


def test_the_information_of_a_pdf_is_where_its_table_says():
    pdf = figure_files.to_pdf(a_figure(), Paper(), FACTS)
    start = int(re.findall(rb"startxref\n(\d+)", pdf)[-1])
    assert pdf[start:].startswith(b"xref\n")
    number, place = re.match(rb"xref\n(\d+) 1\n(\d{10}) 00000 n\r\n", pdf[start:]).groups()
    assert pdf[int(place) :].startswith(number + b" 0 obj")
    before = int(re.search(rb"/Prev (\d+)", pdf)[1])
    assert pdf[before:].startswith(b"xref")


@pytest.mark.parametrize("extension", figure_files.FORMATS)
def test_equal_figures_give_equal_bytes(extension):
    write = figure_files.FORMATS[extension].write
    first = write(a_figure(), Paper(), FACTS)
    figure_files._drawn.cache_clear()
    assert all(write(a_figure(), Paper(), FACTS) == first for _ in range(3))
    assert first != write(a_figure(), Paper("dark"), FACTS)


@pytest.mark.parametrize("paper", PAPERS, ids=str)
def test_equal_pdfs_are_equal_with_hidden_labels_too(paper):
    figure = figures.progress_over_time([(date(2026, 3, day), day) for day in range(1, 20)])
    first = figure_files.to_pdf(figure, paper, FACTS)
    assert all(figure_files.to_pdf(figure, paper, FACTS) == first for _ in range(5))


def test_letters_that_xml_refuses_spoil_no_file():
    facts = FACTS | {"study": "a\x00b\ud800"}
    figure = figures.distance_distribution({"i": {"<b>&\x01": 1.0, "B": 2.0}}, ["<b>&\x01", "B"])
    ElementTree.fromstring(figure_files.to_svg(figure, Paper(), facts))
    figure_files.to_png(figure, Paper(), facts)
    figure_files.to_pdf(figure, Paper(), facts)


def test_the_chunks_of_a_png_have_their_checks():
    png = figure_files.to_png(a_figure(), Paper(), FACTS)
    at, n_texts = 8, 0
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        kind_and_body = png[at + 4 : at + 8 + length]
        assert zlib.crc32(kind_and_body) == int.from_bytes(png[at + 8 + length : at + 12 + length])
        n_texts += kind_and_body.startswith(b"iTXt")
        at += 12 + length
    assert n_texts == 4


# What cannot be shown

NOTHING = [
    figures.distance_distribution({}, ["A"], left_out=[("one", "0 of 3 annotators")]),
    figures.distance_distribution({}, []),
    figures.score_by_rank({}, {}, ["A"]),
    figures.score_by_rank({"one": {}}, {"one": checked([["a"]])}, ["A"]),
    figures.win_matrix({}, ["A", "B"]),
    figures.win_matrix({"one": {"A": 1.0}}, ["A"]),
    figures.annotator_agreement([], []),
    figures.annotator_agreement([[None]], ["A1"]),
    figures.annotator_agreement([[None, None], [None, None]], ["A1", "A2"]),
    figures.beta_curves({}, {}, n_images=0),
    figures.beta_curves({"A": ()}, {}, n_images=0),
    figures.critical_difference(nemenyi([[1.0]], ["A"])),
    figures.critical_difference(nemenyi([[]], [])),
    figures.progress_over_time([]),
]


@pytest.mark.parametrize("figure", NOTHING, ids=lambda figure: figure.name)
def test_without_anything_to_draw_a_figure_says_what_is_missing(figure):
    assert figure.is_empty
    assert figure.notes[0].endswith(".")
    assert figure.rows == ()
    for paper in PAPERS:
        svg = figure_files.to_svg(figure, paper, FACTS).decode()
        assert figure.notes[0].split()[0] in svg
        figure_files.to_png(figure, paper, FACTS)
        figure_files.to_pdf(figure, paper, FACTS)


FEW = {
    "one image": figures.distance_distribution({"one": {"A": 1.0, "B": 2.0}}, ["A", "B"]),
    "one method": figures.score_by_rank(
        {"one": {"A": {"a": 0.5}}}, {"one": checked([["a"]])}, ["A"]
    ),
    "all zero": figures.distance_distribution({"one": {"A": 0.0}, "two": {"A": 0.0}}, ["A"]),
    "identical": figures.win_matrix(
        {"one": {"A": 1.0, "B": 1.0}, "two": {"A": 0.0, "B": 0.0}}, ["A", "B"]
    ),
    "identical ranks": figures.critical_difference(nemenyi([[1.0, 1.0], [2.0, 2.0]], ["A", "B"])),
    "one image's ranks": figures.critical_difference(nemenyi([[1.0, 2.0]], ["A", "B"])),
    "constant": figures.score_by_rank(
        {"one": {"A": {"a": 0.5, "b": 0.5}}}, {"one": checked([["a"], ["b"]])}, ["A"]
    ),
    "all agree": figures.annotator_agreement(
        [[None, 0.0], [0.0, None]], ["A1", "A2"], constant=["A1"]
    ),
    "flat": figures.beta_curves(
        {"A": [(0.5, 0.0), (2.0, 0.0)], "B": [(0.5, 0.0), (2.0, 0.0)]},
        {"A": (2.0, 0.0), "B": (2.0, 0.0)},
        n_images=1,
    ),
    "one day": figures.progress_over_time([(date(2026, 3, 1), 1)]),
    "many": figures.annotator_agreement(
        [[None if i == j else 1.0 + (i + j) % 5 for j in range(40)] for i in range(40)],
        [f"A{at}" for at in range(1, 41)],
    ),
    "long names": figures.critical_difference(
        nemenyi(
            [[float(at) for at in range(20)]] * 3, [f"{at} " + "long " * 12 for at in range(20)]
        )
    ),
}


@pytest.mark.parametrize("paper", PAPERS, ids=str)
@pytest.mark.parametrize("case", FEW)
def test_every_drawing_keeps_to_the_schema(case, paper):
    """What makes the files leaves this check out, and must not differ."""
    checked_one = figures.drawing(FEW[case], paper).to_dict(validate=True)
    assert json.dumps(checked_one, sort_keys=True) == figure_files.specification(FEW[case], paper)


@pytest.mark.parametrize("paper", PAPERS, ids=str)
@pytest.mark.parametrize("case", FEW)
def test_few_or_equal_numbers_are_drawn_without_a_nan(case, paper):
    figure = FEW[case]
    svg = figure_files.to_svg(figure, paper, FACTS).decode()
    assert "NaN" not in svg
    assert "undefined" not in svg
    assert "Infinity" not in svg
    assert not re.search(r"\bnan\b", str(figure.rows) + str(figure.notes) + figure.summary)
    figure_files.to_pdf(figure, paper, FACTS)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("one image", "One image: it says nothing about others."),
        ("identical", "Equally far from people on every image: A and B."),
        ("identical ranks", "All protocols have the same average rank."),
        ("one image's ranks", "no difference of ranks could be told from chance"),
        ("constant", "The same score for everything: A."),
        ("one method", "People tied all methods on every image"),
        ("all agree", "Ties everything on every image: A1."),
        ("all agree", "All annotators agree"),
        ("flat", "The same curve: A and B."),
        ("one day", "All on one day."),
    ],
)
def test_what_few_numbers_cannot_say_stands_in_words(case, words):
    assert words in " ".join(FEW[case].notes)


# Pages


@pytest.fixture
def study(db):
    study = make_study(["a", "b", "c"], images=2)
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    return study


@pytest.fixture
def researcher(client, study):
    client.force_login(add_researcher(study))
    return client


def address(study, name="wins", extension="svg"):
    return reverse("figures:figure", args=[study.slug, name, extension])


def shown(response, name):
    [figure] = [figure for figure in response.context["figures"] if figure.name == name]
    return figure


def test_the_page_shows_every_figure_with_its_numbers(researcher, study):
    """Right is at distance 0 and Reversed at 3 (three swaps) on both images."""
    response = researcher.get(reverse("figures:figures", args=[study.slug]))
    assert response.status_code == 200
    assert [figure.name for figure in response.context["figures"]] == list(figure_data.NAMES)
    assert shown(response, "wins").rows == [["Right", "–", "1"], ["Reversed", "0", "–"]]
    distances = {row[0]: row[1:] for row in shown(response, "distances").rows}
    assert distances["Reversed"] == ["2", "3", "3", "3", "3", "3", "3"]
    assert shown(response, "agreement").rows[0] == ["A1", "–", "0", "0"]
    ranks = [row[:2] for row in shown(response, "critical-difference").rows]
    assert ranks == [["Right", "1"], ["Reversed", "2"]]
    assert [row[1:] for row in shown(response, "progress").rows] == [["6", "6"]]
    assert shown(response, "scores").rows[0][:6] == ["Right", "1", "2", "0.9", "0.9", "0.9"]
    assert {row[2] for row in shown(response, "beta").rows} == {"0"}
    assert "nan" not in re.sub(r"annot|\w+nan\w+", "", response.text.lower())


@pytest.mark.parametrize("name", figure_data.NAMES)
@pytest.mark.parametrize("extension", figure_files.FORMATS)
def test_every_figure_has_every_file(researcher, study, name, extension):
    response = researcher.get(address(study, name, extension), {"criterion": "preference"})
    assert response.status_code == 200
    assert response["Content-Type"] == figure_files.FORMATS[extension].content_type
    assert response["X-Content-Type-Options"] == "nosniff"
    policy = response["Content-Security-Policy"]
    if extension == "svg":
        # One style, the font's; a browser takes it because its hash is this.
        [style] = re.findall(r"<style>(.*?)</style>", response.text, re.S)
        digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; font-src data:"
        assert "style=" not in response.text
    else:
        assert policy == "default-src 'none'"
    assert f"{study.slug}-{name}-preference-" in response["Content-Disposition"]


def test_a_file_says_where_it_comes_from(researcher, study):
    svg = researcher.get(address(study), {"decimals": "2", "criterion": "precision"}).text
    for fact in (study.name, study.dataset.name, "decimals: 2", "criterion: precision", "edit"):
        assert fact in svg
    assert "text-detection-rankings" in svg


def test_settings_change_the_figure(researcher, study):
    url = address(study, "distances")
    assert "Kemeny" not in researcher.get(url).text
    assert "Kemeny distance" in researcher.get(url, {"distance": "kemeny"}).text
    alone = researcher.get(address(study, "wins"), {"protocol": "Right"}).text
    assert "no other to be compared with" in " ".join(alone.split())


def test_every_address_on_the_page_keeps_the_settings(researcher, study):
    page = researcher.get(
        reverse("figures:figures", args=[study.slug]),
        {"criterion": "precision", "distance": "kemeny", "theme": "x", "protocol": "Right"},
    )
    for figure in page.context["figures"]:
        for picture in figure.pictures:
            for url in (picture.wide, picture.narrow):
                response = researcher.get(url)
                assert response.status_code == 200
                assert "distance: kemeny" in response.text
                assert "criterion: precision" in response.text
        for _, files in figure.downloads:
            assert all(researcher.get(url).status_code == 200 for _, url in files)


def test_the_size_on_the_page_is_that_of_the_file(researcher, study):
    page = researcher.get(reverse("figures:figures", args=[study.slug]))
    for figure in page.context["figures"]:
        for picture in figure.pictures:
            root = ElementTree.fromstring(researcher.get(picture.wide).content)
            _, _, width, height = map(float, root.get("viewBox").split())
            across, down = picture.wide_size
            assert across / down == pytest.approx(width / height, rel=0.02)


def test_a_figure_is_sent_again_only_when_it_changed(researcher, study):
    first = researcher.get(address(study, "distances"))
    assert "private" in first["Cache-Control"]
    assert "no-cache" in first["Cache-Control"]
    again = researcher.get(address(study, "distances"), headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304
    assert again.content == b""
    make_run(study, "Reversed", {"a": 0.5, "b": 0.5, "c": 0.5})
    changed = researcher.get(address(study, "distances"), headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200


def test_the_files_of_a_page_share_what_the_page_computed(researcher, study, monkeypatch):
    page = researcher.get(reverse("figures:figures", args=[study.slug]))

    def refused(*args, **kwargs):
        raise AssertionError("the report is built again")

    monkeypatch.setattr(figure_data, "build_report", refused)
    monkeypatch.setattr(figure_data, "rankings_of", refused)
    for figure in page.context["figures"]:
        for picture in figure.pictures:
            assert researcher.get(picture.wide).status_code == 200


def test_a_new_ranking_and_a_decision_on_who_counts_change_the_figures(researcher, study):
    def notes(name):
        page = researcher.get(reverse("figures:figures", args=[study.slug]))
        return shown(page, name).rows

    before = notes("agreement")
    another = add_annotator(study)
    rank_everything(study, another, same_truth([["c"], ["b"], ["a"]]))
    after = notes("agreement")
    assert len(after) == len(before) + 1
    decide(study=study, person=another, is_excluded=True, reason="x", by=another)
    assert notes("agreement") == before


def test_a_kept_reports_figures_show_what_it_held(researcher, study):
    """Two protocols, three people; afterwards a fourth answers otherwise and a run is replaced."""
    runs = services_of_reports.available_runs(study)
    kept = services_of_reports.keep_report(
        study=study, settings=Settings(), runs=runs, person=add_researcher(study)
    )
    live = reverse("figures:figures", args=[study.slug])
    page = reverse("figures:kept_figures", args=[study.slug, kept.pk])
    for criterion in ("recall", "preference"):
        was = researcher.get(live, {"criterion": criterion})
        now = researcher.get(page, {"criterion": criterion})
        for name in ("distances", "wins", "critical-difference", "beta"):
            assert shown(now, name).rows == shown(was, name).rows
    before = researcher.get(page)
    rank_everything(study, add_annotator(study), same_truth([["c"], ["b"], ["a"]]))
    make_run(study, "Reversed", {"a": 0.5, "b": 0.5, "c": 0.5})
    after = researcher.get(page)
    assert shown(researcher.get(live), "distances").rows != shown(after, "distances").rows
    for name in ("distances", "wins", "critical-difference"):
        assert shown(after, name).rows == shown(before, name).rows
        assert not any("as it is now" in note for note in shown(after, name).notes)
    # What the report does not hold comes from the study, and says so.
    assert len(shown(after, "agreement").rows) == 4
    for name in ("agreement", "scores", "progress"):
        assert any("the study as it is now" in note for note in shown(after, name).notes)
    for extension in figure_files.FORMATS:
        url = reverse("figures:kept_figure", args=[study.slug, kept.pk, "wins", extension])
        assert researcher.get(url, {"width": "single"}).status_code == 200
        assert researcher.get(url, {"width": "x"}).status_code == 422
    assert kept.checksum in researcher.get(url.replace(".pdf", ".svg")).text


@pytest.mark.parametrize(
    "query",
    [
        {"criterion": "beauty"},
        {"theme": "sepia"},
        {"width": "3"},
        {"decimals": "x"},
        {"protocol": "none"},
    ],
)
def test_settings_that_cannot_be_are_422(researcher, study, query):
    response = researcher.get(address(study), query)
    assert response.status_code == 422
    assert response["Content-Type"].startswith("text/plain")
    if "theme" not in query and "width" not in query:
        page = researcher.get(reverse("figures:figures", args=[study.slug]), query)
        assert page.status_code == 422
        assert "errorlist" in page.text


@pytest.mark.parametrize("end", ["nothing.svg", "wins.gif", "wins"])
def test_what_is_no_figure_is_404(researcher, study, end):
    page = reverse("figures:figures", args=[study.slug])
    assert researcher.get(f"{page}{end}").status_code == 404


def test_other_people_see_nothing(client, study):
    page = reverse("figures:figures", args=[study.slug])
    for url in (page, address(study)):
        assert client.get(url).status_code == 302
    annotator = study.assignments.first().annotator
    foreign = add_researcher(make_study(["x", "y"]))
    for person in (annotator, foreign, make_person()):
        client.force_login(person)
        for url in (page, address(study), address(study, "progress", "pdf")):
            assert client.get(url).status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_figures_are_only_read(researcher, study, method):
    assert getattr(researcher, method)(address(study)).status_code == 405


def every_figure_in(client, study):
    response = client.get(reverse("figures:figures", args=[study.slug]))
    assert response.status_code == 200
    assert not re.search(r"\b(nan|inf|None|undefined)\b", response.text)
    for name in figure_data.NAMES:
        svg = client.get(address(study, name)).text
        assert "NaN" not in svg
    return {figure.name: figure for figure in response.context["figures"]}


@pytest.mark.django_db
def test_before_any_work_every_figure_says_so(client):
    study = make_study(["a", "b"])
    client.force_login(add_researcher(study))
    found = every_figure_in(client, study)
    assert all(figure.is_empty for figure in found.values())
    assert "No protocol has scored" in found["wins"].notes[0]


@pytest.mark.django_db
def test_one_annotator_cannot_agree_with_anybody(client):
    study = make_study(["a", "b"], images=1, min_annotators=1)
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    make_run(study, "Right", {"a": 0.9, "b": 0.1})
    client.force_login(add_researcher(study))
    found = every_figure_in(client, study)
    assert "One annotator" in found["agreement"].notes[0]
    assert not found["distances"].is_empty


@pytest.mark.django_db
def test_all_ties_and_constant_and_identical_protocols(client):
    study = make_study(["a", "b", "c"], images=2)
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth([["a", "b", "c"]]))
    for name in ("Same", "Again"):
        make_run(study, name, {"a": 0.5, "b": 0.5, "c": 0.5})
    client.force_login(add_researcher(study))
    found = every_figure_in(client, study)
    assert "Ties everything" in " ".join(found["agreement"].notes)
    assert "Again and Same" in " ".join(found["wins"].notes)
    assert "tied all methods" in " ".join(found["scores"].notes)


def test_a_protocol_without_scores_is_named(researcher, study):
    make_run(study, "Silent", {})
    found = every_figure_in(researcher, study)
    assert "Silent" in found["distances"].notes[0]
    assert not found["agreement"].is_empty
    assert not found["progress"].is_empty


@pytest.mark.django_db
def test_somebody_who_always_answers_left_is_drawn_like_others(client):
    study = make_study(["a", "b", "c"], images=2)
    for _ in range(3):
        rank_everything(study, add_annotator(study), same_truth([["a"], ["b"], ["c"]]))
    hasty = add_annotator(study)
    turn = services.start(study=study, annotator=hasty)
    while turn is not None:
        turn = services.record_judgement(
            screen_id=turn.screen.public_id,
            annotator=hasty,
            verdicts=dict.fromkeys(turn.open_criteria, "left"),
        )
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    client.force_login(add_researcher(study))
    found = every_figure_in(client, study)
    assert len(found["agreement"].rows) >= 3
