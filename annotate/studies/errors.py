from annotate.errors import Refusal


class StudyRefused(Refusal):
    """A study that cannot be set up or changed as asked."""
