# mypy: ignore-errors
"""Stage 6 of verify.py: the origin of the numbers, and every table in LaTeX and Markdown."""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from itertools import zip_longest

PERSON = "a person"
BASELINE = "Human baseline: an annotator to the others' consensus, mean"
ENDS = [f"Human baseline: {side} end of its 95 % interval over images" for side in ("low", "high")]
# Columns that say where the numbers come from.
REPEATED = {"signature", "rankings_skipped"}
# Files of texts, in which no number is recomputed.
TEXTS = ("README.md", "paper.tex", "supplement.tex", "references.bib", "figures/")


def compare_files(context, studies, steps):
    """Compare all that repeats the numbers of the CSV files; ``steps`` have no table in LaTeX."""
    compare_origin(context, studies)
    slugs = compare_list(context, steps)
    folder = context.folder
    compare_methods(context)
    for name in ("table.tex", "report.md", *(f"tables/{slug}.tex" for slug in slugs)):
        if not (folder / name).exists():
            context.differ(name, "the file is missing")
    for name in ("paper.tex", "supplement.tex"):
        if (folder / name).exists():
            compare_parts(context, name)
    for path in sorted((folder / "tables").glob("*.tex")):
        if path.stem in slugs:
            compare_latex(context, path.stem, path.read_text(encoding="utf-8"))
        else:
            context.differ(f"csv/{path.stem}.csv", f"the file is missing, {path.name} is there")
    if (folder / "table.tex").exists() and context.read("report"):
        compare_main(context, (folder / "table.tex").read_text(encoding="utf-8"))
    if (folder / "report.md").exists() and context.read("report"):
        compare_markdown(context, slugs, (folder / "report.md").read_text(encoding="utf-8"))
    for criterion, one in studies.items():
        if left_out := len({*one.given} | {*one.asked}) - len(one.images):
            context.skip(
                f"rankings and scores by {criterion} of {left_out} images that do not count"
            )
    context.skip(f"numbers in {', '.join(TEXTS)}, and those that methods.tex and methods.md share")


def compare_origin(context, studies):
    """Compare counts and signature of metadata.json with the inputs."""
    told, given = context.metadata, next(iter(studies.values()))
    people = {(image, name) for one in studies.values() for image, name in one.ranked}
    images = {*given.given} | {image for one in studies.values() for image in one.asked}
    counts = {"complete rankings": len(people), "images of the study": len(images)}
    if "visits with drawn methods" not in told:
        counts["annotators"] = len({name for _, name in people})
    for name, n in counts.items():
        expect(context, f"metadata.json, {name}", str(n), told.get(name))
    for criterion, one in studies.items():
        numbers = (len(one.images), len(one.cells), len(images) - len(one.images))
        words = ("image", "ranking", "image")
        n, m, left = (f"{n} {w}{'s' * (n != 1)}" for n, w in zip(numbers, words, strict=True))
        where = f"metadata.json, used, {criterion}, used"
        expect(context, where, f"{n}, {m}; {left} left out", told["used"].get(f"{criterion}, used"))
    settings = {name: as_text(value) for name, value in told["settings"].items()}
    settings |= {"annotators": told.get("annotators"), "images": told.get("images of the study")}
    program = told.get("software", "").rpartition(" ")[2]
    # Reports of before tables had a version of their own have the program's.
    tables = told.get("version of the tables")
    settings |= {"v": tables, "program": program} if tables else {"v": program}
    line = "|".join(["report", *(f"{name}:{value}" for name, value in settings.items())])
    expect(context, "metadata.json, signature", line, told.get("signature"))


def as_text(value):
    """Write a setting as a signature does."""
    return "none" if value is None else str(value).removesuffix(".0")


def expect(context, where, value, text):
    """Compare a text."""
    context.n += 1
    if text != value:
        context.differ(where, f"recomputed {value!r}, in the file it is {text!r}")


def compare_list(context, steps):
    """Compare the list of CSV files in metadata.json; return the names of those with a LaTeX table."""
    listed = context.metadata["files"]
    present = {f"csv/{path.name}" for path in (context.folder / "csv").glob("*.csv")}
    for name in sorted(listed.keys() - present):
        context.differ(name, "the file is missing, metadata.json lists it")
    for name in sorted(present - listed.keys()):
        context.differ(f"metadata.json, files, {name}", "is missing")
    for name in sorted(present & listed.keys()):
        slug = name[4:-4]
        columns, rows = context.read(slug)
        expect(
            context, f"metadata.json, files, {name}, columns", columns, [*listed[name]["columns"]]
        )
        for at, row in enumerate(rows, 1):
            signed = row.get("signature", context.metadata["signature"])
            expect(context, f"{name}, row {at}, signature", context.metadata["signature"], signed)
    return sorted(name[4:-4] for name in present if name[4:-4] not in (*steps, "report"))


def compare_methods(context):
    """Compare the numbers of methods.tex with those of methods.md."""
    texts = []
    for name, citation in (("methods.tex", r"\\cite\w*\{.*?\}"), ("methods.md", r"\[@.*?\]")):
        path = context.folder / name
        if not path.exists():
            context.differ(name, "the file is missing")
            return
        text = re.sub(citation, "", path.read_text(encoding="utf-8"))
        texts.append(re.findall(r"\d[\d.,]*\d|\d", text))
    for at, (a, b) in enumerate(zip_longest(*texts), 1):
        expect(context, f"methods.tex, number {at}, that of methods.md", b, a)


def compare_parts(context, name):
    """Look for the files that a document sets."""
    text = (context.folder / name).read_text(encoding="utf-8")
    parts = [f"{part}.tex" for part in re.findall(r"\\input\{(.*?)\}", text)]
    parts += [f"{part}.pdf" for part in re.findall(r"\\includegraphics\[.*?\]\{(.*?)\}", text)]
    for part in parts:
        if not (context.folder / part).exists():
            context.differ(part, f"the file is missing, {name} sets it")


def facts(context):
    """Return the facts about the origin that comments repeat, by name."""
    told = context.metadata
    return {name: of for name, of in told.items() if isinstance(of, str)} | told["used"]


def compare_comments(context, name, lines):
    """Compare facts about the origin in the comments of a file; tables/ have none of a criterion."""
    known = facts(context)
    for fact in sorted(known.keys() - {fact for fact, _ in lines}):
        of = fact.partition(", ")[0]
        if not (name.startswith("tables/") and of in context.metadata["criteria"]):
            context.differ(f"{name}, {fact}", "is missing")
    for fact, value in lines:
        expect(context, f"{name}, {fact}", bare(known.get(fact, "")), bare(value))


def of_comments(text):
    """Return the names and values in the comments of a LaTeX file."""
    lines = (line[2:].partition(": ") for line in text.splitlines() if line.startswith("% "))
    return [(name, value) for name, colon, value in lines if colon]


def compare_latex(context, slug, text):
    """Compare a table with its CSV: every cell, the caption and the comments."""
    name = f"tables/{slug}.tex"
    columns, rows = context.read(slug)
    compare_comments(context, name, of_comments(text))
    about = context.metadata["files"].get(f"csv/{slug}.csv", {})
    caption = re.search(r"\\caption\{(.*)\}(\\label.*)?$", text, re.MULTILINE)
    note = bare(f"{about.get('title', '')}{about.get('note', '')}")
    expect(context, f"{name}, caption", note, bare(caption[1])[: len(note)] if caption else None)
    seen = set()
    for head, given in tabulars(text):
        names = [next((c for c in columns if bare(c) == bare(cell)), cell) for cell in head]
        seen |= {*names}
        if columns[0] == "Criterion" and "Criterion" not in names:
            names = ["Criterion", *names]
        compare_cells(context, name, names, given, rows)
    for column in columns:
        if column not in seen | REPEATED | {"Criterion"}:
            context.differ(f"{name}, {column}", "the column is missing")


def compare_cells(context, name, names, given, rows):
    """Compare rows of shown cells with rows of a CSV file, in their order."""
    keys = [column for column in names if rows and not is_number(rows[0].get(column))]
    decimals = {}
    for at, (cells, row) in enumerate(zip_longest(given, rows), 1):
        if row is None:
            context.differ(f"{name}, row {at}, {' / '.join(cells)}", "no such row is in the CSV")
            continue
        where = f"{name}, row {at}, {' / '.join(str(row.get(column)) for column in keys[:3])}"
        if cells is None:
            context.differ(where, "the row is missing")
            continue
        for column, cell in zip_longest(names, cells, fillvalue=""):
            context.n += 1
            text = row.get(column)
            n = decimals.setdefault(column, places(cell)) if is_number(text) else None
            if not shows(cell, text, decimals[column] if n is not None else None):
                says = f"recomputed {text!r} in the CSV, shown as {plain_latex(cell)!r}"
                context.differ(f"{where}, {column}", says)


def places(cell):
    """Return the decimals of a shown number."""
    return len(plain_latex(cell).partition(".")[2])


def is_number(text):
    """Whether a cell of a CSV file is a number."""
    return bool(re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", text or ""))


def shows(cell, text, decimals=None):
    """Whether a cell as it is shown is that of a CSV file; in all cells of a column as many decimals."""
    shown = plain_latex(cell)
    if not text:
        return shown in ("", "-")
    if is_number(text):
        if shown == "< 0.001":
            return float(text) < 0.001
        if bare(shown) == bare(text) and shown.strip() == text:
            return True
        n = places(cell)
        rounded = Decimal(text).quantize(Decimal(1).scaleb(-n), ROUND_HALF_UP)
        rounded = abs(rounded) if rounded.is_zero() else rounded
        # A p-value among other numbers has three decimals, as they do.
        return shown == f"{rounded:f}" and decimals in (None, 0, n)
    if text in ("true", "false"):
        return shown == ("yes" if text == "true" else "no")
    return bare(shown) == bare(text)


SIGNS = {r"\textgreater{}": ">", r"\textless{}": "<", "–": "-", "\u2212": "-", "--": "-"}
# Letters that LaTeX writes as commands.
COMMANDS = "\u03b1βετµ"


@cache
def plain_latex(text):
    """Return LaTeX or Markdown without commands, braces and escapes."""
    text = re.sub(r"\\penalty500 ", "", text)
    for sign, char in SIGNS.items():
        text = text.replace(sign, char)
    text = re.sub(r"\{\\char34\}|\\(cite|label|ref)\{[^}]*\}|\\[A-Za-z]+ ?|[{}]", "", text)
    return re.sub(r"\\(.)", r"\1", text).strip()


@cache
def bare(text):
    """Return letters, digits and the signs of an order, by which texts are compared."""
    text = plain_latex(str(text))
    kept = (c for c in text if (c.isalnum() or c in "<>=") and c not in COMMANDS)
    return "".join(kept).lower()


def cells_of(line):
    """Return the cells of a row in LaTeX."""
    return re.split(r"(?<!\\)(?:^| )& ?", f"{line.strip().removesuffix(chr(92) * 2).rstrip()} ")


def tabulars(text):
    """Yield head and rows of each table in a file; rows under a heading begin with it."""
    for body in re.findall(r"\\toprule\n(.*?)\\end\{(?:tabular|longtable)\}", text, re.DOTALL):
        head = cells_of(body.splitlines()[0])
        rows, heading = [], []
        for line in body.rpartition(r"\endfoot")[2].splitlines():
            if not line.rstrip().endswith(r"\\") or cells_of(line) == head:
                continue
            if found := re.match(r"\s*\\multicolumn\{\d+\}\{@\{\}l@\{\}\}\{\\emph\{(.*)\}\}", line):
                heading = [found[1]]
                continue
            rows.append([*heading, *cells_of(line)])
        yield head, rows


def main_numbers(context):
    """Return by criterion and name the cells of report.csv and the limits, also of a person."""
    columns, rows = context.read("report")
    named = {"criterion", "kind", "protocol", "same_as"}
    measures = [c for c in columns if c not in REPEATED | named]
    found = {}
    for row in rows:
        own = [row[column] for column in measures], None, row["kind"]
        found.setdefault(row["criterion"], {})[row["protocol"]] = own
    for row in (context.read("intervals") or ((), ()))[1]:
        numbers, _, kind = found.setdefault(row["Criterion"], {}).get(
            row["Protocol"], ([""] * len(measures), None, "protocol")
        )
        found[row["Criterion"]][row["Protocol"]] = numbers, (row["Low"], row["High"]), kind
    value = {
        (row["Criterion"], row["Measure"]): row["Value"]
        for row in (context.read("agreement") or ((), ()))[1]
    }
    for criterion, of in found.items():
        if value.get((criterion, BASELINE)):
            numbers = ["" if name != "score" else value[criterion, BASELINE] for name in measures]
            of[PERSON] = numbers, [value.get((criterion, end), "") for end in ENDS], "baseline"
    return measures, found


def compare_main(context, text):
    """Compare table.tex: Best, Worst and Score, the criteria side by side or one below the other."""
    compare_comments(context, "table.tex", of_comments(text))
    measures, found = main_numbers(context)
    # The caption says how many images and annotators there are.
    caption = re.search(r"\(([^()]*\d images?[^()]*)\)", text)
    n_images = [str(len(one.images)) for one in context.studies.values()]
    n_images = n_images if len({*n_images}) > 1 else n_images[:1]
    told = [*n_images, *([context.metadata["annotators"]] * ("annotators" in context.metadata))]
    expect(context, "table.tex, caption", told, re.findall(r"\d+", caption[1]) if caption else None)
    compare_alike(context, "table.tex, caption", text)
    [(_, rows)] = tabulars(text)
    rows = [row for row in rows if bare(row[0]) != "protocol"]
    is_side = all(bare(row[0]) not in map(bare, found) for row in rows)
    seen, name = set(), None
    for row in rows:
        criteria = [*found] if is_side else [next(c for c in found if bare(c) == bare(row[0]))]
        name_cell, *cells = row if is_side else row[1:]
        n, is_limits = len(cells) // len(criteria), is_side and not name_cell.strip()
        named = {bare(one): one for criterion in criteria for one in found[criterion]}
        name = name if is_limits else named.get(bare(name_cell))
        for at, criterion in enumerate(criteria):
            own = cells[at : at + 1] if is_limits else cells[at * n : (at + 1) * n]
            numbers, limits, _ = found[criterion].get(name, ([""] * len(measures), None, ""))
            where = f"table.tex, {criterion} / {name or name_cell.strip()}"
            seen.add((criterion, name))
            if is_limits:
                compare_limits(context, where, own[0], limits)
                continue
            if n < len(measures):
                numbers = [numbers[measures.index("score")]]
            if len(own) > len(numbers):
                compare_limits(context, where, own.pop(), limits)
            for column, cell, value in zip_longest(measures[-len(numbers) :], own, numbers):
                context.n += 1
                if cell is None or not shows(cell, value):
                    says = f"recomputed {value!r} in the CSV, shown as {cell!r}"
                    context.differ(f"{where}, {column}", says)
    for criterion, of in found.items():
        for one in of:
            if (criterion, one) not in seen:
                context.differ(f"table.tex, {criterion} / {one}", "the row is missing")


def compare_alike(context, where, text):
    """Look for a sentence on each group of protocols that order all images alike, and for no other."""
    found, begins = bare(text), bare("Alike in the order of the methods on all images")
    groups = {name: alike for name, alike in context.alike.items() if alike}
    expect(
        context, f"{where}, sentences on protocols that are alike", len(groups), found.count(begins)
    )
    for criterion, alike in groups.items():
        names = "".join(bare(" = ".join(group)) for group in alike)
        context.n += 1
        if f"{bare('one protocol in tests')}{names}" not in found:
            context.differ(f"{where}, {criterion}", f"recomputed that these are alike: {alike}")


def compare_limits(context, where, cell, limits):
    """Compare the interval of a Score."""
    shown = re.findall(r"-?\d+\.\d+", re.sub(r"\\multicolumn\{\d+\}", "", cell))
    context.n += 1
    expected = [limit for limit in limits or () if limit]
    if shown and not (
        len(shown) == len(expected) == 2 and all(map(shows, shown, expected, (2, 2)))
    ):
        context.differ(f"{where}, interval", f"recomputed {expected} in the CSV, shown as {shown}")


def compare_markdown(context, slugs, text):
    """Compare report.md with the CSV files."""
    first, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    lines = (line[2:].partition(": ") for line in first.splitlines() if line.startswith("- "))
    lines = [(plain_latex(name), value) for name, _, value in lines]
    compare_comments(context, "report.md", lines)
    measures, found = main_numbers(context)
    compare_alike(context, "report.md", text)
    titles = {}
    for slug in slugs:
        about = context.metadata["files"].get(f"csv/{slug}.csv", {})
        titles[bare(about.get("title", slug))] = slug, about
    criteria = {bare(criterion): criterion for criterion in found}
    seen = set()
    for section in sections:
        title, _, body = section.partition("\n")
        table = [line[2:-2] for line in body.splitlines() if line.startswith("| ")]
        head, *rows = ([*map(str, re.split(r"(?<!\\) \| ", line))] for line in table)
        key = bare(title)
        seen.add(key)
        if key in criteria:
            own = [
                {"protocol": name + " (baseline)" * (kind == "baseline")}
                | dict(zip(measures, numbers, strict=True))
                for name, (numbers, _, kind) in found[criteria[key]].items()
                if name != PERSON
            ]
            names = ["protocol", *measures]
            compare_cells(context, f"report.md, {criteria[key]}", names, rows[1:], own)
        elif key in titles:
            slug, about = titles[key]
            note = bare(about.get("note", ""))
            expect(
                context, f"report.md, {slug}, note", note, bare(body.split("\n|")[0])[: len(note)]
            )
            names = [*map(plain_latex, head)]
            missing = {*context.read(slug)[0]} - {*names} - REPEATED
            for column in sorted(missing):
                context.differ(f"report.md, {slug}, {column}", "the column is missing")
            compare_cells(context, f"report.md, {slug}", names, rows[1:], context.read(slug)[1])
    for key in (criteria | titles).keys() - seen:
        context.differ(f"report.md, {key}", "the table is missing")
