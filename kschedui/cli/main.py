"""`kschedui COMMAND`: parses the command line and runs the command.

Exit status: 0 success; 1 a negative result (an expectation is not met; with --strict also a warning); 2 the command
line or the input cannot be used.

Only the module of the command is imported: a small file takes less time than importing all of them.
"""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from kschedui.cli.closed_pipe import discard_output
from kschedui.cli.unusable import Unusable

COMMANDS = {
    "serve": "Serve the dashboard on this machine until Ctrl-C.",
    "simulate": "Simulate scenarios or dumps and print what became of each scheduling attempt.",
    "check": "Check that the runs of scenarios keep what spec.expect promises; exit status 1 when one does not.",
    "explain": "Tell why a pod runs where it runs, or why it waits: what blocks it, and which nodes come nearest.",
    "pending": "List the pods that wait when the run ends, by cause: what blocks them, and which nodes come nearest.",
    "fix": "Find the smallest changes with which a waiting pod fits.",
    "what-if": "Decide a pod's last attempt again, with changes of pods, nodes or the configuration.",
    "decode": "Take a FailedScheduling message apart: what each part means, and which plugin says it.",
    "diff": "Compare the runs of two scenarios: the first decision that differs, its cause, and the pods that moved.",
    "capacity": "Tell how many copies of a pod fit beside what is there, on which nodes, and what more would take.",
    "drain": "Tell what draining nodes does: who moves where, who finds no place, what blocks.",
    "lose": "Tell what the loss of nodes, or of a zone, does to their pods.",
    "add-nodes": "Tell which pending pods more nodes like one would take.",
    "reschedule": "Tell where every pod would be if all were scheduled anew.",
    "node-groups": "Tell which node group would help pending pods, and how many nodes of it that takes.",
    "upgrade": "Tell what another Kubernetes release decides otherwise.",
    "experiment": "Run a scenario for every combination of an experiment's values; print a row of measures for each.",
    "match": "Evaluate CEL device selectors: which devices they select, their error messages and cost, as JSON lines.",
    "plugin": "Write a package with a scheduler plugin of your own, and a test of it.",
    "import": "Turn what kubectl prints (YAML, JSON, gzip) or a simulator's export into a scenario without secrets.",
    "record": "Watch the current cluster until Ctrl-C; write its changes and its scheduler's decisions as a scenario.",
    "replay": "Decide again what a recorded cluster's scheduler decided, and say where and why the two differ.",
    "anonymise": "Replace the names of nodes, namespaces, pods, labels and images by made-up ones; decisions stay.",
    "completion": "Print a script that completes commands and options in bash, zsh or fish.",
}
MODULES = {  # those that are not called as the command is
    "import": "imports",
    "what-if": "what_if",
    **dict.fromkeys(("drain", "lose", "add-nodes", "reschedule", "node-groups", "upgrade"), "cluster"),
}
DONE, NO, UNUSABLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Return its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        options = parser(next((word for word in words if word in COMMANDS), "")).parse_args(words)
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except Unusable as error:
        sys.stderr.write(f"kschedui: {error}\n")
        return UNUSABLE
    except BrokenPipeError:  # whoever read has seen enough
        discard_output()
        return DONE
    except KeyboardInterrupt:
        return 130


def parser(only: str | None = None) -> ArgumentParser:
    """Return the parser, with a subparser for each command."""
    command_line = ArgumentParser(prog="kschedui", description="See Kubernetes scheduling happen.")
    command_line.add_argument("--version", action=_Version, nargs=0, help="show the version of the engine and exit")
    commands = command_line.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name, description in COMMANDS.items():
        added = commands.add_parser(name, help=description, description=description)
        if only in (name, None):
            module = import_module(f"kschedui.cli.{MODULES.get(name, name)}")
            command = getattr(module, "COMMANDS", {}).get(name, module)  # a module may have several
            command.add_arguments(added)
            added.set_defaults(run=command.run)
    return command_line


class _Version(Action):
    """The option `--version`, which alone needs the engine."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None) -> None:
        from scheduler_core import ENGINE_VERSION

        sys.stdout.write(f"kschedui engine {ENGINE_VERSION}\n")
        parser.exit()


def run_as_script() -> None:
    """Run the console script."""
    sys.exit(main())
