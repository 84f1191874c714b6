"""Every address with the keys of a world in it, and what a request with foreign keys may change."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib.sessions.models import Session
from django.db.models import ForeignKey

from annotate.accounts.services import invite
from annotate.api.models import GivenAnswer
from annotate.api.tokens.models import Token
from annotate.api.tokens.services import create_token
from annotate.design.setup.services import begin
from tests.support.addresses import address_of, keys_of_addresses, operations
from tests.support.participants import make_entrance
from tests.support.world import World, values_in

# Kept for a request, not for a person's data; a token notes when it was used.
_PASSING = (Session, GivenAnswer)


def keys_of(world: World) -> dict[str, Any]:
    """Return values of a world by the name that addresses, queries and bodies give them."""
    study = world.study
    # The pair that waits for the annotator.
    screen = study.assignments.first().screens.order_by("number").last()
    return {
        "slug": study.slug,
        "study": study.slug,
        "dataset_slug": study.dataset.slug,
        "dataset": study.dataset.slug,
        "method": "alpha-net",
        "image": world.image.name,
        "name": world.image.name,
        "pk": world.kept.pk,
        "id": world.kept.pk,
        "other": world.kept.pk,
        "file": world.draft.files.first().pk,
        "sha256": world.photograph,
        "screen_id": screen.public_id,
        "screen": screen.public_id,
        "number": 1,
        "round_number": 1,
        "table": "criteria",
        "extension": "csv",
        "kind": "csv",
        "key": "annotator-1",
        "step": "data",
        "token": "unknown",
        "person": world.people["annotator"].pk,
        "username": world.people["stranger"].username,
        "annotator": world.people["annotator"].username,
        "run": world.run.pk,
        "runs": [world.run.pk],
        "methods": [method.pk for method in study.methods.all()],
        "images": [image.pk for image in study.images.all()],
        "result": world.image.results.first().pk,
        "results": [result.pk for result in world.image.results.all()],
        "report": world.kept.pk,
        "job": world.job.pk,
        "load": world.draft.pk,
        "draft": world.draft.pk,
        "receipt": world.receipt.pk,
        "role": "researcher",
        "state": "closed",
    }


def guest_of(world: World) -> str:
    """Return the address of a person who is invited to this world alone."""
    return f"guest-of-{world.study.slug}@example.org"


def completed(world: World) -> World:
    """Add an invitation, a token and a study being set up, so that their addresses are of something."""
    admin = world.people["admin"]
    invite(study=world.study, role="annotator", emails=[guest_of(world)], made_by=admin)
    create_token(person=admin, name="token of the admin", scopes=["read"])
    methods = list(world.study.dataset.methods.all())
    begin(person=admin, dataset=world.study.dataset, name="Being set up", methods=methods)
    make_entrance(world.study)
    return world


def page_of(world: World, name: str) -> str:
    """Return the address of a page by its name, with the keys of this world in it."""
    study, keys, admin = world.study, keys_of(world), world.people["admin"]
    by_start = {
        "imports:receipt": world.receipt.pk,
        "imports:": world.draft.pk,
        "jobs:": world.job.pk,
        "tokens:": admin.api_tokens.first().pk,
        "accounts:": study.invitations.first().pk,
        "setup:": admin.new_studies.first().pk,
        "studies:": study.memberships.first().pk,
        "files:causes_file": world.run.pk,
        "files:selection_file": world.selection.pk,
        "judges:": study.judges.get().pk,
        "": world.kept.pk,
    }
    given = {key: keys[key] for key in ("screen_id", "file", "sha256", "method", "other")}
    given["pk"] = next(pk for start, pk in by_start.items() if name.startswith(start))
    if name.startswith("recruiting:"):
        given["number"] = study.entrances.get().pk
    if name.startswith("join:"):
        given["slug"] = study.entrances.get().slug
    return address_of(name, study, **given)


def addresses(world: World) -> Iterator[str]:
    """Yield the address of every page and API operation, with the keys of this world in it."""
    for name in keys_of_addresses():
        yield page_of(world, name)
    for path in {operation.partition(" ")[2] for operation in operations()}:
        yield "/api/v1/" + path.format_map(values_in(path, world))


def rows() -> "Rows":
    """Return every row of every table that holds data, by table and key."""
    stored = {}
    for model in apps.get_models(include_auto_created=True):
        if model in _PASSING:
            continue
        left_out = {"last_used"} if model is Token else set()
        stored[model._meta.label] = {
            row["id" if "id" in row else model._meta.pk.attname]: {
                name: value for name, value in row.items() if name not in left_out
            }
            for row in model._base_manager.values()
        }
    return stored


Rows = dict[str, dict[Any, Any]]


def without(rows_now: Rows, others: Rows) -> Rows:
    """Return the rows whose keys are not among others."""
    return {
        label: {pk: row for pk, row in of_table.items() if pk not in others[label]}
        for label, of_table in rows_now.items()
    }


def changed(before: Rows, after: Rows) -> list[str]:
    """Return which rows that were there before are gone or different."""
    return [
        f"{label} {pk}"
        for label, of_table in before.items()
        for pk, row in of_table.items()
        if after[label].get(pk) != row
    ]


def that_refer_to(rows_now: Rows, others: Rows) -> list[str]:
    """Return which rows name a row of others."""
    return [
        f"{model._meta.label} {pk} names {field.name} {row[field.attname]}"
        for model in apps.get_models(include_auto_created=True)
        for pk, row in rows_now.get(model._meta.label, {}).items()
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey)
        and row[field.attname] in others.get(field.related_model._meta.label, {})
    ]
