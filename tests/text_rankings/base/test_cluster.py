"""Chunks on a Dask cluster: a killed worker costs only time, a lost scheduler is reported."""

import asyncio
import os
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from protocols import registry, scoring
from protocols.core.base import Scene
from protocols.core.regions import Region
from rankings.analysis.analysis import analyse
from tests.support.analyses import random_study
from tests.support.cases import cases
from tests.support.chunks import (
    Dies,
    Meets,
    Raises,
    Square,
    Waits,
    is_alive,
    pid_of_waiting,
    until,
)
from tests.support.clusters import started_cluster
from text_rankings.base import cluster
from text_rankings.base.chunks import answers
from text_rankings.base.cluster import Cluster, VersionsDiffer
from text_rankings.base.errors import ChunkFailed, EngineUnavailable

pytest.importorskip("distributed", reason="Dask is not installed")
SQUARES = [Square(number) for number in range(12)]
EXPECTED = [(chunk, chunk.number**2) for chunk in SQUARES]


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with started_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture
def engine(two_workers):
    with closing(Cluster(two_workers.address)) as engine:
        yield engine


def test_both_workers_compute_and_answers_come_in_order(engine, tmp_path):
    assert list(answers(engine, SQUARES)) == EXPECTED
    pids = {pid for _, pid in answers(engine, [Meets(tmp_path, name) for name in "ab"])}
    assert len(pids) == 2


def test_it_can_be_asked_where_an_event_loop_runs(two_workers):
    """As in a notebook."""

    async def ask():
        with closing(Cluster(two_workers.address)) as engine:
            return list(answers(engine, SQUARES))

    # In a thread: other tests of this process may have left a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: asyncio.run(ask())).result() == EXPECTED


def test_scores_are_those_of_this_process_to_the_last_digit(engine, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK_WEIGHT", 5)
    scenes = [
        Scene(
            (Region.from_box(0, 0, 90 + at / 7, 40), Region.from_box(0, 60, 90, 100)),
            (Region.from_box(0, at / 3, 91, 39), Region.from_box(3, 61, 47, 99)),
        )
        for at in range(20)
    ]
    protocol = registry.get("evaltex")
    there = scoring.score_methods(protocol, {"a": scenes, "b": scenes[::-1]}, engine)
    assert repr(there) == repr(scoring.score_methods(protocol, {"a": scenes, "b": scenes[::-1]}))


def test_a_report_is_that_of_this_process_to_the_last_bit(engine):
    """repr() gives every bit of a float."""
    rankings, values = random_study(60)
    here, there = (
        analyse(rankings, values, n_resamples=200, executor=executor).to_json()
        for executor in (None, engine)
    )
    assert repr(there) == repr(here)


def test_a_worker_killed_in_mid_chunk_changes_nothing(engine, tmp_path):
    future = engine.submit(Waits(tmp_path))
    pid = pid_of_waiting(tmp_path)
    (tmp_path / f"pid-{pid}").unlink()
    os.kill(pid, signal.SIGKILL)
    assert pid_of_waiting(tmp_path) != pid
    (tmp_path / "go").touch()
    assert future.result() == "done"
    assert list(answers(engine, SQUARES)) == EXPECTED


def test_a_chunk_that_kills_its_workers_is_given_up_by_name(engine, tmp_path):
    with pytest.raises(ChunkFailed, match=r"^images 3 to 4 of a\.zip was given up"):
        list(answers(engine, [Dies(tmp_path)]))
    assert list(answers(engine, SQUARES)) == EXPECTED


def test_what_a_chunk_raises_arrives_as_it_is(engine):
    with pytest.raises(LookupError, match="no such protocol"):
        list(answers(engine, [*SQUARES, Raises(LookupError("no such protocol"))]))


def test_a_worker_of_other_versions_is_refused_with_both(engine, monkeypatch):
    own = cluster._versions_of(Square(1))
    monkeypatch.setattr(cluster, "_versions_of", lambda work: own | {"numpy": "1.0"})
    told = rf"has numpy {re.escape(own['numpy'])}; expected numpy 1\.0\. "
    with pytest.raises(VersionsDiffer, match=told):
        list(answers(engine, SQUARES))


def test_a_scheduler_without_the_program_is_refused_with_what_to_do(tmp_path):
    told = r"^The scheduler of the cluster does not find the module text_rankings\. Put this program on its"
    with (
        started_cluster(tmp_path, n_workers=1, scheduler_path="") as started,
        closing(Cluster(started.address)) as engine,
        pytest.raises(VersionsDiffer, match=told),
    ):
        list(answers(engine, SQUARES))


def test_a_cluster_without_workers_is_said_after_a_while(engine, monkeypatch):
    monkeypatch.setattr(engine, "_n_threads_now", lambda: 0)
    engine.check()
    monkeypatch.setattr(cluster, "NO_WORKER_SECONDS", -1.0)
    with pytest.raises(EngineUnavailable, match="no worker"):
        engine.check()


@cases("address", ["tcp://127.0.0.1:9", "nonsense", "", "127.0.0.1:x"])
def test_an_address_without_a_scheduler_is_said(address):
    with pytest.raises(EngineUnavailable, match=rf"No Dask scheduler answered at '{address}'"):
        Cluster(address, timeout=1.6)


def test_a_machine_without_dask_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineUnavailable, match=r"pip install .*\[cluster\]"):
        Cluster("tcp://127.0.0.1:9")


def test_a_scheduler_that_falls_silent_is_said(two_workers, engine, monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.5)
    os.kill(two_workers.scheduler.pid, signal.SIGSTOP)
    try:
        with pytest.raises(EngineUnavailable, match="was lost"):
            list(answers(engine, [Waits(tmp_path)]))
    finally:
        os.kill(two_workers.scheduler.pid, signal.SIGCONT)
        (tmp_path / "go").touch()


def test_a_killed_scheduler_is_said_and_another_can_be_asked(two_workers, tmp_path):
    """The last test of the module: there is no scheduler afterwards."""
    with closing(Cluster(two_workers.address)) as engine:
        computing = answers(engine, [Square(3), Waits(tmp_path)])
        next(computing)
        pid_of_waiting(tmp_path)
        two_workers.scheduler.kill()
        with pytest.raises(EngineUnavailable, match=r"was lost\. Nothing was kept"):
            next(computing)
        (tmp_path / "go").touch()
        with pytest.raises(EngineUnavailable):
            list(answers(engine, SQUARES))
        assert not engine.is_open
    until(lambda: not is_alive(two_workers.scheduler.pid))
    with started_cluster(tmp_path) as another, closing(Cluster(another.address)) as engine:
        assert list(answers(engine, SQUARES)) == EXPECTED
