"""Django's own commands, where there is no manage.py: in an installed package."""

from __future__ import annotations

import os

from kschedui.cli.unusable import Unusable


def command(name: str, **options: object) -> None:
    """Run a management command; raises Unusable when a setting is missing or wrong."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command

    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise Unusable(f"cannot start: {error}.") from None
    call_command(name, **options)
