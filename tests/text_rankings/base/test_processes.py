"""Chunks in processes: answers in order, a dead process costs nothing but time, and none stays behind."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.support.chunks import (
    Dies,
    Raises,
    RaisesWhatCannotTravel,
    Square,
    Waits,
    WhoComputes,
    is_alive,
    parent_of,
    pid_of_waiting,
    until,
)
from tests.support.executors import Shuffled
from text_rankings.base.chunks import answers
from text_rankings.base.errors import ChunkFailed, EngineError, EngineUnavailable
from text_rankings.base.processes import Processes

ROOT = Path(__file__).resolve().parents[3]
SQUARES = [Square(number) for number in range(12)]
EXPECTED = [(chunk, chunk.number**2) for chunk in SQUARES]


@pytest.fixture(scope="module")
def processes():
    with closing(Processes(2)) as engine:
        yield engine


def test_without_an_executor_chunks_are_computed_here():
    assert list(answers(None, SQUARES)) == EXPECTED


def test_answers_come_in_the_order_of_the_chunks(processes):
    assert list(answers(processes, SQUARES)) == EXPECTED
    with Shuffled() as shuffled:
        assert list(answers(shuffled, SQUARES)) == EXPECTED
    assert shuffled.order != sorted(shuffled.order), "or this shows nothing"


def test_chunks_are_made_when_there_is_room_for_them(processes):
    made = []

    def chunks():
        for chunk in (Square(number) for number in range(100)):
            made.append(chunk)
            yield chunk

    next(taken := answers(processes, chunks()))
    assert len(made) <= 4 * processes.n_workers + 1
    taken.close()


def test_processes_start_once_and_are_used_again(processes):
    pids = {pid for _, pid in answers(processes, [WhoComputes(n) for n in range(40)])}
    assert len(pids) <= 2
    assert os.getpid() not in pids
    assert pids <= set(processes.pids)


def test_a_chunk_whose_process_is_killed_is_computed_again(processes, tmp_path):
    chunks = [*SQUARES, Dies(tmp_path, times=2), *SQUARES]
    assert list(answers(processes, chunks)) == [*EXPECTED, (chunks[12], 2), *EXPECTED]


def test_a_process_killed_in_mid_chunk_from_outside_changes_nothing(processes, tmp_path):
    waiting = processes.submit(Waits(tmp_path))
    pid = pid_of_waiting(tmp_path)
    (tmp_path / f"pid-{pid}").unlink()
    os.kill(pid, signal.SIGKILL)
    assert pid_of_waiting(tmp_path) != pid
    (tmp_path / "go").touch()
    assert waiting.result() == "done"


def test_a_chunk_that_kills_each_process_is_given_up_by_name_after_three(processes, tmp_path):
    with pytest.raises(ChunkFailed, match=r"^images 3 to 4 of a\.zip was given up: .* memory"):
        list(answers(processes, [*SQUARES, Dies(tmp_path)]))
    assert len(list(tmp_path.iterdir())) == 3
    assert list(answers(processes, SQUARES)) == EXPECTED


def is_starting_a_process():
    """Whether a thread waits for the fork server to say that a process runs."""

    def names(frame):
        while frame is not None:
            yield frame.f_code.co_name
            frame = frame.f_back

    return any("read_signed" in names(frame) for frame in sys._current_frames().values())


def test_a_fork_server_killed_while_it_starts_a_process_costs_another_try(processes):
    list(answers(processes, SQUARES))
    fork_server = parent_of(processes.pids[0])
    with closing(Processes(2)) as engine:
        # It accepts no request while it is stopped, so that the kill comes in the middle of a start.
        os.kill(fork_server, signal.SIGSTOP)
        try:
            asked = [engine.submit(chunk) for chunk in SQUARES]
            until(is_starting_a_process)
        finally:
            os.kill(fork_server, signal.SIGKILL)
        assert [future.result() for future in asked] == [answer for _, answer in EXPECTED]
        assert parent_of(engine.pids[0]) != fork_server


def test_a_fork_server_killed_with_its_processes_between_chunks_changes_nothing(processes):
    for _ in range(10):
        list(answers(processes, SQUARES))
        for pid in [parent_of(processes.pids[0]), *processes.pids]:
            os.kill(pid, signal.SIGKILL)
        assert list(answers(processes, SQUARES)) == EXPECTED


def test_a_fork_server_killed_in_mid_chunk_costs_its_chunks_another_try(processes, tmp_path):
    waiting = processes.submit(Waits(tmp_path))
    os.kill(parent_of(pid_of_waiting(tmp_path)), signal.SIGKILL)
    (tmp_path / "go").touch()
    assert waiting.result() == "done"
    assert list(answers(processes, SQUARES)) == EXPECTED


def test_what_a_chunk_raises_arrives_as_it_is(processes):
    with pytest.raises(LookupError, match="no such protocol"):
        list(answers(processes, [Raises(LookupError("no such protocol"))]))
    # As a chunk's own, and not as that of waiting for it.
    with pytest.raises(TimeoutError, match="too slow"):
        list(answers(processes, [Raises(TimeoutError("too slow"))]))


def test_an_error_that_cannot_travel_arrives_by_its_words(processes):
    with pytest.raises(EngineError, match=r"^CannotTravel: a fault in line 3$"):
        list(answers(processes, [RaisesWhatCannotTravel()]))


@pytest.mark.parametrize("where", ["here", "processes"])
def test_want_of_memory_is_said_in_a_sentence(processes, where):
    engine = processes if where == "processes" else None
    with pytest.raises(ChunkFailed, match="a chunk that raises needs more memory than there is"):
        list(answers(engine, [Raises(MemoryError())]))


def test_after_a_failure_what_waits_is_not_computed(processes, tmp_path):
    later = [Waits(tmp_path, name=str(n)) for n in range(4)]
    with pytest.raises(LookupError):
        list(answers(processes, [Raises(LookupError()), *later]))
    (tmp_path / "go").touch()
    list(answers(processes, SQUARES))
    assert len(list(tmp_path.glob("pid-*"))) <= processes.n_workers


@pytest.mark.parametrize("where", ["here", "processes"])
def test_after_a_failure_what_chunks_were_read_from_is_let_go(processes, where):
    """Even while a caller holds the failure, whose traceback holds all that was running."""
    let_go = []

    def chunks():
        try:
            yield from [Raises(LookupError("no such protocol")), *SQUARES * 20]
        finally:
            let_go.append(True)

    executor = processes if where == "processes" else None
    with pytest.raises(LookupError) as held:
        list(answers(executor, chunks()))
    assert held.value.__traceback__ is not None
    assert let_go


def test_any_executor_will_do(tmp_path):
    with ProcessPoolExecutor(1, get_context("forkserver")) as pool:
        assert list(answers(pool, SQUARES)) == EXPECTED
        with pytest.raises(ChunkFailed, match="images 3 to 4"):
            list(answers(pool, [Dies(tmp_path)]))


def test_closing_ends_what_is_running(tmp_path):
    engine = Processes(2)
    running = engine.submit(Waits(tmp_path))
    pid = pid_of_waiting(tmp_path)
    engine.close()
    assert not is_alive(pid)
    assert isinstance(running.exception(), EngineUnavailable)
    with pytest.raises(RuntimeError):
        engine.submit(Square(1))


def test_shutting_down_waits_for_what_was_submitted():
    engine = Processes(1)
    futures = [engine.submit(chunk) for chunk in SQUARES]
    engine.shutdown()
    assert [future.result() for future in futures] == [answer for _, answer in EXPECTED]
    assert engine.pids == []


_KILLED = """
import os, signal
from text_rankings.base.chunks import answers
from text_rankings.base.processes import Processes
from tests.support.chunks import WhoComputes

if __name__ == "__main__":
    engine = Processes(2)
    pids = {pid for _, pid in answers(engine, [WhoComputes(n) for n in range(20)])}
    print(*pids, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_no_process_outlives_one_that_is_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(_KILLED)
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids = [int(pid) for pid in done.stdout.split()]
    assert pids
    until(lambda: not any(map(is_alive, pids)))
