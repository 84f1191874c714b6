"""Rankings for tests: from text, at random, all of them; and numbers of samples."""

import itertools

from hypothesis import settings
from hypothesis import strategies as st

from rankings.agreement.main_table import OF_THE_PAPER
from rankings.agreement.report import build_report
from rankings.detectors.tallies import tallies_of_rows
from rankings.inference.personal_rankings import personal_rankings_from_scores

# The thorough profile draws more examples than this, the default one fewer.
_THOROUGH_FROM = 100


def by_text(text):
    """Return a ranking from text such as ``a>b=c``."""
    return tuple(tuple(bucket.split("=")) for bucket in text.split(">"))


# The worked example of the specification of judges: three people, two images, and a judge.
PEOPLE = {
    "1": {"P": by_text("a>b>c"), "Q": by_text("a>b=c"), "R": by_text("b>a>c")},
    "2": {"P": by_text("a>b>c"), "Q": by_text("a>c>b"), "R": by_text("a>b>c")},
}
JUDGE = {"1": by_text("a=b>c"), "2": by_text("c>a>b")}


def of_the_paper(row):
    """Return a row's numbers in the columns of the paper: Best, Worst and Score."""
    return tuple(row.numbers[name] for name in OF_THE_PAPER)


def restricted(ranking, methods):
    """Return a ranking of some of its methods."""
    parts = (tuple(method for method in bucket if method in methods) for bucket in ranking)
    return tuple(part for part in parts if part)


def weak_orders(methods):
    """Yield every ranking of the methods, bucket by bucket."""
    if not methods:
        yield ()
        return
    for size in range(1, len(methods) + 1):
        for bucket in itertools.combinations(methods, size):
            rest = [method for method in methods if method not in bucket]
            for following in weak_orders(rest):
                yield (bucket, *following)


def criterion_table(rankings, values, settings):
    """Return a report's table of rankings and the protocol values they are compared with."""
    scores = {
        image: {
            protocol: {method: (value, None) for method, value in of_method.items()}
            for protocol, of_method in of_protocol.items()
        }
        for image, of_protocol in values.items()
    }
    return build_report({"recall": rankings}, scores, settings).criteria["recall"]


def rankings_of(methods):
    """Return a hypothesis strategy of rankings with ties."""
    levels = st.lists(
        st.integers(0, len(methods) - 1), min_size=len(methods), max_size=len(methods)
    )

    def buckets(values):
        members = {}
        for method, value in zip(methods, values, strict=True):
            members.setdefault(value, []).append(method)
        return tuple(tuple(members[value]) for value in sorted(members))

    return levels.map(buckets)


def n_samples(usual, thorough):
    """Return the number of seeded samples: few, or many in hypothesis' thorough profile."""
    return thorough if settings.default.max_examples > _THOROUGH_FROM else usual


def personal_rankings(annotator_rankings, protocol_rankings, protocols):
    """Align people's rankings with those of protocols, each as the scores that give it."""
    scores = {
        image: {
            protocol: {method: -at / 100 for at, bucket in enumerate(ranking) for method in bucket}
            for protocol, ranking in of_image.items()
        }
        for image, of_image in protocol_rankings.items()
    }
    return personal_rankings_from_scores(annotator_rankings, scores, protocols, None)


def tallies_of_scores(scores):
    """Return tallies whose figures are means over images: image -> protocol -> method -> both scores."""
    own = [of for of_image in scores.values() for of in of_image.values()]
    images, protocols = list(scores), list(dict.fromkeys(itertools.chain(*scores.values())))
    methods = sorted(set(itertools.chain(*own)))
    rows = [
        (images.index(image), protocols.index(protocol), methods.index(method), *score, *[None] * 4)
        for image, of_image in scores.items()
        for protocol, of_protocol in of_image.items()
        for method, score in of_protocol.items()
    ]
    names = [dict(enumerate(of)) for of in (images, protocols, methods)]
    return tallies_of_rows(*names, [rows] if rows else [], means=range(len(protocols)))
