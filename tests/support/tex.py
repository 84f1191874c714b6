"""LaTeX, typeset by a real TeX."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_PACKAGES = ("array", "booktabs", "longtable")


@dataclass(frozen=True)
class Typeset:
    """TeX's messages about a document."""

    log: str

    @property
    def overfull(self) -> list[str]:
        return [line for line in self.log.splitlines() if line.startswith("Overfull")]

    @property
    def undefined(self) -> list[str]:
        return [line for line in self.log.splitlines() if "undefined" in line.lower()]


def typeset(folder: Path, tables: Sequence[str], options: str = "", *, times: int = 1) -> Typeset:
    """Typeset tables in an article; fail on TeX's first error, skip if there is no TeX."""
    body = "\n\\clearpage\n".join(tables)
    packages = ",".join(_PACKAGES)
    source = (
        f"\\documentclass[{options}]{{article}}\n\\usepackage{{{packages}}}\n"
        f"\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )
    folder.joinpath("article.tex").write_text(source, encoding="utf-8")
    return run_tex(folder, "article.tex", times=times)


def run_tex(folder: Path, name: str, *, times: int = 1) -> Typeset:
    """Typeset a document of a folder ``times`` times, as its references require."""
    tex = shutil.which("pdflatex")
    if tex is None:
        pytest.skip("needs pdflatex: apt-get install texlive-latex-base texlive-latex-recommended")
    for _ in range(times):
        done = subprocess.run(
            [tex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", name],
            cwd=folder,
            capture_output=True,
            timeout=300,
            check=False,
        )
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 0, said[-2000:]
    return Typeset((folder / name).with_suffix(".log").read_text(errors="replace"))
