"""Every address, as an anonymous user, a stranger, an annotator, a researcher and an admin."""

import pytest
from django.test import Client
from django.urls import reverse

from annotate.figures import work as work_of_figures
from annotate.figures.kinds import NAMES as FIGURES
from tests.support.addresses import keys_of_addresses
from tests.support.factories import make_admin
from tests.support.headers import check_headers
from tests.support.made_once import made_once, taken_back
from tests.support.matrix import completed, page_of
from tests.support.world import make_world

pytestmark = pytest.mark.django_db

EVERYBODY = {"nobody", "stranger", "annotator", "researcher", "admin"}
FOLLOWERS = {"researcher", "admin"}
# address -> (method, what is sent, who gets an answer, which answer)
Line = tuple[str, dict[str, object], set[str], int]


def read_by(who: set[str], names: str) -> dict[str, Line]:
    """Return the lines of pages and files."""
    return dict.fromkeys(names.split(), ("get", {}, who, 200))


def posted_by(who: set[str], names: str) -> dict[str, Line]:
    """Return the lines of what is posted without content, and leads on."""
    return dict.fromkeys(names.split(), ("post", {}, who, 302))


ADDRESSES = {
    **read_by(
        FOLLOWERS,
        """
        recruiting:entrances recruiting:entrance recruiting:payment recruiting:preview
        accounts:study_invitations audit:study studies:detail setup:preview_of_study
        judges:judges judges:answers judges:sent reports:report reports:export exchange:raw
        exchange:raw_file reports:export_table reports:kept_reports reports:images reports:kept
        reports:kept_images reports:kept_file reports:kept_table reports:compared
        publication:paper publication:kept_paper publication:publish questions:questions
        figures:detectors figures:kept_detectors figures:kept_figures figures:kept_figure
        figures:figures figures:figure evidence:annotators evidence:notes evidence:disagreement
        evidence:image evidence:compare datasets:list datasets:detail datasets:matrix
        datasets:viewer datasets:selections leaderboards:file leaderboards:figure scored:worst
        scored:compare planning:plan planning:map files:scores_file files:selection_file jobs:job jobs:file
        """,
    ),
    **posted_by(
        FOLLOWERS,
        """
        recruiting:erase accounts:revoke exchange:raw_zip exchange:bundle publication:withdraw
        figures:all_figures figures:all_kept_figures files:truth_file files:photographs_file
        files:results_file files:causes_file jobs:cancel jobs:again jobs:mail
        """,
    ),
    **read_by(
        {"annotator"},
        """
        learning:welcome learning:short learning:practice learning:keys judging:judge
        judging:own exchange:own_answers judging:history judging:next_image
        """,
    ),
    **posted_by({"annotator"}, "learning:finish judging:start"),
    **read_by(
        {"admin"},
        """
        accounts:invitations audit:log setup:start setup:begin setup:images setup:finish
        setup:preview studies:settings studies:members judges:declare judges:release
        datasets:scenes datasets:mend files:answers scoring:score codabench:competition
        codabench:load imports:start imports:files imports:report_file imports:receipts
        imports:receipt
        """,
    ),
    **read_by(
        EVERYBODY - {"nobody"},
        "accounts:account privacy:export privacy:erase tokens:tokens preferences jobs:work",
    ),
    **posted_by(
        {"admin"},
        """
        setup:discard studies:remove_member judges:end_release leaderboards:publish imports:add
        imports:remove imports:discard imports:cancel
        """,
    ),
    "home": ("get", {}, EVERYBODY, 200),
    # A link without ids, and visits of others.
    "join:start": ("get", {}, EVERYBODY, 400),
    "join:frame": ("get", {}, EVERYBODY, 404),
    "join:visit": ("get", {}, EVERYBODY, 404),
    "join:go_on": ("post", {}, EVERYBODY, 404),
    "join:withdraw": ("post", {}, EVERYBODY, 404),
    "join:done": ("get", {}, EVERYBODY, 404),
    "recruiting:set_state": ("post", {"state": "paused"}, FOLLOWERS, 302),
    # This annotator has begun to judge, so that no first visit is due.
    "learning:card": ("get", {}, {"annotator"}, 200),
    # Practice is over.
    "learning:pair": ("get", {"again": 1}, {"annotator"}, 302),
    # Nothing is answered yet, and the screen that is named is not the one that waits.
    "judging:undo": ("post", {"screen": ""}, {"annotator"}, 409),
    "judging:answer": ("post", {}, {"annotator"}, 422),
    "judging:skip": ("post", {}, {"annotator"}, 422),
    # The screen that waits has no answer to change.
    "judging:change": ("post", {}, {"annotator"}, 409),
    "judging:note": ("post", {"text": "Is this text?"}, {"annotator"}, 302),
    # It takes part already; the page of the study says so.
    "judging:add_method": ("post", {"method": "alpha-net"}, {"admin"}, 302),
    "judging:withdraw_method": ("post", {"method": "alpha-net"}, {"admin"}, 302),
    # No link has been opened here: the page says that no invitation was found.
    "accounts:open_invitation": ("get", {}, EVERYBODY, 404),
    "accounts:invitation": ("get", {}, EVERYBODY, 404),
    "accounts:join": ("post", {}, set(), 302),
    # The admin's own.
    "tokens:revoke": ("post", {}, {"admin"}, 302),
    "language": ("post", {"language": "en"}, EVERYBODY, 302),
    # A study in setup is visible to its own user.
    "setup:step": ("get", {}, {"admin"}, 200),
    "studies:add_member": ("post", {}, {"admin"}, 422),
    "studies:change_member": ("post", {"role": "annotator"}, {"admin"}, 302),
    "studies:set_state": ("post", {"state": "open"}, {"admin"}, 302),
    # Other parameters have not been tried yet.
    "questions:table": ("get", {}, FOLLOWERS, 409),
    "evidence:count_annotators": ("post", {}, FOLLOWERS, 302),
    # Without a reason.
    "evidence:decide_annotator": ("post", {"is_excluded": "yes"}, FOLLOWERS, 422),
    # Without a name.
    "scored:keep": ("post", {}, FOLLOWERS, 422),
    # The researcher's jobs; admins see all jobs.
    "health:health": ("get", {}, {"admin"}, 200),
    "datasets:image": ("get", {}, FOLLOWERS | {"annotator"}, 200),
    "datasets:small_image": ("get", {}, FOLLOWERS | {"annotator"}, 200),
    # No download waits, and none was loaded.
    "codabench:preview": ("get", {}, set(), 200),
    "codabench:loaded": ("get", {}, set(), 200),
    # Nothing is under way and nothing was checked: the page of the files is where it goes on.
    "imports:progress": ("get", {}, {"admin"}, 302),
    "imports:report": ("get", {}, {"admin"}, 302),
    "imports:confirm": ("get", {}, {"admin"}, 302),
    # No photograph of this load has this hash.
    "imports:photograph": ("get", {}, set(), 200),
}


def test_every_address_of_the_site_is_in_the_table():
    assert sorted(keys_of_addresses()) == sorted(ADDRESSES)


site = made_once(lambda: completed(make_world()))


@pytest.fixture
def clients(site):
    """A browser of every role."""
    clients = {role: Client() for role in EVERYBODY}
    for role, person in site.people.items():
        if person is not None:
            clients[role].force_login(person)
    return clients


@pytest.fixture(autouse=True)
def _one_figure(monkeypatch):
    """One figure of one format is enough to see who gets all of them."""
    monkeypatch.setattr(work_of_figures, "NAMES", FIGURES[:1])
    monkeypatch.setattr(work_of_figures, "FORMATS", ("svg",))


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_what_is_not_yours_is_not_there(site, clients, name):
    method, sent, allowed, answer = ADDRESSES[name]
    url = page_of(site, name)
    for role, client in clients.items():
        with taken_back():
            response = getattr(client, method)(url, sent)
            if response.streaming:
                response.getvalue()
        check_headers(response)
        if role in allowed:
            assert response.status_code == answer, role
        elif role == "nobody":
            assert response.status_code == 302, role
            assert response["Location"].startswith(reverse("account_login"))
        else:
            assert response.status_code == 404, role


POSTED = sorted(
    name for name, (method, _, allowed, _) in ADDRESSES.items() if method == "post" and allowed
)


def test_what_changes_something_cannot_be_asked_by_get(site, clients):
    for name in POSTED:
        _, _, allowed, _ = ADDRESSES[name]
        with taken_back():
            response = clients[min(allowed)].get(page_of(site, name))
        assert response.status_code == 405, name


def test_nothing_is_posted_without_the_token_of_a_form(site):
    """But the language, whose form is on pages without a cookie."""
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_admin())
    taken = set()
    for name in ADDRESSES:
        with taken_back():
            if strict.post(page_of(site, name), ADDRESSES[name][1]).status_code != 403:
                taken.add(name)
    assert taken == {"language"}
