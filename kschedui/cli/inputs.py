"""Reads files and standard input as scenarios; output of a cluster is read like `kschedui import` does."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser
from typing import BinaryIO

import msgspec

from kschedui.cli.unusable import Unusable
from kschedui.scenarios.imported import Conversion, Imported
from kschedui.scenarios.intake import read_scenario
from kschedui.scenarios.kinds_of_text import Kind
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins
from scheduler_core import Limits, Scenario, ScenarioError, parse_scenario
from scheduler_core.apis.messages import Message
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.types import Limit, RunLimits

SETTING = "KSCHEDUI_MAX_PODS"  # of a file, and at once in its run
MAX_PODS = int(os.environ.get(SETTING) or Limits().pods)
LIMITS = Limits(bytes=256 * 1024 * 1024, pods=MAX_PODS, run=RunLimits(pods=Limit(MAX_PODS, SETTING)))
MAX_BYTES = 1024 * 1024 * 1024  # of a dump
SHOWN_WARNINGS = 20
HINT_BYTES = 1 << 20
VALUES = re.compile(r"^(?:replicaCount|imagePullSecrets|fullnameOverride|nameOverride|resources|image):", re.M)
CHART = re.compile(r"^apiVersion:\s*[\"']?v[12][\"']?\s*$", re.M)
KIND = re.compile(r"""^["']?(?:kind|Kind)["']?\s*:""", re.M)
KUSTOMIZATION = re.compile(r"^kind:\s*Kustomization\b|^(?:namePrefix|configMapGenerator|patchesStrategicMerge):", re.M)


class Input(msgspec.Struct, frozen=True):
    """A file and its scenario. `notes`: on the changes made to a dump, and on a release that the text does not name."""

    name: str
    scenario: Scenario
    notes: tuple[Message, ...] = ()


def add_arguments(parser: ArgumentParser, *, several: bool, content: str = "a scenario or a dump") -> None:
    """Add FILE, whose help names its content, and the options of all commands that read scenarios."""
    parser.add_argument("files", nargs="+" if several else 1, metavar="FILE", help=f"{content}; - reads standard input")
    parser.add_argument("--strict", action="store_true", help="exit status 1 if there is a warning")
    parser.add_argument("--quiet", action="store_true", help="print no warnings and no progress on standard error")
    parser.add_argument(
        "--kubernetes-version",
        metavar="X.YZ",
        choices=list(RELEASES),
        help=f"the release to simulate, in place of the scenario's: {', '.join(RELEASES)}",
    )


def open_input(name: str) -> BinaryIO:
    """Return the file, or standard input. Raises Unusable."""
    if name == "-":
        return sys.stdin.buffer
    try:
        return open(name, "rb")
    except OSError as error:
        raise Unusable(f"cannot read {name}: {error.strerror}") from None


def in_file(name: str, error: ScenarioError) -> str:
    """Return the errors, one per line, each after the file's name."""
    return "\n".join(f"{name}: {line}" for line in str(error).splitlines())


def read(name: str, version: str | None = None, configuration: str = "") -> Input:
    """Read a file as a scenario. Raises Unusable with every error and its place, one per line.

    `configuration`: the text of a KubeSchedulerConfiguration that is added to the file.
    """
    content = b""
    try:
        with open_input(name) as source:
            content = source.read()
        return from_content(name, content, version, configuration)
    except ScenarioError as error:
        raise Unusable("\n".join([in_file(name, error), *hints(name, content)])) from None
    except OSError as error:
        raise Unusable(f"cannot read {name}: {error.strerror}") from None


def from_content(
    name: str,
    content: bytes,
    version: str | None = None,
    configuration: str = "",
    autoscaler: str | None = None,
) -> Input:
    """Read the bytes of a file as a scenario; see `read`. Raises ScenarioError.

    `autoscaler`: that of a dump, which becomes an actor; see `Conversion`.
    """
    release = RELEASES[version] if version else None

    def parse(text: str) -> Scenario:
        whole = f"{text}\n---\n{configuration}" if configuration else text
        return parse_scenario(whole, LIMITS, known_plugins(outside_plugins()), release)

    result = read_scenario(content, conversion(version or "", autoscaler), parse, lenient=True)
    scenario = result.scenario
    if scenario.observed:
        from scheduler_core.ask.replay.placing import place_decisions  # which only recordings need

        scenario = place_decisions(scenario)
    return Input(name, scenario, (*result.imported.notes, *_release_notes(result.imported, scenario, version)))


def conversion(version: str = "", autoscaler: str | None = None) -> Conversion:
    """Return the settings for converting a text within the limits of the command line."""
    return Conversion(LIMITS, MAX_BYTES, simulated=version, autoscaler=autoscaler)


def _release_notes(text: Imported, scenario: Scenario, version: str | None) -> list[Message]:
    """Return notes about the release of a cluster's text; [] if the command or the text names one, or for an import."""
    if (
        version
        or text.kind is not Kind.SCENARIO
        or "kubeletVersion" not in text.text
        or "kubernetesVersion" in text.text
    ):
        return []
    from kschedui.scenarios.importers.cluster_release import scenario_notes  # which only texts of clusters need

    return scenario_notes(scenario)


def hints(name: str, content: bytes) -> list[str]:
    """Return a hint for a file that has to be converted by another command or tool first; [] for other files."""
    from kschedui.waiting.others import has_messages  # which only texts that cannot be read need

    text = content[:HINT_BYTES].decode(errors="replace")
    if has_messages(text):
        return [f"{name}: the text has messages of a scheduler or an autoscaler: kschedui decode - < {name}"]
    if "{{" in text:
        return [f"{name}: this looks like a Helm template; render it first: helm template CHART | kschedui simulate -"]
    is_chart = CHART.search(text) and re.search(r"^version:", text, re.M)
    if not KIND.search(text) and (is_chart or VALUES.search(text)):
        return [
            f"{name}: this looks like a part of a Helm chart (Chart.yaml or values.yaml); render the chart first: helm "
            "template CHART --values VALUES | kschedui simulate -"
        ]
    if KUSTOMIZATION.search(text):
        return [f"{name}: this is a kustomization; build it first: kubectl kustomize FOLDER | kschedui simulate -"]
    return []


def read_again(source: Input, version: str) -> Scenario:
    """Parse the same text for another release. Raises Unusable with the errors of that release."""
    try:
        return parse_scenario(source.scenario.text, LIMITS, known_plugins(outside_plugins()), RELEASES[version])
    except ScenarioError as error:
        raise Unusable(in_file(f"{source.name}, on Kubernetes {version}", error)) from None


def parse_changed(source: Input, text: str) -> Scenario:
    """Parse another text of the same scenario, for the same release. Raises ScenarioError."""
    return parse_scenario(text, LIMITS, known_plugins(outside_plugins()), source.scenario.release)


def say_warnings(source: Input, *, quiet: bool) -> int:
    """Write notes and warnings to standard error. Return the number of warnings."""
    if not quiet:
        for line in warning_lines(source):
            sys.stderr.write(f"{source.name}: {line}\n")
    return len(source.scenario.warnings)


def warning_lines(source: Input) -> list[str]:
    """Return the notes, the first warnings with their lines, and the number of the others."""
    warnings = [
        f"line {warning.line}, {warning.path}: {warning.message}" if warning.path else str(warning.message)
        for warning in source.scenario.warnings
    ]
    more = len(warnings) - SHOWN_WARNINGS
    left_out = [f"and {more} more warnings"] if more > 0 else []
    return [*map(str, source.notes), *warnings[:SHOWN_WARNINGS], *left_out]
