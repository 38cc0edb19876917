#!/usr/bin/env python
"""Django's command line: `python manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    """Run one management command; what is missing or misconfigured is said in one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
    try:
        from django.conf import settings
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed in this Python: run `make run`, or use .venv/bin/python manage.py ...")
    try:
        _ = settings.DEBUG  # read here: Django itself would hide the reason, or print a traceback
    except ImproperlyConfigured as error:
        sys.exit(f"kschedui cannot start: {error}.")
    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has seen enough
        from kschedui.cli.closed_pipe import discard_output

        discard_output()


if __name__ == "__main__":
    main()
