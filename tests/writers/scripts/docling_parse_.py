"""docling-parse: the cells of a page of a PDF whose points are the pixels of its picture."""

from pathlib import Path

from docling_parse.pdf_parser import DoclingPdfParser
from reportlab.pdfgen import canvas

drawn = canvas.Canvas("page.pdf", pagesize=(400, 200))
drawn.setFont("Courier", 20)
# Courier's letters are .6 of the size wide.
drawn.drawString(40, 140, "EXIT")
drawn.drawString(200, 140, "STOP")
drawn.save()
Path("cells").mkdir()
[(_, page)] = DoclingPdfParser().load("page.pdf").iterate_pages()
Path("cells/page.json").write_text(page.model_dump_json())
