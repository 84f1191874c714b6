"""Look every package of a server up among known vulnerabilities, where they can be looked up.

Where REQUIRE_AUDIT is set there is a network, and a look-up that was skipped fails: the workflow sets it.
"""

import json
import os
import subprocess  # nosec: only the tool named below is started
import sys
from pathlib import Path

_AUDIT = [
    *(sys.executable, "-m", "pip_audit", "--requirement", "requirements.txt"),
    *("--requirement", "requirements/cluster.txt"),
    *("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"),
]


def verdict(
    code: int, output: str, complaint: str, *, may_skip: bool = True
) -> tuple[int, list[str]]:
    """Return the exit code and what to say of a run of pip-audit."""
    skipped = 0 if may_skip else 1
    try:
        packages = json.loads(output)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        if "onnect" in complaint or "timed out" in complaint:
            return skipped, [
                "!! SKIPPED: pip-audit, because it reaches no advisory service from here !!"
            ]
        return code or 1, ["pip-audit gave no result:", complaint.strip()]
    found = [
        f"{package['name']} {package['version']}: {fault['id']}, repaired in "
        f"{', '.join(fault['fix_versions']) or 'no version yet'}"
        for package in packages
        for fault in package.get("vulns", [])
    ]
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if found:
        return 1, found
    if packages and len(unknown) == len(packages):
        return skipped, [
            "!! SKIPPED: pip-audit, because the advisory service that it reaches from here "
            "knows none of the packages !!"
        ]
    if unknown:
        return 0, [
            f"pip-audit could not look up {', '.join(unknown)}; nothing known of the others."
        ]
    return 0, [f"pip-audit knows no vulnerability of {len(packages)} packages."]


if __name__ == "__main__":
    run = subprocess.run(
        _AUDIT, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False
    )
    status, sentences = verdict(
        run.returncode, run.stdout, run.stderr, may_skip=not os.environ.get("REQUIRE_AUDIT")
    )
    print(*sentences, sep="\n")
    sys.exit(status)
