"""Reports: Best / Worst / Score of each protocol, verdicts, tables, LaTeX and figures."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from protocols.registry import is_sentinel
from rankings.agreement.report import RecallPrecision, Settings
from rankings.analysis.analysis import Analysis, analyse
from rankings.analysis.meeting import require_fractions, require_names_that_meet
from rankings.analysis.verdicts import for_whom, verdicts
from rankings.command_line.files import plain_scores, read_plain_scores
from rankings.errors import RankingError
from rankings.inference.resampling import N_RESAMPLES, SEED
from rankings.output import report_files, table_files
from rankings.output.analysis_tables import tables_of
from rankings.output.signature import SIGNATURE, signed_counts
from rankings.output.table import CRITERION, Table, main_columns, of_criteria

from .ranking import Rankings, rank
from .scoring import Scores
from .tables import Plot, Shown, dots, is_frame, records_of

ByImage = Mapping[str, Mapping[str, Mapping[str, RecallPrecision]]]


@dataclass(frozen=True, slots=True, repr=False)
class Report(Shown):
    """A report with everything around it.

    Attributes
    ----------
    analysis : Analysis
        All numbers.
    rankings : Rankings
    header : mapping of str to str
        Where the numbers come from, written into files.
    """

    analysis: Analysis
    rankings: Rankings
    header: Mapping[str, str]

    @property
    def verdicts(self) -> list[str]:
        """The conclusions about the protocols, in sentences."""
        data = self.analysis.to_json()
        sentences = [sentence for verdict in verdicts(data) for sentence in verdict.sentences]
        return [*sentences, *filter(None, [for_whom(data)])]

    @property
    def left_out(self) -> list[tuple[str, str, str]]:
        """Criterion, image and reason of each image that does not count."""
        criteria = self.analysis.report.criteria.items()
        return [(name, *left) for name, table in criteria for left in table.left_out]

    def rows(self) -> list[dict[str, Any]]:
        """Return Best, Worst and Score with its interval, a dictionary for each criterion and protocol."""
        rows = []
        for criterion, table in self.analysis.report.criteria.items():
            intervals = {
                one.protocol: one for one in self.analysis.criteria[criterion].intervals.scores
            }
            for row in table.rows:
                own = intervals.get(row.protocol)
                rows.append(
                    {
                        "criterion": criterion,
                        **row.to_json(),
                        "low": own and own.low,
                        "high": own and own.high,
                        "signature": self.header[SIGNATURE],
                    }
                )
        return rows

    def tables(self) -> list[Table]:
        criteria = self.analysis.report.criteria
        rows = of_criteria(criteria, lambda table: (row.cells for row in table.rows))
        note = f"Score: mean distance to the consensus, smaller is nearer to people. {self.header[SIGNATURE]}"
        best = Table("report", "Best / Worst / Score", note, (CRITERION, *main_columns()), rows)
        return [best, *tables_of(self.analysis.to_json())]

    def plot(self) -> Plot:
        """Return a plot of the Scores with their intervals."""
        return dots(self.rows(), "score", "protocol", "criterion", "Score")

    @property
    def _around(self) -> Any:
        return self.analysis.to_json()["analysis"]

    def to_latex(self) -> str:
        """Return Best / Worst / Score as a table for a paper."""
        return report_files.to_latex(self.analysis.report, self.header, analysis=self._around)

    def to_csv(self) -> str:
        """Return Best / Worst / Score in full precision."""
        return report_files.to_csv(self.analysis.report, self.header, self._around)

    def to_markdown(self) -> str:
        """Return Best / Worst / Score of each criterion as Markdown."""
        return report_files.to_markdown(self.analysis.report, self.header, self._around)

    def save(self, folder: str | PathLike[str]) -> list[Path]:
        """Write all tables as CSV and LaTeX, the verdicts, and the plot; return the paths."""
        into = Path(folder)
        into.mkdir(parents=True, exist_ok=True)
        texts = {"report.tex": self.to_latex(), "report.csv": self.to_csv()}
        texts["verdicts.txt"] = "\n".join([*self.verdicts, ""])
        for table in self.tables()[1:]:
            texts[f"{table.slug}.csv"] = table_files.to_csv(table, self.header)
            texts[f"{table.slug}.tex"] = table_files.to_latex(table, self.header)
        for name, text in texts.items():
            into.joinpath(name).write_text(text, encoding="utf-8")
        self.plot().save(into / "scores.json")
        return sorted([*map(into.joinpath, texts), into / "scores.json"])


def report(
    rankings: Any,
    scores: Any,
    *,
    header: Mapping[str, str] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    **settings: Any,
) -> Report:
    """Report how far each protocol is from people.

    Parameters
    ----------
    rankings
        As :func:`.rank` takes and returns them.
    scores
        What :func:`.score` returns for a dictionary of methods, a path of a CSV file, a data frame with
        the same columns (``protocol``, ``method``, ``image``, ``recall``, ``precision``), or a dictionary
        of image to protocol to method to (recall, precision).
    header : mapping of str to str, optional
        Where the numbers come from, for files: ``{"study": "signs"}``.
    n_resamples, seed : int
        Of the intervals and tests.
    **settings
        Of :class:`.Settings`: ``min_annotators``, ``decimals``, ``distance``, ``consensus``, ``beta``.

    Returns
    -------
    Report

    Raises
    ------
    RankingError
        If rankings or scores are invalid, or no image or method is in both; names the nearest.

    Examples
    --------
    >>> ab, ba = (("a",), ("b",)), (("b",), ("a",))
    >>> rankings = {"recall": {"img_1": {"ann": ab, "ben": ab}, "img_2": {"ann": ab, "ben": ab}}}
    >>> scores = {"iou": {"a": (0.9, 0.8), "b": (0.4, 0.9)}, "flat": {"a": (0, 0), "b": (0, 0)}}
    >>> both = {"img_1": scores, "img_2": scores}
    >>> found = report(rankings, both, min_annotators=2, n_resamples=10)
    >>> [(row["protocol"], row["best"], row["score"]) for row in found.rows()]
    [('iou', 2, 0.0), ('flat', 0, 0.5)]
    """
    known = Settings.__dataclass_fields__
    unknown = next((name for name in settings if name not in known), None)
    if unknown is not None:
        raise RankingError(f"there is no setting {unknown!r}; settings: {', '.join(known)}")
    chosen = Settings(**settings)
    people, by_image = rank(rankings, chosen.consensus), _by_image(scores)
    require_names_that_meet(people.rankings, by_image)
    names = {name for of_image in by_image.values() for name in of_image}
    analysis = analyse(
        people.rankings,
        by_image,
        chosen,
        sentinels=sorted(filter(is_sentinel, names)),
        n_resamples=n_resamples,
        seed=seed,
    )
    signed = scores.table_of_signatures().rows if isinstance(scores, Scores) else ()
    facts = {str(protocol): str(line) for protocol, line in signed}
    facts |= signed_counts(asdict(chosen), people.rankings)
    return Report(analysis, people, {**facts, **(header or {})})


def _by_image(scores: Any) -> ByImage:
    if isinstance(scores, Scores):
        return scores.as_scores()
    if isinstance(scores, str | PathLike):
        return read_plain_scores(fspath(scores))
    if isinstance(scores, Mapping):
        require_fractions(scores)
        return scores
    if not is_frame(scores):
        raise RankingError(
            f"scores must be a path, a data frame, scores or a dictionary, got {type(scores).__name__}"
        )
    return plain_scores(enumerate(records_of(scores)), "scores, row")
