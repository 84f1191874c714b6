from annotate.errors import Refusal


class NotPublished(Refusal):
    """A report that cannot be published as asked."""
