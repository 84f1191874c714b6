from annotate.errors import Refusal


class NotPublished(Refusal):
    """Refusal to publish a report."""
