"""Calls that happen at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connections

from annotate.judging.errors import AlreadyAnswered


def at_once(*calls):
    """Run the calls in threads that start together; return what each returned or raised."""
    barrier = Barrier(len(calls))

    def run(call):
        try:
            barrier.wait(timeout=120)
            return call()
        except AlreadyAnswered as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
