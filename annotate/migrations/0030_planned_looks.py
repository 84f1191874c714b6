
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0028_challenges'),
    ]

    operations = [
        migrations.CreateModel(
            name='Look',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('due', models.PositiveIntegerField()),
                ('taken', models.DateTimeField(blank=True, null=True)),
                ('n_counted', models.PositiveIntegerField(blank=True, null=True)),
                ('found', models.JSONField(default=dict)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='looks', to='annotate.study')),
            ],
            options={
                'ordering': ('number',),
                'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='a_study_has_a_look_once')],
            },
        ),
    ]
