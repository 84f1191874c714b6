from annotate.errors import Refusal


class StudyRefused(Refusal):
    """Refusal to set up or change a study as requested."""
