import django.utils.timezone
from django.db import migrations, models
from django.db.models.functions import Length


def weigh_texts(apps, schema_editor):
    """About: characters, not bytes."""
    apps.get_model("kschedui", "Version").objects.update(bytes=Length("text"))


class Migration(migrations.Migration):
    dependencies = [
        ("kschedui", "0003_run_tries"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="address",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name="run",
            name="author",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name="run",
            name="lane",
            field=models.CharField(choices=[("long", "Long"), ("short", "Short")], default="long", max_length=5),
        ),
        migrations.AddField(
            model_name="run",
            name="party",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name="run",
            name="seen",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name="run",
            name="started",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="version",
            name="bytes",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["party", "started"], name="run_by_party"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["address", "created"], name="run_by_address"),
        ),
        migrations.RunPython(weigh_texts, migrations.RunPython.noop),
    ]
