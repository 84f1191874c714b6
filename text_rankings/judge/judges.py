"""Programs that judge: a model behind an address, or a command that answers line by line."""

import json
import os
import signal
import subprocess  # nosec B404
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .answers import MAX_RAW, Answer, answer_in, together, verdicts_in
from .budget import Budget
from .errors import Stopped
from .prompt import filled, request_body
from .web import Lost, Reply, insist, send

# Statuses after which no other request will do better.
_FINAL = frozenset((400, 401, 403, 404, 422))


@dataclass(frozen=True, slots=True)
class Question:
    """A task with what is sent of it: pictures by name, in order."""

    task: Mapping[str, Any]
    questions: Mapping[str, str]
    pictures: Mapping[str, bytes]


@dataclass
class Model:
    """A server of chat completions. ``key`` is sent to it and appears nowhere else."""

    address: str
    model: str
    prompt: str
    sampling: Mapping[str, Any]
    answer_format: str
    timeout: float
    budget: Budget
    key: str = ""

    def ask(self, question: Question) -> Answer:
        """Ask all criteria, in one request or one by one; raise Stopped if the server refuses."""
        if not self.sampling["one_by_one"]:
            return self._ask(question, question.questions)
        answers = {}
        for name, text in question.questions.items():
            answers[name] = self._ask(question, {name: text})
            if answers[name].outcome == "failed":
                break
        return together(answers)

    def _ask(self, question: Question, questions: Mapping[str, str]) -> Answer:
        body = request_body(
            model=self.model,
            text=filled(self.prompt, questions),
            pictures=[*question.pictures.values()],
            sampling=self.sampling,
            answer_format=self.answer_format,
            criteria=[*questions],
        )
        content, began = json.dumps(body).encode(), time.monotonic()
        found = insist(lambda: self._send(content))
        seconds = time.monotonic() - began
        if isinstance(found, Lost) or (found.status not in _FINAL and found.status != 200):
            said = f"{found}" if isinstance(found, Lost) else f"status {found.status}"
            return Answer("failed", raw=self._without_key(said), seconds=seconds)
        if found.status != 200:
            raise Stopped(
                f"The model's server answered {found.status}: "
                f"{self._without_key(_message(found))[:500]}"
            )
        data = found.data()
        answer = answer_in(data, [*questions], seconds)
        if data is None:
            answer = replace(answer, raw=(found.body or b"").decode(errors="replace"))
        return replace(answer, raw=self._without_key(answer.raw)[:MAX_RAW])

    def _send(self, content: bytes) -> Reply:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        self.budget.begin()
        tokens: tuple[int | None, int | None] = (None, None)
        try:
            address = f"{self.address.rstrip('/')}/chat/completions"
            reply = send("POST", address, headers=headers, body=content, timeout=self.timeout)
            if 300 <= reply.status < 400:
                raise Stopped(f"The model's server sends elsewhere ({reply.status}); not followed.")
            counted = answer_in(reply.data(), [], 0)
            tokens = (counted.tokens_in, counted.tokens_out)
            return reply
        finally:
            self.budget.end(*tokens)

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, "…") if self.key else text


def _message(reply: Reply) -> str:
    data = reply.data()
    error = data.get("error", data) if isinstance(data, dict) else data
    said = error.get("message") if isinstance(error, dict) else error
    return str(said or (reply.body or b"").decode(errors="replace"))


class Command:
    """A program that reads one JSON line for each task and writes one: `{"recall": "left", ...}`.

    Each thread has a process of its own, which is started again after one that ended or took too long.
    """

    def __init__(self, words: Sequence[str], timeout: float, budget: Budget) -> None:
        self._words, self._timeout, self._budget = words, timeout, budget
        self._own = threading.local()
        self._running: list[subprocess.Popen[str]] = []

    def ask(self, question: Question) -> Answer:
        self._budget.begin()
        began = time.monotonic()
        try:
            with TemporaryDirectory() as folder:
                line = self._exchange(json.dumps(_told(question, Path(folder))))
        finally:
            self._budget.end(None, None)
        seconds = time.monotonic() - began
        if not line:
            return Answer("failed", raw="The command ended or took too long.", seconds=seconds)
        verdicts = verdicts_in(line, [*question.questions])
        outcome = "unreadable" if verdicts is None else "answered"
        return Answer(outcome, verdicts or {}, line.strip()[:MAX_RAW], seconds=seconds)

    def close(self) -> None:
        for process in self._running:
            _end(process)
            with suppress(OSError), process:
                pass

    def _exchange(self, asked: str) -> str:
        """Return the line that answers; empty if the process ended or was ended."""
        process: Any = getattr(self._own, "process", None)
        if process is None or process.poll() is not None:
            process = self._own.process = subprocess.Popen(  # nosec B603
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            self._running.append(process)
        too_long = threading.Timer(self._timeout, _end, [process])
        too_long.start()
        try:
            process.stdin.write(asked + "\n")
            process.stdin.flush()
            line = str(process.stdout.readline())
        except (OSError, ValueError):
            line = ""
        finally:
            too_long.cancel()
        if not line:
            _end(process)
            process.wait()
        return line


def _end(process: "subprocess.Popen[str]") -> None:
    """End a command with all that it started, which would hold its output open."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _told(question: Question, folder: Path) -> dict[str, Any]:
    paths = {}
    for part, content in question.pictures.items():
        path = folder / f"{part}.png"
        path.write_bytes(content)
        paths[part] = str(path)
    task = question.task
    shown = {name: task[name] for name in ("task", "width", "height", "polygons")}
    shown |= {"truth": task["truth"]} if "truth" in task else {}
    return {**shown, "questions": dict(question.questions), "pictures": paths}
