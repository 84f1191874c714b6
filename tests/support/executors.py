"""Executors for tests of what is computed in chunks."""

import pickle
import random
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class Shuffled(Executor):
    """Computes chunks in any order, one at a time; they and their answers travel as pickles."""

    def __init__(self, seed: int = 0, at_once: int = 8) -> None:
        self._rng = random.Random(seed)
        self._waiting: list[tuple[Future[Any], bytes]] = []
        self._at_once = at_once
        self._changed = threading.Condition()
        self._closed = False
        # The chunks in the order in which they were computed, by their numbers.
        self.order: list[int] = []
        self._n_submitted = 0
        self._thread = threading.Thread(target=self._compute)
        self._thread.start()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        with self._changed:
            self._waiting.append((future, pickle.dumps((self._n_submitted, work, args, kwargs))))
            self._n_submitted += 1
            self._changed.notify()
        return future

    def _compute(self) -> None:
        while True:
            with self._changed:
                # Some must have gathered for their order to be another.
                self._changed.wait_for(
                    lambda: self._closed or len(self._waiting) >= self._at_once, timeout=0.02
                )
                if self._closed:
                    return
                self._rng.shuffle(self._waiting)
                taken, self._waiting = self._waiting, []
            for future, pickled in taken:
                number, work, args, kwargs = pickle.loads(pickled)
                self.order.append(number)
                try:
                    future.set_result(pickle.loads(pickle.dumps(work(*args, **kwargs))))
                except Exception as fault:
                    future.set_exception(fault)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()
