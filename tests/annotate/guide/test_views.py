"""The public pages of the protocols, and the scores of the playground."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from annotate.guide import markdown
from annotate.guide.playground import DEFAULT, PRESETS, Box, Drawing, from_link, to_link
from annotate.guide.views import percent
from protocols import registry
from tests.support.cases import cases
from tests.support.pages import flat

# No user is signed in and nothing is stored: these tests may not touch the database.
LIST = reverse("guide:list")
PLAYGROUND = reverse("guide:playground")
SCORE = reverse("guide:score")
SMALL = Drawing((Box(10, 10, 110, 50, text="word"),), (Box(10, 10, 110, 50, confidence=90),))


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty folder in the place of the documents."""
    monkeypatch.setattr(markdown, "documents_folder", lambda: tmp_path)
    (tmp_path / "img").mkdir()
    return tmp_path


def page_of(slug):
    return reverse("guide:protocol", args=[slug])


def test_the_list_is_by_family_and_says_what_is_needed_and_what_variants_there_are(client):
    page = client.get("/protocols/").text
    headings = re.findall(r"<h2 id=\"group-\d+\">([^<]+)</h2>", flat(page))
    assert headings == [html.escape(family) for family in registry.families()]
    assert "Needs confidences." in page
    assert "<code>iou:art</code>" in flat(page)


def test_the_list_names_every_protocol_with_its_summary_and_its_page(client):
    text = client.get(LIST).text
    for protocol in registry.all_protocols():
        assert f'href="{page_of(protocol.slug)}"' in text
        assert protocol.name in text


@pytest.mark.parametrize("slug", registry.PROTOCOLS)
def test_every_protocol_has_a_page(client, slug):
    response = client.get(page_of(slug))
    assert response.status_code == 200
    assert " style=" not in response.text


def test_a_page_without_a_document_shows_name_summary_and_parameters(client, folder):
    text = client.get(page_of("iou")).text
    assert "has no description yet" in text
    assert registry.get("iou").summary in text
    assert "min_iou" in text
    assert "0 to 1" in text
    assert "yes or no" in text


def test_a_document_is_shown_with_its_title(client, folder):
    (folder / "iou.md").write_text("# Intersection over union\n\nHow it *works*.\n")
    text = client.get(page_of("iou")).text
    assert '<h1 lang="en">Intersection over union</h1>' in text
    assert "How it <em>works</em>." in text
    assert "has no description yet" not in text


def test_a_page_lists_the_sources_that_its_document_cites(client):
    text = client.get(page_of("iou")).text
    listed = re.findall(r"<dt>(\w+)</dt>", text)
    assert listed[0] == "K15"
    assert {"C19", "S19", "N19", "D18"} <= set(listed)


def test_an_unknown_protocol_is_not_there(client, folder):
    (folder / "secret.md").write_text("Not a protocol.")
    assert client.get("/protocols/secret/").status_code == 404


def test_a_picture_is_served_as_a_picture_and_nothing_else(client, folder):
    (folder / "img" / "iou-split.svg").write_text("<svg/>")
    response = client.get("/protocols/img/iou-split.svg")
    assert response.status_code == 200
    assert response.content == b"<svg/>"
    assert response["Content-Type"] == "image/svg+xml"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "script-src" not in response["Content-Security-Policy"]


@pytest.mark.parametrize(
    "name",
    [
        "missing.svg",
        "A.svg",
        "a.png",
        "a.svg.html",
        "a_b.svg",
        "..%2fa.svg",
        "../a.svg",
        "a.svg%0a",
        ".svg",
    ],
)
def test_no_other_file_is_served(client, folder, name):
    for path in ("img/A.svg", "img/a.png", "img/a_b.svg", "a.svg"):
        (folder / path).write_text("<svg/>")
    assert client.get(f"/protocols/img/{name}").status_code == 404


# The page of the playground


def test_the_playground_begins_with_a_situation_and_its_scores(client):
    text = client.get(PLAYGROUND).text
    assert str(DEFAULT.says) in text
    assert "33.33" in text  # ICDAR13 finds one of three words
    assert text.count('class="box box--truth"') == len(DEFAULT.drawing.truth) + 1  # and the legend


@pytest.mark.parametrize("slug", PRESETS)
def test_every_situation_can_be_opened(client, slug):
    response = client.get(PLAYGROUND, {"preset": slug})
    assert response.status_code == 200
    assert to_link(PRESETS[slug].drawing) in response.text


def test_a_link_shows_its_scene_without_script(client):
    text = flat(client.get(PLAYGROUND, {"scene": to_link(SMALL), "protocol": "iou"}).text)
    assert '<rect class="box__area" x="10" y="10" width="100" height="40"/>' in text
    assert 'data-status="one-to-one"' in text
    assert "100.00" in text


@pytest.mark.parametrize(
    "query",
    [
        {"scene": ""},
        {"scene": "nonsense"},
        {"scene": "1_t0.0.2.2"},
        {"scene": "1_t0.0.9.9~w%00"},
        {"scene": "1" * 40_000},
        {"preset": "unknown"},
        {"scene": "9", "do": "delete", "box": "t0"},
    ],
)
def test_a_bad_link_shows_another_scene_and_says_so(client, query):
    response = client.get(PLAYGROUND, query)
    assert response.status_code == 200
    assert "Here is another one to start with." in response.text
    assert str(DEFAULT.says) in response.text


def test_a_bad_choice_of_box_or_protocol_changes_nothing(client):
    response = client.get(PLAYGROUND, {"box": "t99", "protocol": "<b>", "scene": to_link(SMALL)})
    assert response.status_code == 200
    assert "<b>" not in response.text


def step(client, **fields):
    return client.get(PLAYGROUND, {"scene": to_link(SMALL)} | fields)


def scene_of(response):
    assert response.status_code == 302
    query = response["Location"].split("?")[1].split("#")[0]
    fields = dict(field.split("=") for field in query.split("&"))
    return from_link(fields["scene"]), fields.get("box")


def test_without_script_a_box_is_changed_in_numbers(client):
    response = step(
        client, do="set", box="t0", left="20", top="30", width="50", height="40", text="new",
        line="2", ignored="on",
    )  # fmt: skip
    drawing, selected = scene_of(response)
    assert drawing.truth == (Box(20, 30, 70, 70, text="new", line=2, ignored=True),)
    assert selected == "t0"


def test_without_script_a_confidence_is_set_and_taken_away(client):
    assert (
        scene_of(step(client, do="set", box="d0", confidence="0.25"))[0].detections[0].confidence
        == 25
    )
    assert (
        scene_of(step(client, do="set", box="d0", confidence=""))[0].detections[0].confidence
        is None
    )


def test_without_script_boxes_are_added_and_deleted(client):
    drawing, selected = scene_of(step(client, do="add-detection"))
    assert (len(drawing.detections), selected) == (2, "d1")
    drawing, selected = scene_of(step(client, do="delete", box="t0"))
    assert (drawing.truth, selected) == ((), None)


@pytest.mark.parametrize(
    "fields",
    [
        {"do": "set", "box": "t0", "left": "-5"},
        {"do": "set", "box": "t0", "left": "1.5"},
        {"do": "set", "box": "t0", "width": "0"},
        {"do": "set", "box": "t0", "width": "9999"},
        {"do": "set", "box": "t0", "left": "٥"},
        {"do": "set", "box": "t0", "text": "x" * 41},
        {"do": "set", "box": "d0", "confidence": "nan"},
        {"do": "set", "box": "d0", "confidence": "2"},
        {"do": "set", "box": "t7"},
        {"do": "delete"},
        {"do": "delete", "box": "t1"},
    ],
)
def test_a_step_that_cannot_be_done_says_why_and_keeps_the_scene(client, fields):
    response = step(client, **fields)
    assert response.status_code == 422
    assert "Nothing was changed." in response.text
    assert to_link(SMALL) in response.text


# Scores


def ask(client, scene, headers=None, **protocol):
    return client.post(SCORE, {"scene": scene} | protocol, headers=headers)


def test_a_scene_is_scored_by_every_protocol(client):
    response = ask(client, to_link(SMALL))
    assert response.status_code == 200
    protocols = response.json()["protocols"]
    assert [said["slug"] for said in protocols] == list(registry.PROTOCOLS)
    said = next(said for said in protocols if said["slug"] == "iou")
    assert (said["name"], said["recall"], said["precision"], said["f_score"]) == ("IOU", 1, 1, 1)
    assert said["matches"][0]["truth"] == [0]
    assert said["unmatched"] == []
    assert said["figures"] == ["100.00"] * 3
    assert said["sentence"] == "IOU: recall 100.00, precision 100.00, F-score 100.00."
    assert said["reasons"] == [["T1, D1", "matched, recall credit 1.00, precision credit 1.00"]]


def test_an_undefined_score_and_a_region_without_a_match_are_told_in_words(client):
    [said] = ask(client, "1_d10.10.110.50", protocol="iou").json()["protocols"]
    assert said["reasons"] == [["D1", "its best IoU, 0.000, is not above 0.5"]]
    assert said["indicators"]["mean_iou"] == "–"
    [said] = ask(client, "1_d10.10.110.50", protocol="table-structure").json()["protocols"]
    assert said["figures"] == ["–"] * 3
    assert said["sentence"] == f"{said['name']}: undefined, it needs tables with cells."


def test_one_protocol_is_asked_by_its_name(client):
    response = ask(client, to_link(SMALL), protocol="deteval")
    assert [said["slug"] for said in response.json()["protocols"]] == ["deteval"]


@cases(
    "sent",
    [
        {},
        {"scene": ""},
        {"scene": "1_t0.0.9"},
        {"scene": "1_t0.0.9.9_d10"},
        {"scene": "1_" + "_".join(["t0.0.9.9"] * 61)},
        {"scene": "1_t0.0.9.9~w" + "a" * 65_536},
        {"scene": "1_t0.0.9.9", "protocol": "x"},
        {"scene": "1_t0.0.9.9", "protocol": ""},
    ],
)
def test_what_is_no_scene_is_refused_in_a_sentence(client, sent):
    response = client.post(SCORE, sent)
    assert response.status_code == 400
    assert response.json()["message"].endswith(".")


def test_sixty_boxes_on_each_side_are_scored(client):
    """With the longest texts that a box may have."""
    boxes = [Box(10 * at, 5 * at, 10 * at + 60, 5 * at + 30, "🙂" * 40) for at in range(60)]
    response = ask(client, to_link(Drawing(boxes, boxes)))
    assert response.status_code == 200
    assert all(
        "not be computed" not in said.get("error", "") for said in response.json()["protocols"]
    )


def test_another_site_cannot_ask(client):
    strict = Client(enforce_csrf_checks=True)
    assert ask(strict, to_link(SMALL)).status_code == 403
    strict.get(PLAYGROUND)
    token = strict.cookies["csrftoken"].value
    assert ask(strict, to_link(SMALL), headers={"X-CSRFToken": token}).status_code == 200


def test_a_network_has_so_many_seconds_of_a_minute(monkeypatch):
    monkeypatch.setattr("annotate.guide.shortcuts.SECONDS_A_MINUTE", 1e-6)
    monkeypatch.setattr("annotate.guide.shortcuts.monotonic", lambda: 59.0)
    one, near, far = (
        Client(REMOTE_ADDR=address) for address in ("2001:db8::1", "2001:db8::2", "192.0.2.7")
    )
    assert ask(one, to_link(SMALL)).status_code == 200
    assert ask(near, to_link(SMALL)).status_code == 429
    for address in (PLAYGROUND, reverse("guide:protocol", args=["iou"])):
        assert near.get(address).status_code == 429
    assert ask(far, to_link(SMALL)).status_code == 200
    monkeypatch.setattr("annotate.guide.shortcuts.monotonic", lambda: 60.0)
    assert ask(one, to_link(SMALL)).status_code == 200


def test_percents_are_rounded_as_the_page_rounds_them():
    assert [percent(value) for value in (None, 0, 1, 1 / 3, 1 / 32)] == [
        "–", "0.00", "100.00", "33.33", "3.13",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["credits", "causes", "conformance", "iou-atlas"])
def test_documents_of_several_protocols_have_pages_that_links_lead_to(client, name):
    page = client.get(f"/protocols/about/{name}/")
    assert page.status_code == 200
    assert b'<h1 lang="en">' in page.content
    assert f"/protocols/about/{name}/".encode() in client.get("/protocols/").content


@pytest.mark.parametrize("name", ["readme", "README", "iou", "nowhere"])
def test_other_documents_have_no_such_page(client, name):
    assert client.get(f"/protocols/about/{name}/").status_code == 404
