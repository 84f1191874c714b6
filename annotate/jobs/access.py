"""Who sees which work: everybody their own, admins all."""

from django.contrib.auth.models import User

from annotate.access import Person

from .models import Job, JobQuerySet


def visible_to(person: Person) -> JobQuerySet:
    """Return the jobs that somebody may watch, stop and do again; letters are for admins."""
    jobs = Job.objects.select_related("person")
    if person.has_perm("annotate.load_data"):
        return jobs
    return jobs.filter(person=person) if isinstance(person, User) else jobs.none()
