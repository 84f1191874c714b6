
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0028_challenges'),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditentry',
            name='act',
            field=models.CharField(choices=[('dataset_loaded', 'loaded a dataset'), ('results_loaded', 'loaded results'), ('scenes_declared', 'declared the scenes of images'), ('scores_loaded', 'loaded scores'), ('people_loaded', 'loaded people'), ('study_loaded', 'loaded a study from a bundle'), ('load_undone', 'undid a load'), ('scored', 'scored with a protocol'), ('study_created', 'set up a study'), ('study_changed', 'changed a study'), ('study_opened', 'opened a study'), ('study_closed', 'closed a study'), ('look_taken', 'took a planned look at a study'), ('method_added', 'added a method to a study'), ('method_withdrawn', 'withdrew a method from a study'), ('member_added', 'added a member'), ('role_changed', 'changed a role'), ('group_changed', "changed a member's group"), ('member_removed', 'removed a member'), ('invited', 'made an invitation'), ('invitation_revoked', 'revoked an invitation'), ('invitation_used', 'accepted an invitation'), ('excluded', 'excluded from reports'), ('included', 'included in reports again'), ('report_kept', 'kept a report'), ('report_published', 'made a report public'), ('publication_changed', 'changed a public page'), ('board_published', 'made a leaderboard public'), ('board_gone', 'removed a public leaderboard'), ('publication_gone', 'removed a public page'), ('token_made', 'made a token'), ('token_revoked', 'revoked a token'), ('entrance_made', 'made an entrance'), ('entrance_changed', 'changed an entrance'), ('challenge_made', 'made a challenge'), ('challenge_changed', 'changed a challenge'), ('organiser_added', 'made someone an organiser of a challenge'), ('organiser_removed', 'removed an organiser of a challenge'), ('ids_erased', 'erased the ids of participants'), ('erased', 'erased personal data'), ('locked_out', 'was locked out after failed sign-ins'), ('rescued', 'changed something under /rescue/')], max_length=20),
        ),
        migrations.AlterField(
            model_name='study',
            name='ends_by',
            field=models.CharField(choices=[('never', 'when a researcher closes it'), ('budget', 'after a set number of answers'), ('decided', 'when planned looks have decided every pair of protocols')], default='never', help_text='Chosen before the study opens, and logged.', max_length=10, verbose_name='the study ends'),
        ),
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
