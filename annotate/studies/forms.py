"""Setting up a study."""

from django import forms

from annotate.datasets.models import Dataset, Method

from .models import Role, Study


class StudyForm(forms.ModelForm):
    """The dataset is chosen before: its methods are what the form offers."""

    methods = forms.ModelMultipleChoiceField(
        Method.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "A study compares at least two methods. Choose two or more."},
    )

    class Meta:
        model = Study
        fields = [
            "name",
            "methods",
            "min_annotators",
            "strategy",
            "recall_question",
            "precision_question",
            "preference_question",
        ]
        labels = {"min_annotators": "Annotators per image", "strategy": "Order of the pairs"}

    def __init__(self, *args: object, dataset: Dataset, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["methods"].queryset = dataset.methods.all()
        self.fields["methods"].initial = [method.pk for method in dataset.methods.all()]


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(choices=Role)
