"""`kschedui serve`: starts the dashboard on this machine, like `manage.py up`."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from kschedui.cli.django import command


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", default=os.environ.get("KSCHEDUI_HOST", "127.0.0.1"))
    parser.add_argument("--port", type=int, default=os.environ.get("PORT", "8000"), help="0: any free port")


def run(options: Namespace) -> int:
    """Run `manage.py up`, which starts everything."""
    command("up", host=options.host, port=int(options.port))
    return 0
