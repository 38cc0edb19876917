"""Runs the workers' housekeeping once: queues lost runs again, and removes what was deleted long ago."""

from typing import Any

from django.core.management.base import BaseCommand

from kschedui import housekeeping


class Command(BaseCommand):
    """Run the reaper once; safe at any time."""

    help = "queue lost runs again and remove what was deleted long ago"

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was done."""
        self.stdout.write(f"queued again: {housekeeping.requeue_lost()}; removed: {housekeeping.remove_old()}")
