"""Jobs in the API."""

from rest_framework import serializers
from rest_framework.reverse import reverse

from . import files
from .models import Job


class JobSerializer(serializers.ModelSerializer[Job]):
    """A piece of long work: its progress and its result."""

    made = serializers.DictField(
        child=serializers.IntegerField(), help_text="Ids of what it made: a run, a report."
    )
    file = serializers.SerializerMethodField(
        help_text="Address of the file that it made; null without one, or without access to its data."
    )
    result = serializers.SerializerMethodField(
        help_text="Address of the page with what came of it; null without one."
    )

    class Meta:
        model = Job
        fields = read_only_fields = (
            *("id", "kind", "title", "state", "done", "total", "doing", "failure"),
            *("outcome", "result", "made", "file", "created", "started", "finished"),
        )

    def get_result(self, job: Job) -> str | None:
        request = self.context["request"]
        return request.build_absolute_uri(job.address) if job.address else None

    def get_file(self, job: Job) -> str | None:
        request = self.context["request"]
        if files.given_to(request.user, job) is None:
            return None
        return reverse("api:job_file", args=[job.pk], request=request)


class JobQuery(serializers.Serializer[None]):
    state = serializers.ChoiceField(Job.State.choices, required=False)
