from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0014_no_study_ends_by_its_results"),
    ]

    operations = [
        migrations.AlterField(
            model_name="draftfile",
            name="reason",
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name="job",
            name="doing",
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name="job",
            name="outcome",
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name="job",
            name="title",
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name="worker",
            name="name",
            field=models.TextField(help_text="Machine and process.", unique=True),
        ),
    ]
