"""Setting a study up step by step: what is stored, what is refused, and that no one else sees it."""

import pytest
from django.urls import reverse

from annotate.datasets.models import Image
from annotate.design.planning.presentation import choices_with_all
from annotate.design.setup import image_filters
from annotate.design.setup.models import NewStudy
from annotate.judging.models import Assignment, Judgement, Screen
from annotate.studies.models import Study
from rankings.design.designs import Design
from rankings.design.pilots import demo_pilot
from rankings.design.reach import reach_in_words
from rankings.design.study_plans import USUAL_PEOPLE, Question
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_admin,
    make_dataset,
    make_person,
    make_run,
    make_study,
)

pytestmark = pytest.mark.django_db
DESIGN = {
    "recall_question": "More?",
    "precision_question": "Less?",
    "preference_question": "Which?",
    "min_annotators": 2,
    "strategy": "insertion",
    "seed": 11,
}
ASKED_BY_PLANS = ("min_annotators", "max_annotators", "agreement_percent")
LOOK = {"ground_truth": "never", "welcome": "Hello **you**", "consent": "", "contact": ""}


@pytest.fixture
def admin():
    return make_admin("ada")


@pytest.fixture
def site(client, admin):
    client.force_login(admin)
    return client


@pytest.fixture
def dataset():
    return make_study(["a", "b", "c"], images=5).dataset


def keys(dataset):
    return [method.pk for method in dataset.methods.all()]


def begun(site, dataset, **sent):
    url = reverse("setup:begin", args=[dataset.slug])
    response = site.post(url, {"name": "Signs", "methods": keys(dataset)} | sent)
    assert response.status_code == 302
    return NewStudy.objects.get()


def send(site, new, step, sent, status=302):
    response = site.post(reverse("setup:step", args=[new.pk, step]), sent)
    assert response.status_code == status
    return response


def choose(site, new, query="", **sent):
    return site.post(reverse("setup:images", args=[new.pk]) + query, sent)


def test_a_study_is_set_up_from_data_to_open(site, dataset, admin):
    ana = make_person("ana")
    new = begun(site, dataset)
    names = list(dataset.images.in_order().values_list("pk", flat=True))
    choose(site, new, shown=names, image=names[1:4], do="next")
    send(site, new, "design", DESIGN)
    send(site, new, "people", {"annotator": [ana.pk], "researcher": [admin.pk]})
    send(site, new, "look", LOOK | {"keep_camera": "on"})
    assert not Study.objects.filter(name="Signs").exists()
    response = site.post(
        reverse("setup:finish", args=[new.pk]), {"do": "open", "on_blank_pages": "yes"}
    )
    assert response["Location"] == reverse("studies:detail", args=["signs"])
    made = Study.objects.get(name="Signs")
    assert made.state == "open"
    assert list(made.images.in_order().values_list("pk", flat=True)) == names[1:4]
    assert (made.recall_question, made.min_annotators, made.seed) == ("More?", 2, 11)
    assert (made.ground_truth, made.keep_camera, made.same_for_all) == ("never", True, False)
    assert made.welcome == "Hello **you**"
    members = made.memberships.values_list("person__username", "role")
    assert set(members) == {("ana", "annotator"), ("ada", "researcher")}
    assert not NewStudy.objects.exists()


class TestThePlanInTheDesign:
    """The goal is asked first; its answer fills the form in, and stores nothing."""

    @pytest.fixture
    def new(self, site, dataset):
        return begun(site, dataset)

    def design(self, site, new, status=200, **asked):
        response = site.get(reverse("setup:step", args=[new.pk, "design"]), asked)
        assert response.status_code == status
        return response

    def test_it_asks_of_the_images_and_people_of_the_draft(self, site, new, dataset):
        question = self.design(site, new).context["plan"].question
        assert (question.images, question.people) == (5, USUAL_PEOPLE)
        names = list(dataset.images.in_order().values_list("pk", flat=True))
        choose(site, new, shown=names, image=names[1:4], do="next")
        people = [make_person().pk for _ in range(4)]
        send(site, new, "people", {"annotator": people, "researcher": []})
        question = self.design(site, new).context["plan"].question
        assert (question.images, question.people) == (3, 4)
        assert self.design(site, new, people="30").context["plan"].question.people == 30

    def test_a_design_is_filled_in_and_stored_by_the_form_alone(self, site, new):
        shown = self.design(site, new, people="30", images="5000")
        assert "Fill in this design" in shown.text
        filled = site.get(shown.context["advised"].address)
        assert "Filled in from the plan" in filled.text
        assert filled.context["plan"].question == shown.context["plan"].question
        values = {name: filled.context["form"][name].value() for name in ASKED_BY_PLANS}
        assert values == {"min_annotators": 1, "max_annotators": 1, "agreement_percent": 15}
        assert "min_annotators" not in NewStudy.objects.get().settings

    def test_a_design_takes_back_what_was_asked_otherwise(self, site, new):
        send(site, new, "design", DESIGN | {"methods_per_visit": 2, "drawn_by": "random"})
        shown = self.design(site, new, people="30", images="5000", criterion="recall")
        whole = next(
            one
            for one in choices_with_all(shown.context["plan"], "", "insertion")
            if one.choice.asking == "rankings"
        )
        assert self.design(site, new).context["form"]["methods_per_visit"].value() == 2
        filled = site.get(reverse("setup:step", args=[new.pk, "design"]) + whole.address)
        assert filled.context["form"]["methods_per_visit"].value() is None

    def test_what_is_no_question_is_said_beside_it(self, site, new):
        response = self.design(site, new, status=422, people="0")
        assert "greater than or equal to 1" in response.text
        assert "Fill in this design" not in response.text


def test_what_is_not_asked_for_is_usual(site, dataset):
    new = begun(site, dataset)
    site.post(reverse("setup:finish", args=[new.pk]), {"do": "make"})
    made = Study.objects.get(name="Signs")
    assert (made.state, made.min_annotators, made.strategy) == ("draft", 3, "insertion")
    assert made.images.count() == 5
    assert not made.memberships.exists()


@pytest.mark.parametrize(
    ("n", "chosen", "said"),
    [
        (
            3,
            {"max_annotators": 1, "agreement_percent": 15, "agreement_annotators": 3},
            "5 images and 3 people (whole rankings, one person an image, 3 on 15 %) find ",
        ),
        (3, {}, "5 images and 3 people (whole rankings, 3 people an image) find "),
        (3, {"methods_per_visit": 2}, "(pairs where protocols disagree, 3 people an image) find "),
        (1, {}, "One annotator says nothing about others: invite more people."),
        (0, {}, f"No one ranks yet; if {USUAL_PEOPLE} people do: 5 images and 12 people"),
    ],
)
def test_the_last_step_says_what_these_images_and_people_find(
    site, dataset, admin, n, chosen, said
):
    new = begun(site, dataset)
    new.people = {"annotator": [make_person(f"ann{at}").pk for at in range(n)]}
    new.settings = {**new.settings, **chosen}
    new.save()
    text = " ".join(site.get(reverse("setup:finish", args=[new.pk])).text.split())
    assert said in text
    # By the pairs of its three methods, of which a difference of all pairs is the largest.
    assert ("simulated worlds" in text) == (n != 1)
    if n == 3 and not chosen:
        question = Question(people=3, images=5)
        own = reach_in_words(demo_pilot().for_methods(3), question, Design(5, 3, 3), "rankings")
        assert own in text


def test_nothing_is_stored_before_the_first_step_is_sent(site, dataset):
    site.get(reverse("setup:start"))
    site.get(reverse("setup:begin", args=[dataset.slug]))
    assert not NewStudy.objects.exists()


def test_what_was_stored_is_there_again(site, dataset):
    new = begun(site, dataset, methods=keys(dataset)[:2])
    send(site, new, "design", DESIGN)
    form = site.get(reverse("setup:step", args=[new.pk, "design"])).context["form"]
    assert form["recall_question"].value() == "More?"
    data = site.get(reverse("setup:step", args=[new.pk, "data"])).context
    assert data["form"]["name"].value() == "Signs"
    assert [is_chosen for _, is_chosen in data["methods"]] == [True, True, False]
    assert "Signs" in site.get(reverse("setup:start")).text


def test_a_first_step_with_a_fault_is_shown_again_and_stores_nothing(site, dataset):
    url = reverse("setup:begin", args=[dataset.slug])
    stranger = make_study(["x", "y"]).methods.first().pk
    methods = ([], keys(dataset)[:1], [*keys(dataset), stranger])
    names = ("", "!", "new")
    for sent in (*({"name": one} for one in names), *({"methods": one} for one in methods)):
        response = site.post(url, {"name": "Signs", "methods": keys(dataset)} | sent)
        assert response.status_code == 422
        assert list(response.context["form"].errors) == list(sent)
        assert "errorlist" in response.text
    assert not NewStudy.objects.exists()


def test_a_plan_leads_here_with_its_settings_and_what_does_not_fit_is_left_out(site, dataset):
    asked = "min_annotators=1&max_annotators=1&n_checks=x&welcome=no&methods_per_visit=3"
    sent = {"name": "Signs", "methods": keys(dataset)}
    site.post(f"{reverse('setup:begin', args=[dataset.slug])}?{asked}", sent)
    settings = NewStudy.objects.get().settings
    settings.pop("seed")
    assert settings == {"name": "Signs", "min_annotators": 1, "max_annotators": 1}


@pytest.mark.parametrize(
    ("step", "sent", "field"),
    [
        ("design", DESIGN | {"min_annotators": 0}, "min_annotators"),
        ("design", DESIGN | {"max_annotators": 1}, "max_annotators"),
        ("design", DESIGN | {"recall_question": ""}, "recall_question"),
        ("design", DESIGN | {"methods_per_visit": 3}, "methods_per_visit"),
        ("look", LOOK | {"welcome": "x" * 4001}, "welcome"),
        ("look", LOOK | {"twin_iou": 2}, "twin_iou"),
        ("people", {"annotator_names": "ana, nobody"}, "annotator_names"),
    ],
)
def test_a_fault_stands_beside_its_field_and_nothing_is_stored(site, dataset, step, sent, field):
    make_person("ana")
    new = begun(site, dataset)
    response = send(site, new, step, sent, status=422)
    assert list(response.context["form"].errors) == [field]
    new.refresh_from_db()
    assert step not in new.steps


def test_a_name_that_was_taken_meanwhile_is_said_and_nothing_is_lost(site, dataset):
    new = begun(site, dataset)
    make_study(["x", "y"], name="Signs")
    response = site.post(reverse("setup:finish", args=[new.pk]), {"do": "open"})
    assert response.status_code == 422
    assert "There is a study named “Signs” already." in response.text
    assert NewStudy.objects.filter(pk=new.pk).exists()


def test_nobody_else_sees_it(site, dataset, client):
    new = begun(site, dataset)
    other = make_admin()
    client.force_login(other)
    for name, arguments in (
        ("setup:step", [new.pk, "data"]),
        ("setup:images", [new.pk]),
        ("setup:finish", [new.pk]),
        ("setup:preview", [new.pk]),
    ):
        assert client.get(reverse(name, args=arguments)).status_code == 404
    assert client.post(reverse("setup:discard", args=[new.pk])).status_code == 404
    assert "Signs" not in client.get(reverse("setup:start")).text


def test_it_can_be_discarded(site, dataset):
    new = begun(site, dataset)
    site.post(reverse("setup:discard", args=[new.pk]))
    assert not NewStudy.objects.exists()
    assert not Study.objects.filter(name="Signs").exists()


def test_whoever_sets_it_up_follows_it_unless_they_say_otherwise(site, dataset, admin):
    new = begun(site, dataset)
    form = site.get(reverse("setup:step", args=[new.pk, "people"])).context["form"]
    assert form["researcher"].value() == [admin.pk]
    send(site, new, "people", {})
    form = site.get(reverse("setup:step", args=[new.pk, "people"])).context["form"]
    assert form["researcher"].value() == []


def test_people_beyond_the_list_are_named(site, dataset, monkeypatch):
    monkeypatch.setattr("annotate.design.setup.views.MAX_PEOPLE_LISTED", 1)
    ana = make_person("ana")
    new = begun(site, dataset)
    send(site, new, "people", {"annotator_names": " ana ,ana"})
    new.refresh_from_db()
    assert new.people == {"annotator": [ana.pk], "researcher": []}
    form = site.get(reverse("setup:step", args=[new.pk, "people"])).context["form"]
    assert form["annotator_names"].value() == "ana"


def test_the_last_step_says_what_lacks_and_where(site, dataset):
    new = begun(site, dataset)
    html = site.get(reverse("setup:finish", args=[new.pk])).text
    assert "No one ranks yet" in html
    assert "5 of 5 images have no photograph" in html
    assert reverse("setup:step", args=[new.pk, "people"]) in html


def test_the_last_step_names_images_that_show_one_photograph(site, dataset):
    first, second, *others = dataset.images.in_order()
    size = {"width": 9, "height": 9, "content_type": "image/png"}
    for image, digest in ((first, "a"), (second, "a"), *zip(others, "cde", strict=True)):
        dataset.images.filter(pk=image.pk).update(sha256=digest.ljust(64, "0"), **size)
    url = reverse("setup:finish", args=[begun(site, dataset).pk])
    html = site.get(url).text
    assert "1 photograph has two or more names" in html
    assert f"more than once: {first.name}, {second.name}." in html
    dataset.images.filter(pk=second.pk).update(sha256="b" * 64)
    assert "two or more names" not in site.get(url).text


def test_a_dataset_without_methods_says_what_to_do_first(site):
    empty = make_dataset()
    html = site.get(reverse("setup:begin", args=[empty.slug])).text
    assert f"{reverse('imports:start')}?dataset={empty.slug}" in html
    assert "It has no images." in site.get(reverse("setup:start")).text


def test_a_duplicate_has_the_settings_methods_and_images_and_nobody_of_the_old(site):
    study = make_study(
        ["a", "b", "c"], images=3, recall_question="More?", n_checks=1, contact="Ada"
    )
    add_annotator(study)
    first, second, third = study.images.in_order()
    study.study_images.filter(image=second).delete()
    study.methods.remove(study.methods.get(name="c"))
    url = reverse("setup:begin", args=[study.dataset.slug]) + f"?like={study.slug}"
    form = site.get(url).context["form"]
    sent = {"name": form["name"].value(), "methods": form["methods"].value()}
    assert site.post(url, sent).status_code == 302
    new = NewStudy.objects.get()
    site.post(reverse("setup:finish", args=[new.pk]), {"do": "make"})
    made = Study.objects.get(name=f"{study.name} (copy)")
    assert (made.recall_question, made.n_checks, made.contact) == ("More?", 1, "Ada")
    assert [method.name for method in made.methods.all()] == ["a", "b"]
    assert list(made.images.in_order()) == [first, third]
    assert made.seed != study.seed
    assert not made.memberships.exists()


class TestImages:
    def test_all_are_chosen_at_first(self, site, dataset):
        context = site.get(reverse("setup:images", args=[begun(site, dataset).pk])).context
        assert (context["n_chosen"], context["n_comparable"]) == (5, 5)

    def test_where_only_some_have_a_photograph_those_are_chosen(self, site, dataset):
        first = dataset.images.in_order()[0]
        Image.objects.filter(pk=first.pk).update(
            sha256="0" * 64, content_type="image/png", width=9, height=9
        )
        assert begun(site, dataset).images == [first.pk]

    def test_what_is_unticked_goes_and_what_is_on_other_pages_stays(self, site, dataset):
        new = begun(site, dataset)
        one, two, three, four, five = dataset.images.in_order().values_list("pk", flat=True)
        choose(site, new, shown=[one, two], image=[two], do="page-2")
        choose(site, new, shown=[three], do="stay")
        new.refresh_from_db()
        assert new.images == [two, four, five]

    def test_all_that_pass_a_filter_are_chosen_added_or_left_out(self, site, dataset):
        new = begun(site, dataset)
        names = dict(dataset.images.in_order().values_list("pk", "name"))
        first, last = min(names), max(names)

        def do(what, word):
            choose(site, new, f"?words={word}", do=what)
            new.refresh_from_db()
            return new.images

        assert do("only", names[first]) == [first]
        assert do("add", names[last]) == [first, last]
        assert do("remove", names[first]) == [last]
        assert do("all", names[first]) is None

    def test_some_are_drawn_by_a_seed(self, site, dataset):
        new = begun(site, dataset)
        drawn = []
        for seed in (3, 3, 4, 5, 6):
            choose(site, new, do="random", n=2, seed=seed)
            new.refresh_from_db()
            drawn.append(tuple(new.images))
        assert drawn[0] == drawn[1]
        assert len(set(drawn)) > 1
        assert choose(site, new, do="random", n=0, seed=1).status_code == 422

    def test_keys_that_are_none_of_the_dataset_choose_nothing(self, site, dataset):
        new = begun(site, dataset)
        foreign = make_study(["x", "y"]).images.get().pk
        choose(site, new, shown=[foreign, "x", "-1"], image=[foreign, "x"], do="next")
        site.post(reverse("setup:finish", args=[new.pk]), {"do": "make"})
        assert not Study.objects.get(name="Signs").images.filter(pk=foreign).exists()

    def test_images_without_two_results_are_not_offered(self, site, dataset):
        lonely = dataset.images.in_order()[0]
        lonely.results.exclude(method__name="a").delete()
        new = begun(site, dataset)
        context = site.get(reverse("setup:images", args=[new.pk])).context
        assert (context["n_comparable"], context["n_images"]) == (4, 5)

    def test_a_study_of_no_image_cannot_be_made(self, site, dataset):
        new = begun(site, dataset)
        choose(site, new, "?words=none-is-called-so", do="only")
        url = reverse("setup:finish", args=[new.pk])
        assert "None of the chosen images" in site.get(url).text
        assert site.post(url, {"do": "make"}).status_code == 422

    def test_large_datasets_come_in_pages(self, site, django_assert_max_num_queries):
        dataset = make_study(["a", "b"], images=50).dataset
        new = begun(site, dataset)
        url = reverse("setup:images", args=[new.pk])
        assert len(site.get(url).context["rows"]) == 48
        with django_assert_max_num_queries(20):
            assert len(site.get(url, {"page": 2}).context["rows"]) == 2

    def test_they_are_shown_by_how_much_protocols_differ(self, site, dataset):
        study = dataset.studies.get()
        make_run(study, "one", {"a": 0.9, "b": 0.1})
        make_run(study, "other", {"a": 0.1, "b": 0.9})
        new = begun(site, dataset, methods=keys(dataset)[:2])
        rows = site.get(reverse("setup:images", args=[new.pk]), {"order": "apart"}).context["rows"]
        assert [row["apart"] for row in rows] == [100.0] * 5

    def test_of_all_images_protocols_are_compared_only_where_they_are_ordered_by_it(
        self, site, dataset, monkeypatch
    ):
        study = dataset.studies.get()
        make_run(study, "one", {"a": 0.9, "b": 0.1})
        make_run(study, "other", {"a": 0.1, "b": 0.9})
        new = begun(site, dataset, methods=keys(dataset)[:2])
        monkeypatch.setattr(image_filters, "apart", None)
        monkeypatch.setattr("annotate.design.setup.views._IMAGES_PER_PAGE", 2)
        compared = []

        def recorded(images, runs):
            compared.append(list(images))
            return apart_on(images, runs)

        apart_on = image_filters.apart_on
        monkeypatch.setattr(image_filters, "apart_on", recorded)
        rows = site.get(reverse("setup:images", args=[new.pk])).context["rows"]
        assert [row["apart"] for row in rows] == [100.0] * 2
        assert [sorted(images) for images in compared] == [sorted(row["fact"].pk for row in rows)]

    @pytest.mark.parametrize("asked", ["regions_from=x", "order=nothing", "page=x", "side_to=nan"])
    def test_what_cannot_be_read_is_said_and_filters_nothing(self, site, dataset, asked):
        new = begun(site, dataset)
        response = site.get(reverse("setup:images", args=[new.pk]) + f"?{asked}")
        assert response.context["n_passed"] == 5


class TestPreview:
    def rows(self):
        return [model.objects.count() for model in (Assignment, Screen, Judgement, Study)]

    def test_a_pair_is_shown_without_a_name_and_nothing_is_stored(self, site, dataset):
        new = begun(site, dataset)
        send(site, new, "design", DESIGN)
        before = self.rows()
        url = reverse("setup:preview", args=[new.pk])
        html = site.get(url).text
        assert "More?" in html
        assert "Nothing is stored" in html
        for at in range(30):
            sent = {"recall": "left", "precision": "left", "preference": "left"}
            data = site.post(f"{url}?at={at}", sent, headers={"accept": "application/json"}).json()
            assert data["left"] != data["right"]
            assert {data["left"], data["right"]} <= data["image"]["results"].keys()
        assert self.rows() == before
        for method in dataset.methods.all():
            assert f">{method.name}<" not in html

    def test_without_scripts_an_answer_leads_to_the_next_pair(self, site, dataset):
        url = reverse("setup:preview", args=[begun(site, dataset).pk])
        assert site.post(f"{url}?at=3")["Location"] == f"{url}?at=3"
        assert site.get(f"{url}?at=x").status_code == 200
        assert site.get(f"{url}?at={9**30}").status_code == 200

    def test_the_results_of_an_image_that_the_page_has_are_not_sent_again(self, site, dataset):
        url = reverse("setup:preview", args=[begun(site, dataset).pk])
        headers = {"accept": "application/json"}
        key = site.post(f"{url}?at=0", headers=headers).json()["image"]["key"]
        assert (
            "results"
            not in site.post(f"{url}?at=1", {"have": key}, headers=headers).json()["image"]
        )

    def test_of_nothing_there_is_no_preview(self, site, dataset):
        new = begun(site, dataset)
        choose(site, new, "?words=none-is-called-so", do="only")
        response = site.get(reverse("setup:preview", args=[new.pk]), follow=True)
        assert "There is nothing to compare yet" in response.text

    def test_researchers_preview_their_study(self, client):
        study = make_study(["a", "b"], state="draft")
        client.force_login(add_researcher(study))
        url = reverse("setup:preview_of_study", args=[study.slug])
        response = client.get(url)
        assert response.status_code == 200
        # Only annotators may read the lessons, so nothing leads there.
        assert "/learn/" not in response.text
        client.force_login(add_annotator(study))
        assert client.get(url).status_code == 404
