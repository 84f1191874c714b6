"""The answers of a study that count in its reports."""

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import translation

from annotate.datasets.models import Image, ImageQuerySet
from annotate.judging.attention_checks import tallies_of_people
from annotate.judging.models import Assignment, Judgement, Skip
from annotate.scoring.models import ProtocolRun
from annotate.studies.exclusions import left_out
from annotate.studies.models import Role, Study
from annotate.studies.pseudonyms import pseudonyms
from rankings.inference.clusters import Declared
from rankings.output.skips import ALIKE, KEPT, MISSING, RANKINGS, REASONS, UNFINISHED, VISITS


def images_of(study: Study) -> ImageQuerySet:
    return Image.objects.filter(studies=study).in_order()


def ranked_images(study: Study) -> ImageQuerySet:
    """Return the images that have a counted ranking."""
    return images_of(study).filter(pk__in=counted_assignments(study).values("image"))


def counted_assignments(study: Study) -> QuerySet[Assignment]:
    """Return the complete rankings of all methods, except by excluded annotators."""
    return counted_visits(study).filter(drawn__isnull=True)


def counted_visits(study: Study) -> QuerySet[Assignment]:
    """Return what counts: complete rankings, and complete visits about drawn methods."""
    complete = Assignment.objects.filter(study=study, state=Assignment.State.COMPLETE)
    return complete.exclude(annotator__in=left_out(study))


def declared_clusters(study: Study) -> Declared:
    """Return the groups of annotators, by pseudonym, and the scenes of images, by name."""
    members = study.memberships.filter(role=Role.ANNOTATOR).exclude(group="")
    group_of = dict(members.values_list("person", "group"))
    scene_of = dict(images_of(study).exclude(scene="").values_list("name", "scene"))
    names = pseudonyms(study) if group_of else {}
    groups = {names[person]: group for person, group in group_of.items() if person in names}
    return Declared(groups, scene_of)


def lost_to_skips(study: Study) -> QuerySet[Assignment]:
    """Return the rankings and visits that are incomplete only because pairs were skipped."""
    skips = Skip.objects.filter(
        assignment=OuterRef("pk"), screen__known__isnull=True, withdrawal__isnull=True
    )
    incomplete = Assignment.objects.filter(study=study, state=Assignment.State.INCOMPLETE)
    return incomplete.filter(Exists(skips)).exclude(annotator__in=left_out(study))


def with_answers(lost: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Return those of the rankings and visits of which a pair was answered."""
    answers = Judgement.objects.filter(
        assignment=OuterRef("pk"), screen__known__isnull=True, withdrawal__isnull=True
    )
    return lost.filter(Exists(answers))


def not_counted(study: Study) -> dict[str, str]:
    """Return header entries on the work of included annotators that does not count.

    They give the numbers of rankings and visits missing because pairs were skipped, with the
    reasons, and of those begun but not finished; and, because it is a reason on the page, how many
    pairs were said to look the same. Empty if there are none.
    """
    lost = lost_to_skips(study)
    facts = {}
    for name, is_whole in ((RANKINGS, True), (VISITS, False)):
        own = lost.filter(drawn__isnull=is_whole)
        n = own.count()
        if n:
            n_all = n + counted_visits(study).filter(drawn__isnull=is_whole).count()
            facts[name] = MISSING.format(n=n, all=n_all)
        if not is_whole and (n_kept := with_answers(own).count()):
            facts[KEPT] = str(n_kept)
    if facts:
        skips = Skip.objects.filter(
            assignment__in=lost, screen__known__isnull=True, withdrawal__isnull=True
        )
        n_of = dict(skips.order_by().values_list("reason").annotate(n=Count("pk")))
        with translation.override("en"):
            facts[REASONS] = "; ".join(
                f"{words} ({n_of[reason]})"
                for reason, words in Skip.Reason.choices
                if reason in n_of
            )
    alike = Judgement.objects.filter(
        assignment__study=study, looks_same=True, withdrawal__isnull=True
    )
    n_alike = alike.exclude(assignment__annotator__in=left_out(study)).count()
    if n_alike:
        facts[ALIKE] = str(n_alike)
    in_work = Assignment.objects.filter(study=study, state=Assignment.State.IN_WORK)
    n_unfinished = in_work.exclude(annotator__in=left_out(study)).count()
    if n_unfinished:
        facts[UNFINISHED] = str(n_unfinished)
    return facts


def method_names(study: Study) -> list[str]:
    return [method.name for method in study.methods.all()]


def newest_runs(study: Study) -> list[tuple[ProtocolRun, list[str]]]:
    """Return the newest run of each protocol, with the study's methods that it could not score."""
    runs = list(study.dataset.runs.latest_of_each_protocol())
    is_computed = any(run.origin == ProtocolRun.Origin.COMPUTED for run in runs)
    methods = method_names(study) if is_computed else []
    return [(run, run.without(methods)) for run in runs]


def protocols_left_out(study: Study) -> list[str]:
    """Name the protocols that could not score some methods, such as those without confidences.

    Compared with the others, each would leave no image to count.
    """
    return [
        f"{run.name} (no scores for {', '.join(left)})" for run, left in newest_runs(study) if left
    ]


def people_left_out(study: Study) -> list[str]:
    """List the excluded annotators by pseudonym, with date and reason."""
    excluded = left_out(study)
    names = pseudonyms(study) if excluded else {}
    return [
        f"{name} since {excluded[person].since:%Y-%m-%d}: {excluded[person].reason}"
        for person, name in names.items()
        if person in excluded
    ]


def known_answers(study: Study) -> list[str]:
    """Return, under pseudonyms, how often each annotator was right on known-answer pairs."""
    tallies = tallies_of_people(study)
    names = pseudonyms(study) if tallies else {}
    return [f"{name}: {tallies[person]}" for person, name in names.items() if person in tallies]
