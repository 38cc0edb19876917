"""The column stays as it is; what is written into it has its template and values from now on."""

from django.db import migrations

import kschedui.models


class Migration(migrations.Migration):
    dependencies = [("kschedui", "0001_initial")]

    operations = [migrations.AlterField(model_name="run", name="error", field=kschedui.models.MessageField(blank=True))]
