"""Loads for tests, taken as far as a test needs them."""

import io

from annotate.imports import drafts
from annotate.imports.models import FileKind
from tests.support.archives import zip_bytes

TRUTH = {"gt_img_1.txt": "0,0,99,39,one\n", "gt_img_2.txt": "0,0,50,20,###\n"}
RESULTS = {"res_img_1.txt": "0,0,99,39\n", "res_img_2.txt": "0,0,9,9\n1,1,8,8\n"}


def stream(content):
    if isinstance(content, str):
        content = content.encode()
    return io.BytesIO(content if isinstance(content, bytes) else zip_bytes(content))


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


def checked(draft, person=None):
    drafts.start_check(draft=draft, person=person)
    assert draft.state == "checked", draft.job.failure
    return draft


def loaded(draft, person=None, **fields):
    """Check and confirm; return the dataset."""
    drafts.confirm(draft=checked(draft, person), person=person, **fields)
    assert draft.state == "loaded", draft.job.failure
    return draft.dataset
