from typing import Any

from django.conf import settings
from django.db import migrations


def end_superusers_without_staff_status(apps: Any, schema_editor: Any) -> None:
    """An admin who lost staff status kept every permission as a superuser."""
    User = apps.get_model(settings.AUTH_USER_MODEL)
    User.objects.filter(is_superuser=True, is_staff=False).update(is_superuser=False)


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0012_jobs_know_their_token'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(end_superusers_without_staff_status, migrations.RunPython.noop),
    ]
