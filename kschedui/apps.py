"""The one Django app of the project."""

from django.apps import AppConfig


class KscheduiConfig(AppConfig):
    """Registers models, templates and management commands under the label `kschedui`."""

    name = "kschedui"
    default_auto_field = "django.db.models.BigAutoField"
