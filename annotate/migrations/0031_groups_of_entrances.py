
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0030_planned_looks'),
    ]

    operations = [
        migrations.AddField(
            model_name='entrance',
            name='group',
            field=models.CharField(blank=True, help_text='If its people share habits, as those of one laboratory do: reports then count groups instead of people, and two groups hardly ever show a difference. Empty: people count alone.', max_length=120, verbose_name='group'),
        ),
        migrations.AlterField(
            model_name='entrance',
            name='name',
            field=models.CharField(help_text='People do not see it.', max_length=60, verbose_name='name'),
        ),
    ]
