"""No file but a plugin's own mentions it by name, unless it draws that plugin's picture."""

from __future__ import annotations

import re
from pathlib import Path

from scheduler_core.plugins import REGISTRY
from tests.conftest import ROOT

NAMES = re.compile(rf"(?<![\w.])({'|'.join(REGISTRY)})(?![\w])")
DRAWING = {  # file -> plugins; the comment says which part of the plugin is drawn there
    "static/js/editor/form/scheduler_section.js": {"NodeResourcesFit"},  # the form of its scoring strategy
    "static/js/steps/devices/words.js": {"DynamicResources"},  # the search that it draws
    "static/js/steps/filter/fit.js": {"NodeResourcesFit"},  # the room that is left
    "static/js/steps/filter/lane_row.js": {"PodTopologySpread"},  # the zone of a node, where zones are compared
    "static/js/steps/filter/model.js": {"TaintToleration"},  # the taints of a lane
    "static/js/steps/filter/words.js": {"NodeAffinity", "PodTopologySpread"},  # values of labels, counts of domains
    "static/js/steps/parts/words.js": {"NodeAffinity"},  # terms of a selector
    "static/js/steps/preempt/words.js": {"DefaultPreemption"},  # its six criteria
    "static/js/steps/score/words.js": {"NodeResourcesFit"},  # the defaults of its strategy
}
GENERATED = {"static/js/steps/parts/plugins.js"}
READING = {
    "kschedui/scenarios/importers/configurations.py",  # plugins' arguments, and their names in older configurations
    "kschedui/scenarios/importers/for_people/tables.py",  # the reasons of a kubelet that refuses a pod
    "kschedui/scenarios/importers/scheduler_policy.py",  # what a policy of 1.22 and before means
    "kschedui/scenarios/lessons/old_names.py",  # addresses of lessons that are kept
    "kschedui/waiting/reasons.py",  # plugins and predicates of older releases, in messages
    "kschedui/web/api/routes/what_if/routes.py",  # a name of the API's document
}
ENGINE = {  # why the engine names a plugin there
    "scheduler_core/apis/config.py",  # a scoring strategy with a plugin's name
    "scheduler_core/ask/afterwards.py",  # the rules that a running pod may break
    "scheduler_core/ask/editing/configuring.py",  # the edit of a scoring strategy
    "scheduler_core/ask/smallest/advice.py",  # what helps against one rule and not against another
    "scheduler_core/ask/smallest/proposals/__init__.py",  # the proposals for each plugin's objection
    "scheduler_core/controllers/kubelet_admission.py",  # the reasons of a kubelet that refuses a pod
    "scheduler_core/framework/runtime/before_1_28.py",  # as kube-scheduler does there, like the five below
    "scheduler_core/queue/before_1_32.py",
    "scheduler_core/queue/queueing_hints.py",
    "scheduler_core/scheduler/podgroup/preemption.py",
    "scheduler_core/scheduler/scheduler.py",
    "scheduler_core/simulation/assembly.py",
    "scheduler_core/scenario/fields/config_fields.py",  # the arguments, which belong to the configuration (ADR 13)
    "scheduler_core/scenario/fields/pod_fields.py",  # a type of the API
    "scheduler_core/scenario/objects/availability.py",  # feature gates, one of which is named as a plugin is
    "scheduler_core/scenario/settings/plugin_args.py",
    "scheduler_core/scenario/settings/policy.py",
}


def code_of(path: Path) -> str:
    """Return the text of a file without comments and docstrings."""
    comments = r"/\*.*?\*/|^\s*//.*?$" if path.suffix == ".js" else r'""".*?"""|#.*?$'
    return re.sub(comments, "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def mentions(path: Path) -> set[str]:
    """Return the plugins that the code of a file names."""
    return set(NAMES.findall(code_of(path)))


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


def test_the_engine_names_a_plugin_outside_of_plugins_and_releases_only_where_kube_scheduler_does() -> None:
    quoted = re.compile(rf"[\"']({'|'.join(REGISTRY)})[\"']")
    engine = ROOT / "scheduler_core"
    found = {
        str(path.relative_to(ROOT))
        for path in sorted(engine.rglob("*.py"))
        if path.relative_to(engine).parts[0] not in ("plugins", "releases") and quoted.search(code_of(path))
    }
    assert found == ENGINE
