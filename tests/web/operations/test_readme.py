"""The scenario in the README has the result that the README states."""

import re

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from tests.conformance.records import records_of
from tests.conftest import ROOT

README = ROOT / "README.md"


def test_its_figures_are_right() -> None:
    text = README.read_text()
    runs = re.search(r"([\d,]+) recorded runs of the real kube-schedulers from ([\d.]+) to ([\d.]+) ", text).groups()
    versions = [release.version for release in RELEASES.values() if release.recorded]
    assert runs == (f"{sum(len(records_of(version)) for version in versions):,}", versions[0], versions[-1])


def test_the_first_scenario_preempts_as_it_says() -> None:
    yaml = re.search(r"```yaml\n(.*?)```", README.read_text(), re.DOTALL)[1]
    text = "\n".join(line.removeprefix("   ") for line in yaml.splitlines())
    scenario = parse_scenario(text)
    assert not scenario.warnings
    attempts = [record for record in decisions(simulate(scenario)) if "attempt" in record]
    assert [(a["pod"], a["outcome"], a["node"]) for a in attempts] == [
        ("default/checkout", "Nominated", None),
        ("default/checkout", "Scheduled", "n1"),
    ]
    assert attempts[0]["preemption"]["candidates"]["n1"]["victims"] == ["default/batch"]
