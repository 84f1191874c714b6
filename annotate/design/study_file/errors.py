from annotate.errors import Refusal


class FileRefused(Refusal):
    """Refusal of a study file; the message names the file, the line and the key."""
