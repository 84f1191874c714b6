"""The sentence that a stand-alone call without sense is answered with."""

from typing import Final

USAGE: Final = (
    "usage: python -m protocols -g gt.zip -s submit.zip [-o DIR] [-p JSON] "
    "[-c IoU|DetEva|TIoU|TedEval|CLEval|SLUG] [--format SLUG]\n"
    "       python -m protocols COMMAND --help"
)
