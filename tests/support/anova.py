"""Tables of images by annotators, and their analysis of variance by loops."""

from itertools import product

import numpy as np

from rankings.inference.personal_distances import PersonalDistances


def effects(rng, n_images, n_annotators, n_protocols=2, taste=1.0):
    shape = (n_images, n_annotators, n_protocols)
    return (
        rng.normal(size=(n_images, 1, n_protocols))
        + taste * rng.normal(size=(1, n_annotators, n_protocols))
        + rng.normal(size=shape)
    )


def mean_squares(d):
    """The analysis of variance of a table of images x annotators, by loops."""
    n_images, n_annotators = len(d), len(d[0])
    cells = list(product(range(n_images), range(n_annotators)))
    mean = sum(d[i][a] for i, a in cells) / len(cells)
    of_image = [sum(row) / n_annotators for row in d]
    of_annotator = [sum(row[a] for row in d) / n_images for a in range(n_annotators)]
    image = sum(n_annotators * (m - mean) ** 2 for m in of_image) / (n_images - 1)
    annotator = sum(n_images * (m - mean) ** 2 for m in of_annotator) / (n_annotators - 1)
    rest = sum((d[i][a] - of_image[i] - of_annotator[a] + mean) ** 2 for i, a in cells)
    return mean, image, annotator, rest / ((n_images - 1) * (n_annotators - 1))


def of_table(table, protocols=None):
    """The distances of a full design: (images, annotators, protocols)."""
    table = np.asarray(table, dtype=float)
    images, annotators = np.indices(table.shape[:2]).reshape(2, -1)
    names = protocols or tuple(f"p{at}" for at in range(table.shape[2]))
    return PersonalDistances(names, images, annotators, table.reshape(-1, table.shape[2]))
