"""Rankings, notes and annotated studies in the API."""

from typing import Any

from rest_framework import serializers

from annotate.studies.models import Study

from .models import Assignment, Note


class NoteSerializer(serializers.ModelSerializer[Note]):
    """A note of an annotator. It is part of no ranking."""

    annotator = serializers.CharField(source="screen.assignment.annotator.username")
    image = serializers.CharField(source="screen.assignment.image.name")
    left = serializers.SlugField(source="screen.left.method.slug")
    right = serializers.SlugField(source="screen.right.method.slug")

    class Meta:
        model = Note
        fields = [
            *("id", "annotator", "image", "left", "right"),
            *("place", "text", "discuss", "created"),
        ]
        read_only_fields = fields


class NoteQuery(serializers.Serializer[Any]):
    discuss = serializers.BooleanField(
        required=False, default=False, help_text="Only notes that ask for a discussion."
    )


class JudgedStudySerializer(serializers.Serializer[Any]):
    """A study that you annotate."""

    slug = serializers.CharField(source="study.slug")
    name = serializers.CharField(source="study.name")
    state = serializers.ChoiceField(Study.State.choices, source="study.state")
    n_images = serializers.IntegerField()
    n_done = serializers.IntegerField()


class OwnAssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """An image that you are ranking or have ranked."""

    n_answered = serializers.IntegerField(source="n_screens")

    class Meta:
        model = Assignment
        fields = read_only_fields = ["position", "state", "n_answered", "created", "finished"]


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """An image ranked by an annotator, for those who follow the study."""

    image_name = serializers.CharField(source="image.name")
    annotator = serializers.CharField(source="annotator.username")
    asked = serializers.SerializerMethodField(
        help_text="Slugs of the methods that were drawn and asked; null: all of the image."
    )
    rankings = serializers.SerializerMethodField(
        help_text="For each criterion slugs of methods in buckets, best first; null until complete."
    )

    class Meta:
        model = Assignment
        fields = read_only_fields = [
            "id",
            "image",
            "image_name",
            "annotator",
            "position",
            "state",
            "asked",
            "unsettled",
            "created",
            "finished",
            "rankings",
        ]

    def get_asked(self, assignment: Assignment) -> list[str] | None:
        if assignment.drawn is None:
            return None
        slug_of = self.context["slug_of"]
        return [slug_of[method] for method in assignment.drawn["methods"]]

    def get_rankings(self, assignment: Assignment) -> dict[str, list[list[str]]] | None:
        if assignment.rankings is None:
            return None
        slug_of = self.context["slug_of"]
        return {
            criterion: [[slug_of[method] for method in bucket] for bucket in ranking]
            for criterion, ranking in assignment.rankings.items()
        }


class AssignmentQuery(serializers.Serializer[Any]):
    annotator = serializers.CharField(required=False, max_length=150, help_text="User name.")
    image = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Id of an image."
    )
    state = serializers.ChoiceField(Assignment.State.choices, required=False)


class AddedSerializer(serializers.Serializer[Any]):
    n_waiting = serializers.IntegerField(help_text="Rankings that wait for a few more answers.")
