"""Limits of a run: requests, tokens and cost, with room for what is in flight."""

import math
from dataclasses import dataclass, field
from threading import Lock

from .errors import OutOfBudget


@dataclass
class Budget:
    """``begin`` before each request, ``end`` after it; used by several threads.

    Each request in flight has room for the largest so far, and for as many tokens as may come back.
    Prices are per million tokens.
    """

    max_requests: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0
    most_out: int = 0
    n_requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    _n_open: int = 0
    _largest: int = 0
    _dearest: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    @property
    def cost(self) -> float:
        return self._cost(self.tokens_in, self.tokens_out)

    def _cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6

    def begin(self) -> None:
        """Count a request; raise OutOfBudget if it could exceed a limit."""
        with self._lock:
            n_open = self._n_open + 1
            largest = max(self._largest, self.most_out)
            dearest = max(self._dearest, self._cost(0, self.most_out))
            if (
                self.n_requests + 1 > (self.max_requests or math.inf)
                or self.tokens_in + self.tokens_out + n_open * largest
                > (self.max_tokens or math.inf)
                or self.cost + n_open * dearest > (self.max_cost or math.inf)
            ):
                raise OutOfBudget
            self._n_open = n_open
            self.n_requests += 1

    def end(self, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count what a request used; None: the server did not say."""
        given = tokens_in or 0, tokens_out or 0
        with self._lock:
            self._n_open -= 1
            self.tokens_in += given[0]
            self.tokens_out += given[1]
            self._largest = max(self._largest, sum(given))
            self._dearest = max(self._dearest, self._cost(*given))
