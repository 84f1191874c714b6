import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0002_settings_of_the_page_and_rechecks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FirstVisit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("consented", models.DateTimeField()),
                ("consent_version", models.CharField(max_length=20)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "practice",
                    models.CharField(
                        choices=[
                            ("open", "not finished"),
                            ("skipped", "skipped"),
                            ("passed", "passed"),
                            ("not_passed", "not passed"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("practice_answers", models.JSONField(blank=True, default=list)),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="first_visits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="first_visits",
                        to="annotate.study",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "annotator"),
                        name="an_annotator_visits_a_study_first_once",
                    )
                ],
            },
        ),
    ]
