"""Names with characters that are not shown are refused wherever they are given."""

import pytest
from django.core.management import CommandError, call_command
from django.forms import CharField, Textarea

from annotate.datasets.models import Method
from annotate.exchange.bundles.records import decoded
from annotate.imports import drafts
from annotate.imports.errors import NotLoaded
from annotate.names import NameField
from annotate.studies.errors import StudyRefused
from annotate.studies.services import change_settings, create_study
from tests.support.cases import cases
from tests.support.factories import make_dataset, make_method, make_study
from tests.support.forms import FORMS
from tests.support.loads import RESULTS, TRUTH, load_dataset, load_results, load_scores, stream
from tests.support.names import HIDDEN

BACKWARDS = "EAST\u202e2"


@cases("form", sorted(FORMS))
def test_every_name_in_a_form_is_checked(form):
    named = {"name", "title", "authors"}
    given = {name: field for name, field in FORMS[form].base_fields.items() if name in named}
    lines = [of for of in given.values() if isinstance(of, CharField) and not of.widget.is_hidden]
    assert all(isinstance(of, NameField) or isinstance(of.widget, Textarea) for of in lines)


@pytest.mark.django_db
class TestNames:
    @pytest.mark.parametrize("name", HIDDEN)
    def test_of_datasets_methods_and_protocols(self, name):
        with pytest.raises(NotLoaded, match="not shown"):
            load_dataset(name=name, truth=TRUTH)
        dataset = load_dataset(name="Street", truth=TRUTH).dataset
        load_results(dataset, {"net": RESULTS})
        with pytest.raises(NotLoaded, match="not shown"):
            load_results(dataset, {name: RESULTS})
        scores = "image,method,recall,precision\nimg_1,net,1,1\n"
        with pytest.raises(NotLoaded, match="not shown"):
            load_scores(dataset, name, scores)

    def test_of_uploaded_files(self):
        with pytest.raises(NotLoaded, match="not shown"):
            drafts.add_file(
                draft=drafts.open_draft(person=None), stream=stream(TRUTH), name=BACKWARDS
            )

    def test_of_studies(self):
        study = make_study()
        with pytest.raises(StudyRefused, match="not shown"):
            change_settings(study=study, is_answered=lambda study: False, name=BACKWARDS)
        methods = [make_method(study.dataset) for _ in range(2)]
        with pytest.raises(StudyRefused, match="not shown"):
            create_study(name=BACKWARDS, dataset=study.dataset, methods=methods)

    def test_in_bundles(self):
        with pytest.raises(ValueError, match="not shown"):
            decoded(Method, {"name": BACKWARDS, "slug": "east"}, dataset=make_dataset())


def in_cyrillic(name):
    return name.translate(str.maketrans("EAST", "\u0415\u0410\u0405\u0422"))


@pytest.mark.django_db
class TestLook:
    def warnings(self, dataset, *names):
        receipt = load_results(dataset, dict(zip(names, self.results, strict=False)))
        return [of for of in receipt.warnings if "looks like" in of]

    results = (RESULTS, {**RESULTS, "res_img_1.txt": "1,1,90,39\n"})

    def test_a_method_that_looks_like_another_of_the_dataset_is_mentioned(self):
        dataset = load_dataset(name="Street", truth=TRUTH).dataset
        assert self.warnings(dataset, "EAST 2") == []
        [said] = self.warnings(dataset, in_cyrillic("EAST 2"))
        assert f"“{in_cyrillic('EAST 2')}”, which looks like “EAST 2”" in said
        assert dataset.methods.count() == 2

    def test_two_methods_of_one_load_are_compared_too(self):
        dataset = load_dataset(name="Street", truth=TRUTH).dataset
        assert len(self.warnings(dataset, "EAST 2", in_cyrillic("EAST 2"))) == 1

    def test_a_command_mentions_it(self):
        with pytest.raises(CommandError, match="not shown"):
            call_command("import_files", __file__, name=BACKWARDS)
