"""Chunks are handed out as workers become free."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from text_rankings.base.chunks import answers


@dataclass(frozen=True)
class Twice:
    number: int

    @property
    def name(self):
        return f"number {self.number}"

    def __call__(self):
        return 2 * self.number


def test_few_chunks_are_in_memory_at_a_time():
    n_read = 0

    def chunks():
        nonlocal n_read
        for number in range(200):
            n_read += 1
            yield Twice(number)

    with ThreadPoolExecutor(2) as executor:
        for n_answered, (chunk, answer) in enumerate(answers(executor, chunks()), 1):
            assert answer == 2 * chunk.number
            assert n_read - n_answered < 16
    assert (n_answered, n_read) == (200, 200)
