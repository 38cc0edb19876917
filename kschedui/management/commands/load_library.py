"""Stores the lessons in the database, and runs the new ones, so that they open at once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from kschedui.library import loading
from kschedui.runs import store as runs
from kschedui.runs import worker


class Command(BaseCommand):
    """Store the lessons. Idempotent; prints a line for each changed lesson."""

    help = "load the scenario library into the database"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add --no-run, which leaves the simulations to the first visitors, and --queue, which leaves them to the
        workers."""
        group = parser.add_mutually_exclusive_group()
        group.add_argument("--no-run", action="store_true", help="do not simulate the lessons now")
        group.add_argument("--queue", action="store_true", help="leave the simulations to the workers")

    def handle(self, *args: Any, **options: Any) -> None:
        """Store and run the lessons. CommandError names an invalid file."""
        try:
            for slug, version in loading.load():
                if version and options["verbosity"] > 0:
                    self.stdout.write(f"{slug}: version {version.number}")
        except loading.BadLesson as error:
            raise CommandError(str(error)) from None
        if not options["no_run"]:
            simulate = runs.enqueue if options["queue"] else worker.execute
            for run in loading.queue_runs():
                simulate(run.public_id)
