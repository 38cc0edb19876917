"""Stores the lessons in the database, and runs the new ones, so that they open at once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from kschedui.library import loading
from kschedui.runs import worker


class Command(BaseCommand):
    """Store the lessons. Idempotent; prints a line for each changed lesson."""

    help = "load the scenario library into the database"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --no-run, which leaves the simulations to the first visitors."""
        parser.add_argument("--no-run", action="store_true", help="do not simulate the lessons now")

    def handle(self, *args: Any, **options: Any) -> None:
        """Store and run the lessons. CommandError names an invalid file."""
        try:
            for slug, version in loading.load():
                if version and options["verbosity"] > 0:
                    self.stdout.write(f"{slug}: version {version.number}")
        except loading.BadLesson as error:
            raise CommandError(str(error)) from None
        if not options["no_run"]:
            for run in loading.unrun():
                worker.execute(run.public_id)
