"""A run: tasks are asked in parallel, answers are stored as they come, and a run goes on where one ended."""

import sys
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, TextIO

from .answers import Answer
from .budget import Budget
from .errors import OutOfBudget, Stopped
from .judges import Command, Model, Question
from .site import Site

_BATCH: Final = 20
_EVERY_SECONDS: Final = 5.0
_FETCHED: Final = 500
_MOST_FAILED: Final = 10
_ATTEMPTS: Final = 2


@dataclass
class Run:
    """``judge`` is the site's description of it."""

    site: Site
    judge: Mapping[str, Any]
    asked: Model | Command
    budget: Budget
    parallel: int = 4
    allow_change: bool = False
    errors: TextIO = field(default_factory=lambda: sys.stderr)
    counts: Counter[str] = field(default_factory=Counter)
    n_left: int = 0
    # Why it ended before its tasks did.
    reason: str = ""
    _to_ask: deque[dict[str, Any]] = field(default_factory=deque)
    _running: dict[Future[Answer], dict[str, Any]] = field(default_factory=dict)
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    # How the tasks of this run ended, by name.
    _ended: dict[str, str] = field(default_factory=dict)
    _named: tuple[str, str] | None = None
    _n_failed: int = 0
    _n_at_start: int | None = None
    _began: float = field(default_factory=time.monotonic)
    _flushed: float = field(default_factory=time.monotonic)

    def go(self) -> None:
        """Ask until nothing is left or the budget is used up; raise Stopped if it cannot go on.

        Requests in flight are always finished and their answers stored.
        """
        named = self.judge["counts"]["answered_as"]
        self._named = (named[-1][0], named[-1][1]) if named else None
        fault: BaseException | None = None
        with ThreadPoolExecutor(self.parallel) as pool:
            is_over = False
            while True:
                try:
                    while not is_over and self._to_ask and len(self._running) < self.parallel:
                        task = self._to_ask.popleft()
                        self._running[pool.submit(self._ask, task)] = task
                    if self._running:
                        self._take()
                    elif is_over or not self._refill():
                        break
                except OutOfBudget:
                    is_over, self.reason = True, "budget"
                except (KeyboardInterrupt, Stopped) as ended:
                    is_over, fault = True, fault or ended
        if isinstance(self.asked, Command):
            self.asked.close()
        self._flush()
        self.n_left = self.site.tasks(self.judge["id"], 1)["n_left"]
        if fault is not None:
            raise fault

    def _refill(self) -> bool:
        """Fetch tasks that this run has not asked; return whether there are any.

        One whose answer could not be read comes a second time, one that failed only in another run.
        """
        self._flush()
        found = self.site.tasks(self.judge["id"], _FETCHED)
        if self._n_at_start is None:
            self._n_at_start = found["n_left"]
        for task in found["tasks"]:
            before = self._ended.get(task["task"])
            if before is None or (before == "unreadable" and task["attempt"] <= _ATTEMPTS):
                self._to_ask.append({**task, "questions": found["questions"]})
        return bool(self._to_ask)

    def _ask(self, task: Mapping[str, Any]) -> Answer:
        pictures = {
            name: self.site.picture(self.judge["id"], task["task"], name)
            for name in parts_sent(self.judge["parts"], task["parts"])
        }
        answer = self.asked.ask(Question(task, task["questions"], pictures))
        sent = [sha256(content).hexdigest() for content in pictures.values()]
        return replace(answer, pictures=sent)

    def _take(self) -> None:
        """Wait for answers, and store those that are due; raise what ended a request."""
        due = max(_EVERY_SECONDS - (time.monotonic() - self._flushed), 0.05)
        done, _ = wait(self._running, timeout=due, return_when=FIRST_COMPLETED)
        fault: Exception | None = None
        for future in done:
            task = self._running.pop(future)
            try:
                self._keep(task, future.result())
            except (OutOfBudget, Stopped) as ended:
                fault = fault or ended
        if len(self._waiting) >= _BATCH or time.monotonic() - self._flushed >= _EVERY_SECONDS:
            self._flush()
        if fault is not None:
            raise fault

    def _keep(self, task: Mapping[str, Any], answer: Answer) -> None:
        if answer.model or answer.fingerprint:
            named = (answer.model, answer.fingerprint)
            before, self._named = self._named, self._named or named
            if before not in (None, named) and not self.allow_change:
                raise Stopped(
                    f"The server now answers as {' '.join(named).strip()}, before as "
                    f"{' '.join(before or ()).strip()}; --allow-change goes on all the same."
                )
        self.counts[answer.outcome] += 1
        self._ended[task["task"]] = answer.outcome
        self._n_failed = self._n_failed + 1 if answer.outcome == "failed" else 0
        self._waiting.append({"task": task["task"], "attempt": task["attempt"], **asdict(answer)})
        if self._n_failed >= _MOST_FAILED:
            raise Stopped(f"{_MOST_FAILED} tasks in a row failed; the last one: {answer.raw}")

    def _flush(self) -> None:
        self._flushed = time.monotonic()
        while self._waiting:
            batch = self._waiting[:100]
            for row in self.site.store(self.judge["id"], batch):
                if row["status"] in (409, 422):
                    self.errors.write(f"{row['task']} was not stored: {row['detail']}\n")
            del self._waiting[: len(batch)]
        n = sum(self.counts.values())
        if n and self._n_at_start is not None:
            left = max(self._n_at_start - n, 0)
            seconds = (time.monotonic() - self._began) / n * left
            self.errors.write(f"{n} asked, {left} to go, about {seconds:.0f} s\n")
            self.errors.flush()


def parts_sent(asked: Sequence[str], there: Sequence[str]) -> list[str]:
    """Return the parts of a task that are sent, of those that are there; "crops" are all crops."""
    crops = [name for name in there if name.startswith("crop-")]
    return [
        name for part in asked for name in (crops if part == "crops" else [part]) if name in there
    ]
