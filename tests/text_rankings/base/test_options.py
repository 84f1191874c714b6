"""Behaviour that all three programs share in a shell: names, hints, examples, completions, width."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from protocols.command_line.main import main as protocols_main
from rankings.__main__ import main as rankings_main
from tests.support.archives import zip_file
from text_rankings.base.options import as_typed, prose
from text_rankings.site import program

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = {
    "text-protocols": protocols_main,
    "text-order": rankings_main,
    "text-rankings": program.main,
}


def ended(main, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments)])
    return stop.value.code


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_names_the_program_as_it_was_typed_and_shows_examples(name, capsys):
    assert ended(PROGRAMS[name], "--help") == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: {name} ")
    assert f"\nexamples:\n  {name} " in said
    assert "python -m" not in said


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("/home/x/protocols/__main__.py", "python -m protocols"),
        ("text-protocols", "text-protocols"),
    ],
)
def test_a_module_and_a_script_each_have_their_name(typed, name, monkeypatch):
    monkeypatch.setattr(sys, "argv", [typed])
    assert as_typed("protocols", "text-protocols") == name


@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("text-protocols", ["scor"], "did you mean 'score'?"),
        (
            "text-protocols",
            ["score", "--protocol", "iou", "--truth", "a", "--results", "b", "--otu", "c"],
            "did you mean '--out'?",
        ),
        ("text-order", ["analyze"], "did you mean 'analyse'?"),
        ("text-order", ["consensus", "a", "--method", "kemny"], "did you mean 'kemeny'?"),
        ("text-order", ["analyse", "a", "b", "--resampls", "9"], "did you mean '--resamples'?"),
        ("text-rankings", ["dmo"], "did you mean 'demo'?"),
        ("text-rankings", ["run", "--dat", "x", "8080", "--migrates"], "did you mean '--migrate'?"),
    ],
)
def test_a_misspelt_name_gets_the_nearest_and_status_2(name, arguments, hint, capsys):
    assert ended(PROGRAMS[name], *arguments) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize("address", ["0", "65536", "here", "127.0.0.1:", "127.0.0.1:http"])
def test_an_address_without_a_port_is_refused_before_data_are_set_up(address, tmp_path, capsys):
    data = tmp_path / "data"
    assert ended(program.main, "demo", "--data", data, address) == 2
    assert "expected a port from 1 to 65535" in capsys.readouterr().err
    assert not data.exists()


def test_prose_fits_a_terminal_and_stays_as_it_is_in_files(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    text = "EvaLTex is nearer to people than IOU, by 0.25 edits."
    lines = prose(text, Terminal(), "  ").splitlines()
    assert max(map(len, lines)) <= 30
    assert len(lines) == 2
    assert all(line.startswith("  ") for line in lines)
    assert " ".join(line.strip() for line in lines) == text
    assert prose(text, io.StringIO(), "  ") == f"  {text}"


class TestCompletions:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    @pytest.mark.parametrize("name", PROGRAMS)
    def test_each_shell_gets_a_script_that_it_can_read(self, name, shell, capsys, monkeypatch):
        assert ended(PROGRAMS[name], "--print-completion", shell) == 0
        script = capsys.readouterr().out
        assert name in script
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed")
        subprocess.run([shell, "-n"], input=script, text=True, check=True)

    @pytest.mark.parametrize(
        ("words", "wanted"),
        [
            (["text-protocols", "sc"], {"score", "scenes"}),
            (
                ["text-protocols", "score", "--tru"],
                {"--truth", "--truth-format", "--truth-reading"},
            ),
            (["text-protocols", "tables", "--track", ""], {"A", "B"}),
            (["text-protocols", "score", "--truth", "gt."], {"gt.zip"}),
        ],
    )
    def test_bash_completes_commands_options_choices_and_files(
        self, words, wanted, capsys, tmp_path
    ):
        tmp_path.joinpath("gt.zip").touch()
        ended(protocols_main, "--print-completion", "bash")
        asked = " ".join(f"'{word}'" for word in words)
        line = (
            f"COMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; COMP_TYPE=9\n"
            'compopt() { :; }\n_shtab_text_protocols text-protocols "${COMP_WORDS[COMP_CWORD]}" x\n'
            "printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        done = subprocess.run(
            ["bash", "-c", f"{capsys.readouterr().out}\n{line}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert {word.strip() for word in done.stdout.split()} == wanted

    def test_without_their_package_a_sentence_says_how_to_get_it(self, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, "shtab", None)
        assert ended(protocols_main, "--print-completion", "bash") == 2
        assert "pip install shtab" in capsys.readouterr().err


class TestStandardInput:
    """``-`` in place of a file."""

    @staticmethod
    def run(*arguments, given):
        return subprocess.run(
            [sys.executable, "-m", *map(str, arguments)],
            input=given,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=False,
        )

    @pytest.mark.parametrize("side", ["truth", "results"])
    def test_a_zip_is_scored_from_it(self, tmp_path, side):
        files = {
            "truth": zip_file(tmp_path / "gt.zip", {"gt_1.txt": "0,0,9,9,word"}),
            "results": zip_file(tmp_path / "east.zip", {"res_1.txt": "0,0,9,9"}),
        }
        given = files[side].read_bytes()
        files[side] = "-"
        done = self.run(
            *("protocols", "score", "--protocol", "iou"),
            *("--truth", files["truth"], "--results", files["results"]),
            given=given,
        )
        assert done.returncode == 0, done.stderr
        name = "stdin" if side == "results" else "east"
        assert f"iou,{name},*,1.0,1.0,1.0" in done.stdout.decode()

    def test_it_can_be_one_file_only(self):
        done = self.run(
            *("protocols", "score", "--protocol", "iou", "--truth", "-", "--results", "-"),
            given=b"",
        )
        assert (done.returncode, done.stderr) == (
            2,
            b"standard input can be only one of the files\n",
        )

    def test_rankings_are_read_from_it(self, tmp_path):
        scores = tmp_path / "scores.csv"
        scores.write_text(
            "protocol,method,image,recall,precision\niou,east,1,1,1\niou,craft,1,0,0\n"
        )
        rankings = 'image,annotator,criterion,buckets\n1,ann,recall,"[[""east""], [""craft""]]"\n'
        done = self.run(
            *("rankings", "analyse", "-", scores, "--min-annotators", "1", "--resamples", "9"),
            given=rankings.encode("utf-8-sig"),
        )
        assert done.returncode == 0, done.stderr
        assert "iou" in done.stdout.decode()


def test_a_missing_file_is_found_before_anything_is_scored(tmp_path, capsys):
    truth = zip_file(tmp_path / "gt.zip", {"gt_1.txt": "0,0,9,9,word"})
    east = zip_file(tmp_path / "east.zip", {"res_1.txt": "0,0,9,9"})
    nowhere = tmp_path / "craft.zip"
    code = protocols_main(
        ["score", "--protocol", "iou", "--truth", str(truth), "--results", str(east), str(nowhere)]
    )
    # No line of progress precedes it.
    assert (code, capsys.readouterr().err) == (
        2,
        f"{nowhere} cannot be read: there is no such file\n",
    )
