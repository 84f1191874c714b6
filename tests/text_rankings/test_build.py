"""The build is the commit that git itself names, however git stores it."""

import subprocess

import pytest

from text_rankings.site import build as module
from text_rankings.site.build import build


def git(folder, *asked):
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *who, *asked], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-b", "main")
    git(folder, "commit", "--allow-empty", "-m", "one")
    monkeypatch.setattr(module.places, "REPOSITORY", folder)
    return folder


@pytest.mark.parametrize("asked", [("status",), ("pack-refs", "--all"), ("checkout", "--detach")])
def test_it_is_the_commit_of_a_checkout(checkout, asked):
    git(checkout, *asked)
    assert build() == git(checkout, "rev-parse", "HEAD")[:10]


def test_it_is_the_commit_of_a_further_work_tree(checkout, monkeypatch):
    git(checkout, "worktree", "add", "-b", "other", "../other")
    other = checkout.parent / "other"
    git(other, "commit", "--allow-empty", "-m", "two")
    monkeypatch.setattr(module.places, "REPOSITORY", other)
    assert (
        build() == git(other, "rev-parse", "HEAD")[:10] != git(checkout, "rev-parse", "HEAD")[:10]
    )


def test_a_copy_without_git_has_none(tmp_path, monkeypatch):
    monkeypatch.setattr(module.places, "REPOSITORY", tmp_path)
    assert build() == ""


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        (
            '{"url": "https://example.org/a.git", "vcs_info": {"commit_id": "0123456789abcdef"}}',
            "0123456789",
        ),
        ('{"url": "file:///a.whl", "archive_info": {}}', ""),
        (None, ""),
    ],
)
def test_an_installation_from_a_repository_knows_its_commit(stored, said, monkeypatch):
    installed = type("Installed", (), {"read_text": lambda self, name: stored})()
    monkeypatch.setattr(module.places, "REPOSITORY", None)
    monkeypatch.setattr(module, "distribution", lambda name: installed)
    assert build() == said
