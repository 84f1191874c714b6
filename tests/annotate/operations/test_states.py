"""Commands on a database that cannot serve them end in a sentence that names the next step."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import CommandError
from django.db import OperationalError, connection

from annotate import errors
from annotate.management.site_command import SiteCommand
from tests.support.archives import zip_bytes

pytestmark = pytest.mark.release  # starts a process for each state
# Enough for more than the free parts of the pages of an empty database.
TRUTH = {f"gt_img_{at}.txt": "0,0,99,39,word\n" * 20 for at in range(200)}
ROOT = Path(__file__).resolve().parents[3]
# Runs each command on each database, as its own process would, and writes code and output of each.
DRIVER = """
import io, json, shutil, sqlite3, sys, traceback
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
import django
django.setup()
from django.db import connection
from django.db.backends.signals import connection_created
from text_rankings.site.program import run as manage

folder = Path(sys.argv[1])
first = {"empty": "", "older": "DELETE FROM django_migrations WHERE id = (SELECT max(id) FROM "
         "django_migrations WHERE app = 'annotate')",
         "foreign": "INSERT INTO django_migrations (app, name, applied) VALUES ('annotate', '9999_later', 0)",
         "read-only": "", "full": "VACUUM", "well": "", "broken": ""}
at_start = {"read-only": "PRAGMA query_only = ON"}
at_start |= dict.fromkeys(["full", "full at first"], "PRAGMA max_page_count = 1")

def run(state, *given):
    path = folder / f"{state}-{given[0]}.sqlite3"
    if state == "broken":
        path.write_text("no database at all, but a text that is long enough " * 20)
    elif state in first and state != "empty":
        shutil.copy(folder / "base.sqlite3", path)
        with closing(sqlite3.connect(path)) as database:
            database.executescript(first[state])
    connection.close()
    connection.settings_dict["NAME"] = str(path)
    def created(sender, connection, **more):
        with connection.cursor() as cursor:
            cursor.execute(at_start[state])
    if state in at_start:
        connection_created.connect(created)
    out, code = io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(out):
        try:
            manage(["manage.py", *given])
        except SystemExit as end:
            code = end.code
            if isinstance(code, str):
                code = print(code) or 1
        except BaseException:
            code = "traceback"
            traceback.print_exc()
    connection_created.disconnect(created)
    return [code, out.getvalue()]

# Making the tables takes seconds: an empty database that was made ready is the base of the others.
said = {"empty set_up": run("empty", "set_up")}
connection.close()
shutil.copy(folder / "empty-set_up.sqlite3", folder / "base.sqlite3")
commands = {
    "doctor": [], "set_up": [], "restore": [str(folder / "site.zip")],
    "transfer": [f"sqlite:///{folder}/there.sqlite3"],
    "import_files": [str(folder / "gt.zip"), "--name", "Street", "--yes"],
}
# Those that need a database of this version refuse another one before they look at what is given.
others = {
    "backup": [str(folder / "new.zip")], "rehearse": [str(folder / "site.zip")],
    "replay": ["--check"], "load_demo": [], "worker": [], "run_site": [],
    "import_study": [str(folder / "site.zip")], "export_study": ["x", "--out", str(folder / "x.zip")],
    "export_raw": ["x"], "export_report": ["x"], "load_codabench": ["x", str(folder / "gt.zip")],
    "score_protocol": ["x", "iou"], "make_study": [str(folder / "study.toml")],
    "import_files": commands["import_files"],
}
said["well import_files"] = run("well", "import_files", *commands["import_files"])
manage(["manage.py", "backup", str(folder / "site.zip")])
# A whole transfer has its own test.
several = {"well": ["set_up"], "read-only": ["doctor", "restore", "import_files"],
           "full": ["restore", "import_files"], "empty": commands.keys() - {"set_up"}}
for state in first:
    for command in several.get(state, commands):
        said[f"{state} {command}"] = run(state, command, *commands[command])
    said[f"{state} doctor --deep"] = run(state, "doctor", "--deep")
for state in ("empty", "broken", "older", "foreign"):
    for command in others:
        said[f"{state} {command}"] = run(state, command, *others[command])
# A worker and a site on such a database would wait for it to be mended.
others["worker"] = ["--check"]
for state in ("read-only", "full"):
    for command in sorted(others.keys() - {"run_site"}):
        said[f"{state} {command}"] = run(state, command, *others[command])
# Commands of Django that the documents name.
for state in ("broken", "full at first"):
    for command in ("migrate", "createcachetable", "set_up"):
        said[f"{state} {command}"] = run(state, command)
print(json.dumps(said))
"""
EMPTY = "database is empty"
OLDER = "older than the program"
FOREIGN = "made by migrations that this program does not have"
READ = "is read-only. Allow this user to write it"
FULL = "The disk is full. Make room on it"
BROKEN = "file is not a database"


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    folder = tmp_path_factory.mktemp("states")
    folder.joinpath("gt.zip").write_bytes(zip_bytes(TRUTH))
    environment = os.environ | {
        "DATABASE_URL": f"sqlite:///{folder}/unused.sqlite3",
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("state", "command", "sentence", "next_step"),
    [
        ("empty", "doctor", EMPTY, "set_up"),
        ("empty", "transfer", EMPTY, "set_up"),
        ("empty", "import_files", EMPTY, "set_up"),
        ("older", "doctor", OLDER, "migrate"),
        *(
            ("older", command, OLDER, "set_up --migrate")
            for command in ("set_up", "restore", "transfer", "import_files")
        ),
        *(
            ("foreign", command, FOREIGN, "Start the version of the program that created it")
            for command in ("doctor", "set_up", "restore", "transfer", "import_files")
        ),
        ("read-only", "doctor", "it can be read but not written to", "the right to write"),
        *(("read-only", command, READ, "doctor") for command in ("import_files", "restore")),
        *(("full", command, FULL, "doctor") for command in ("import_files", "restore")),
        *(
            ("broken", command, BROKEN, "DATABASE_URL")
            for command in ("doctor", "set_up", "restore", "transfer", "import_files")
        ),
        *(
            ("broken", command, BROKEN, "DATABASE_URL")
            for command in ("migrate", "createcachetable")
        ),
        *(("full at first", command, FULL, "doctor") for command in ("set_up", "migrate")),
    ],
)
def test_it_ends_in_a_sentence_that_names_the_next_step(said, state, command, sentence, next_step):
    code, words = said[f"{state} {command}"]
    assert code in (1, 2), words
    assert sentence in words
    assert next_step in words
    assert "no such table" not in words


@pytest.mark.parametrize("state", ["empty", "older", "foreign", "broken"])
def test_a_deep_look_ends_with_the_first_fault(said, state):
    code, words = said[f"{state} doctor --deep"]
    assert (code, words.splitlines()[-1]) == (2, said[f"{state} doctor"][1].splitlines()[-1])


@pytest.mark.parametrize(
    ("fault", "can_write", "has_no_room", "sentence"),
    [
        ("unable to open database file", False, False, READ),
        ("unable to open database file", True, False, "unable to open database file. Check that"),
        ("attempt to write a readonly database", True, False, READ),
        ("disk I/O error", True, True, FULL),
        ("disk I/O error", True, False, "disk I/O error. Check that it runs"),
    ],
)
def test_what_sqlite_says_on_a_read_only_or_full_disk(
    monkeypatch, fault, can_write, has_no_room, sentence
):
    monkeypatch.setitem(connection.settings_dict, "NAME", str(ROOT / "db.sqlite3"))
    monkeypatch.setattr(errors, "has_no_room", lambda: has_no_room)
    monkeypatch.setattr(errors.os, "access", lambda folder, mode: can_write)

    class Command(SiteCommand):
        needs_this_version = False

        def handle(self, **options):
            raise OperationalError(fault)

    with pytest.raises(CommandError, match=sentence):
        call_command(Command())


def test_a_faulty_setting_is_a_sentence(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", "doctor"],
        env=os.environ | {"DATABASE_URL": f"sqlite:///{tmp_path}/none/db.sqlite3"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip() == (
        f"{tmp_path}/none/db.sqlite3: No such file or directory. Check DATA_DIR and DATABASE_URL."
    )


def test_no_command_ends_in_a_traceback(said):
    assert [name for name, (code, words) in said.items() if "Traceback" in words] == []


# These make an empty database ready, or look at any.
ANY_DATABASE = {"doctor", "restore", "set_up"}


def commands():
    names = [name for name, app in get_commands().items() if app == "annotate"]
    return {name: load_command_class("annotate", name) for name in names}


def test_every_other_command_asks_for_a_database_of_this_version(said):
    found = commands()
    assert all(isinstance(command, SiteCommand) for command in found.values())
    assert {
        name for name, command in found.items() if not command.needs_this_version
    } == ANY_DATABASE
    for name in found.keys() - ANY_DATABASE:
        for state, sentence, next_step in (
            ("empty", EMPTY, "set_up"),
            ("broken", BROKEN, "DATABASE_URL"),
            ("older", OLDER, "set_up --migrate"),
            ("foreign", FOREIGN, "Start the version of the program that created it"),
        ):
            code, words = said[f"{state} {name}"]
            assert code in (1, 2), (name, words)
            assert sentence in words, (name, words)
            assert next_step in words, (name, words)


def test_on_a_database_that_cannot_be_written_every_command_ends_in_a_sentence(said):
    """Those that write say what to do; those that only read do their work, or miss what they ask for."""
    for name in commands().keys() - ANY_DATABASE - {"run_site", "transfer"}:
        for state in ("read-only", "full"):
            code, words = said[f"{state} {name}"]
            assert code in (0, 1, 2), (state, name, words)
            assert "no such table" not in words, (state, name, words)
    assert READ in said["read-only load_demo"][1]
    assert "disk is full" in said["full load_demo"][1]


@pytest.mark.parametrize("name", ["empty set_up", "empty restore", "well import_files"])
def test_an_empty_database_is_made_ready(said, name):
    assert said[name][0] == 0, said[name]
