"""Generate static/js/trace/trace.d.ts from scheduler_core, the one definition of the trace."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from kschedui.runs import trace_types


class Command(BaseCommand):
    """`--check` only compares, for CI."""

    help = "write static/js/trace/trace.d.ts"

    def add_arguments(self, parser: CommandParser) -> None:
        """--check: exit status 1 when the file is not what would be written."""
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write, or compare."""
        path = settings.BASE_DIR / "static/js/trace/trace.d.ts"
        text = trace_types.generate()
        if not options["check"]:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            raise CommandError("static/js/trace/trace.d.ts is out of date: run `manage.py trace_types`")
