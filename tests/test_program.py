"""``text-rankings`` where it cannot start: each refusal is a sentence that says what to do."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder

from annotate.accounts.models import Invitation
from annotate.management.alone import AnotherSite, alone
from annotate.management.commands import set_up
from protocols.command_line.main import main as protocols_main
from rankings import __version__
from rankings.__main__ import main as rankings_main
from text_rankings.site import places, program
from text_rankings.site.places import UnusableFolder, made

ROOT = Path(__file__).resolve().parents[1]


def said_by(*arguments: str, **variables: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "text_rankings.site", *arguments],
        cwd=ROOT,
        env=os.environ
        | {"DATABASE_URL": "", "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings"}
        | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stderr.strip()


@pytest.mark.parametrize("main", [program.main, protocols_main, rankings_main])
def test_every_program_says_its_version(main, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"{__version__}\n")


def test_the_help_of_a_study_names_its_file_and_options_and_makes_no_folder(
    capsys, monkeypatch, tmp_path
):
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    assert program.main(["study", "--help"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^ +FILE +a study file", said, re.MULTILINE)
    options = ["--truth", "--photographs", "--results", "--yes", "--json", "--schema", "--no-site"]
    assert all(re.search(rf"^  {option}\b", said, re.MULTILINE) for option in options)
    assert not (tmp_path / "data").exists()


def test_ctrl_c_is_one_line_of_text_order(monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("rankings.__main__._run", interrupt)
    assert rankings_main(["analyse"]) == 130
    assert capsys.readouterr().err == "\nInterrupted.\n"


class TestTheFolderOfData:
    def test_a_new_one_is_made_with_those_above_it(self, tmp_path):
        assert made(tmp_path / "a" / "b").is_dir()

    def test_one_below_a_file_is_refused(self, tmp_path):
        tmp_path.joinpath("file").touch()
        folder = tmp_path / "file" / "data"
        assert said_by("run", "--data", str(folder)) == (
            2,
            f"Data cannot be kept in {folder}: Not a directory. Name another folder with --data or DATA_DIR.",
        )

    def test_one_that_cannot_be_written_to_is_refused(self, tmp_path, monkeypatch):
        def refuse(**_: object) -> None:
            raise PermissionError(13, "Permission denied")

        # The tests may run as a user whom no permission stops.
        monkeypatch.setattr(places.tempfile, "TemporaryFile", refuse)
        with pytest.raises(UnusableFolder, match=r"Permission denied. Name another folder"):
            made(tmp_path)

    def test_it_has_one_site_at_a_time(self, tmp_path):
        with (
            alone(tmp_path, "127.0.0.1:8000"),
            pytest.raises(AnotherSite, match=r"at http://127.0.0.1:8000/\. Stop it, or name"),
            alone(tmp_path, "127.0.0.1:8001"),
        ):
            pass
        with alone(tmp_path, "127.0.0.1:8001"):
            pass

    def test_a_lock_that_cannot_be_had_is_a_fault_that_commands_put_into_words(self, tmp_path):
        tmp_path.joinpath("site.lock").write_text("no database, and long enough to tell " * 20)
        with pytest.raises(OperationalError, match="not a database"), alone(tmp_path, "here"):
            pass

    def test_its_name_is_taken_as_it_is(self, tmp_path):
        folder = tmp_path / "with space, a#b, 100%25, C:\\data\\é"
        code, said = said_by("manage", "check", "--data", str(folder))
        assert (code, said) == (0, "")
        assert folder.joinpath("db.sqlite3").is_file()


class TestTheDatabase:
    pytestmark = pytest.mark.django_db

    def test_one_of_this_version_is_left_as_it_is(self):
        call_command("set_up")

    def test_a_first_start_makes_static_files_and_a_link_for_the_first_admin(
        self, client, monkeypatch
    ):
        made = []
        monkeypatch.setattr(set_up, "call_command", lambda name, **options: made.append(name))
        out = io.StringIO()
        call_command("set_up", "--first", stdout=out)
        assert "collectstatic" in made
        [link] = re.findall(r"http://127\.0\.0\.1:8000(/\S+)", out.getvalue())
        response = client.get(link, follow=True)
        assert response.status_code == 200
        assert Invitation.objects.get().role == "admin"
        User.objects.create_superuser("ana")
        out = io.StringIO()
        call_command("set_up", "--first", stdout=out)
        assert out.getvalue() == ""

    def test_an_older_one_says_how_to_migrate(self):
        MigrationRecorder.Migration.objects.filter(app="annotate").order_by("-id").first().delete()
        with pytest.raises(
            CommandError, match=r"older than the program\. Copy it.*set_up --migrate"
        ):
            call_command("set_up")

    def test_one_of_other_migrations_is_refused_with_and_without_migrating(self):
        MigrationRecorder.Migration.objects.create(app="annotate", name="9999_later")
        for arguments in ([], ["--migrate"]):
            with pytest.raises(CommandError, match=r"program does not have\. Start the version"):
                call_command("set_up", *arguments)

    def test_an_empty_one_gets_its_tables(self, tmp_path):
        code, said = said_by("manage", "set_up", "--data", str(tmp_path))
        assert (code, said) == (0, "")
        code, said = said_by("manage", "set_up", "--data", str(tmp_path))
        assert (code, said) == (0, "")


def test_postgresql_without_its_driver_says_what_to_install(tmp_path):
    hide = "import sys; sys.modules['psycopg'] = None\nimport importlib.util as u\n"
    hide += "found = u.find_spec\nu.find_spec = lambda name: None if name == 'psycopg' else found(name)\n"
    hide += "from text_rankings.site.program import main\n"
    hide += f"sys.exit(main(['run', '--data', {str(tmp_path)!r}]))"
    done = subprocess.run(
        [sys.executable, "-c", hide],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": "postgres://a:b@127.0.0.1:1/c"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'text-detection-rankings[postgres]'" in done.stderr


def test_an_unknown_option_is_named(capsys):
    with pytest.raises(SystemExit):
        program.main(["run", "--speed", "9"])
    assert "unrecognized arguments: --speed" in capsys.readouterr().err


def test_without_the_repository_data_go_to_a_folder_of_the_person(monkeypatch):
    assert places.usual_data_folder() == ROOT / "var"
    monkeypatch.setattr(places, "REPOSITORY", None)
    assert places.usual_data_folder().name == "text-rankings"


class TestHowItIsCalled:
    """Prefixes of a command in hints."""

    def test_in_the_repository(self, tmp_path):
        assert places.manage(tmp_path) == "python manage.py"

    def test_installed_with_the_folder_of_the_data_where_it_is_not_the_usual_one(self, monkeypatch):
        monkeypatch.setattr(places, "REPOSITORY", None)
        assert places.manage(places.usual_data_folder()) == "text-rankings manage"
        told = places.manage(Path("/srv/my data"))
        assert told == "text-rankings manage --data '/srv/my data'"

    def test_no_hint_says_it_by_itself(self):
        paths = [
            *ROOT.glob("templates/**/*"),
            *ROOT.glob("annotate/**/*.py"),
            *ROOT.glob("annotate/**/*.md"),
        ]
        hints = [path for path in paths if path.is_file() and "manage.py" in path.read_text()]
        # The text about a bundle's format, which is read where the program may not be.
        assert hints == [ROOT / "annotate/exchange/bundles/explanation.md"]
