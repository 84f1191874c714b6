"""Loads for tests, taken as far as a test needs them."""

import io
import tempfile
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from annotate.datasets import orphans
from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.imports import drafts
from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind, Import
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Membership
from tests.support.archives import picture_bytes, zip_bytes

TRUTH = {"gt_img_1.txt": "0,0,99,39,one\n", "gt_img_2.txt": "0,0,50,20,###\n"}
RESULTS = {"res_img_1.txt": "0,0,99,39\n", "res_img_2.txt": "0,0,9,9\n1,1,8,8\n"}
PICTURES = {"img_1.png": picture_bytes(), "img_2.jpg": picture_bytes(kind="JPEG")}
DATA = (Dataset, Image, Method, Result, ProtocolRun, Score, Import, Membership)


def stored():
    """Everything a load may change: rows of the data, and photographs as the next sweep leaves them."""
    orphans.sweep(grace=-60)
    files = sorted(path.name for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file())
    return [model.objects.count() for model in DATA], files


def _bytes(content):
    """Return a file's content from bytes, text, or the entries of a zip."""
    if isinstance(content, str):
        return content.encode()
    return content if isinstance(content, bytes) else zip_bytes(content)


def stream(content):
    return io.BytesIO(_bytes(content))


@contextmanager
def _on_disk(contents):
    """Yield paths of files by name; content other than a path is written to a temporary file."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, content in contents.items():
            paths[name] = content if isinstance(content, Path) else Path(folder, name)
            if not isinstance(content, Path):
                paths[name].write_bytes(_bytes(content))
        yield paths


def load_dataset(*, name, truth, images=None, line_format="", **fields):
    """Load ground truth and photographs (paths or contents) at once; return the receipt."""
    contents = {"gt.zip": truth} | ({} if images is None else {"photos.zip": images})
    with _on_disk(contents) as paths:
        files = [FileToLoad(paths["gt.zip"], FileKind.TRUTH, format=line_format)]
        if images is not None:
            files.append(FileToLoad(paths["photos.zip"], FileKind.PHOTOGRAPHS))
        [receipt] = load_files(files, name=name, **fields)
    return receipt


def load_photographs(dataset, images, **fields):
    """Load photographs (a path or the entries of a zip) of a dataset; return the receipt."""
    with _on_disk({"photos.zip": images}) as paths:
        file = FileToLoad(paths["photos.zip"], FileKind.PHOTOGRAPHS)
        [receipt] = load_files([file], dataset=dataset, **fields)
    return receipt


def load_results(dataset, by_method, *, missing="", **fields):
    """Load the results of methods (paths or contents, by name) at once; return the receipt."""
    names = {method: f"{method}.zip" for method in by_method}
    with _on_disk({names[method]: content for method, content in by_method.items()}) as paths:
        files = [
            FileToLoad(paths[names[method]], FileKind.RESULTS, title=method, missing=missing)
            for method in by_method
        ]
        [receipt] = load_files(files, dataset=dataset, **fields)
    return receipt


def load_scores(dataset, protocol, scores, *, per_cent=False, **fields):
    """Load a table of scores at once; return the receipt."""
    with _on_disk({"s.csv": scores}) as paths:
        file = FileToLoad(paths["s.csv"], FileKind.SCORES, title=protocol, per_cent=per_cent)
        [receipt] = load_files([file], dataset=dataset, **fields)
    return receipt


def add(draft, content, name, **fields):
    file = drafts.add_file(draft=draft, stream=stream(content), name=name)
    drafts.change_file(file=file, **fields)
    return file


def new_dataset(person=None, *, truth=TRUTH, name="Street"):
    draft = drafts.open_draft(person=person, name=name)
    add(draft, truth, "gt.zip", kind=FileKind.TRUTH, format="ltrb")
    return draft


def add_results(draft, content=RESULTS, title="net"):
    return add(draft, content, f"{title}.zip", kind=FileKind.RESULTS, format="ltrb", title=title)


def with_results(content=RESULTS, title="net", *, dataset=None):
    """Begin a load of results into a dataset, or with ground truth as a new one; return it."""
    draft = new_dataset() if dataset is None else drafts.open_draft(person=None, dataset=dataset)
    add_results(draft, content, title)
    return draft


def checked(draft, person=None):
    drafts.start_check(draft=draft, person=person)
    assert draft.state == "checked", draft.job.failure
    return draft


def loaded(draft, person=None, **fields):
    """Check and confirm; return the dataset."""
    drafts.confirm(draft=checked(draft, person), person=person, **fields)
    assert draft.state == "loaded", draft.job.failure
    return draft.dataset
