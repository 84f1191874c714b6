from annotate.errors import Refusal


class EntranceRefused(Refusal):
    """Refusal to make or change an entrance, or to admit a person by it."""


class IncompleteLink(Refusal):
    """Refusal of a link without the ids that its platform adds, or with ids that cannot be such."""


class NotAdmitted(Exception):
    """A person whom an entrance does not admit, with the outcome that says why."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome
