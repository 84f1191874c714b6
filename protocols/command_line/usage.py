"""The name of the program, and the usage message of its two forms."""


def program_name() -> str:
    """Return the name by which the program was started."""
    # Not needed by a valid call, and slower than reading a small zip.
    from text_rankings.base.options import as_typed

    return as_typed("protocols", "text-protocols")


def usage() -> str:
    """Return the usage message, for an invalid stand-alone call and at the end of the help."""
    name = program_name()
    return (
        f"usage: {name} -g gt.zip -s submit.zip [-o DIR] [-p JSON] "
        "[-c IoU|DetEva|TIoU|TedEval|CLEval|SLUG] [--format SLUG]\n"
        f"       {name} COMMAND --help"
    )
