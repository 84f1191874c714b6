"""A format that writes boxes by their centres."""

from protocols.core.regions import Region
from protocols.formats.containers.collecting import finite_in, reader_of
from protocols.formats.containers.documents import image_name, lines_of
from protocols.formats.problems import Fault
from protocols.formats.recognition.known_formats import Format


def read_document(document, collector):
    """Read lines of an image's name, the centre of a box, its width and its height."""
    for line, text in lines_of(document):
        with collector.catching(line):
            fields = text.split()
            if len(fields) != 5:
                raise Fault("L1", repr(text), "a name and four numbers, as in street 60 30 100 40")
            if (image := image_name(fields[0])) not in collector:
                collector.image(image)
            x, y, width, height = map(finite_in, fields[1:])
            box = x - width / 2, y - height / 2, x + width / 2, y + height / 2
            collector.add(image, Region.from_box(*box), line=line)


CENTRES = Format(
    "centres",
    "Boxes by their centres",
    "A text file with a line for each box: image, centre, width and height, as in street 60 30 100 40",
    ("truth", "results"),
    reader_of("centres", ".txt", read_document),
)
