"""The usage message, for an invalid stand-alone call and at the end of the help."""

from typing import Final

USAGE: Final = (
    "usage: python -m protocols -g gt.zip -s submit.zip [-o DIR] [-p JSON] "
    "[-c IoU|DetEva|TIoU|TedEval|CLEval|SLUG] [--format SLUG]\n"
    "       python -m protocols COMMAND --help"
)
