"""Write what a server is made of, as CycloneDX (`make sbom`), and refuse a licence that was not looked at.

The licences are those that the installed packages state themselves.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

_ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(r"^([\w.-]+)==(\S+)")
# Each may be used beside a program under MIT; a new one is looked at by a person first.
_LOOKED_AT = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python|MPL|Mozilla|LGPL|Unlicense|0BSD|HPND|CMU", re.I
)

# They state none; their licence was read in the file that comes with them.
_READ = {"huey": "MIT"}


def licence_of(name: str) -> str | None:
    """Return the licence that a package states; None for one that is not installed here."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = [
        one.rsplit(" :: ", 1)[-1]
        for one in stated.get_all("Classifier") or ()
        if one.startswith("License ::")
    ]
    text = stated.get("License-Expression") or ", ".join(classifiers) or stated.get("License") or ""
    text = text or _READ.get(name, "")
    return text.strip().split("\n")[0][:100]


def main() -> int:
    bom, refused = Bom(), []
    for line in (_ROOT / "requirements.txt").read_text().splitlines():
        if not (pin := _PIN.match(line)):
            continue
        name, version = pin.groups()
        licence = licence_of(name)
        if licence is not None and not _LOOKED_AT.search(licence):
            refused.append(f"{name} {version}: {licence or 'no licence stated'}")
        bom.components.add(
            Component(
                name=name,
                version=version,
                type=ComponentType.LIBRARY,
                purl=PackageURL("pypi", name=name.lower(), version=version),
                licenses=[DisjunctiveLicense(name=licence)] if licence else [],
            )
        )
    target = _ROOT / "var" / "sbom.json"
    target.parent.mkdir(exist_ok=True)
    outputter = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6)
    target.write_text(outputter.output_as_string(indent=2))
    print(f"{target.relative_to(_ROOT)}: {len(bom.components)} packages.")
    for one in sorted(bom.components, key=lambda each: each.name):
        licences = ", ".join(str(each.name) for each in one.licenses)
        print(f"  {one.name} {one.version}: {licences}")
    print(*(f"A licence to be looked at: {one}" for one in refused), sep="\n")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
