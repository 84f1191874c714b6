"""A permanent worker: Huey's consumer, which also sends heartbeats and requeues lost jobs."""

import logging
import signal
import sys
import threading
from time import monotonic, sleep
from typing import Any, Final

from django.db import close_old_connections
from huey.consumer import Consumer, Scheduler

from . import queue, running, workers

_log = logging.getLogger(__name__)
_ROUND_SECONDS: Final = 3
# Time that a job may take to stop when the worker ends.
_PATIENCE_SECONDS: Final = 5
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
# Windows has none.
_HANG_UP: Final = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []


class _Rounds(Scheduler):  # type: ignore[misc]  # the library has no types
    """Huey's scheduler, which also sends a heartbeat and requeues lost jobs every few seconds."""

    _last = 0.0

    def loop(self, now: Any = None) -> None:
        if monotonic() - self._last >= _ROUND_SECONDS:
            self._last = monotonic()
            try:
                workers.beat(workers.name_of_this())
                n_put_back = queue.sweep()
                if n_put_back:
                    _log.info("%s jobs were put back into the queue.", n_put_back)
            except Exception as fault:  # database or queue is unreachable: the next round retries
                _log.warning("This round of the worker failed: %s", fault)
                close_old_connections()
        super().loop(now)


class _Consumer(Consumer):  # type: ignore[misc]  # the library has no types
    scheduler_class = _Rounds

    def start(self) -> None:
        """Start the threads; signals also stop the jobs, and SIGHUP does not restart the worker."""
        before = {number: signal.getsignal(number) for number in _HANG_UP}
        super().start()
        for number, action in (before | dict.fromkeys(_SIGNALS, self.end)).items():
            signal.signal(number, action)

    def end(self, *_: object) -> None:
        """End this process when its jobs have stopped."""
        running.stop_all()
        self.stop_flag.set()


def work(*, n_threads: int, ends_with_input: bool = False) -> None:
    """Run jobs until a signal ends this process; jobs that do not stop in time are requeued.

    With ``ends_with_input`` it also ends when its standard input closes, as its parent ends.
    Raises QueueAway if the queue cannot be opened.
    """
    name = workers.name_of_this()
    consumer = _Consumer(
        queue.opened(), workers=n_threads, worker_type="thread", max_delay=0.5, backoff=1.1
    )
    workers.arrive(name)
    if ends_with_input:
        threading.Thread(target=_end_with_input, args=[consumer], daemon=True).start()
    try:
        consumer.run()
        _wait_for_jobs()
    finally:
        running.put_all_back()
        workers.leave(name)


def _end_with_input(consumer: _Consumer) -> None:
    sys.stdin.buffer.read()
    consumer.end()


def _wait_for_jobs() -> None:
    until = monotonic() + _PATIENCE_SECONDS
    while running.is_at_work() and monotonic() < until:
        sleep(0.05)
