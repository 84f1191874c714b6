"""A bundle's dataset: images with truth and photographs, methods, results, runs and scores."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.datasets.photographs import CONTENT_TYPES, Photograph, read_photographs
from annotate.datasets.photographs import store as store_photograph
from annotate.imports.errors import NotLoaded
from annotate.scoring.models import ProtocolRun, Score
from protocols.core.regions import canonical_bytes, decode_regions
from protocols.formats.problems import Problems, quoted

from . import DATASET, PHOTOGRAPHS
from .members import PHOTOGRAPH, Bundle, reading
from .records import decoded, store
from .writing import sums_of_data

# The lists of a dataset, in the order of a bundle.
_LISTS: Final = ("images", "truth", "methods", "results", "runs", "scores")


@dataclass
class DataReader:
    """Loader of the dataset's rows; later parts find images, methods and results by name in it."""

    bundle: Bundle
    images: dict[str, Image] = field(default_factory=dict)
    methods: dict[str, Method] = field(default_factory=dict)
    # (image, method) -> key
    results: dict[tuple[str, str], int] = field(default_factory=dict)
    runs: list[ProtocolRun] = field(default_factory=list)

    def is_of(self, dataset: Dataset) -> bool:
        """Return whether the bundle holds this dataset as it is here, by the hashes of its lists."""
        members = self.bundle.members
        names = [DATASET, *(part for name in _LISTS for part in self.bundle.parts(name))]
        return sums_of_data(dataset) == [f"{members[name].sha256}  {name}\n" for name in names]

    def join(self, dataset: Dataset) -> None:
        """Find the rows of a dataset that is here, in place of loading them."""
        self.bundle.count(*_LISTS)
        self.images = {image.name: image for image in dataset.images.defer("truth")}
        self._photographs()
        self._keep_methods(list(dataset.methods.all()))
        results = Result.objects.filter(method__dataset=dataset)
        for image, method, pk in results.values_list("image__name", "method__name", "pk"):
            self.results[image, method] = pk
        self.runs = list(dataset.runs.order_by("created", "pk"))

    def read(self, dataset: Dataset) -> None:
        self._load_images(dataset)
        made_of_methods = partial(decoded, Method, dataset=dataset)
        self.bundle.load("methods", made_of_methods, self._keep_methods)
        self.bundle.load("results", self._result, self._keep_results)
        made_of_runs = partial(decoded, ProtocolRun, dataset=dataset)
        self.bundle.load("runs", made_of_runs, self.runs.extend)
        self.bundle.load("scores", self._score)

    def _load_images(self, dataset: Dataset) -> None:
        truths = (
            (part, number, row)
            for part in self.bundle.parts("truth")
            for number, row in self.bundle.lines(part)
        )
        photographs = self._photographs()
        for part in self.bundle.parts("images"):
            images = []
            for number, row in self.bundle.lines(part):
                with reading(part, number):
                    truth_part, truth_number, truth = next(truths, (part, number, {}))
                    image = decoded(Image, row, dataset=dataset, truth={})
                with reading(truth_part, truth_number):
                    if truth["image"] != image.name:
                        raise ValueError(f"it is not about {image.name}")
                    decode_regions(truth["truth"])
                    image.truth = truth["truth"]
                    self.bundle.counts["truth"] += 1
                with reading(part, number):
                    self._check_photograph(image, photographs)
                images.append(image)
            with reading(part):
                self._forget_absent_photographs(images)
                store(images)
            self.bundle.counts["images"] += len(images)
            # Later parts need only names and keys.
            for image in images:
                image.truth = {}
                self.images[image.name] = image
        self.bundle.counts["truth"] += sum(1 for _ in truths)
        unused = photographs.keys() - {image.sha256 for image in self.images.values()}
        if unused:
            raise NotLoaded(f"{PHOTOGRAPHS}{min(unused)} is the photograph of no image.")

    def _photographs(self) -> dict[str, Photograph]:
        """Verify and store the bundle's photographs; return their properties by hash."""
        photographs: dict[str, Photograph] = {}
        problems = Problems("the bundle")
        for name, member in self.bundle.members.items():
            is_photograph = PHOTOGRAPH.fullmatch(name)
            if is_photograph is None:
                continue
            if is_photograph[1] != member.sha256:
                raise NotLoaded(f"{name} is not the photograph it is named after.")
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "photograph").write_bytes(member.read())
                for entry, photograph in read_photographs(folder, problems):
                    store_photograph(photograph.sha256, entry.content)
                    photographs[photograph.sha256] = photograph
            if problems.has_errors:
                raise NotLoaded.because_of(problems.found)
        self.bundle.counts["photographs"] = len(photographs)
        return photographs

    def _check_photograph(self, image: Image, photographs: Mapping[str, Photograph]) -> None:
        if not image.sha256:
            return
        if image.content_type not in CONTENT_TYPES.values():
            raise ValueError(f"{image.content_type!r} is no type of a photograph")
        if not self.bundle.manifest["photographs"]:
            return
        photograph = photographs.get(image.sha256)
        if photograph is None:
            raise ValueError("its photograph is missing")
        same = (photograph.width, photograph.height) == (image.width, image.height)
        if not same or photograph.content_type != image.content_type:
            raise ValueError("its photograph has another size or type")
        # Sites store upright pixels without the tag.
        if photograph.orientation != 1:
            raise ValueError("its photograph has an EXIF orientation")

    def _forget_absent_photographs(self, images: Sequence[Image]) -> None:
        """Clear size and hash of photographs that neither the bundle nor the site has."""
        if self.bundle.manifest["photographs"]:
            return
        here = set(
            Image.objects.filter(sha256__in={image.sha256 for image in images} - {""}).values_list(
                "sha256", "width", "height", "content_type"
            )
        )
        for image in images:
            if (image.sha256, image.width, image.height, image.content_type) not in here:
                image.sha256 = image.content_type = ""
                image.width = image.height = None

    def _keep_methods(self, methods: Sequence[Method]) -> None:
        self.methods |= {method.name: method for method in methods}

    def _keep_results(self, results: Sequence[Result]) -> None:
        self.results |= {(result.image.name, result.method.name): result.pk for result in results}

    def _result(self, row: dict[str, Any]) -> Result:
        image, method = self.images[row.pop("image")], self.methods[row.pop("method")]
        regions = decode_regions(row["regions"])
        result = decoded(Result, row, image=image, method=method, n_regions=len(regions))
        if sha256(canonical_bytes(regions)).hexdigest() != result.sha256:
            raise ValueError("its regions do not fit its hash")
        return result

    def run(self, number: Any) -> ProtocolRun:
        """Return a run by its number, counted from 1."""
        if type(number) is not int or not 1 <= number <= len(self.runs):
            raise ValueError(f"{quoted(str(number))} is not a number from 1 to {len(self.runs)}")
        return self.runs[number - 1]

    def _score(self, row: dict[str, Any]) -> Score:
        run = self.run(row.pop("run"))
        result = self.results[row.pop("image"), row.pop("method")]
        return decoded(Score, row, run=run, result_id=result)
