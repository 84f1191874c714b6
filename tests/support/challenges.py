"""Challenges for tests: a dataset with hidden images, teams, and uploads in memory."""

import io
from datetime import timedelta

from django.utils import timezone

from annotate.challenges import final, services
from annotate.challenges.models import Challenge
from annotate.reports.services import available_runs
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from tests.support.archives import zip_bytes
from tests.support.factories import add_annotator, make_dataset, make_image, make_person, serial
from tests.support.kept import keep_report
from tests.support.truths import rank_everything, same_truth

WORDS = [(10, 10, 109, 49), (210, 10, 309, 49)]
# Numbers that occur nowhere else, so that a search for them finds leaks only.
SECRET = [
    (713148, 421762, 729357, 428951),
    (733159, 441763, 749358, 448952),
    (753161, 461764, 769359, 468953),
]
N_IMAGES = 24


def secret_of(at):
    """Return the hidden regions of an image, no two images alike."""
    return [(left + at, top, right + at, bottom) for left, top, right, bottom in SECRET]


def make_challenge(n_images=N_IMAGES, **settings):
    """Make an open challenge whose odd images are hidden."""
    dataset = make_dataset(f"street-{next(serial)}")
    images = [
        make_image(dataset, f"img_{at}", truth=secret_of(at) if at % 2 else WORDS)
        for at in range(n_images)
    ]
    now = timezone.now()
    defaults = {
        "title": f"Challenge {next(serial)}",
        "opens": now - timedelta(hours=1),
        "closes": now + timedelta(days=1),
        "entries_a_day": 5,
    }
    return services.save_challenge(
        Challenge(dataset=dataset, **defaults | settings),
        protocols=[("iou", {}), ("deteval", {})],
        hidden=images[1::2],
    )


def make_team(challenge, name=None, person=None):
    person = person or make_person()
    member = services.join(challenge=challenge, person=person)
    return services.make_team(member=member, name=name or f"team {next(serial)}")


def lines(boxes):
    return "".join(",".join(map(str, box)) + "\n" for box in boxes)


def upload(n_visible=2, n_hidden=3, n_images=N_IMAGES, **changed):
    """Return a zip that finds so many words of each image; ``changed`` has boxes by image."""
    found = {
        f"img_{at}": secret_of(at)[:n_hidden] if at % 2 else WORDS[:n_visible]
        for at in range(n_images)
    }
    return zip_bytes({f"res_{name}.txt": lines(of) for name, of in (found | changed).items()})


def submit(team, content=None, **fields):
    stream = io.BytesIO(upload() if content is None else content)
    entry = services.submit(team=team, stream=stream, name="results.zip", **fields)
    type(entry).objects.filter(pk=entry.pk, state="scored").update(told=timezone.now())
    entry.refresh_from_db()
    return entry


def judge_final(challenge, teams, admin):
    """Let two people rank the final entries everywhere in the order of the teams; keep a report."""
    final.start_study(challenge=challenge, difference=0.03, person=admin)
    study = Study.objects.get(challenges=challenge)
    Study.objects.filter(pk=study.pk).update(state="open", min_annotators=1)
    study.refresh_from_db()
    number = dict(challenge.teams.values_list("name", "number"))
    order = [[f"{challenge.title}: team {number[name]}"] for name in teams]
    for _ in range(2):
        rank_everything(study, add_annotator(study), same_truth(order))
    settings = Settings(min_annotators=1)
    keep_report(study=study, settings=settings, runs=available_runs(study), person=admin)
    return study
