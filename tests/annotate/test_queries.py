"""Pages that list rows ask as many queries for many rows as for a few."""

import io
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.accounts.services import invite
from annotate.api.scopes import SCOPES
from annotate.api.tokens.services import create_token
from annotate.design.setup.services import begin
from annotate.imports import drafts
from annotate.imports.models import Import
from annotate.jobs.models import Job
from annotate.judging import services as judging
from annotate.scoring.services import score_protocol
from rankings.agreement.report import Settings
from tests.support.factories import (
    add_annotator,
    add_newcomer,
    add_researcher,
    make_admin,
    make_image,
    make_method,
    make_person,
    make_result,
    make_study,
)
from tests.support.kept import keep_report
from tests.support.truths import rank_everything, same_truth

pytestmark = [pytest.mark.django_db, pytest.mark.release]
# By reader and the arguments of their addresses.
PAGES = {
    "admin": {
        "": "home datasets:list imports:start imports:receipts jobs:work setup:start "
        "accounts:invitations accounts:account tokens:tokens usersessions_list audit:log",
        "dataset": "datasets:detail datasets:matrix scoring:score setup:begin scored:worst",
        "dataset image": "datasets:viewer scored:compare",
        "draft": "imports:files",
        "new": "setup:images setup:finish",
        "study": "studies:detail studies:members studies:settings accounts:study_invitations "
        "audit:study reports:kept_reports reports:report evidence:annotators questions:questions "
        "evidence:annotators?annotator=annotator-1 evidence:disagreement exchange:raw",
        "study image": "evidence:image evidence:image?annotator=annotator-1 evidence:compare",
    },
    "annotator": {"study": "judging:own judging:history judging:judge"},
    "newcomer": {"study": "learning:welcome"},
}


class Site:
    """A site that grows: of everything that pages list, one more at each call of grow()."""

    def __init__(self):
        self.study = make_study(["a", "b"], images=2, min_annotators=1)
        # An admin who is also a member, so that every part of the start page is there.
        self.admin = make_admin()
        add_annotator(self.study, self.admin)
        self.annotator, self.newcomer = add_annotator(self.study), add_newcomer(self.study)
        judging.start(study=self.study, annotator=self.annotator)
        methods = list(self.study.methods.all())
        self.new = begin(person=self.admin, dataset=self.study.dataset, name="New", methods=methods)
        self.draft = drafts.open_draft(person=self.admin, dataset=self.study.dataset)
        self.grow()

    def grow(self):
        study, dataset = self.study, self.study.dataset
        other = make_study(["a", "b"], min_annotators=1)
        add_annotator(other, self.admin)
        closed = make_study(["a", "b"], state="closed")
        for person in (self.admin, self.annotator):
            add_annotator(closed, person)
        image, method = make_image(dataset), make_method(dataset)
        for one in (*study.methods.all(), method):
            make_result(image, one)
        for one in study.images.all():
            make_result(one, method)
        study.study_images.create(image=image)
        study.methods.add(method)
        truth = same_truth([[one.name] for one in study.methods.all()])
        for person in (self.admin, add_annotator(study)):
            rank_everything(study, person, truth)
        add_researcher(study)
        add_newcomer(study, make_person())
        score_protocol(dataset=dataset, slug="iou")
        score_protocol(dataset=other.dataset, slug="iou")
        keep_report(study=study, settings=Settings(min_annotators=1), runs=[], person=self.admin)
        begin(
            person=self.admin, dataset=dataset, name=other.name, methods=list(study.methods.all())
        )
        drafts.open_draft(person=self.admin, dataset=other.dataset)
        drafts.add_file(draft=self.draft, stream=io.BytesIO(other.name.encode()), name="a.zip")
        Import.objects.create(
            dataset=dataset, person=self.admin, kind="results", files=[], counts={}
        )
        Job.objects.create(kind="x", title="Scoring", person=make_person())
        # It waits so long that pages say so, however fast the machine is.
        Job.objects.update(created=timezone.now() - timedelta(days=1))
        create_token(person=self.admin, name=other.name, scopes=tuple(SCOPES))
        for of_study in (study, None):
            role = "admin" if of_study is None else "annotator"
            invite(study=of_study, role=role, made_by=self.admin)
        UserSession.objects.create(
            user=self.admin, session_key=other.slug, ip="127.0.0.1", user_agent="x"
        )

    def queries(self):
        """Return the number of queries of each page."""
        arguments = {
            "study": self.study.slug,
            "dataset": self.study.dataset.slug,
            "image": self.study.images.first().name,
            "new": self.new.pk,
            "draft": self.draft.pk,
        }
        counts = {}
        for reader, by_arguments in PAGES.items():
            client = Client()
            client.force_login(getattr(self, reader))
            for needs, names in by_arguments.items():
                for page in names.split():
                    name, _, query = page.partition("?")
                    url = reverse(name, args=[arguments[need] for need in needs.split()])
                    client.get(f"{url}?{query}")  # what is kept for the next time is not counted
                    with CaptureQueriesContext(connection) as captured:
                        assert client.get(f"{url}?{query}").status_code == 200, page
                    counts[page] = len(captured)
        return counts


def test_no_list_asks_more_for_more_rows():
    site = Site()
    few = site.queries()
    for _ in range(3):
        site.grow()
    for alias in caches:
        caches[alias].clear()
    cache.clear()
    many = site.queries()
    assert {name: (few[name], many[name]) for name in few if many[name] > few[name]} == {}
