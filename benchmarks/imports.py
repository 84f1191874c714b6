"""Measure the time and memory of loading.

    python -m benchmarks.imports [--postgres URL] [--images 10000] [--methods 10] [--boxes 8]

On a database of its own, PostgreSQL where it can be had, else SQLite. First ten zips of 233 files,
at once and step by step (check, then load); then the large dataset, a method at a time, with the
most memory the process had held by then: it must not grow with the number of methods. Nothing here
passes or fails.
"""

import argparse
import gc
import io
import os
import random
import resource
import tempfile
import zipfile
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter, process_time

from .own_site import own_postgres, own_site

_SMALL_IMAGES = 233
_SMALL_METHODS = 10
TARGET_SECONDS = 5.0
TARGET_RESULTS_PER_SECOND = 2000.0


def zip_of(kind: str, n_images: int, n_boxes: int, seed: int) -> bytes:
    """Return a zip of quadrilaterals, ``n_boxes`` an image."""
    rng = random.Random(seed)
    prefix, text = ("gt_", ",word") if kind == "truth" else ("res_", "")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(1, n_images + 1):
            lines = []
            for _ in range(n_boxes):
                left, top = rng.randrange(1200), rng.randrange(700)
                right, bottom = left + rng.randrange(20, 90), top + rng.randrange(10, 30)
                corners = (left, top, right, top, right, bottom, left, bottom)
                lines.append(",".join(map(str, corners)) + text)
            archive.writestr(f"{prefix}img_{number}.txt", "\n".join(lines))
    return stream.getvalue()


def held_mib() -> float:
    """Return the most memory this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_small(n_boxes: int) -> None:
    from annotate.imports import drafts
    from annotate.imports.immediate import FileToLoad, load_files

    zips = [zip_of("results", _SMALL_IMAGES, n_boxes, seed) for seed in range(1, 11)]
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        truth = FileToLoad(Path(folder, "gt.zip"), "truth")
        truth.path.write_bytes(zip_of("truth", _SMALL_IMAGES, n_boxes, 0))
        [at_once] = load_files([truth], name="At once")
        [by_steps] = load_files([truth], name="By steps")
        archives = []
        for at, content in enumerate(zips):
            archives.append(FileToLoad(Path(folder, f"m{at}.zip"), "results", title=f"m{at}"))
            archives[-1].path.write_bytes(content)
        started = perf_counter()
        load_files(archives, dataset=at_once.dataset)
    _tell_seconds("10 zips of 233 files at once", perf_counter() - started)

    draft = drafts.open_draft(person=None, dataset=by_steps.dataset)
    started = perf_counter()
    for at, content in enumerate(zips):
        drafts.add_file(draft=draft, stream=io.BytesIO(content), name=f"m{at}.zip")
    uploaded = perf_counter()
    drafts.start_check(draft=draft)
    checked = perf_counter()
    drafts.confirm(draft=draft)
    loaded = perf_counter()
    draft.refresh_from_db()
    if draft.state != "loaded":
        raise RuntimeError(f"the load ended as {draft.state}: {draft.job and draft.job.failure}")
    print(f"  kept and guessed {uploaded - started:.2f} s, checked {checked - uploaded:.2f} s")
    _tell_seconds("10 zips of 233 files by steps, loaded", loaded - checked)
    _tell_seconds("10 zips of 233 files by steps, in all", loaded - started)


def _tell_seconds(what: str, seconds: float) -> None:
    print(f"{what}: {seconds:.2f} s (target: under {TARGET_SECONDS:g} s)", flush=True)


def measure_large(n_images: int, n_methods: int, n_boxes: int) -> None:
    from annotate.imports.immediate import FileToLoad, load_files

    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        path = Path(folder, "large.zip")
        path.write_bytes(zip_of("truth", n_images, n_boxes, 0))
        [loaded] = load_files([FileToLoad(path, "truth")], name="Large")
        total = own = 0.0
        for number in range(1, n_methods + 1):
            path.write_bytes(zip_of("results", n_images, n_boxes, number))
            gc.collect()
            started, worked = perf_counter(), process_time()
            results = FileToLoad(path, "results", title=f"method {number}")
            load_files([results], dataset=loaded.dataset)
            seconds = perf_counter() - started
            total += seconds
            own += process_time() - worked
            print(
                f"  method {number:3}: {n_images / seconds:7.0f} results/s, "
                f"at most {held_mib():.0f} MiB held so far",
                flush=True,
            )
    rate = n_images * n_methods / total
    print(
        f"{n_images * n_methods} results of {n_boxes} boxes: {rate:.0f} results/s "
        f"(target: over {TARGET_RESULTS_PER_SECOND:g}), {total:.1f} s, of which this process was "
        f"at work {own:.1f} s ({n_images * n_methods / own:.0f} results a second of work)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--postgres", default=os.environ.get("POSTGRES_URL", ""))
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--methods", type=int, default=10)
    parser.add_argument("--boxes", type=int, default=8)
    options = parser.parse_args()
    database = own_postgres(options.postgres) if options.postgres else nullcontext("")
    with database as url, own_site(url, DEBUG="true"):
        from django.conf import settings
        from django.db import connection

        # Within this process, so that the measurement covers it.
        settings.JOBS = "here"
        # Static files without their manifest, but no list of all queries.
        settings.DEBUG = False
        print(f"On {connection.vendor}")
        measure_small(options.boxes)
        measure_large(options.images, options.methods, options.boxes)


if __name__ == "__main__":
    main()
