"""Executors for tests of computations in chunks."""

import pickle
import random
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any
from unittest.mock import patch

from text_rankings.base import chunks


class Shuffled(chunks.Engine):
    """An engine that computes all waiting chunks in random order, in this process, when asked.

    Chunks and their answers are pickled.
    """

    n_workers = 4
    is_open = True

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._waiting: list[tuple[Future[Any], bytes]] = []
        # The numbers of the chunks in the order of computation.
        self.order: list[int] = []
        self._n_submitted = 0
        # A waiting caller checks after each beat.
        self._soon = patch.object(chunks, "BEAT_SECONDS", 0.001)
        self._soon.start()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self._waiting.append((future, pickle.dumps((self._n_submitted, work, args, kwargs))))
        self._n_submitted += 1
        return future

    def check(self) -> None:
        taken, self._waiting = self._waiting, []
        self._rng.shuffle(taken)
        for future, pickled in taken:
            number, work, args, kwargs = pickle.loads(pickled)
            self.order.append(number)
            try:
                future.set_result(pickle.loads(pickle.dumps(work(*args, **kwargs))))
            except Exception as fault:
                future.set_exception(fault)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._soon.stop()
