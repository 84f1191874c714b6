"""Studies with answers; in one, everything has happened that can happen in a study."""

from hashlib import sha256
from itertools import count

from django.contrib.auth.models import User

from annotate.audit.models import AuditEntry
from annotate.datasets.models import Dataset, EarlierTruth, Image, Method, Result, Selection
from annotate.datasets.photographs import store
from annotate.imports.models import Import
from annotate.judges.models import Judge, JudgeAnswer
from annotate.judging import answer_history, services
from annotate.judging.models import Assignment, Judgement, Note, Screen, Skip, Withdrawal
from annotate.scoring.models import ProtocolRun, Score
from annotate.scoring.services import score_protocol
from annotate.studies.exclusions import decide
from annotate.studies.models import Exclusion, Membership, Pseudonym, Study
from tests.support.archives import picture_bytes
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.truths import answer, asked_verdicts, rank_by, rank_everything, same_truth

ABCDE = same_truth([["a"], ["b", "twin"], ["c"], ["d"]])
FLIPPED = {"left": "right", "right": "left", "equal": "left"}
WORD = [(0, 0, 60, 30)]


def ranked_study(best: str = "a", right: str = "Right", turned: str = "Reversed") -> Study:
    """Make a study of two images, three annotators (best > b > c), and two opposite protocols."""
    methods = [best, "b", "c"]
    study = make_study(methods, images=2)
    rank_by(3, study, same_truth([[method] for method in methods]))
    make_run(study, right, dict(zip(methods, (0.9, 0.5, 0.1), strict=True)))
    make_run(study, turned, dict(zip(methods, (0.1, 0.5, 0.9), strict=True)))
    return study


def worked_study(name: str = "Street signs", photographs: bool = True) -> Study:
    """Make a study of five methods (two look alike), three images, three annotators, two runs.

    The first ranks everything; the second skips, undoes, changes an answer and errs in re-checks;
    the third stops in the middle of an image. The second was excluded and included again.
    """
    study = make_study(
        ["a", "b", "c", "d", "twin"],
        images=3,
        name=name,
        n_checks=2,
        min_annotators=1,
        boxes={"b": WORD, "twin": WORD},
    )
    study.slug = name.lower().replace(" ", "-")
    study.save()
    if photographs:
        keep_photographs(study)
    steady, changing, unfinished = (add_annotator(study) for _ in range(3))
    researcher = add_researcher(study)
    rank_everything(study, steady, ABCDE)
    change_of_mind(study, changing)
    turn = services.start(study=study, annotator=unfinished).turn
    for has_place in (False, True):
        place = {"side": "left", "at": [30, 15.5]} if has_place else None
        services.pin_note(
            screen_id=turn.screen.public_id,
            annotator=unfinished,
            text="Is this text?",
            place=place,
            discuss=has_place,
        )
        turn = answer(turn, unfinished, ABCDE)
    for is_excluded, reason in ((True, "=answers\nwith one key"), (False, "a stuck key")):
        decide(study=study, person=changing, is_excluded=is_excluded, reason=reason, by=researcher)
    # An annotator who has answered and then left.
    Membership.objects.filter(study=study, person=unfinished).delete()
    score_protocol(dataset=study.dataset, slug="iou")
    imported = ProtocolRun.objects.create(
        dataset=study.dataset, name="Organisers", version="", origin=ProtocolRun.Origin.IMPORTED
    )
    for at, result in enumerate(Result.objects.filter(image__dataset=study.dataset)):
        share = (at % 7) / 7
        Score.objects.create(
            run=imported,
            result=result,
            recall=share,
            precision=None if at == 3 else 1 / 3,
            f_score=None,
        )
    study.refresh_from_db()
    return study


def keep_photographs(study: Study) -> None:
    for at, image in enumerate(study.dataset.images.in_order()):
        content = picture_bytes(120 + at, 60)
        image.width, image.height, image.content_type = 120 + at, 60, "image/png"
        image.sha256 = sha256(content).hexdigest()
        image.save()
        store(image.sha256, content)


def change_of_mind(study, annotator) -> None:
    turn = services.start(study=study, annotator=annotator).turn
    for at in count():
        if turn is None:
            return
        screen_id = turn.screen.public_id
        if at == 1:
            turn = services.record_skip(
                screen_id=screen_id,
                annotator=annotator,
                reason="broken",
                text="=the image is\nnot there",
                environment={"browser": "Example 1.0"},
            ).turn
        elif at == 4:
            turn = services.undo(study=study, annotator=annotator, screen_id=screen_id).turn
        elif at == 6:
            past = answer_history.history(study, annotator)[-1]
            turn = services.change(screen_id=past.screen.public_id, annotator=annotator).turn
        else:
            verdicts = asked_verdicts(ABCDE, turn)
            if at % 5 == 0 or (turn.screen.is_check and at % 2):
                verdicts = {name: FLIPPED[verdict] for name, verdict in verdicts.items()}
            turn = services.record_judgement(
                screen_id=screen_id,
                annotator=annotator,
                verdicts=verdicts,
                seconds_taken=at + 0.5,
                aids={"ground_truth": 1.5} if at % 3 == 0 else None,
                seen={"first": turn.screen.first, "left": 2, "right": 1.5} if at % 3 == 0 else None,
            ).turn


# In an order in which all can be deleted.
TABLES = (
    *(JudgeAnswer, Judge, Selection, EarlierTruth),
    *(Note, Withdrawal, Skip, Judgement, Screen, Assignment, Score, ProtocolRun, Result),
    *(Exclusion, Pseudonym, Membership, Study, Import, Image, Method, Dataset, User),
)


def empty_the_site() -> None:
    """Delete all data, as on a new site."""
    # The log's model refuses deletion, rightly: the log belongs to the site, not to a study.
    AuditEntry._base_manager.all()._raw_delete(using="default")
    for model in TABLES:
        model.objects.all().delete()


def n_rows() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in TABLES}
