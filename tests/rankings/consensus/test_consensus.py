"""The three ways to a consensus, and the command that gives them."""

import json

import pytest

from rankings import __main__ as command_line
from rankings.consensus import rules
from rankings.consensus.kemeny import KemenyConsensus
from rankings.consensus.rules import CONSENSUS_METHODS, consensus_of
from rankings.errors import RankingError
from tests.support import commands
from tests.support.cases import cases

SPLIT = [
    (("a",), ("b",), ("c",)),
    (("a",), ("b",), ("c",)),
    (("a",), ("b",), ("c",)),
    (("b",), ("c",), ("a",)),
    (("b",), ("c",), ("a",)),
]


def consensus_command(data, *arguments):
    return commands.run_here(
        command_line.main, "consensus", "-", *arguments, stdin=json.dumps(data)
    )


def test_the_methods_can_differ():
    # Ranks of a: 1 1 1 3 3 = 9; of b: 2 2 2 1 1 = 8. Kemeny: a before b costs 2, after 3.
    assert consensus_of(SPLIT, "mean-rank") == (("b",), ("a",), ("c",))
    assert consensus_of(SPLIT, "kemeny") == (("a",), ("b",), ("c",))


@cases("method", CONSENSUS_METHODS)
def test_one_ranking_is_its_own_consensus_with_buckets_sorted(method):
    assert consensus_of([[["c", "b"], ["a"]]], method) == (("b", "c"), ("a",))


@cases("method", CONSENSUS_METHODS)
def test_no_ranking_has_no_consensus(method):
    with pytest.raises(RankingError, match="at least one ranking"):
        consensus_of([], method)


def test_an_unknown_method_is_refused():
    with pytest.raises(RankingError, match="mean-rank, kemeny, got 'borda'"):
        consensus_of(SPLIT, "borda")


@cases("method", ["mean-rank", "kemeny"])
def test_the_command_answers_with_rankings(method):
    done = consensus_command([SPLIT, [[["a", "b"]]]], "--method", method)
    assert done.returncode == 0, done.stderr
    expected = [consensus_of(SPLIT, method), (("a", "b"),)]
    assert json.loads(done.stdout) == [[list(b) for b in ranking] for ranking in expected]
    assert not done.stderr


def test_the_command_shows_the_bound_when_the_search_is_cut_short(tmp_path, monkeypatch, capsys):
    cut = KemenyConsensus((("a",), ("b",)), 3.5, 2.0, is_proven=False)
    monkeypatch.setattr(rules, "kemeny", lambda rankings: cut)
    file = tmp_path / "rankings.json"
    file.write_text(json.dumps([[[["a"], ["b"]]]]))
    assert command_line.main(["consensus", str(file), "--method", "kemeny"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == [[["a"], ["b"]]]
    assert (
        shown.err
        == "item 0: the search was cut short; the distance is 3.5, and none is below 2.0\n"
    )
