"""A permanent worker: Huey's consumer, which also sends heartbeats and requeues lost jobs."""

import logging
import os
import signal
import socket
import sys
import threading
from time import monotonic, sleep
from typing import Any, Final

from django.conf import settings
from django.db import close_old_connections
from huey.consumer import Consumer, Scheduler

from . import queue, running, workers
from .registry import WATCHES

_log = logging.getLogger(__name__)
# A worker without a round for this long is stuck, and ends; systemd or Docker starts another one.
_STUCK_SECONDS: Final = 180
_WATCH_SECONDS: Final = 60
# Time that a job may take to stop when the worker ends.
_PATIENCE_SECONDS: Final = 5
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
# Windows has none.
_HANG_UP: Final = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []


class _Rounds(Scheduler):  # type: ignore[misc]  # the library has no types
    """Huey's scheduler, which also sends a heartbeat and requeues lost jobs every few seconds."""

    # Shared with the thread that watches.
    last_round = monotonic()

    def loop(self, now: Any = None) -> None:
        if monotonic() - _Rounds.last_round >= settings.WORKER_BEAT_SECONDS:
            _Rounds.last_round = monotonic()
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
    opened = queue.opened_by_worker(n_threads)
    consumer = _Consumer(
        opened, workers=n_threads, worker_type="thread", max_delay=0.5, backoff=1.1
    )
    workers.arrive(name)
    if ends_with_input:
        threading.Thread(target=_end_with_input, args=[consumer], daemon=True).start()
    _Rounds.last_round = monotonic()
    threading.Thread(target=_watch, args=[consumer.stop_flag], daemon=True).start()
    try:
        consumer.run()
        _wait_for_jobs()
    finally:
        running.put_all_back()
        workers.leave(name)


def _end_with_input(consumer: _Consumer) -> None:
    sys.stdin.buffer.read()
    consumer.end()


def _watch(stopped: threading.Event) -> None:
    """Until the worker stops, tell systemd that it lives and look at the site; end a stuck worker."""
    last_watch = float("-inf")
    while not stopped.wait(settings.WORKER_BEAT_SECONDS):
        silent = monotonic() - _Rounds.last_round
        if silent > _STUCK_SECONDS:
            _log.critical("This worker is stuck: no round for %.0f s. It ends.", silent)
            os._exit(1)
        _notify_systemd("WATCHDOG=1")
        if monotonic() - last_watch < _WATCH_SECONDS:
            continue
        last_watch = monotonic()
        queue.do_all(WATCHES)
        close_old_connections()


def _notify_systemd(state: str) -> None:
    """Send a state to systemd, if it started this process (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sent:
        try:
            sent.sendto(state.encode(), address.replace("@", "\0", 1))
        except OSError as fault:
            _log.warning("systemd does not hear this worker: %s", fault)


def _wait_for_jobs() -> None:
    until = monotonic() + _PATIENCE_SECONDS
    while running.is_at_work() and monotonic() < until:
        sleep(0.05)
