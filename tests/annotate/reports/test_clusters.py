"""Groups of annotators and scenes of images: from their declaration to the report's test and sentences."""

import io

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.audit.models import Act, AuditEntry
from annotate.datasets.services import ScenesRefused, declare_scenes, scenes_by_name
from annotate.exchange.rows import rankings
from annotate.judging.image_allocation import own_images
from annotate.judging.models import Assignment
from annotate.reports import services
from annotate.reports.cache import Asked
from annotate.reports.included import declared_clusters
from annotate.studies.models import Membership
from rankings.agreement.report import Settings
from rankings.analysis.verdicts import for_whom
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.participants import agree, make_entrance

pytestmark = pytest.mark.django_db

SETTINGS = Settings(min_annotators=1)
METHODS = ("a", "b", "c")
# A ranking like p's, one like q's, and two between them: equally far from both.
LIKE_P, LIKE_Q = [["a"], ["b"], ["c"]], [["c"], ["b"], ["a"]]
BETWEEN = ([["b"], ["a", "c"]], [["a", "c"], ["b"]])


def two_sites(n_first=10, n_second=2, images=20):
    """Return a study in which the first site mostly ranks like p, and the second like q."""
    study = make_study(METHODS, images=images)
    make_run(study, "p", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "q", {"a": 0.1, "b": 0.5, "c": 0.9})
    keys = dict(study.methods.values_list("name", "pk"))
    now = timezone.now()
    for number in range(n_first + n_second):
        usual = LIKE_P if number < n_first else LIKE_Q
        person = add_annotator(study)
        for position, image in enumerate(study.images.in_order(), 1):
            # Every fourth ranking is another one, so that people of a site differ.
            is_usual = (7 * number + 3 * position + number * position) % 4
            ranking = usual if is_usual else BETWEEN[position % 2]
            buckets = [[keys[name] for name in bucket] for bucket in ranking]
            Assignment.objects.create(
                study=study,
                image=image,
                annotator=person,
                position=position,
                state=Assignment.State.COMPLETE,
                items=[],
                rankings=dict.fromkeys(("recall", "precision", "preference"), buckets),
                finished=now,
            )
    return study


def declare_sites(study, n_first=10):
    members = list(study.memberships.order_by("pk"))
    for at, membership in enumerate(members):
        membership.group = "Paris" if at < n_first else "Lyon"
    Membership.objects.bulk_update(members, ["group"])


def analysed(study):
    runs = services.available_runs(study)
    return services.analysed_report(Asked(study, SETTINGS, runs))[1]


def p_value(data):
    [pair] = data["analysis"]["recall"]["comparisons"]["pairs"]
    return pair["adjusted_p_value"]


def test_two_sites_decide_only_where_they_are_not_declared_and_then_a_sentence_warns():
    """Ten people of twelve share a habit. As twelve they decide; as two sites they cannot."""
    study = two_sites()
    undeclared = analysed(study)
    assert p_value(undeclared) < 0.05
    assert "the annotators seem to form two groups" in for_whom(undeclared)
    declare_sites(study)
    declared = analysed(study)
    assert p_value(declared) > 0.3
    said = for_whom(declared)
    assert "the 2 groups of annotators and 20 images are treated" in said
    assert "Two groups hardly ever show" in said
    assert "seem to form" not in said


def test_the_warning_is_on_the_page_and_the_rule_in_the_methods_paragraph(client):
    study = two_sites()
    client.force_login(add_researcher(study))
    address = reverse("reports:report", args=[study.slug])
    assert "and higher because groups seem to exist" in client.get(address).text
    address += "?open=sure"
    assert "seem to form two groups" in client.get(address).text
    declare_sites(study)
    page = client.get(address).content.decode()
    assert "seem to" not in page
    assert "Annotators of one group count as one" in page


def test_annotators_who_are_all_of_one_group_count_one_by_one():
    study = two_sites(images=3)
    study.memberships.update(group="Paris")
    said = for_whom(analysed(study))
    assert "the 12 annotators and 3 images" in said
    assert "All annotators are of one group" in said
    first = study.memberships.order_by("pk").first()
    first.group = ""
    first.save()
    assert set(declared_clusters(study).groups.values()) == {"Paris"}
    assert len(declared_clusters(study).groups) == 11


def test_scenes_come_from_names_and_are_what_the_test_counts():
    study = two_sites()
    for at, image in enumerate(study.images.in_order()):
        image.name = f"walk-{at % 4}_{at}"
        image.save()
    found = scenes_by_name(study.dataset, "_")
    assert found["walk-3_7"] == "walk-3"
    assert declare_scenes(dataset=study.dataset, scene_of=found) == 4
    assert AuditEntry.objects.filter(act=Act.SCENES_DECLARED).count() == 1
    tested = analysed(study)["analysis"]["recall"]["comparisons"]
    assert (tested["n_scenes"], tested["n_images"], tested["n_groups"]) == (4, 4, 0)
    # The same again changes nothing, and is not logged.
    declare_scenes(dataset=study.dataset, scene_of=found)
    assert AuditEntry.objects.filter(act=Act.SCENES_DECLARED).count() == 1


def test_scenes_of_unknown_images_are_refused_and_nothing_changes():
    study = make_study(images=2)
    name = study.images.first().name
    for scene_of in ({name: "park", "img_0": "park"}, {name: "x" * 201}, {name: "a\u200bb"}):
        with pytest.raises(ScenesRefused):
            declare_scenes(dataset=study.dataset, scene_of=scene_of)
    assert not study.images.exclude(scene="").exists()


def test_the_page_of_scenes_reads_a_separator_or_a_csv(admin):
    study = make_study(images=3)
    address = reverse("datasets:scenes", args=[study.dataset.slug])
    assert "No scenes are declared" in admin.get(address).content.decode()
    names = list(study.images.in_order().values_list("name", flat=True))
    table = f"image,scene\n{names[0]},park\n{names[1]},park\n"
    file = io.BytesIO(table.encode())
    file.name = "scenes.csv"
    page = admin.post(address, {"file": file}, follow=True).content.decode()
    assert "The images show 1 scene." in page
    assert "1 image has no scene and counts alone." in page
    for sent, said in (
        ({"file": io.BytesIO(b"a,b\n1,2\n")}, "columns image and scene"),
        ({"file": io.BytesIO(b"image,scene\nimg_0,park\n")}, "has no image img_0"),
        ({"file": io.BytesIO(b"\xff\xfe\x00")}, "not a CSV file in UTF-8"),
    ):
        answer = admin.post(address, sent)
        assert answer.status_code == 422
        assert said in answer.content.decode()
    admin.post(address, {"separator": "_"})
    assert {*study.images.values_list("scene", flat=True)} == {"img"}
    admin.post(address, {})
    assert {*study.images.values_list("scene", flat=True)} == {""}


def test_a_persons_images_are_spread_over_the_scenes():
    """Six images of two scenes: after an image of one scene comes an image of the other."""
    study = make_study(METHODS, images=6)
    images = list(study.images.in_order())
    declare_scenes(
        dataset=study.dataset,
        scene_of={image.name: "park" if at < 3 else "street" for at, image in enumerate(images)},
    )
    scene_of = {image.pk: "park" if at < 3 else "street" for at, image in enumerate(images)}
    for _ in range(3):
        person = add_annotator(study)
        seen = []
        for _ in range(4):
            image = next(own_images(study, person).in_order())
            seen.append(scene_of[image])
            Assignment.objects.create(
                study=study, image_id=image, annotator=person, position=len(seen), items=[]
            )
        assert {*seen[:2]} == {*seen[2:]} == {"park", "street"}


@pytest.mark.parametrize("group", ["", "Paris"])
def test_a_visit_by_an_entrance_belongs_to_its_group_if_it_has_one(group):
    study = make_study(METHODS, images=3, n_known=3)
    agree(Client(), make_entrance(study, name="Prolific, first round", group=group))
    assert study.memberships.get().group == group


def test_raw_data_tell_group_and_scene():
    study = two_sites(1, 1, images=2)
    declare_sites(study, 1)
    declare_scenes(dataset=study.dataset, scene_of={study.images.first().name: "park"})
    rows = list(rankings(study))
    assert {(row["group"], row["scene"]) for row in rows} == {
        *(("Paris", scene) for scene in ("park", "")),
        *(("Lyon", scene) for scene in ("park", "")),
    }


def test_a_member_gets_a_group_on_the_page(admin):
    study = make_study()
    person = add_annotator(study)
    membership = study.memberships.get()
    address = reverse("studies:change_member", args=[study.slug, membership.pk])
    admin.post(address, {"role": "annotator", "group": " Paris "})
    membership.refresh_from_db()
    assert membership.group == "Paris"
    assert AuditEntry.objects.filter(act=Act.GROUP_CHANGED, about=person).count() == 1
    page = admin.get(reverse("studies:members", args=[study.slug])).content.decode()
    assert 'value="Paris"' in page
