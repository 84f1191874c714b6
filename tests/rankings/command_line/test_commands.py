"""``python -m rankings`` as scripts use it."""

import json

from rankings.__main__ import main
from tests.support import commands
from tests.support.cases import cases, listed
from tests.support.shared import shared_path


def run(*arguments, stdin=""):
    return commands.run_here(main, *arguments, stdin=stdin)


def answer(*arguments, data):
    done = run(*arguments, "-", stdin=json.dumps(data))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_distance_gives_counts_and_script():
    [edit] = answer("distance", data=[{"a": [["a", "b"]], "b": [["b"], ["a"]]}])
    assert edit == {
        "distance": 0.5,
        "swaps": 0,
        "splits": 1,
        "merges": 0,
        "kemeny": 0.5,
        "tau_b": None,
        "script": [{"edit": "split", "cost": 0.5, "ranking": [["b"], ["a"]]}],
    }


def test_next_walks_to_the_rankings():
    data = {"items": ["a", "b"], "answers": []}
    first = answer("next", data=data)
    assert (first["left"], first["right"]) == ("a", "b")
    assert first["open"] == ["recall", "precision", "preference"]
    assert first["remaining"] == {"least": 1, "expected": 1.0, "most": 1}
    data["answers"].append({"skip": ["a", "b"]})
    assert answer("next", data=data)["left"] == "a"
    data["answers"].append(
        {"left": "b", "right": "a", "recall": "left", "precision": "equal", "preference": "right"}
    )
    assert answer("next", data=data) == {
        "rankings": {
            "recall": [["b"], ["a"]],
            "precision": [["a", "b"]],
            "preference": [["a"], ["b"]],
        }
    }


@cases("strategy", ["insertion", "balanced", "careful"])
def test_elicit_ends_with_the_truth(strategy):
    truth = {
        "recall": [["a"], ["b", "c"]],
        "precision": [["c"], ["b"], ["a"]],
        "preference": [["a", "b", "c"]],
    }
    case = {"items": ["a", "b", "c"], "truth": truth, "seed": 3}
    [elicited] = answer("elicit", "--strategy", strategy, data=[case])
    assert {c: [sorted(b) for b in ranking] for c, ranking in elicited["rankings"].items()} == truth
    assert elicited["screens"] == len(elicited["pairs"])


def test_the_reference_study_is_reported():
    done = run("report", str(shared_path("reference", "study_case.json")))
    table = json.loads(done.stdout)["criteria"]["all"]
    assert {row["protocol"]: row["score"] for row in table["rows"]} == {
        "p-fine": 1.75,
        "p-coarse": 1.75,
        "p-constant": 2.1666666666666665,
        "p-noisy": 3.5,
    }


def test_a_report_of_criteria_takes_recall_and_precision():
    data = {
        "annotator_rankings": {"recall": {"img": [[["a"], ["b"]]]}},
        "protocol_scores": {
            "img": {"x": {"a": {"recall": 0, "precision": 1}, "b": {"recall": 1, "precision": 0}}}
        },
    }
    report = answer("report", "--min-annotators", "1", data=data)
    assert report["criteria"]["recall"]["rows"][0]["score"] == 1.0


def test_a_report_has_intervals_unless_told_not_to():
    data = {
        "annotator_rankings": {
            f"img_{at}": [[["a"], ["b"]], [["a"], ["b"]], [["a", "b"]]] for at in range(6)
        },
        "protocol_scores": {
            f"img_{at}": {"x": {"a": at % 2, "b": 0.5}, "y": {"a": 1, "b": 0}} for at in range(6)
        },
    }
    report = answer("report", "--bootstrap", "100", "--seed", "7", data=data)
    around = report["analysis"]["all"]
    # Everybody but the third says a > b: y always does, x on every other image (one swap).
    scores = {interval["protocol"]: interval for interval in around["intervals"]["scores"]}
    assert (scores["y"]["score"], scores["y"]["low"], scores["y"]["high"]) == (0, 0, 0)
    assert scores["x"]["score"] == 0.5
    assert scores["x"]["low"] < 0.5 < scores["x"]["high"]
    assert (around["intervals"]["n_resamples"], around["intervals"]["seed"]) == (100, 7)
    alone = answer("report", "--bootstrap", "0", data=data)
    assert "analysis" not in alone
    assert alone["criteria"] == report["criteria"]


@cases("consensus", ["mean-rank", "kemeny"])
def test_a_report_takes_any_consensus(consensus):
    data = {
        "annotator_rankings": {"img": [[["a"], ["b"]]] * 3},
        "protocol_scores": {"img": {"x": {"a": 1, "b": 0}}},
    }
    report = answer("report", "--consensus", consensus, "--bootstrap", "0", data=data)
    assert report["criteria"]["all"]["rows"][0]["score"] == 0
    assert report["settings"]["consensus"] == consensus


@cases(
    ("arguments", "stdin", "named"), listed(__file__, "bad_input_is_one_sentence_and_exit_code_2")
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, stdin, named):
    done = run(*arguments, stdin=stdin)
    assert done.returncode == 2
    assert named in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_bad_usage_is_exit_code_2():
    assert run("rank").returncode == 2


def test_the_module_runs_from_the_shell_without_django():
    done = commands.run("rankings", "consensus", "-", stdin='[[[["a"], ["b"]]]]')
    assert (done.returncode, json.loads(done.stdout)) == (0, [[["a"], ["b"]]]), done.stderr


def test_a_refusal_reaches_the_shell_as_exit_code_and_one_line():
    done = commands.run("rankings", "consensus", "nowhere.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nowhere.json: cannot be read")
    assert done.stderr.count("\n") == 1


def test_a_report_may_be_computed_by_more_processes_and_is_the_same():
    data = {
        "annotator_rankings": {"1": [[["a"], ["b"]]] * 3, "2": [[["b"], ["a"]]] * 3},
        "protocol_scores": {image: {"iou": {"a": 0.5, "b": 0.25}} for image in "12"},
    }
    reports = [answer("report", "--bootstrap", "20", "--workers", n, data=data) for n in ("1", "2")]
    assert reports[0] == reports[1]
    assert reports[0]["analysis"]


@cases(
    ("arguments", "code", "named"),
    [
        (["--scheduler", "nonsense"], 1, "No Dask scheduler answered at 'nonsense'"),
        (["--workers", "0"], 2, "whole number from 1"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:9"], 2, "not allowed with"),
    ],
)
def test_an_engine_that_cannot_be_is_said(arguments, code, named):
    data = {
        "annotator_rankings": {"1": [[["a"], ["b"]]] * 3},
        "protocol_scores": {"1": {"iou": {"a": 0.5, "b": 0.25}}},
    }
    done = run("report", *arguments, "-", stdin=json.dumps(data))
    assert done.returncode == code
    assert named in done.stderr
    assert done.stdout == ""


def test_a_plan_counts_the_pairs_of_the_methods_that_are_named(capsys):
    def screens(*options):
        assert main(["plan", "--images", "5000", "--people", "30", "--json", *options]) == 0
        found = json.loads(capsys.readouterr().out)
        return found["question"]["screens"], any("ten methods" in one for one in found["remarks"])

    assert screens() == (25, True)
    assert screens("--methods", "10") == (25, False)
    # Bisection among 1, 2, 3 and 4 takes 1 + 2 + 2 + 3.
    assert screens("--methods", "5") == (8, False)
    assert screens("--screens", "7") == (7.0, False)
