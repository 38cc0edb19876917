"""`manage.py simulate FILE ...`: the same as `kschedui simulate`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from kschedui.cli import check, simulate
from kschedui.cli.main import COMMANDS
from kschedui.cli.unusable import Unusable


class Command(BaseCommand):
    """Simulate a file. Errors go to standard error; `--check` is `kschedui check`."""

    help = COMMANDS["simulate"]
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        simulate.add_arguments(parser)
        parser.add_argument("--check", action="store_true", help="only check that the runs meet spec.expect")
        parser.add_argument("--syntax", action="store_true", help="with --check: only parse the files")

    def handle(self, *args: Any, **options: Any) -> None:
        arguments = Namespace(**options)
        try:
            if arguments.check:
                status = check.run(Namespace(**{**options, "format": "table"}))
            else:
                status = simulate.run(arguments)
        except Unusable as error:
            raise CommandError(str(error)) from None
        if status:
            sys.exit(status)
