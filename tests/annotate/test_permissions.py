"""Every address, as an anonymous user, a stranger, an annotator, a researcher and an admin."""

import io
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import reverse

from annotate.accounts.services import invite
from annotate.design.setup.models import NewStudy
from annotate.design.setup.services import begin
from annotate.exchange import work as exchange
from annotate.figures import work as work_of_figures
from annotate.figures.kinds import NAMES as FIGURES
from annotate.imports import drafts
from annotate.imports.models import Draft, Import
from annotate.jobs.models import Job
from annotate.judging import services
from annotate.scoring.services import score_protocol
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from tests.support.addresses import address_of, keys_of_addresses
from tests.support.factories import (
    add_newcomer,
    add_researcher,
    make_admin,
    make_person,
    make_study,
)
from tests.support.headers import check_headers
from tests.support.kept import keep_report
from tests.support.made_once import made_once, taken_back
from tests.support.participants import make_entrance

pytestmark = pytest.mark.django_db

EVERYBODY = {"nobody", "stranger", "annotator", "researcher", "admin"}
FOLLOWERS = {"researcher", "admin"}
# address -> (method, what is sent, who gets an answer, which answer)
ADDRESSES = {
    "home": ("get", {}, EVERYBODY, 200),
    # A link without ids, and visits of others.
    "join:start": ("get", {}, EVERYBODY, 400),
    "join:frame": ("get", {}, EVERYBODY, 404),
    "join:visit": ("get", {}, EVERYBODY, 404),
    "join:go_on": ("post", {}, EVERYBODY, 404),
    "join:withdraw": ("post", {}, EVERYBODY, 404),
    "join:done": ("get", {}, EVERYBODY, 404),
    "recruiting:entrances": ("get", {}, FOLLOWERS, 200),
    "recruiting:entrance": ("get", {}, FOLLOWERS, 200),
    "recruiting:set_state": ("post", {"state": "paused"}, FOLLOWERS, 302),
    "recruiting:payment": ("get", {}, FOLLOWERS, 200),
    "recruiting:erase": ("post", {}, FOLLOWERS, 302),
    "recruiting:preview": ("get", {}, FOLLOWERS, 200),
    "learning:welcome": ("get", {}, {"annotator"}, 200),
    # This annotator has begun to judge, so that no first visit is due.
    "learning:card": ("get", {}, {"annotator"}, 200),
    "learning:short": ("get", {}, {"annotator"}, 200),
    "learning:practice": ("get", {}, {"annotator"}, 200),
    "learning:pair": ("get", {"again": 1}, {"annotator"}, 200),
    "learning:keys": ("get", {}, {"annotator"}, 200),
    "learning:finish": ("post", {}, {"annotator"}, 302),
    "judging:judge": ("get", {}, {"annotator"}, 200),
    "judging:start": ("post", {}, {"annotator"}, 302),
    # Nothing is answered yet, and the screen that is named is not the one that waits.
    "judging:undo": ("post", {"screen": ""}, {"annotator"}, 409),
    "judging:answer": ("post", {}, {"annotator"}, 422),
    "judging:skip": ("post", {}, {"annotator"}, 422),
    # The screen that waits has no answer to change.
    "judging:change": ("post", {}, {"annotator"}, 409),
    "judging:note": ("post", {"text": "Is this text?"}, {"annotator"}, 302),
    "judging:own": ("get", {}, {"annotator"}, 200),
    "exchange:own_answers": ("get", {}, {"annotator"}, 200),
    "judging:history": ("get", {}, {"annotator"}, 200),
    "judging:next_image": ("get", {}, {"annotator"}, 200),
    # It takes part already, and two is the minimum: the study's page says both.
    "judging:add_method": ("post", {"method": "a"}, {"admin"}, 302),
    "judging:withdraw_method": ("post", {"method": "a"}, {"admin"}, 302),
    # No link has been opened here: the page says that no invitation was found.
    "accounts:open_invitation": ("get", {}, EVERYBODY, 404),
    "accounts:invitation": ("get", {}, EVERYBODY, 404),
    "accounts:join": ("post", {}, set(), 302),
    "accounts:invitations": ("get", {}, {"admin"}, 200),
    "accounts:study_invitations": ("get", {}, FOLLOWERS, 200),
    "accounts:revoke": ("post", {}, FOLLOWERS, 302),
    "accounts:account": ("get", {}, EVERYBODY - {"nobody"}, 200),
    "privacy:export": ("get", {}, EVERYBODY - {"nobody"}, 200),
    "privacy:erase": ("get", {}, EVERYBODY - {"nobody"}, 200),
    "audit:log": ("get", {}, {"admin"}, 200),
    "audit:study": ("get", {}, FOLLOWERS, 200),
    "tokens:tokens": ("get", {}, EVERYBODY - {"nobody"}, 200),
    # Another user's token.
    "tokens:revoke": ("post", {}, set(), 302),
    "preferences": ("get", {}, EVERYBODY - {"nobody"}, 200),
    "language": ("post", {"language": "en"}, EVERYBODY, 302),
    "studies:detail": ("get", {}, FOLLOWERS, 200),
    "setup:start": ("get", {}, {"admin"}, 200),
    "setup:begin": ("get", {}, {"admin"}, 200),
    # A study in setup is visible to its own user.
    "setup:step": ("get", {}, {"admin"}, 200),
    "setup:images": ("get", {}, {"admin"}, 200),
    "setup:finish": ("get", {}, {"admin"}, 200),
    "setup:preview": ("get", {}, {"admin"}, 200),
    "setup:discard": ("post", {}, {"admin"}, 302),
    "setup:preview_of_study": ("get", {}, FOLLOWERS, 200),
    "studies:settings": ("get", {}, {"admin"}, 200),
    "studies:members": ("get", {}, {"admin"}, 200),
    "studies:add_member": ("post", {}, {"admin"}, 422),
    "studies:change_member": ("post", {"role": "annotator"}, {"admin"}, 302),
    "studies:remove_member": ("post", {}, {"admin"}, 302),
    "studies:set_state": ("post", {"state": "open"}, {"admin"}, 302),
    "judges:judges": ("get", {}, FOLLOWERS, 200),
    "judges:declare": ("get", {}, {"admin"}, 200),
    "judges:answers": ("get", {}, FOLLOWERS, 200),
    # No judge has such a task.
    "judges:sent": ("get", {}, FOLLOWERS, 404),
    "judges:release": ("get", {}, {"admin"}, 200),
    "judges:end_release": ("post", {}, {"admin"}, 302),
    "reports:report": ("get", {}, FOLLOWERS, 200),
    "reports:export": ("get", {}, FOLLOWERS, 200),
    "exchange:raw": ("get", {}, FOLLOWERS, 200),
    "exchange:raw_file": ("get", {}, FOLLOWERS, 200),
    "exchange:raw_zip": ("post", {}, FOLLOWERS, 302),
    "exchange:bundle": ("post", {}, FOLLOWERS, 302),
    "reports:export_table": ("get", {}, FOLLOWERS, 200),
    "reports:kept_reports": ("get", {}, FOLLOWERS, 200),
    "reports:images": ("get", {}, FOLLOWERS, 200),
    "reports:kept": ("get", {}, FOLLOWERS, 200),
    "reports:kept_images": ("get", {}, FOLLOWERS, 200),
    "reports:kept_file": ("get", {}, FOLLOWERS, 200),
    "reports:kept_table": ("get", {}, FOLLOWERS, 200),
    "reports:compared": ("get", {}, FOLLOWERS, 200),
    "publication:paper": ("get", {}, FOLLOWERS, 200),
    "publication:kept_paper": ("get", {}, FOLLOWERS, 200),
    "publication:publish": ("get", {}, FOLLOWERS, 200),
    "publication:withdraw": ("post", {}, FOLLOWERS, 302),
    "questions:questions": ("get", {}, FOLLOWERS, 200),
    # Other parameters have not been tried yet.
    "questions:table": ("get", {}, FOLLOWERS, 409),
    "figures:detectors": ("get", {}, FOLLOWERS, 200),
    "figures:kept_detectors": ("get", {}, FOLLOWERS, 200),
    "figures:kept_figures": ("get", {}, FOLLOWERS, 200),
    "figures:kept_figure": ("get", {}, FOLLOWERS, 200),
    "figures:all_figures": ("post", {}, FOLLOWERS, 302),
    "figures:all_kept_figures": ("post", {}, FOLLOWERS, 302),
    "figures:figures": ("get", {}, FOLLOWERS, 200),
    "figures:figure": ("get", {}, FOLLOWERS, 200),
    "evidence:annotators": ("get", {}, FOLLOWERS, 200),
    # Without a reason.
    "evidence:count_annotators": ("post", {}, FOLLOWERS, 302),
    "evidence:decide_annotator": ("post", {"is_excluded": "yes"}, FOLLOWERS, 422),
    "evidence:notes": ("get", {}, FOLLOWERS, 200),
    "evidence:disagreement": ("get", {}, FOLLOWERS, 200),
    "evidence:image": ("get", {}, FOLLOWERS, 200),
    "evidence:compare": ("get", {}, FOLLOWERS, 200),
    "datasets:list": ("get", {}, FOLLOWERS, 200),
    "datasets:detail": ("get", {}, FOLLOWERS, 200),
    "datasets:matrix": ("get", {}, FOLLOWERS, 200),
    "datasets:scenes": ("get", {}, {"admin"}, 200),
    "datasets:viewer": ("get", {}, FOLLOWERS, 200),
    "datasets:mend": ("get", {}, {"admin"}, 200),
    "datasets:selections": ("get", {}, FOLLOWERS, 200),
    "leaderboards:file": ("get", {}, FOLLOWERS, 200),
    "leaderboards:figure": ("get", {}, FOLLOWERS, 200),
    "leaderboards:publish": ("post", {}, {"admin"}, 302),
    "scored:worst": ("get", {}, FOLLOWERS, 200),
    "scored:compare": ("get", {}, FOLLOWERS, 200),
    # Without a name.
    "scored:keep": ("post", {}, FOLLOWERS, 422),
    "planning:plan": ("get", {}, FOLLOWERS, 200),
    "planning:map": ("get", {}, FOLLOWERS, 200),
    "files:truth_file": ("post", {}, FOLLOWERS, 302),
    "files:answers": ("get", {}, {"admin"}, 200),
    "files:scores_file": ("get", {}, FOLLOWERS, 200),
    # No selection has this number.
    "files:selection_file": ("get", {}, set(), 200),
    "files:photographs_file": ("post", {}, FOLLOWERS, 302),
    "files:results_file": ("post", {}, FOLLOWERS, 302),
    "files:causes_file": ("post", {}, FOLLOWERS, 302),
    # The researcher's jobs; admins see all jobs.
    "health:health": ("get", {}, {"admin"}, 200),
    "jobs:work": ("get", {}, EVERYBODY - {"nobody"}, 200),
    "jobs:job": ("get", {}, FOLLOWERS, 200),
    "jobs:file": ("get", {}, FOLLOWERS, 200),
    "jobs:cancel": ("post", {}, FOLLOWERS, 302),
    "jobs:again": ("post", {}, FOLLOWERS, 302),
    "jobs:mail": ("post", {}, FOLLOWERS, 302),
    # No photograph has this hash; access to photographs is tested with the view.
    "datasets:image": ("get", {}, set(), 200),
    "datasets:small_image": ("get", {}, set(), 200),
    "scoring:score": ("get", {}, {"admin"}, 200),
    "codabench:competition": ("get", {}, {"admin"}, 200),
    "codabench:load": ("get", {}, {"admin"}, 200),
    # No download waits, and none was loaded.
    "codabench:preview": ("get", {}, set(), 200),
    "codabench:loaded": ("get", {}, set(), 200),
    "imports:start": ("get", {}, {"admin"}, 200),
    "imports:files": ("get", {}, {"admin"}, 200),
    "imports:add": ("post", {}, {"admin"}, 302),
    "imports:remove": ("post", {}, {"admin"}, 302),
    "imports:discard": ("post", {}, {"admin"}, 302),
    # Nothing is under way and nothing was checked: the page of the files is where it goes on.
    "imports:progress": ("get", {}, {"admin"}, 302),
    "imports:cancel": ("post", {}, {"admin"}, 302),
    "imports:report": ("get", {}, {"admin"}, 302),
    "imports:report_file": ("get", {}, {"admin"}, 200),
    "imports:confirm": ("get", {}, {"admin"}, 302),
    # No photograph of this load has this hash.
    "imports:photograph": ("get", {}, set(), 200),
    "imports:receipts": ("get", {}, {"admin"}, 200),
    "imports:receipt": ("get", {}, {"admin"}, 200),
}


def test_every_address_of_the_site_is_in_the_table():
    assert sorted(keys_of_addresses()) == sorted(ADDRESSES)


@dataclass
class Site:
    """A study with its dataset, and a signed-in client of every role."""

    study: Study
    clients: dict[str, Client]
    # The pair that waits for the annotator.
    screen_id: str


def make_site():
    study = make_study(["a", "b"])
    people = {
        "stranger": make_person(),
        "annotator": add_newcomer(study),
        "researcher": add_researcher(study),
        "admin": make_admin(),
    }
    clients = {role: Client() for role in EVERYBODY}
    for role, person in people.items():
        clients[role].force_login(person)
    # A kept report, a load that was begun, the receipt of another, and an invitation, so that their
    # addresses are of something.
    keep_report(study=study, settings=Settings(), runs=[], person=people["admin"])
    draft = drafts.open_draft(person=None, dataset=study.dataset)
    drafts.add_file(draft=draft, stream=io.BytesIO(b"x"), name="a.zip")
    Import.objects.create(
        dataset=study.dataset, kind="results", files=[], counts={}, added={"methods": []}
    )
    score_protocol(dataset=study.dataset, slug="iou")
    # Work of the researcher that made a file.
    exchange.start(exchange.TRUTH, study.dataset, extension="zip", person=people["researcher"])
    invite(study=study, role="annotator")
    make_entrance(study)
    methods = list(study.methods.all())
    begin(person=people["admin"], dataset=study.dataset, name="New", methods=methods)
    turn = services.start(study=study, annotator=people["annotator"]).turn
    return Site(study, clients, turn.screen.public_id)


site = made_once(make_site)


@pytest.fixture(autouse=True)
def _one_figure(monkeypatch):
    """One figure of one format is enough to see who gets all of them."""
    monkeypatch.setattr(work_of_figures, "NAMES", FIGURES[:1])
    monkeypatch.setattr(work_of_figures, "FORMATS", ("svg",))


def address(name, site):
    study = site.study
    number = study.kept_reports.first().pk
    values = {"screen_id": site.screen_id, "pk": number, "other": number}
    if name.startswith("imports:"):
        draft = Draft.objects.get()
        pk = Import.objects.get().pk if name == "imports:receipt" else draft.pk
        values |= {"pk": pk, "file": draft.files.get().pk}
    if name.startswith("jobs:"):
        values["pk"] = Job.objects.get(kind="exchange.truth").pk
    if name.startswith(("join:", "recruiting:")):
        entrance = study.entrances.get()
        slug = entrance.slug if name.startswith("join:") else study.slug
        values |= {"slug": slug, "number": entrance.pk}
    if name == "files:causes_file":
        values["pk"] = study.dataset.runs.get().pk
    if name in ("studies:change_member", "studies:remove_member"):
        values["pk"] = study.memberships.first().pk
    if name.startswith("setup:"):
        values["pk"] = NewStudy.objects.get().pk
    if name == "accounts:revoke":
        values["pk"] = study.invitations.first().pk
    return address_of(name, study, **values)


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_what_is_not_yours_is_not_there(site, name):
    method, sent, allowed, answer = ADDRESSES[name]
    url = address(name, site)
    for role, client in site.clients.items():
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


def test_what_changes_something_cannot_be_asked_by_get(site):
    for name in POSTED:
        _, _, allowed, _ = ADDRESSES[name]
        with taken_back():
            response = site.clients[min(allowed, default="admin")].get(address(name, site))
        assert response.status_code == 405, name


def test_nothing_is_posted_without_the_token_of_a_form(site):
    """But the language, whose form is on pages without a cookie."""
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_admin())
    taken = set()
    for name in ADDRESSES:
        with taken_back():
            if strict.post(address(name, site), ADDRESSES[name][1]).status_code != 403:
                taken.add(name)
    assert taken == {"language"}
