"""A small site: a study with everything in it, and people of every role."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from rest_framework.test import APIClient

from annotate.api.scopes import SCOPES
from annotate.api.tokens.services import create_token
from annotate.datasets.models import Image, Selection, image_storage, stored_name
from annotate.datasets.selections import keep_selection
from annotate.exchange import work as exchange
from annotate.imports.models import Draft, Import
from annotate.jobs.models import Job
from annotate.judging import services as judging
from annotate.reports.models import KeptReport
from annotate.scoring.models import ProtocolRun
from annotate.scoring.services import score_protocol
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from tests.support.archives import picture_bytes
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_person,
    make_study,
    serial,
)
from tests.support.judges import make_judge
from tests.support.kept import keep_report
from tests.support.loads import add_results, loaded, new_dataset
from tests.support.truths import answer, same_truth

PROBLEM = "application/problem+json"
TRUTH = same_truth([["alpha-net"], ["beta-net"], ["gamma-net"]])
METHODS = ["alpha-net", "beta-net", "gamma-net"]


@dataclass
class World:
    study: Study
    run: ProtocolRun
    kept: KeptReport
    # A load with its files that is not checked yet, and the receipt of another.
    draft: Draft
    receipt: Import
    people: dict[str, User | None]
    photograph: str
    # The researcher's job, which produced a file.
    job: Job
    # The admin's.
    selection: Selection
    clients: dict[str, APIClient] = field(default_factory=dict)

    @property
    def image(self) -> Image:
        return self.study.images.in_order().first()

    def client(self, role: str) -> APIClient:
        if role not in self.clients:
            person = self.people[role]
            self.clients[role] = APIClient() if person is None else signed_in(person)
        return self.clients[role]


def values_in(path: str, world: World) -> dict[str, Any]:
    """Return the values of the parameters of an API path, of what is in this world."""
    root = path.removeprefix("/api/v1/").split("/")[0]
    # The keys in URLs, by the first part of the URL.
    ids = {
        "images": world.image.pk,
        "results": world.image.results.first().pk,
        "runs": world.run.pk,
        "reports": world.kept.pk,
        "loads": world.draft.pk,
        "receipts": world.receipt.pk,
        "jobs": world.job.pk,
        "judges": world.study.judges.get(name="Counter").pk,
        "selections": world.selection.pk,
    }
    slugs = {"datasets": world.study.dataset.slug, "protocols": "iou"}
    return {
        "slug": slugs.get(root, world.study.slug),
        "id": ids.get(root),
        "file": world.draft.files.first().pk,
        "sha256": world.photograph,
        "table": "report",
        "extension": "csv",
        "name": "events.csv",
        "method": "alpha-net",
        "task": "1-2-3-1",
        "part": "both",
    }


def signed_in(person: User, scopes: tuple[str, ...] = tuple(SCOPES)) -> APIClient:
    """Return an API client with a token of this person."""
    _, secret = create_token(person=person, name=f"test {next(serial)}", scopes=scopes)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def make_world() -> World:
    study = make_study(METHODS, images=2)
    digest = add_photograph(study.images.in_order().first())
    people = {
        "nobody": None,
        "stranger": make_person(),
        "annotator": add_annotator(study),
        "researcher": add_researcher(study),
        "admin": make_admin(),
    }
    run = score_protocol(dataset=study.dataset, slug="iou")
    make_judge(study)
    kept = keep_report(study=study, settings=Settings(), runs=[run], person=people["admin"])
    turn = judging.start(study=study, annotator=people["annotator"]).turn
    answer(turn, people["annotator"], TRUTH)
    draft = new_dataset(people["admin"], name=f"waiting {next(serial)}")
    add_results(draft)
    done = new_dataset(people["admin"], name=f"loaded {next(serial)}")
    loaded(done, people["admin"])
    receipt = done.receipts.get()
    job = exchange.start(
        exchange.TRUTH, study.dataset, extension="zip", person=people["researcher"]
    )
    selection = keep_selection(
        dataset=study.dataset,
        name="hard ones",
        images=study.images.values_list("pk", flat=True),
        person=people["admin"],
    )
    return World(study, run, kept, draft, receipt, people, digest, job, selection)


def add_photograph(image: Image) -> str:
    # A different size each time, so that photographs rarely have equal bytes.
    content = picture_bytes(width=100 + next(serial) % 1000)
    digest = sha256(content).hexdigest()
    image_storage().save(stored_name(digest), ContentFile(content))
    image.sha256, image.content_type = digest, "image/png"
    image.width, image.height = 120, 60
    image.save()
    return digest


def is_problem(response, status: int, kind: str | None = None) -> bool:
    """Return whether the response is a problem document that agrees with its status."""
    data = response.json()
    return (
        response.status_code == status
        and response["Content-Type"] == PROBLEM
        and data["status"] == status
        and {"type", "title", "detail", "instance"} <= set(data)
        and (kind is None or data["type"].endswith(f":{kind}"))
    )
