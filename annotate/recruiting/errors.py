from annotate.errors import Refusal


class EntranceRefused(Refusal):
    """Refusal to make or change an entrance, or to admit a person by it.

    ``field`` is the setting that is refused, if it is one.
    """

    def __init__(self, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field


class IncompleteLink(Refusal):
    """Refusal of a link without the ids that its platform adds, or with ids that cannot be such."""


class NotAdmitted(Exception):
    """A person whom an entrance does not admit, with the outcome that says why."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome
