"""The project's only Django app."""

from django.apps import AppConfig


class KscheduiConfig(AppConfig):
    """Registers models, templates and management commands under the label `kschedui`."""

    name = "kschedui"
    default_auto_field = "django.db.models.BigAutoField"
