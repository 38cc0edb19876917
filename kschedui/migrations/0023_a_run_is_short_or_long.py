from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("kschedui", "0022_text_is_the_last_column"),
    ]

    operations = [
        migrations.RenameField(model_name="run", old_name="lane", new_name="length"),
    ]
