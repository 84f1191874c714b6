"""Load the demo, once."""

from time import monotonic
from typing import Any

from annotate.demo import services
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Load the demo (24 drawn scenes, ten detectors, two studies); again changes nothing."

    def handle(self, **options: Any) -> None:
        if services.is_loaded():
            self.stdout.write("The demo is loaded already; your data is kept.")
        else:
            started = monotonic()
            services.load_demo(self.stdout.write)
            self.stdout.write(f"The demo is loaded ({monotonic() - started:.0f} s).")
        self.stdout.write("\nSign in as:")
        for username, password in services.sign_ins().items():
            self.stdout.write(f"  {username:<16} password {password}")
