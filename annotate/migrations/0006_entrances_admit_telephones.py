from django.db import migrations, models


class Migration(migrations.Migration):
    """The window that an entrance asks for by default; entrances that exist keep theirs."""

    dependencies = [("annotate", "0005_judges")]

    operations = [
        migrations.AlterField(
            "entrance",
            "min_width",
            models.PositiveIntegerField(default=390, verbose_name="smallest window, px wide"),
        ),
    ]
