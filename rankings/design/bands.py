"""Images that a design needs if nothing was measured: from the kindest to the hardest simulated world."""

from dataclasses import dataclass

from .designs import Design
from .pilots import DEMO, Asking, worlds
from .power import needed_images
from .study_plans import REPEATS, SHARINGS, Plan, by_cost, numbers_of_people


@dataclass(frozen=True, slots=True)
class Needed:
    """Images that so many people need, at least and at most; None: no number of images suffices."""

    n_annotators: int
    fewest: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Band:
    """The images that one way of asking and sharing needs in simulated worlds, by number of people."""

    asking: Asking
    sharing: str
    needed: tuple[Needed, ...]

    def of(self, n_annotators: int) -> Needed | None:
        """Return what a number of people needs; None if it was not examined."""
        return next((one for one in self.needed if one.n_annotators == n_annotators), None)


def band(found: Plan) -> Band | None:
    """Return the band around a plan's cheapest design, or around the one nearest to fitting.

    The worlds are the demo and those of :func:`.pilots.worlds`. None if the plan is by a pilot, or no
    number of people that it examines finds the difference by the demo.
    """
    enough = [choice for choice in found.choices if choice.n_images is not None]
    pilot, question = found.pilot, found.question
    if pilot.origin != DEMO or pilot.methods is None or not enough:
        return None
    best = min(enough, key=by_cost)
    sharing = next(one for one in SHARINGS if one.name == best.sharing)
    kinds = [question.parts(of, best.asking) for of in (pilot.components, *worlds(pilot.methods))]
    needed = []
    for n in numbers_of_people(question.people):
        if n < (REPEATS if sharing.repeated else sharing.per_image):
            continue
        design = Design(2, n, sharing.per_image, sharing.repeated, REPEATS)
        of_worlds = [
            needed_images(
                *(parts, design, question.difference),
                share=question.share,
                alpha=question.alpha_of_pair,
            )
            for parts in kinds
        ]
        known = [images for images in of_worlds if images is not None]
        most = max(known) if len(known) == len(of_worlds) else None
        needed.append(Needed(n, min(known, default=None), most))
    return Band(best.asking, best.sharing, tuple(needed))
