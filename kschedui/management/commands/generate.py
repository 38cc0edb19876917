"""Generates the browser's files about the trace and the plugins from their declarations in scheduler_core."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from kschedui.runs import trace_types
from kschedui.waiting import plugin_texts


class Command(BaseCommand):
    """Generate the files. `--check` only compares, for CI."""

    help = "write static/js/trace/{trace.d.ts,events.js,releases.js}, steps/parts/plugins.js, and plugins' texts"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --check: exit status 1 if a file differs from the generated text."""
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the files that are out of date and print their names; with --check, raise CommandError instead."""
        folder = settings.BASE_DIR
        for name, text in {**trace_types.generate(), **plugin_texts.generate(folder)}.items():
            path = folder / name
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            if options["check"]:
                raise CommandError(f"{name} is out of date: run `manage.py generate`")
            path.write_text(text, encoding="utf-8")
            self.stdout.write(f"{name} written")
