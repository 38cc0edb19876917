from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("kschedui", "0012_uploads")]

    operations = [
        migrations.AddField("apitoken", "expires", models.DateTimeField(blank=True, null=True)),
    ]
