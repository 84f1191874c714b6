from collections.abc import Sequence

from annotate.errors import Refusal
from annotate.imports.errors import Question


class FileRefused(Refusal):
    """Refusal of a study file; the message names the file, the line and the key.

    ``questions`` lists what would have to be answered, if there is no other fault.
    """

    questions: Sequence[Question] = ()
