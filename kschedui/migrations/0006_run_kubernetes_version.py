"""A run is a version by an engine on a Kubernetes release; those made before engine 0.4.0 simulated 1.34."""

from django.db import migrations, models

BEFORE = ("0.1.0", "0.2.0", "0.3.0")  # engines that knew one release


def name_the_release(apps, schema_editor):
    apps.get_model("kschedui", "Run").objects.filter(engine_version__in=BEFORE).update(kubernetes_version="1.34")


class Migration(migrations.Migration):
    dependencies = [("kschedui", "0005_api_and_sharing")]

    operations = [
        migrations.RemoveConstraint(model_name="run", name="run_is_found_again"),
        migrations.AddField(
            model_name="run",
            name="kubernetes_version",
            field=models.CharField(blank=True, max_length=8, default=""),
            preserve_default=False,
        ),
        migrations.RunPython(name_the_release, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                fields=["version", "engine_version", "kubernetes_version"], name="run_is_found_again"
            ),
        ),
    ]
