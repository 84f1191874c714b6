"""A backup is the whole site; restored it is the same to the last value, or nothing at all."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from annotate.datasets.models import Image, stored_path
from annotate.jobs.models import Job
from annotate.judging import services as judging
from annotate.judging.models import Assignment, Judgement
from annotate.judging.replay import rankings_that_differ
from annotate.operations.backups import daily
from annotate.operations.backups.errors import NotRestored
from annotate.operations.backups.restoring import restore
from annotate.operations.backups.writing import write_backup
from tests.support.factories import add_annotator, make_person
from tests.support.truths import answer, rank_everything
from tests.support.world import TRUTH, make_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
ROOT = Path(__file__).resolve().parents[4]
# Recreated by `migrate`, of one machine or moment, or not the row of a model.
NOT_KEPT = ("django_", "auth_permission", "annotate_worker", "shared_", "huey")


def everything():
    """Every value of every table, read past the models."""
    tables = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            if table.startswith(NOT_KEPT) and table != "django_admin_log":
                continue
            cursor.execute(f'SELECT * FROM "{table}"')
            tables[table] = sorted(repr(row) for row in cursor.fetchall())
    return tables


def backed_up(tmp_path, **asked):
    path = tmp_path / "site.zip"
    with path.open("wb") as stream:
        write_backup(stream, **asked)
    return path


def rewritten(path, change):
    """The same archive with other parts: ``change`` returns each part's content, or None to leave it out."""
    changed = io.BytesIO()
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(changed, "w") as other:
        for name in archive.namelist():
            content = change(name, archive.read(name))
            if content is not None:
                other.writestr(name, content)
    path.write_bytes(changed.getvalue())
    return path


def emptied():
    call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def world():
    return make_world()


def test_what_is_restored_is_the_same_to_the_last_value(world, tmp_path):
    before = everything()
    assert sum(map(len, before.values())) > 50
    path = backed_up(tmp_path)
    photographs = [stored_path(digest) for digest in hashes()]
    for photograph in photographs:
        photograph.unlink()
    emptied()
    restore(path)
    assert everything() == before
    assert all(photograph.exists() for photograph in photographs)
    assert Assignment.objects.exists()
    assert not [assignment for assignment, differs in rankings_that_differ() if differs]
    # New rows get keys of their own.
    make_person()
    Job.objects.create(kind="x", title="", arguments={}, version="1")


def hashes() -> list[str]:
    return list(Image.objects.exclude(sha256="").values_list("sha256", flat=True).distinct())


def test_a_site_that_holds_anything_is_not_overwritten(world, tmp_path):
    path = backed_up(tmp_path)
    before = everything()
    with pytest.raises(NotRestored, match="holds data already"):
        restore(path)
    assert everything() == before


def damaged(name, content):
    return content.replace(b"open", b"shut") if name == "tables/annotate.study.jsonl" else content


def without_a_table(name, content):
    return None if name == "tables/annotate.study.jsonl" else content


def without_manifest(name, content):
    return None if name == "manifest.json" else content


def of_other_migrations(name, content):
    if name != "manifest.json":
        return content
    manifest = json.loads(content)
    manifest["migrations"].append(["annotate", "0099_later"])
    manifest |= {"program": "9.1", "build": "abc1234567"}
    return json.dumps(manifest)


def of_something_else(name, content):
    return json.dumps({"format": "a bundle"}) if name == "manifest.json" else content


def with_fewer_rows(name, content):
    """A row is missing and its checksum is right: the count reveals it."""
    if name != "manifest.json":
        return content
    manifest = json.loads(content)
    manifest["counts"]["auth.user"] += 1
    return json.dumps(manifest)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (damaged, "tables/annotate.study.jsonl is damaged"),
        (without_a_table, "tables/annotate.study.jsonl is missing"),
        (without_manifest, "cut short"),
        (
            of_other_migrations,
            rf"those of {re.escape(settings.PROGRAM)}\. Install version 9\.1, build abc1234567,.* set_up",
        ),
        (of_something_else, "no backup of a site"),
        (with_fewer_rows, "other numbers of rows"),
    ],
)
def test_what_is_not_whole_is_refused_and_leaves_no_row(world, tmp_path, change, said):
    path = rewritten(backed_up(tmp_path), change)
    emptied()
    before = everything()
    with pytest.raises(NotRestored, match=said):
        restore(path)
    assert everything() == before


def test_an_archive_that_was_cut_short_is_refused(world, tmp_path):
    path = backed_up(tmp_path)
    path.write_bytes(path.read_bytes()[:-2000])
    emptied()
    with pytest.raises(NotRestored, match="no whole archive"):
        restore(path)


def test_a_backup_in_a_photograph_is_not_restored_in_place_of_one_that_was_cut(world, tmp_path):
    """Without its last bytes the archive ends with the photograph, which is a whole backup."""
    photograph, end = stored_path(hashes()[-1]), b"PK\x05\x06"
    photograph.write_bytes(backed_up(tmp_path).read_bytes())
    path = backed_up(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: content.rindex(end, 0, content.rindex(end)) + 22])
    assert "manifest.json" in zipfile.ZipFile(path).namelist()
    emptied()
    with pytest.raises(NotRestored, match="cut short"):
        restore(path)


def test_a_photograph_that_is_gone_is_named_and_stops_nothing(world, tmp_path):
    gone = hashes()[0]
    stored_path(gone).unlink()
    with zipfile.ZipFile(backed_up(tmp_path)) as archive:
        assert json.loads(archive.read("manifest.json"))["missing_photographs"] == [gone]


class TestCommands:
    def test_a_file_is_written_once_and_for_its_owner_alone(self, world, tmp_path):
        path = tmp_path / "site.zip"
        call_command("backup", str(path))
        assert path.stat().st_mode & 0o077 == 0
        with pytest.raises(CommandError, match="there already"):
            call_command("backup", str(path))
        assert not list(tmp_path.glob("*.part"))

    def test_in_a_folder_it_is_named_after_the_day_and_the_newest_are_kept(self, world, tmp_path):
        for name in ("site-2026-01-01.zip", "site-2026-01-02.zip", "mine.zip"):
            (tmp_path / name).touch()
        call_command("backup", str(tmp_path), "--keep", "2")
        today = f"site-{timezone.now():%Y-%m-%d}.zip"
        assert {path.name for path in tmp_path.glob("*.zip")} == {
            *("mine.zip", "site-2026-01-02.zip", today)
        }
        emptied()
        restore(tmp_path / today)

    def test_a_refusal_is_a_sentence(self, world, tmp_path):
        with pytest.raises(CommandError, match=r"holds data already.*Nothing was restored"):
            call_command("restore", str(backed_up(tmp_path)))
        with pytest.raises(CommandError, match="There is no file"):
            call_command("restore", str(tmp_path / "nowhere.zip"))

    def test_rows_move_into_another_database(self, world, tmp_path):
        there = tmp_path / "there"
        target = f"sqlite:///{there}.sqlite3"
        call_command("transfer", target)
        code = (
            "import django; django.setup(); from annotate.judging.models import Judgement; "
            "print(Judgement.objects.count())"
        )
        environment = os.environ | {"DATABASE_URL": target}
        environment |= {"DJANGO_SETTINGS_MODULE": "text_rankings.site.settings"}
        counted = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert int(counted.stdout) == Judgement.objects.count() > 0
        with pytest.raises(CommandError, match=r"holds data already.*This site is as it was"):
            call_command("transfer", target)


class TestRehearsals:
    def said(self, *arguments):
        out = io.StringIO()
        call_command("rehearse", *arguments, stdout=out)
        return out.getvalue()

    def test_the_newest_copy_is_restored_replayed_and_compared(self, world, settings):
        copy = daily.back_up()
        annotator = world.people["annotator"]
        turn = judging.start(study=world.study, annotator=annotator).turn
        answer(turn, annotator, TRUTH)
        before = everything()
        said = self.said()
        assert f"{copy.name}: " in said
        assert " rows, the same after restoring; every ranking replays." in said
        assert "An emergency would take about " in said
        assert "1 answers are newer than it." in said
        assert "It holds rows alone" in said
        assert everything() == before
        assert not list(settings.DATA_DIR.glob("rehearsal-*"))

    def test_a_damaged_copy_is_named(self, world):
        rewritten(daily.back_up(), damaged)
        with pytest.raises(CommandError, match=r"restore: .*annotate\.study\.jsonl is damaged"):
            self.said()

    def test_a_copy_whose_rankings_do_not_replay_is_a_fault(self, world):
        rank_everything(world.study, add_annotator(world.study), TRUTH)
        done = Assignment.objects.exclude(rankings=None).first()
        turned = {criterion: buckets[::-1] for criterion, buckets in done.rankings.items()}
        Assignment.objects.filter(pk=done.pk).update(rankings=turned)
        daily.back_up()
        with pytest.raises(CommandError, match=r"replay: .*1 of "):
            self.said()

    def test_without_a_copy_it_says_how_to_make_one(self, world, tmp_path):
        with pytest.raises(CommandError, match=r"no daily copy yet\. Make a backup: .*backup FILE"):
            self.said()
        with pytest.raises(CommandError, match="There is no file"):
            self.said(str(tmp_path / "nowhere.zip"))


class TestDailyCopies:
    def test_a_copy_holds_the_rows_and_is_made_once_a_day(self, world, tmp_path):
        before = everything()
        copy = daily.back_up()
        assert daily.back_up() is None
        assert daily.newest() == copy
        emptied()
        restore(copy)
        assert everything() == before

    def test_the_newest_are_kept_and_other_files_left_alone(self, settings):
        settings.BACKUPS_KEPT = 2
        daily.folder().mkdir()
        for name in ("2026-01-01", "2026-01-02", "mine"):
            (daily.folder() / f"{name}.zip").touch()
        copy = daily.back_up()
        kept = {path.name for path in daily.folder().iterdir()}
        assert kept == {copy.name, "2026-01-02.zip", "mine.zip"}

    def test_none_is_made_where_none_is_wanted(self, settings):
        settings.BACKUPS_KEPT = 0
        assert daily.back_up() is None
        assert not daily.folder().exists()
