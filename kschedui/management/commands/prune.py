"""Frees storage: deletes old traces and results of experiments, which can be computed again.

Texts and versions always stay.

Classes that ended a day ago are deleted too.
"""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import Sum
from django.utils import timezone

from kschedui.classrooms import store as classrooms
from kschedui.experiments import store as experiments
from kschedui.runs import store as runs

DAYS = 90


class Command(BaseCommand):
    """Delete old traces and results. Safe to interrupt: each run has a transaction of its own."""

    help = "forget the traces of old runs and the results of old experiments: they can be made again"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the minimum age, and the option that deletes."""
        parser.add_argument("--days", type=int, default=DAYS, help=f"since the run ended; {DAYS} when not given")
        parser.add_argument("--dry-run", action="store_true", help="print what would be deleted, and delete nothing")

    def handle(self, *args: Any, days: int, dry_run: bool, **options: Any) -> None:
        """Delete, or only print the amounts."""
        prunable = runs.prunable(timezone.now() - timedelta(days=days))
        size = prunable.aggregate(sum=Sum("bytes"))["sum"] or 0
        count = prunable.count()
        if not dry_run:
            for run in prunable.defer("outcome").iterator():
                runs.forget_trace(run)
            classrooms.purge()
        done = "would be forgotten" if dry_run else "forgotten"
        self.stdout.write(f"traces of {count} runs {done}, {size / 1e6:.1f} MB; no version was touched")
        old = experiments.prunable(timezone.now() - timedelta(days=days))
        size, count = old.aggregate(sum=Sum("bytes"))["sum"] or 0, old.count()
        if not dry_run:
            for experiment in old.iterator():
                experiments.forget(experiment)
        self.stdout.write(f"results of {count} experiments {done}, {size / 1e6:.1f} MB; they can be made again")
