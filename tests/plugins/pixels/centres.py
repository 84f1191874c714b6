"""A format that writes boxes by their centres."""

from protocols.core.regions import Region
from protocols.formats.containers.collecting import finite_in, reader_of
from protocols.formats.containers.documents import image_name, text_of
from protocols.formats.problems import Fault
from protocols.formats.recognition.known_formats import Format


def read_document(document, collector, problems, kind):
    """Read lines of an image's name, the centre of a box, its width and its height."""
    for line, text in enumerate(text_of(document, problems).splitlines(), 1):
        try:
            image, *numbers = text.split()
            x, y, width, height = (finite_in(number) for number in numbers)
            if (image := image_name(image)) not in collector:
                collector.image(image, entry=document.entry)
            box = x - width / 2, y - height / 2, x + width / 2, y + height / 2
            collector.add(image, Region.from_box(*box), entry=document.entry, line=line)
        except ValueError:
            fault = Fault("L1", repr(text), "a name and four numbers, as in street 60 30 100 40")
            problems.fault(fault, document.entry, line)
        except Fault as fault:
            problems.fault(fault, document.entry, line)


CENTRES = Format(
    "centres",
    "Boxes by their centres",
    "A text file with a line for each box: image, centre, width and height, as in street 60 30 100 40",
    ("truth", "results"),
    reader_of("centres", ".txt", read_document),
)
