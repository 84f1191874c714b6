"""What is stored in English is told in the language of who reads it."""

import pytest
from django.utils import translation

from annotate.retold import told, told_plainly
from protocols import registry
from rankings.agreement.baselines import said_of_row
from rankings.agreement.report import ALL_TIED


@pytest.mark.parametrize(
    ("stored", "french"),
    [
        ("The dataset is no longer here.", "Le jeu de données n’est plus là."),
        # Values keep their places; one or several is the number's, by the language's own rule.
        ("IoU scored 1 result.", "IoU a évalué 1 résultat."),
        ("IoU scored 300 results.", "IoU a évalué 300 résultats."),
        # Braces that hold JSON hold no value.
        (
            'an object of lists by image, {"gt_1": [{"points": …}]}',
            'un objet de listes par image, {"gt_1": [{"points": …}]}',
        ),
        # Of two that fit, the one that says more; sentences in sentences are told too.
        (
            "a.zip > res_1.txt, line 3: found an empty file; expected four whole numbers.",
            "a.zip > res_1.txt, ligne 3\N{NO-BREAK SPACE}: trouvé\N{NO-BREAK SPACE}: "
            "un fichier vide\N{NO-BREAK SPACE}; "
            "attendu\N{NO-BREAK SPACE}: quatre nombres entiers.",
        ),
        # A value that is a sentence of the site is told again, one that is anybody's name is not.
        (
            "CLEval cannot be scored on Left: no method has results.",
            "CLEval ne peut pas être calculé sur Left\N{NO-BREAK SPACE}: aucune méthode n’a de résultats.",
        ),
        # What is put together of known sentences is known.
        (
            "2 of 2 text files named gt_NAME.txt; most lines have four coordinates.",
            "2 sur 2 fichiers texte nommés gt_NAME.txt\N{NO-BREAK SPACE}; "
            "la plupart des lignes ont quatre coordonnées.",
        ),
        (
            "3 numbers in “0,0,9”",
            "3 nombres dans «\N{NO-BREAK SPACE}0,0,9\N{NO-BREAK SPACE}»",
        ),
        ("4 numbers (left,top,right,bottom)", "4 nombres (left,top,right,bottom)"),
        ("8 numbers (a quadrilateral)", "8 nombres (un quadrilatère)"),
        ("img_1 to img_233", "img_1 à img_233"),
        (
            "an image of the dataset, which has img_1 to img_8 (perhaps img_1)",
            "une image du jeu de données, qui a img_1 à img_8 (peut-être img_1)",
        ),
        (
            "an image of the dataset, which has img_1 to img_8",
            "une image du jeu de données, qui a img_1 à img_8",
        ),
        (
            "lines of left,top,right,bottom, then a confidence, a text or nothing",
            "des lignes de left,top,right,bottom, puis une confiance, un texte ou rien",
        ),
        (
            "that you say how the lines are meant: Boxes (ICDAR 2013) or Boxes by their sides",
            "que vous disiez comment comprendre les lignes\N{NO-BREAK SPACE}: Boîtes (ICDAR 2013) ou "
            "Boîtes par leurs côtés",
        ),
    ],
)
def test_a_stored_sentence_is_recognised_by_its_words(stored, french):
    assert told_plainly(stored) == stored
    with translation.override("fr"):
        assert told_plainly(stored) == french


def test_what_nobody_knows_is_marked_as_english():
    with translation.override("fr"):
        assert told("Seen <by> nobody.") == '<span lang="en">Seen &lt;by&gt; nobody.</span>'
        assert told_plainly("Seen <by> nobody.") == "Seen <by> nobody."
    assert told_plainly("") == ""


@pytest.mark.parametrize("protocol", [one.name for one in registry.all_protocols()])
def test_the_name_of_a_protocol_is_the_same_in_every_language(protocol):
    with translation.override("fr"):
        assert said_of_row(protocol) == protocol
        assert said_of_row(ALL_TIED) == "tout ex æquo"


def test_a_sentence_that_somebody_made_up_to_keep_the_site_busy_is_passed_over_at_once():
    """All parts of a known sentence, over and over, and not its end."""
    parts = (" from ", " to ", ": ", ", most on ", " (")
    made_up = "Bar chart of x" + "".join(f"{part}y" * 55 for part in parts)
    assert len(made_up) < 2000
    with translation.override("fr"):
        assert told_plainly(made_up) == made_up


@pytest.mark.parametrize(
    "made_up", ["x" + "." * 1900, "x" + " (a)" * 480, "Reading " * 240 + "x", "x" + " in “y”" * 200]
)
def test_sentences_in_sentences_come_to_an_end(made_up):
    with translation.override("fr"):
        assert "x" in told_plainly(made_up)
