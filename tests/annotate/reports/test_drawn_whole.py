"""Small drawn studies rendered whole: every number is one, and no two sentences are opposite."""

import csv
import io
import re

import pytest
from django.urls import reverse

from annotate.publication import papers
from annotate.publication import services as publication
from annotate.reports.exports import kept_text, table_text, tables_in
from annotate.reports.services import available_runs
from annotate.studies.services import set_state
from rankings.agreement.report import Settings
from rankings.inference.sequential import FEWEST_IMAGES
from rankings.output.latex import Look
from tests.support.drawn import METHODS, Drawn, drawn_study, scored
from tests.support.factories import add_researcher
from tests.support.kept import keep_report
from tests.support.pages import as_read, assert_for_people

pytestmark = pytest.mark.django_db


def usual(n_images, n_annotators, noise=0.5):
    drawn = Drawn(n_images)
    study = drawn_study(n_images, n_annotators, lambda image, _: drawn.seen(image, noise))
    return study, drawn


def near_and_far(study, drawn):
    scored(study, "Near", lambda image: drawn.scores(image, 0.2))
    scored(study, "Far", lambda image: drawn.scores(image, 3.0))
    return study


def one_person():
    return near_and_far(*usual(12, 1))


def two_people():
    return near_and_far(*usual(12, 2))


def one_image():
    return near_and_far(*usual(1, 4))


def all_tied():
    drawn = Drawn(12)
    study = drawn_study(12, 3, lambda *_: dict.fromkeys(METHODS, 1.0))
    return near_and_far(study, drawn)


def all_protocols_equal():
    study, drawn = usual(12, 4)
    table = [drawn.scores(image, 0.2) for image in range(12)]
    for at in range(5):
        scored(study, f"P{at}", table.__getitem__)
    return study


def people_who_answered_different_methods():
    drawn = Drawn(12)

    def seen(image, annotator):
        whole = drawn.seen(image, 0.5)
        some = METHODS[:3] if (image + annotator) % 2 else METHODS
        return {name: whole[name] for name in some}

    return near_and_far(drawn_study(12, 4, seen), drawn)


def images_with_different_methods():
    drawn = Drawn(12)

    def seen(image, _):
        whole = drawn.seen(image, 0.5)
        return {name: whole[name] for name in (METHODS[:3] if image % 2 else METHODS[1:])}

    return near_and_far(drawn_study(12, 4, seen), drawn)


def fifteen_of_one_family():
    study, drawn = usual(12, 5)
    for at in range(15):
        table = [drawn.scores(image, 0.3, 2) for image in range(12)]
        scored(study, f"Variant {at:02}", table.__getitem__)
    return study


def without_scores_on_half_of_the_images():
    study, drawn = usual(24, 4)
    near_and_far(study, drawn)
    scored(study, "Half", lambda image: drawn.scores(image, 0.5) if image % 2 else {})
    return study


def copies_and_a_sentinel():
    study, drawn = usual(20, 12, noise=0.3)
    table = [drawn.scores(image, 0.1) for image in range(20)]
    for name in ("Copy", "Original"):
        scored(study, name, table.__getitem__)
    scored(study, "Far", lambda image: drawn.scores(image, 3.0))
    scored(study, "Sentinel: count", lambda image: drawn.scores(image, 1.0), slug="count")
    return study


# Each with a sentence of its report.
STUDIES = {
    one_person: "whether that holds for others cannot be tested: one annotator says nothing about others.",
    two_people: "the 2 annotators and 12 images are treated as a random sample",
    one_image: "whether that holds for others cannot be tested: one image says nothing about others.",
    all_tied: "no protocol is significantly nearer to people than a ranking that ties everything.",
    all_protocols_equal: "P0, P1, P2, P3 and P4 order the methods of all images alike and count as one.",
    people_who_answered_different_methods: "not ranked by every annotator: d",
    images_with_different_methods: "nothing is known about all 4 detectors: no ranking has all of them.",
    fifteen_of_one_family: "no two of the 15 protocols differ significantly.",
    without_scores_on_half_of_the_images: "12 images left out by recall",
    copies_and_a_sentinel: "Copy and Original order the methods of all images alike and count as one.",
}


@pytest.fixture(params=STUDIES.items(), ids=lambda one: one[0].__name__)
def drawn(request, client):
    build, said = request.param
    study = build()
    person = add_researcher(study)
    client.force_login(person)
    kept = keep_report(
        study=study, settings=Settings(min_annotators=1), runs=available_runs(study), person=person
    )
    public = publication.publish(report=kept, person=person, title="T", download="nothing")
    return (study, kept, public), said


def pages_of(study, kept, public):
    for name in ("reports:report", "figures:detectors"):
        yield f"{reverse(name, args=[study.slug])}?min_annotators=1&open=all"
    for name in ("reports:kept", "figures:kept_detectors"):
        yield f"{reverse(name, args=[study.slug, kept.pk])}?criterion=preference&open=all"
    yield reverse("publication:kept_paper", args=[study.slug, kept.pk])
    yield reverse("public:page", args=[public.address])
    yield f"{reverse('planning:plan', args=[study.dataset.slug])}?study={study.slug}&hours=2"


def test_drawn_studies_are_rendered_whole(client, drawn):
    whole, said = drawn
    pages = {address: client.get(address) for address in pages_of(*whole)}
    for at, (address, response) in enumerate(pages.items()):
        assert response.status_code == 200, address
        text = as_read(response.text)
        assert_for_people(text, address)
        assert at or said in text, text
        check_words(text)
        if "answer" in response.context:
            check_protocols(response.context)
        if response.context.get("preferred"):
            found = preferences_in(whole[1], response)
            check_detectors(response.context["preferred"], found, text)
    report, *_, paper, _, _ = pages.values()
    files = dict(papers.files(whole[1].data, Look(), {}))
    check_files(whole[1], files)
    check_methods(client, *whole[:2], paper, files)
    check_sentences(client, whole[0], report)


def check_words(text):
    """No number has the wrong noun, and no sentence is about rows, parts or resamples that are not there."""
    one_of_many = re.search(
        r"(?<![\w.,–-])1 (complete )?(images|annotators|rankings|protocols|methods)\b(?! or)", text
    )
    assert not one_of_many, text[max(0, one_of_many.start() - 80) :][:160]
    assert " 0 bootstrap resamples" not in text
    assert "is farthest from the others: 0.00" not in text
    if "Friedman's test cannot be made" in text:
        assert "Friedman's test does not say" not in text
    if "A person : the Score" in text:
        assert "a person human baseline" in text
    if "could be divided into parts" in text:
        assert "parts of the images the nearest protocol is" not in text


def numbers_after(text, words):
    """Return the numbers of a sentence that has a number in place of each N."""
    pattern = re.escape(words).replace("N", r"(\d+)")
    return [int(n) for n in found.groups()] if (found := re.search(pattern, text)) else None


def check_sentences(client, study, report):
    """The report and the study's page agree about one study, open and closed."""
    page, table = as_read(report.text), report.context["shown"].table
    assert not table.n_images or "what was merged is not split again" in page
    assert numbers_after(page, "N image") == [study.study_images.count()]
    if table.n_images != study.study_images.count():
        assert f"({table.n_images} counted)" in page
    assert "0 agreed" not in page
    state = as_read(client.get(reverse("studies:detail", args=[study.slug])).text)
    complete, n_images = numbers_after(state, "N of N image")
    assert n_images == study.study_images.count()
    assert (complete < n_images) == ("What is missing" in state)
    assert ("Too early" in state) == ("Still needed" in state)
    if n_images < FEWEST_IMAGES:
        assert "Too early" not in state
    set_state(study=study, state="closed")
    for name in ("studies:detail", "reports:report"):
        closed = as_read(client.get(reverse(name, args=[study.slug])).text)
        found = re.search("Too early|[Ss]till need|at the pace|so fix the end date", closed)
        assert not found, (name, found)


def check_files(kept, files):
    """Files hold the numbers of the report: each is one, and protocols that are alike are named."""
    texts = {f"report.{name}": kept_text(kept, name) for name in ("csv", "md", "tex")}
    data = kept.data
    for table in tables_in(data):
        for extension in ("csv", "md", "tex"):
            name = f"{table.slug}.{extension}"
            texts[name] = table_text(data, data["header"], table.slug, extension)
        for at, column in enumerate(table.columns):
            if column.name == "Cluster":
                # A cluster is a whole number.
                assert all(re.fullmatch(r"\d+|–|", row[at]) for row in table.shown), table.slug
    texts |= {name: text for name, text in files.items() if not name.endswith(".py")}
    for name, text in texts.items():
        assert_for_people(text, name)
    for around in data["analysis"].values():
        for same in around["comparisons"]["equal"]:
            assert all(" = ".join(same) in texts[f"report.{name}"] for name in ("md", "tex"))


def check_methods(client, study, kept, page, texts):
    """The methods text has the numbers of the report, and the same words as LaTeX and as Markdown."""
    data = kept.data
    shown = {anchor: text for anchor, _, _, text, _ in page.context["texts"]}
    assert shown["methods"] == texts["methods.tex"]
    assert words_of(texts["methods.tex"]) == words_of(texts["methods.md"])
    text = " ".join(texts["methods.md"].split())
    people = study.memberships.filter(role="annotator").count()
    said = (r"(\d+) annotators? gave (\d+) complete rankings? on (\d+) images?\.", text)
    assert [*map(int, re.search(*said).groups())] == [
        people,
        study.assignments.filter(state="complete").count(),
        study.study_images.count(),
    ]
    for criterion, table in data["criteria"].items():
        assert re.search(rf"\b{table['n_images']} images? by {criterion}\b", text), criterion
    assert int(re.search(r"scored by (\d+) evaluation", text)[1]) == len(data["runs"])
    assert "still open" in text
    # Verdicts of files are the sentences of the page.
    address = reverse("reports:kept", args=[study.slug, kept.pk])
    asked = {"criterion": "recall", "open": "all"}
    read_page = as_read(client.get(address, asked).text)
    for row in csv.DictReader(io.StringIO(texts.get("csv/verdicts.csv", ""))):
        if row["Criterion"] == "recall":
            assert row["Sentence"] in read_page, row


def words_of(text):
    """Return the words of a methods text, without citations and the marks of its language."""
    text = re.sub(r"~\\cite{.*?}|\[@.*?\]|\\(begin|end){\w+}|\\allowbreak", " ", text)
    return re.findall(r"[A-Za-z]{2,}|\d+", re.sub(r"[\\{}_-]", " ", text))


def check_protocols(context):
    """Sentences on the nearest follow the letters of the same page, and no two are opposite."""
    [sure] = [one.sentences for one in context["questions"] if one.slug == "sure"] or [()]
    said = [context["answer"].headline, *sure]
    letters = {row.name: row.letters for row in context["shown"].rows}
    for sentence in said:
        for better, worse in told(sentence, letters):
            assert not {*letters[better]} & {*letters[worse]}, sentence
        for first, others in undecided(sentence, letters):
            assert all({*letters[first]} & {*letters[one]} for one in others), sentence
    nothing = any("No two of the" in one or "No protocol is significantly" in one for one in said)
    assert not (nothing and any(list(told(one, letters)) for one in said)), said


def told(sentence, letters):
    """Yield the pairs of which a sentence says that one is nearer than the other."""
    for first in letters:
        _, sep, rest = sentence.partition(f"{first} is nearer to people than ")
        if sep and rest == "every other protocol.":
            yield from ((first, other) for other in letters if other != first)
        elif sep:
            others = names_in(rest.partition(";")[0], letters)
            yield from ((first, other) for other in others if other != first)


def undecided(sentence, letters):
    """Yield the first, and those of which a sentence says that they may be as near."""
    found = re.fullmatch(r"It is undecided whether (.*) is as near as (.*)\.", sentence)
    if found and found[2] in letters:
        yield found[2], names_in(found[1], letters)


def names_in(text, names):
    return [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]


def preferences_in(kept, response):
    return kept.data["detectors"]["criteria"][response.context["criterion"]]["preferences"]


def check_detectors(shown, found, text):
    """Sentences on preferences follow the letters of the kept report."""
    letters = found["letters"]
    if None in letters.values():
        return
    for first in re.findall(r"the figures of [^.;]* put (\w+) first, too\.", text):
        others = {*"".join(own for name, own in letters.items() if name != first)}
        assert not {*letters[first]} & others, first
    clauses = re.split(r"; | \(\d", shown.headline)
    for clause in clauses:
        prefers = re.search(r"people prefer (\w+) to (.*)", clause)
        if prefers:
            others = names_in(prefers[2], letters) or [one for one in letters if one != prefers[1]]
            assert not any({*letters[prefers[1]]} & {*letters[one]} for one in others), clause
        for group in re.findall(r"between ((?:\w+, )*\w+ and \w+)", clause):
            common = set.intersection(*({*letters[one]} for one in names_in(group, letters)))
            assert common, clause


def test_protocols_that_order_all_alike_are_one_row_and_sentinels_stand_apart(client):
    study = copies_and_a_sentinel()
    client.force_login(add_researcher(study))
    response = client.get(
        reverse("reports:report", args=[study.slug]), {"min_annotators": 1, "open": "sure"}
    )
    (_, protocols), (_, others) = response.context["shown"].bodies
    assert [line.name for line in protocols] == ["Copy = Original", "Far"]
    assert [(line.name, line.kind) for line in others] == [
        ("Sentinel: count", "sentinel"),
        ("all tied", "baseline"),
        ("random order", "baseline"),
        ("a person", "human baseline"),
    ]
    text = as_read(response.text)
    assert "Protocols joined by = order the methods of all images alike, and are one row." in text
    assert "Sentinels look at no ground truth" in text
    # Three rows would be three pairs, and a sentinel three more.
    assert response.context["answer"].headline == (
        "By recall, Copy = Original is nearer to people than every other protocol."
    )
    assert "1 of 1 pairs of protocols are decided." in text


def test_a_report_of_sentinels_alone_has_no_nearest_protocol(client):
    study, drawn = usual(12, 3)
    scored(study, "Sentinel: count", lambda image: drawn.scores(image, 1.0), slug="count")
    client.force_login(add_researcher(study))
    response = client.get(reverse("reports:report", args=[study.slug]), {"min_annotators": 1})
    assert response.status_code == 200
    assert response.context["shown"].bodies[0] == ("", [])
    assert "nearer" not in response.context["answer"].headline
