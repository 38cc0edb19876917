"""A plugin owns everything about it: no other file mentions it by name, unless it draws that plugin's own picture."""

from __future__ import annotations

import re
from pathlib import Path

from scheduler_core.plugins import REGISTRY
from tests.conftest import ROOT

NAMES = re.compile(rf"(?<![\w.])({'|'.join(REGISTRY)})(?![\w])")
DRAWING = {  # what is drawn of the plugin there
    "static/js/editor/form/scheduler_section.js": {"NodeResourcesFit"},  # the form of its scoring strategy
    "static/js/steps/devices/words.js": {"DynamicResources"},  # the search that it draws
    "static/js/steps/filter/fit.js": {"NodeResourcesFit"},  # the room that is left
    "static/js/steps/filter/spread.js": {"PodTopologySpread"},  # the counts of its domains
    "static/js/steps/filter/taints.js": {"TaintToleration"},  # the taints of a lane
    "static/js/steps/parts/words.js": {"NodeAffinity"},  # terms of a selector
    "static/js/steps/preempt/words.js": {"DefaultPreemption"},  # its six criteria
    "static/js/steps/score/words.js": {"NodeResourcesFit"},  # the defaults of its strategy
}
GENERATED = {"static/js/steps/parts/plugins.js"}
READING = {
    "kschedui/scenarios/importers/configurations.py",  # plugins' arguments, and their names in older configurations
    "kschedui/scenarios/importers/scheduler_policy.py",  # what a policy of 1.22 and before means
    "kschedui/scenarios/lessons/old_names.py",  # addresses of lessons that are kept
    "kschedui/web/api/routes/what_if/routes.py",  # a name of the API's document
}


def mentions(path: Path) -> set[str]:
    """Plugins that the code of a file names; its comments and docstrings may."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        text = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    else:
        text = re.sub(r'""".*?"""|#.*?$', "", text, flags=re.DOTALL | re.MULTILINE)
    return set(NAMES.findall(text))


def test_the_player_names_a_plugin_only_where_it_draws_it() -> None:
    found = {
        str(path.relative_to(ROOT)): named
        for path in sorted((ROOT / "static/js").rglob("*.js"))
        if (named := mentions(path)) and str(path.relative_to(ROOT)) not in GENERATED
    }
    assert found == DRAWING


def test_the_web_names_a_plugin_only_where_it_reads_its_arguments() -> None:
    found = {str(path.relative_to(ROOT)) for path in sorted((ROOT / "kschedui").rglob("*.py")) if mentions(path)}
    assert found == READING
