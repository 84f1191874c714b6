"""The container workflow and its scripts, read as files: built, tried, scanned, listed, published, signed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
IS_TAG = "startsWith(github.ref, 'refs/tags/v')"


def steps():
    workflow = yaml.safe_load((ROOT / ".github/workflows/container.yml").read_text())
    return workflow["jobs"]["image"]["steps"]


def place(part):
    [at] = [at for at, step in enumerate(steps()) if part in step.get("uses", step.get("run", ""))]
    return at


@cases("path", WORKFLOWS)
def test_a_workflow_is_one_by_its_schema(path):
    checker = Path(sys.executable).with_name("check-jsonschema")
    if not checker.exists():
        pytest.skip("check-jsonschema is not installed")
    command = [checker, "--builtin-schema", "vendor.github-workflows", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_an_image_is_tried_and_scanned_before_it_is_published_and_signed():
    parts = ["docker/build-push-action", "deploy/try-containers", "aquasecurity/trivy-action"]
    parts += ["anchore/sbom-action", "docker push", "cosign sign"]
    assert [place(part) for part in parts] == sorted(place(part) for part in parts)
    scan = steps()[place("aquasecurity/trivy-action")]["with"]
    assert (scan["exit-code"], scan["severity"]) == ("1", "HIGH,CRITICAL")


def test_only_tags_are_published_and_signed_by_their_digest():
    for part in ("docker/login-action", "docker push", "cosign sign"):
        assert steps()[place(part)]["if"] == IS_TAG
    signing = steps()[place("cosign sign")]["run"]
    assert signing.count("$IMAGE@${{ steps.publish.outputs.digest }}") == 2
    assert "cosign attest --yes --type spdxjson --predicate sbom.spdx.json" in signing


def test_nothing_may_be_written_but_by_the_job_that_publishes():
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}, path.name


def test_both_stages_start_from_one_image_by_its_digest():
    stages = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert len(stages) == 2
    assert len(set(stages)) == 1
    assert re.fullmatch(r"python:3\.11-slim-bookworm@sha256:[0-9a-f]{64}", stages[0])


def test_images_and_packages_are_kept_up_to_date():
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text())["updates"]
    found = {update["package-ecosystem"] for update in updates}
    assert found == {"docker", "docker-compose", "github-actions", "pip"}


@cases("name", ["try-containers", "pin-images"])
def test_a_script_can_be_run_and_read_by_its_shell(name):
    script = ROOT / "deploy" / name
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0


def test_pinning_writes_a_digest_to_every_image_and_replaces_an_older_one(tmp_path):
    for name in ("Dockerfile", "docker-compose.yml", "deploy/pin-images"):
        copy = tmp_path / name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text((ROOT / name).read_text())
    programs = tmp_path / "bin"
    programs.mkdir()
    digest = "sha256:" + "ab" * 32
    docker = programs / "docker"
    docker.write_text(f"#!/bin/sh\necho {digest}\n")
    docker.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    script = str(tmp_path / "deploy/pin-images")
    subprocess.run(["bash", script], check=True, env=os.environ | {"PATH": path})
    text = (tmp_path / "Dockerfile").read_text() + (tmp_path / "docker-compose.yml").read_text()
    images = re.findall(r"(?:FROM|image:) (\S+)", text)
    assert len(images) == 4
    assert all(re.fullmatch(rf"[^@]+@{digest}", image) for image in images)
