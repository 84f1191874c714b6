"""The errors of the package."""


class RankingError(ValueError):
    """Rankings, scores, answers or settings that cannot be used; the message names which."""


class Contradiction(RankingError):
    """An answer contradicts what follows from earlier ones."""


class MissingScore(RankingError):
    """A method that is ranked has no score, or one that is not a number."""
