"""Every address, as nobody, a stranger, an annotator, a researcher and an admin."""

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotate.judging import services
from tests.factories import add_annotator, add_researcher, make_admin, make_person, make_study

pytestmark = pytest.mark.django_db

ROLES = ("nobody", "stranger", "annotator", "researcher", "admin")
# address name -> (method, the roles it is there for)
PUBLIC = frozenset(ROLES)
SIGNED_IN = PUBLIC - {"nobody"}
WHO_MAY = {
    "home": ("get", PUBLIC),
    "judging:judge": ("get", {"annotator"}),
    "judging:start": ("post", {"annotator"}),
    "judging:undo": ("post", {"annotator"}),
    "judging:answer": ("post", {"annotator"}),
    "judging:skip": ("post", {"annotator"}),
    "studies:detail": ("get", {"researcher", "admin"}),
    "studies:create": ("get", {"admin"}),
    "studies:add_member": ("post", {"admin"}),
    "studies:set_state": ("post", {"admin"}),
    "reports:report": ("get", {"researcher", "admin"}),
    "reports:export": ("get", {"researcher", "admin"}),
    "datasets:list": ("get", {"researcher", "admin"}),
    "datasets:detail": ("get", {"researcher", "admin"}),
    # The test's image has no photograph, so its address is there for nobody; see test_images.
    "datasets:image": ("get", set()),
    "scoring:score": ("get", {"admin"}),
    "imports:dataset": ("get", {"admin"}),
    "imports:results": ("get", {"admin"}),
    "imports:scores": ("get", {"admin"}),
}


def own_addresses():
    def names(patterns, namespace=""):
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
                yield from names(pattern.url_patterns, inner)
            elif isinstance(pattern, URLPattern) and pattern.name:
                yield f"{namespace}{pattern.name}"

    root = get_resolver("annotate.urls")
    return sorted(set(names(root.url_patterns)))


def test_every_address_of_the_site_is_in_the_table():
    assert own_addresses() == sorted(WHO_MAY)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", sorted(WHO_MAY))
def test_what_is_not_yours_is_not_there(client, name, role):
    study = make_study(["a", "b"])
    annotator, researcher = add_annotator(study), add_researcher(study)
    turn = services.start(study=study, annotator=annotator)
    arguments = {
        "slug": study.dataset.slug
        if name.startswith(("datasets", "scoring", "imports"))
        else study.slug,
        "dataset_slug": study.dataset.slug,
        "screen_id": turn.screen.public_id,
        "extension": "csv",
        "sha256": "0" * 64,
    }
    people = {
        "stranger": make_person(),
        "annotator": annotator,
        "researcher": researcher,
        "admin": make_admin(),
    }
    if role != "nobody":
        client.force_login(people[role])
    method, allowed = WHO_MAY[name]
    response = getattr(client, method)(_address(name, arguments))
    if role in allowed:
        assert response.status_code in (200, 302, 403, 404, 409, 422)
        assert response.status_code != 404 or name in ("studies:set_state",)
    elif role == "nobody":
        assert response.status_code == 302
        assert response["Location"].startswith(reverse("account_login"))
    else:
        assert response.status_code == 404


def _address(name, arguments):
    pattern = next(
        found for found in _patterns(get_resolver("annotate.urls").url_patterns) if found[0] == name
    )[1]
    return reverse(
        name, kwargs={key: arguments[key] for key in pattern.pattern.converters or _groups(pattern)}
    )


def _groups(pattern):
    regex = getattr(pattern.pattern, "regex", None)
    return regex.groupindex if regex is not None else {}


def _patterns(patterns, namespace=""):
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _patterns(pattern.url_patterns, inner)
        elif pattern.name:
            yield f"{namespace}{pattern.name}", pattern
