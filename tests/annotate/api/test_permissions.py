"""Every operation of the API, as an anonymous user, a stranger, an annotator, a researcher and an admin."""

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.addresses import operations
from tests.support.factories import make_person, serial
from tests.support.judges import JUDGE, RELEASE
from tests.support.world import is_problem, make_world, signed_in, values_in

pytestmark = pytest.mark.django_db

SIGNED_IN = {"stranger", "annotator", "researcher", "admin"}
FOLLOWERS = {"researcher", "admin"}
REGION = {"points": [0, 0, 9, 0, 9, 9]}
NO_TASK = {"task": "1-2-3-1", "attempt": 1, "outcome": "refused"}
SCENES = {"images": [{"truth": [REGION], "detections": [REGION]}]}
# operation -> (what is sent, who gets an answer, which answer)
OPERATIONS = {
    "GET me": (None, SIGNED_IN, 200),
    "GET datasets": (None, SIGNED_IN, 200),
    "GET datasets/{slug}": (None, FOLLOWERS, 200),
    "GET datasets/{slug}/images": (None, FOLLOWERS, 200),
    "GET datasets/{slug}/leaderboard": (None, FOLLOWERS, 200),
    "GET datasets/{slug}/methods": (None, FOLLOWERS, 200),
    "GET datasets/{slug}/results": (None, FOLLOWERS, 200),
    "GET datasets/{slug}/scores.csv": (None, FOLLOWERS, 200),
    "GET datasets/{slug}/runs": (None, FOLLOWERS, 200),
    "POST datasets/{slug}/runs": ({"protocol": "count"}, {"admin"}, 202),
    "GET datasets/{slug}/plan": (None, FOLLOWERS, 200),
    "POST datasets/{slug}/plan": ({"people": 30, "images": 5000}, FOLLOWERS, 202),
    "GET datasets/{slug}/selections": (None, FOLLOWERS, 200),
    "POST datasets/{slug}/selections": ("new selection", FOLLOWERS, 201),
    "GET images/{id}": (None, FOLLOWERS, 200),
    "PUT images/{id}/truth": ({"regions": [REGION], "version": 1, "reason": "x"}, {"admin"}, 200),
    # The admin's own; it is gone then.
    "DELETE selections/{id}": (None, {"admin"}, 204),
    "GET photographs/{sha256}": (None, FOLLOWERS | {"annotator"}, 200),
    "GET results/{id}": (None, FOLLOWERS, 200),
    "GET runs/{id}": (None, FOLLOWERS, 200),
    "GET runs/{id}/scores": (None, FOLLOWERS, 200),
    "POST runs/{id}/causes": (None, FOLLOWERS, 202),
    "GET jobs": (None, SIGNED_IN, 200),
    "GET jobs/{id}": (None, FOLLOWERS, 200),
    "POST jobs/{id}/cancel": (None, FOLLOWERS, 200),
    "GET jobs/{id}/file": (None, FOLLOWERS, 200),
    "GET protocols": (None, SIGNED_IN, 200),
    "GET protocols/{slug}": (None, SIGNED_IN, 200),
    "POST protocols/{slug}/score": (SCENES, SIGNED_IN, 200),
    "GET studies": (None, SIGNED_IN, 200),
    "POST studies": ("new study", {"admin"}, 201),
    "GET studies/{slug}": (None, FOLLOWERS, 200),
    "PUT studies/{slug}/state": ({"state": "open"}, {"admin"}, 200),
    "GET studies/{slug}/members": (None, {"admin"}, 200),
    "POST studies/{slug}/members": ("new member", {"admin"}, 201),
    "GET studies/{slug}/progress": (None, FOLLOWERS, 200),
    "GET studies/{slug}/standings": (None, FOLLOWERS, 200),
    "GET studies/{slug}/annotators": (None, FOLLOWERS, 200),
    "GET studies/{slug}/images": (None, FOLLOWERS, 200),
    # It takes part already.
    "PUT studies/{slug}/methods/{method}": (None, {"admin"}, 422),
    "DELETE studies/{slug}/methods/{method}": (None, {"admin"}, 204),
    "GET studies/{slug}/assignments": (None, FOLLOWERS, 200),
    "GET studies/{slug}/notes": (None, FOLLOWERS, 200),
    "GET studies/{slug}/judges": (None, FOLLOWERS, 200),
    "POST studies/{slug}/judges": ("new judge", FOLLOWERS, 201),
    "GET judges/{id}": (None, FOLLOWERS, 200),
    "POST judges/{id}/close": (None, FOLLOWERS, 200),
    "GET judges/{id}/tasks": (None, FOLLOWERS, 200),
    # No release is in force.
    "GET judges/{id}/tasks/{task}/pictures/{part}": (None, FOLLOWERS, 403),
    "GET judges/{id}/answers": (None, FOLLOWERS, 200),
    "POST judges/{id}/answers": ({"answers": [NO_TASK]}, FOLLOWERS, 200),
    "GET studies/{slug}/release": (None, FOLLOWERS, 404),
    "PUT studies/{slug}/release": (RELEASE, {"admin"}, 200),
    "DELETE studies/{slug}/release": (None, {"admin"}, 404),
    "GET studies/{slug}/report": (None, FOLLOWERS, 200),
    "GET studies/{slug}/report/{table}/{extension}": (None, FOLLOWERS, 200),
    "GET studies/{slug}/changes": (None, FOLLOWERS, 200),
    "POST studies/{slug}/changes": ({}, FOLLOWERS, 202),
    "GET studies/{slug}/reports": (None, FOLLOWERS, 200),
    "POST studies/{slug}/reports": ({}, FOLLOWERS, 202),
    "GET studies/{slug}/raw/{name}": (None, FOLLOWERS, 200),
    "GET reports/{id}": (None, FOLLOWERS, 200),
    "GET reports/{id}/{table}/{extension}": (None, FOLLOWERS, 200),
    "POST studies/{slug}/paper": ({}, FOLLOWERS, 202),
    "POST reports/{id}/paper": ({}, FOLLOWERS, 202),
    # It is not published.
    "GET reports/{id}/public": (None, FOLLOWERS, 404),
    "PUT reports/{id}/public": ({"title": "T", "download": "nothing"}, FOLLOWERS, 200),
    "DELETE reports/{id}/public": (None, FOLLOWERS, 404),
    "GET loads": (None, {"admin"}, 200),
    "POST loads": ({"name": "New"}, {"admin"}, 201),
    "GET loads/{id}": (None, {"admin"}, 200),
    "PATCH loads/{id}": ({"licence": "CC0"}, {"admin"}, 200),
    "DELETE loads/{id}": (None, {"admin"}, 204),
    "POST loads/{id}/files": ("a file", {"admin"}, 201),
    "PATCH loads/{id}/files/{file}": ({"title": "x"}, {"admin"}, 200),
    "DELETE loads/{id}/files/{file}": (None, {"admin"}, 204),
    "POST loads/{id}/check": (None, {"admin"}, 202),
    "GET loads/{id}/findings": (None, {"admin"}, 200),
    # It is not checked yet.
    "POST loads/{id}/answers": ({"answers": []}, {"admin"}, 422),
    "POST loads/{id}/confirm": ({}, {"admin"}, 422),
    "POST loads/{id}/cancel": (None, {"admin"}, 200),
    "GET receipts": (None, {"admin"}, 200),
    "GET receipts/{id}": (None, {"admin"}, 200),
    "POST receipts/{id}/undo": (None, {"admin"}, 200),
    "GET judging": (None, SIGNED_IN, 200),
    "GET judging/studies/{slug}/answers/{extension}": (None, {"annotator"}, 200),
    "GET judging/studies/{slug}/assignments": (None, {"annotator"}, 200),
}
LISTS_OF_OWN = ["GET datasets", "GET studies", "GET judging"]


def test_every_operation_is_in_the_table():
    assert operations() == sorted(OPERATIONS)


def request(client, operation, world):
    method, _, path = operation.partition(" ")
    sent = OPERATIONS[operation][0]
    if sent == "new study":
        methods = ["alpha-net", "beta-net"]
        sent = {"name": "Another", "dataset": world.study.dataset.slug, "methods": methods}
    if sent == "new selection":
        sent = {"name": f"selection {next(serial)}", "images": [world.image.name]}
    if sent == "new member":
        sent = {"username": make_person().username, "role": "annotator"}
    if sent == "new judge":
        sent = JUDGE | {"name": f"judge {next(serial)}"}
    address = "/api/v1/" + path.format_map(values_in(path, world))
    kind = "json"
    if sent == "a file":
        sent, kind = {"file": SimpleUploadedFile("net.zip", b"not a zip")}, "multipart"
    response = getattr(client, method.lower())(address, sent, format=kind)
    if response.streaming:
        response.getvalue()
    return response


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_what_is_not_yours_is_not_there(world, operation):
    _, allowed, answer = OPERATIONS[operation]
    # Those who are refused come first: they must change nothing for those who are not.
    for role in sorted(world.people, key=lambda role: (role in allowed, role)):
        response = request(world.client(role), operation, world)
        if role == "nobody":
            assert is_problem(response, 401, "not-signed-in")
            assert response["WWW-Authenticate"] == "Bearer"
        elif role not in allowed:
            assert is_problem(response, 404, "not-found"), role
        else:
            assert response.status_code == answer, (role, response.content)


@pytest.mark.parametrize("operation", LISTS_OF_OWN)
def test_lists_hold_ones_own(world, operation):
    make_world()
    own = {"GET datasets": "researcher", "GET studies": "researcher", "GET judging": "annotator"}
    rows = request(world.client(own[operation]), operation, world).json()
    rows = rows if isinstance(rows, list) else rows["results"]
    slug = world.study.dataset.slug if operation == "GET datasets" else world.study.slug
    assert [row["slug"] for row in rows] == [slug]
    nothing = request(world.client("stranger"), operation, world).json()
    assert nothing == [] or nothing["results"] == []


def test_an_inactive_person_is_nobody(world):
    client = signed_in(world.people["admin"])
    world.people["admin"].is_active = False
    world.people["admin"].save()
    for operation in OPERATIONS:
        cache.clear()  # there are more of them than an anonymous client may ask in a minute
        assert is_problem(request(client, operation, world), 401), operation


@pytest.mark.parametrize(
    "path", ["nothing", "", "studies/", "datasets/x/y/z", "me/../../x", "docs/x"]
)
def test_an_address_that_is_none_is_a_problem_for_everybody(world, path):
    for role in world.people:
        assert is_problem(world.client(role).get(f"/api/v1/{path}"), 404, "not-found")


def test_an_address_outside_the_version_is_a_problem_too(client):
    assert is_problem(client.get("/api/v2/me"), 404)
    assert is_problem(client.get("/api/"), 404)
    assert "html" in client.get("/nowhere/")["Content-Type"]
