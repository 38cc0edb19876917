"""Runs count their tries; the words for who may see a scenario stand in the model."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("kschedui", "0002_run_error_is_a_message"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="tries",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name="scenario",
            name="visibility",
            field=models.CharField(
                choices=[
                    ("private", "Only me"),
                    ("unlisted", "Everyone with the link"),
                    ("public", "Everyone; listed on the first page"),
                ],
                default="unlisted",
                max_length=8,
            ),
        ),
    ]
