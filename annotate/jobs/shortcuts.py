"""Responses about jobs for views of several apps: the next page, progress, acceptance."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import ngettext
from rest_framework.response import Response
from rest_framework.reverse import reverse as api_reverse

from annotate.access import Person
from annotate.api.views import ApiView

from . import files, workers
from .models import Job
from .serializers import JobSerializer
from .services import mark_seen


def next_page(job: Job) -> str:
    """Return the page to go to: that of the result once the job is done, until then the job's."""
    own = reverse("jobs:job", args=[job.pk])
    return (job.address or own) if job.state == Job.State.DONE else own


def go_to(job: Job) -> HttpResponse:
    """Redirect a user who has started a job; a result shown at once needs no notification."""
    if job.state == Job.State.DONE and job.address:
        mark_seen(job=job)
    return redirect(next_page(job))


def told(request: HttpRequest, job: Job) -> dict[str, object]:
    """Return the input of a job page's script, which polls once a second."""
    if not job.is_open:
        return {"next": request.path}
    silent = workers.silence() if job.state == Job.State.WAITING else None
    doing = job.doing
    if n := job.n_before:
        doing = ngettext("Waiting for {n} other job", "Waiting for {n} other jobs", n).format(n=n)
    return {
        "done": job.done,
        "total": job.total,
        "doing": doing,
        "stopping": job.cancel_requested,
        "nobody": silent is not None,
    }


def file_response(person: Person, job: Job) -> FileResponse:
    """Send a job's file to a user who still has access to its data; 404 to anyone else."""
    path = files.given_to(person, job)
    if path is None:
        raise Http404
    return FileResponse(path.open("rb"), as_attachment=True, filename=job.file_name)


def accepted(view: ApiView, job: Job) -> Response:
    """Return the response to a request that started a job: 202, the job, and its URL."""
    address = api_reverse("api:job", args=[job.pk], request=view.request)
    return Response(view.shown(JobSerializer, job), 202, headers={"Location": address})
