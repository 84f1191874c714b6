"""The order in which an annotator takes up images, as plain SQL that reads no more of a larger study.

Images with as many complete rankings form a level. An index leads from level to level, and in each
to the first image that is available from a place drawn for each image on.
"""

import random
from collections.abc import Collection
from typing import Any, Final

from django.contrib.auth.models import User

from annotate.prepared_sql import rows
from annotate.studies.models import Study

# Numbers below it are drawn, so that each place is as likely as any other, wherever the one before was.
_PRIME: Final = 2**31 - 1
# The factor of squared positions is below it: the product fits 64 bits up to 100,000 images.
_MOST: Final = 2**28

_OWN: Final = """
    own AS (
        SELECT COALESCE(MAX(position), 0) AS n FROM annotate_assignment
        WHERE study_id = %(study)s AND annotator_id = %(annotator)s
    ),
    ends AS (
        SELECT MIN(image_id) AS low, MAX(image_id) AS high FROM annotate_studyimage
        WHERE study_id = %(study)s
    ),
    place AS (
        SELECT low + CAST(high - low + 1 AS bigint)
            * ((CAST(n + %(n_passed)s AS bigint) * (n + %(n_passed)s) * %(a)s
                + CAST(n + %(n_passed)s AS bigint) * %(b)s + %(c)s) %% %(prime)s)
            / %(prime)s AS first
        FROM own, ends
    )
"""
_SEEN: Final = """
    FROM annotate_assignment AS mine
    JOIN annotate_image AS image ON image.id = mine.image_id AND image.scene <> ''
    WHERE mine.study_id = %(study)s AND mine.annotator_id = %(annotator)s
"""
_AVAILABLE: Final = """
    one.study_id = %(study)s AND one.image_id NOT IN ({passed}) AND NOT EXISTS (
        SELECT 1 FROM annotate_assignment AS mine WHERE mine.study_id = %(study)s
            AND mine.image_id = one.image_id AND mine.annotator_id = %(annotator)s
    )
"""
_ROOM: Final = "COALESCE(one.n_annotators + {alone}, %(most)s)"
# Rankings in progress, except of people who have left.
_IN_WORK: Final = """(
        SELECT COUNT(*) FROM annotate_assignment AS other
        JOIN annotate_membership AS member ON member.study_id = other.study_id
            AND member.person_id = other.annotator_id AND member.role = 'annotator'
        JOIN auth_user AS person ON person.id = other.annotator_id AND person.is_active
        WHERE other.study_id = %(study)s AND other.image_id = one.image_id
            AND other.state = 'in_work'
    )"""
# The two conditions before the counting spare it for all images but those in progress.
_HAS_ROOM: Final = """
    AND one.n_complete < {room} AND (one.image_id NOT IN (
        SELECT image_id FROM annotate_assignment WHERE study_id = %(study)s AND state = 'in_work'
    ) OR one.n_complete + {in_work} < {room})
"""
_HAS_ROOM_WITHOUT: Final = """
    AND one.n_complete - (
        SELECT COUNT(*) FROM annotate_assignment AS other WHERE other.study_id = %(study)s
            AND other.image_id = one.image_id AND other.state = 'complete'
            AND other.annotator_id IN ({left_out})
    ) + {in_work} < {room}
"""
_FIRST: Final = """
    (
        SELECT one.image_id FROM annotate_studyimage AS one
        WHERE {available} AND one.n_complete = level.n AND one.n_annotators {annotators}
            AND one.image_id {side} place.first
        ORDER BY one.n_annotators, one.image_id LIMIT 1
    )
"""
_SHARED: Final = """
    EXISTS (
        SELECT 1 FROM annotate_assignment AS mine JOIN annotate_assignment AS other
            ON other.study_id = mine.study_id AND other.image_id = mine.image_id
        WHERE mine.study_id = %(study)s AND mine.annotator_id = %(annotator)s
            AND mine.state <> 'incomplete' AND other.annotator_id <> %(annotator)s
            AND other.state <> 'incomplete'
    )
"""
_LEVELS: Final = """
    WITH RECURSIVE level (n) AS (
        SELECT MAX(n_complete) FROM annotate_studyimage WHERE study_id = %(study)s
        UNION ALL
        SELECT (
            SELECT MAX(one.n_complete) FROM annotate_studyimage AS one
            WHERE one.study_id = %(study)s AND one.n_complete < level.n
        ) FROM level WHERE level.n IS NOT NULL
    ), {own}
    SELECT own.n, (
            SELECT created FROM annotate_assignment WHERE study_id = %(study)s
                AND annotator_id = %(annotator)s AND position = own.n
        ), EXISTS (
            SELECT 1 FROM annotate_assignment WHERE study_id = %(study)s
                AND annotator_id = %(annotator)s AND state = 'in_work'
        ), {n_available}, NOT {shared}, EXISTS (SELECT 1 {seen}),
        place.first, level.n, {usual}, {wanted}, {full}
    FROM own, place, level
"""
# By another annotator: an image that this one may take up has none of their own rankings.
_BEGUN: Final = """
    (one.n_complete > 0 OR one.image_id IN (
        SELECT image_id FROM annotate_assignment
        WHERE study_id = %(study)s AND annotator_id <> %(annotator)s AND state = 'in_work'
    ))
"""
# The order of image_allocation.OwnImages.in_order(), of an annotator who is alone first.
_FIRST_OF_ALL: Final = """
    WITH {own}, seen AS MATERIALIZED (SELECT image.scene, COUNT(*) AS n {seen} GROUP BY image.scene)
    SELECT one.image_id FROM annotate_studyimage AS one, place WHERE {available}
    ORDER BY CASE
            WHEN %(is_alone)s = 0 THEN 0
            WHEN {begun} THEN CASE WHEN one.n_complete >= one.n_annotators THEN 1 ELSE 0 END
            WHEN one.n_annotators IS NULL THEN 3 ELSE 2
        END,
        CASE WHEN one.n_complete >= COALESCE(one.n_annotators, %(least)s) THEN 1 ELSE 0 END,
        CASE
            WHEN one.n_complete >= %(least)s
                AND one.n_complete < COALESCE(one.n_annotators, %(least)s) THEN 0
            ELSE -one.n_complete
        END,
        COALESCE((
            SELECT seen.n FROM seen JOIN annotate_image AS image ON image.scene = seen.scene
            WHERE image.id = one.image_id
        ), 0),
        CASE WHEN one.image_id >= place.first THEN 0 ELSE 1 END, one.image_id
    LIMIT 1
"""
_N_AVAILABLE: Final = "SELECT COUNT(*) FROM annotate_studyimage AS one WHERE {available}"


class ImageOrder:
    """The images of a study that an annotator may take up, without those ``passed`` over.

    ``left_out``: people whose rankings do not count; of no consequence if everybody ranks all images.
    """

    def __init__(
        self,
        study: Study,
        annotator: User,
        passed: Collection[int] = (),
        left_out: Collection[int] = (),
    ) -> None:
        rng = random.Random(f"{study.seed}/{annotator.pk}/images")
        self._values = {
            "a": rng.randrange(_MOST),
            "b": rng.randrange(_PRIME),
            "c": rng.randrange(_PRIME),
            "prime": _PRIME,
            "study": study.pk,
            "annotator": annotator.pk,
            "n_passed": len(passed),
            "least": study.min_annotators,
            "most": study.max_annotators,
        }
        self._has_own_numbers = study.agreement_percent > 0
        self._available = _AVAILABLE.format(passed=_keys(passed))
        # A level that is full for everybody is passed over unread.
        self._usual = "IS NULL"
        if study.max_annotators is not None and left_out:
            self._available += _HAS_ROOM_WITHOUT.replace("{left_out}", _keys(left_out))
        elif study.max_annotators is not None:
            self._available += _HAS_ROOM
            self._usual += " AND level.n < %(most)s"

    def levels(self, *, counts: bool) -> list[tuple[Any, ...]]:
        """Return a row for each level, most rankings first; the last one has no number.

        Each holds: the number of images taken up, when the last one was, whether one is in progress,
        the number of available ones if ``counts`` and else None, whether none is shared with another
        annotator, whether one has a scene, and the place to begin at; then the rankings of the level
        and its first available images that go to as many annotators as the study says, that need
        more rankings by a number of their own, and that need no more by it.
        """
        kinds = {"usual": self._usual, "wanted": "> level.n", "full": "<= level.n"}
        firsts = dict.fromkeys(kinds, "NULL")
        for kind in kinds if self._has_own_numbers else ("usual",):
            sides = (
                _FIRST.format(available=self._if_alone(0), annotators=kinds[kind], side=side)
                for side in (">=", "<")
            )
            firsts[kind] = "COALESCE({}, {})".format(*sides)
        n = f"({self._n_available()})" if counts else "NULL"
        sql = _LEVELS.format(own=_OWN, n_available=n, shared=_SHARED, seen=_SEEN, **firsts)
        return self._rows(sql)

    def first_of_all(self, *, is_alone: bool, has_scenes: bool = True) -> int | None:
        """Return the first image, compared with every other one of the study.

        Without scenes only with those that are begun, or have a number of annotators of their own:
        None if there are none, and then the first of the levels is first.
        """
        available = self._if_alone(int(is_alone))
        if not has_scenes:
            available += f"AND (one.n_annotators IS NOT NULL OR {_BEGUN})"
        sql = _FIRST_OF_ALL.format(own=_OWN, available=available, begun=_BEGUN, seen=_SEEN)
        found = self._rows(sql, is_alone=int(is_alone))
        return found[0][0] if found else None

    def has(self, image: int, *, is_alone: bool) -> bool:
        """Return whether an image is available."""
        available = self._if_alone(int(is_alone)) + "AND one.image_id = %(image)s"
        return bool(self._rows(_N_AVAILABLE.format(available=available), image=image)[0][0])

    def n_available(self) -> int:
        n: int = self._rows(self._n_available())[0][0]
        return n

    def _n_available(self) -> str:
        return _N_AVAILABLE.format(available=self._if_alone(0))

    def _if_alone(self, alone: int) -> str:
        room = _ROOM.format(alone=alone)
        return self._available.replace("{in_work}", _IN_WORK).replace("{room}", room)

    def _rows(self, sql: str, **more: int) -> list[tuple[Any, ...]]:
        return rows(sql, {**self._values, **more})


def _keys(keys: Collection[int]) -> str:
    """Return keys for a list in SQL, which must not be empty."""
    return ", ".join(map(str, [0, *keys]))
