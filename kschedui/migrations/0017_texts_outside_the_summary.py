"""The texts of a scenario leave the summary, which lists load, for columns of their own; their HTML is stored too."""

from django.db import migrations, models

LONGEST = {
    "title": 1_000,
    "description": 20_000,
    "look_at": 1_000,
}  # characters of a text that was saved without a limit


def move_texts(apps, schema_editor):
    """Move the texts, one version at a time: a text may be megabytes."""
    from kschedui.scenarios.prose import markdown_html

    versions = apps.get_model("kschedui", "Version").objects.filter(summary__has_key="lesson")
    for pk in list(versions.order_by("pk").values_list("pk", flat=True)):
        row = versions.only("summary").get(pk=pk)
        lesson = row.summary.pop("lesson")
        for name, most in LONGEST.items():
            for field in (name, f"{name}_zh"):
                if field in lesson:
                    lesson[field] = lesson[field][:most]
        texts = {"en": lesson.get("description"), "zh": lesson.get("description_zh")}
        row.lesson = lesson
        row.description = {language: markdown_html(text) for language, text in texts.items() if text}
        row.save(update_fields=["summary", "lesson", "description"])


def move_back(apps, schema_editor):
    """Put the texts back into the summary."""
    versions = apps.get_model("kschedui", "Version").objects
    for pk in list(versions.order_by("pk").values_list("pk", flat=True)):
        row = versions.only("summary", "lesson").get(pk=pk)
        row.summary["lesson"] = row.lesson
        row.save(update_fields=["summary"])


class Migration(migrations.Migration):
    dependencies = [
        ("kschedui", "0016_parsed_texts"),
    ]

    operations = [
        migrations.AddField(model_name="version", name="lesson", field=models.JSONField(default=dict)),
        migrations.AddField(model_name="version", name="description", field=models.JSONField(default=dict)),
        migrations.RunPython(move_texts, move_back),
    ]
