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
AB = same_truth([["a"], ["b"]])
# Reader, and the arguments of its address.
PAGES = {
    "home": ("everything", ""),
    "datasets:list": ("everything", ""),
    "datasets:detail": ("everything", "dataset"),
    "datasets:matrix": ("everything", "dataset"),
    "datasets:viewer": ("everything", "dataset image"),
    "imports:start": ("everything", ""),
    "imports:receipts": ("everything", ""),
    "imports:files": ("everything", "draft"),
    "scoring:score": ("everything", "dataset"),
    "jobs:work": ("everything", ""),
    "setup:start": ("everything", ""),
    "setup:begin": ("everything", "dataset"),
    "setup:images": ("everything", "new"),
    "setup:finish": ("everything", "new"),
    "studies:detail": ("everything", "study"),
    "studies:members": ("everything", "study"),
    "studies:settings": ("everything", "study"),
    "accounts:invitations": ("everything", ""),
    "accounts:study_invitations": ("everything", "study"),
    "accounts:account": ("everything", ""),
    "tokens:tokens": ("everything", ""),
    "usersessions_list": ("everything", ""),
    "audit:log": ("everything", ""),
    "audit:study": ("everything", "study"),
    "reports:kept_reports": ("everything", "study"),
    "reports:report": ("everything", "study"),
    "evidence:annotators": ("everything", "study"),
    "evidence:disagreement": ("everything", "study"),
    "evidence:image": ("everything", "study image"),
    "evidence:compare": ("everything", "study image"),
    "scored:worst": ("everything", "dataset"),
    "scored:compare": ("everything", "dataset image"),
    "exchange:raw": ("everything", "study"),
    "judging:own": ("annotator", "study"),
    "judging:history": ("annotator", "study"),
    "judging:judge": ("annotator", "study"),
    "learning:welcome": ("newcomer", "study"),
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
        rank_everything(study, add_annotator(study), AB)
        add_researcher(study)
        add_newcomer(study, make_person())
        method = make_method(dataset)
        for image in (*dataset.images.all(), make_image(dataset)):
            if not image.results.filter(method=method).exists():
                make_result(image, method)
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

    def queries(self, name):
        who, needs = PAGES[name]
        person = {
            "everything": self.admin,
            "annotator": self.annotator,
            "newcomer": self.newcomer,
        }[who]
        arguments = {
            "study": self.study.slug,
            "dataset": self.study.dataset.slug,
            "image": self.study.images.first().name,
            "new": self.new.pk,
            "draft": self.draft.pk,
        }
        url = reverse(name, args=[arguments[need] for need in needs.split()])
        client = Client()
        client.force_login(person)
        client.get(url)  # what is kept for the next time is not counted
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get(url).status_code == 200, name
        return [query["sql"] for query in captured]


def test_no_list_asks_more_for_more_rows():
    site = Site()
    few = {name: site.queries(name) for name in PAGES}
    for _ in range(3):
        site.grow()
    for alias in caches:
        caches[alias].clear()
    cache.clear()
    many = {name: site.queries(name) for name in PAGES}
    grown = {
        name: (len(few[name]), len(many[name]))
        for name in PAGES
        if len(many[name]) > len(few[name])
    }
    assert grown == {}
