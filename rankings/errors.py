"""The errors of the package."""


class RankingError(ValueError):
    """Rankings, scores, answers or settings that cannot be used; the message names which."""


class Contradiction(RankingError):
    """An answer that contradicts conclusions from earlier ones."""


class MissingScore(RankingError):
    """A ranked method without a score, or with one that is not a number."""
