"""Check everything the site needs, and give advice."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from annotate.management.site_command import SiteCommand
from annotate.operations.health.checks import ALL, run_checks
from annotate.operations.health.deep import DEEP


class Command(SiteCommand):
    help = (
        "Look at the database, migrations, disk, queue and workers, clock, mail, backups, settings, every "
        "photograph, and replay some answers. Exit code 0: all is well, 1: warnings, 2: faults."
    )
    needs_this_version = False
    # The command prints its findings itself, including those about settings.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--deep",
            action="store_true",
            help="also compare every photograph and result with its hash, every reference and count with "
            "the rows, every ranking with its answers, and score a sample again; takes minutes",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, **options: Any) -> None:
        findings = run_checks(DEEP if options["deep"] else ALL)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=1))
        else:
            for finding in findings:
                advice = f"  -> {finding.advice}" if finding.advice else ""
                self.stdout.write(f"{finding.state:8}{finding.subject}: {finding.said}{advice}")
        states = {finding.state for finding in findings}
        code = 2 if "fault" in states else 1 if "warning" in states else 0
        if code:
            raise SystemExit(code)
