"""Running jobs on the workers of a Dask cluster, whose scheduler DASK_SCHEDULER names.

Scheduler and workers need this program on their PYTHONPATH; the workers also the site's
DATABASE_URL and a DATA_DIR that they share with it. The cluster's memory counts for nothing: a job
is done when its row says so, and one that the cluster lost is taken up again like any other.
"""

import logging
from typing import Final
from uuid import uuid4

from django.conf import settings

_log = logging.getLogger(__name__)
_TIMEOUT_SECONDS: Final = 5


def submit(pk: int) -> None:
    """Hand the job to the cluster. If it does not answer, the job waits and is offered again."""
    from distributed import Client, fire_and_forget

    try:
        # The library has no types.
        with Client(settings.DASK_SCHEDULER, timeout=_TIMEOUT_SECONDS) as client:  # type: ignore[no-untyped-call]
            future = client.submit(run_there, pk, key=f"job-{pk}-{uuid4().hex}")
            fire_and_forget(future)  # type: ignore[no-untyped-call]
    except OSError as fault:
        _log.warning("The Dask scheduler did not take job %s: %s", pk, fault)


def run_there(pk: int) -> bool:
    """Run a job inside a Dask worker."""
    import django
    from django.apps import apps

    if not apps.ready:
        django.setup()
    from .running import run_one

    return run_one(pk)
