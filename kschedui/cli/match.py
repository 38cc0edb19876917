"""`kschedui match --devices FILE EXPRESSION ...`: the devices that CEL expressions select, and their cost."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from kschedui.cli.inputs import LIMITS, in_file, open_input
from kschedui.cli.unusable import Unusable
from scheduler_core import ScenarioError
from scheduler_core.ask.device_matches import DeviceTable, match_devices, read_devices
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--devices", required=True, metavar="FILE", help="devices, or a dump with ResourceSlices; - reads stdin"
    )
    parser.add_argument(
        "expressions", nargs="*", metavar="EXPRESSION", help="a CEL expression (default: those in the file)"
    )
    parser.add_argument(
        "--kubernetes-version",
        metavar="X.YZ",
        choices=list(RELEASES),
        help="the release that evaluates the expressions",
    )
    parser.add_argument("--strict", action="store_true", help="exit status 1 if there is an error in any result")
    parser.add_argument("--quiet", action="store_true", help="print nothing on standard error")


def run(options: Namespace) -> int:
    table = _read(options.devices)
    expressions = options.expressions or table.expressions
    if not options.quiet and not table.devices:
        sys.stderr.write(f"{options.devices}: there are no devices\n")
    if not expressions:
        raise Unusable(f"{options.devices} has no expressions, and none is given")
    release = RELEASES[options.kubernetes_version] if options.kubernetes_version else DEFAULT_RELEASE
    wrong = False
    for expression in expressions:
        answer = match_devices(expression, table.devices, release)
        wrong = wrong or "compileError" in answer or any("error" in result for result in answer["results"].values())
        sys.stdout.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n")
    return int(wrong and options.strict)


def _read(name: str) -> DeviceTable:
    try:
        with open_input(name) as source:
            return read_devices(source.read().decode("utf-8-sig"), LIMITS)
    except UnicodeDecodeError:
        raise Unusable(f"{name} is not text in UTF-8") from None
    except ScenarioError as error:
        raise Unusable(in_file(name, error)) from None
