"""`kschedui COMMAND`: parses the command line and runs the command.

Exit status: 0 success; 1 a negative result (an expectation is not met; with --strict also a warning); 2 the command
line or the input cannot be used; 130 ended by Ctrl-C.

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
from kschedui.work.rare_collection import rare_collection

COMMANDS = {
    "serve": "Serve the dashboard on this machine until Ctrl-C.",
    "simulate": "Simulate scenarios or dumps, and print the outcome of each scheduling attempt.",
    "check": "Check that the runs of scenarios meet spec.expect; exit status 1 if one does not.",
    "explain": "Explain why a pod is on its node, or why it is pending: what blocks it, and the nearest nodes.",
    "time": "Show where the time of a pod went, from its creation until it was ready.",
    "pending": "List the pods that are pending at the end of the run, by cause, with the nearest nodes.",
    "fix": "Find the smallest changes that make a pending pod fit.",
    "what-if": "Repeat the last attempt of a pod with changes of pods, nodes or the configuration.",
    "decode": "Explain each part of a FailedScheduling message, and name the plugin that reports it.",
    "diff": "Compare the runs of two scenarios: the first decision that differs, its cause, and the pods that moved.",
    "capacity": "Count the further copies of a pod that fit, and show the nodes and what limits the number.",
    "drain": "Show the effect of draining nodes: the pods that move, get no node, or block the drain.",
    "lose": "Show the effect of losing nodes, or a zone, on their pods.",
    "add-nodes": "Show the pending pods that would fit on additional nodes.",
    "reschedule": "Show the node of every pod if all pods were scheduled again.",
    "node-groups": "Show the node groups that would help pending pods, with the number of nodes.",
    "autoscale": "Show what the autoscaler would do for pods that wait, at what price, and why it keeps a node.",
    "instance-types": "Convert a vendor's published instance types and prices to a catalogue for Karpenter.",
    "upgrade": "Show the decisions that differ on another Kubernetes release.",
    "experiment": "Run a scenario for every combination of an experiment's values; print a row of measures for each.",
    "match": "Evaluate CEL selectors of devices; print the selected devices, errors and cost as JSON lines.",
    "plugin": "Create a package with a scheduler plugin, and a test of it.",
    "import": "Convert output of kubectl (YAML, JSON, gzip) or a simulator's export to a scenario without secrets.",
    "record": "Watch the current cluster until Ctrl-C; write its changes and its scheduler's decisions as a scenario.",
    "replay": "Repeat the decisions of a recorded cluster's scheduler; show which ones differ, and why.",
    "anonymise": "Replace the names of nodes, namespaces, pods, labels and images; decisions stay the same.",
    "completion": "Print a script that completes commands and options in bash, zsh or fish.",
}
MODULES = {  # modules whose names differ from the command
    "import": "imports",
    "instance-types": "instance_types",
    "what-if": "what_if",
    **dict.fromkeys(("drain", "lose", "add-nodes", "reschedule", "node-groups", "upgrade"), "cluster"),
}
DONE, NO, UNUSABLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Return its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        options = parser(next((word for word in words if word in COMMANDS), "")).parse_args(words)
        with rare_collection():
            status: int = options.run(options)
        sys.stdout.flush()
        return status
    except Unusable as error:
        sys.stderr.write(f"kschedui: {error}\n")
        return UNUSABLE
    except BrokenPipeError:  # the reader has closed the pipe
        discard_output()
        return DONE
    except KeyboardInterrupt:
        return 130


def parser(only: str | None = None) -> ArgumentParser:
    """Return the parser, with a subparser for each command; only the command `only` gets its arguments (None: all)."""
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
