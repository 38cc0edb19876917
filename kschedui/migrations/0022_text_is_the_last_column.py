"""SQLite stores the text behind the other columns of its row: to read one that follows it, SQLite goes through all of it."""

from django.db import migrations, models


def remake(apps, schema_editor):
    """Write the table again, in the order of the fields. PostgreSQL keeps long values elsewhere anyway."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor._remake_table(apps.get_model("kschedui", "Version"))


class Migration(migrations.Migration):
    dependencies = [
        ("kschedui", "0021_run_by_author"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField(model_name="version", name="text"),
                migrations.AddField(model_name="version", name="text", field=models.TextField()),
            ]
        ),
        migrations.RunPython(remake, migrations.RunPython.noop),
    ]
