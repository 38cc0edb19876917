"""Django's management commands for installed packages, which have no manage.py."""

from __future__ import annotations

import os

from kschedui.cli.unusable import Unusable


def command(name: str, **options: object) -> None:
    """Run a management command. Raises Unusable if a setting is missing or wrong."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command

    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise Unusable(f"cannot start: {error}.") from None
    call_command(name, **options)
