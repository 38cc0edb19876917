"""`kschedui COMMAND`: reads the command line and runs the command.

Exit status: 0 done and as expected; 1 the answer is no (an expectation is not met; with --strict also a warning);
2 the command line or the input cannot be used.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from kschedui.cli import anonymise, capacity, check, diff, experiment, explain, imports, serve, simulate
from kschedui.cli.inputs import Unusable
from scheduler_core import ENGINE_VERSION

COMMANDS = (serve, simulate, check, explain, diff, capacity, experiment, imports, anonymise)
DONE, NO, UNUSABLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status."""
    try:
        options = parser().parse_args(arguments)
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except Unusable as error:
        sys.stderr.write(f"kschedui: {error}\n")
        return UNUSABLE
    except BrokenPipeError:  # whoever read has seen enough
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        return 130


def parser() -> ArgumentParser:
    """With a subparser for each command."""
    made = ArgumentParser(prog="kschedui", description="See Kubernetes scheduling happen.")
    made.add_argument("--version", action="version", version=f"kschedui engine {ENGINE_VERSION}")
    commands = made.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for command in COMMANDS:
        added = commands.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(added)
        added.set_defaults(run=command.run)
    return made


def run_as_script() -> None:
    """The console script."""
    sys.exit(main())
