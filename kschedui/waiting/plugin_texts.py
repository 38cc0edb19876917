"""The declarations of plugins (`about.py` beside each rule) for the player: texts by language, reasons and colours.

Those of our plugins are generated into static files (`manage.py generate`); those of other packages, which are known
only where they are installed, come with the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kschedui.scenarios.outside_plugins import outside_plugins
from scheduler_core.apis.rules import Rule
from scheduler_core.framework.about import About, Text, about_of
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.rules.about import make_about
from scheduler_core.releases import RELEASES

CATALOGUES = {"en": "static/i18n/en.json", "zh-hans": "static/i18n/zh-hans.json"}
MODULE = "static/js/steps/parts/plugins.js"
HEADER = """// @ts-check
/** Generated from scheduler_core/plugins by `manage.py generate`. Do not edit. */

/**
 * What a plugin declares (scheduler_core/framework/about.py). `reasons` are regular expressions for the whole of one,
 * each with its kind. `points` and `weight` are those of the newest release's default profile.
 * `source` is the address of a page that shows it, if it is not that of all plugins.
 * @typedef {{ colour?: number, looks_at?: string[], upstream?: string, points?: string[], weight?: number,
 *   reasons?: [string, string][], source?: string }} PluginData
 */

/** @type {Record<string, PluginData>} */
export const PLUGINS = """


def generate(folder: Path) -> dict[str, str]:
    """The files, by their paths in the repository. Of the catalogues, which are in `folder`, only plugins' texts."""
    declared = {name: about_of(plugin) for name, plugin in REGISTRY.items()}
    files = {MODULE: f"{HEADER}{_as_javascript(_of_our_plugins())};\n"}
    for language, name in CATALOGUES.items():
        path = folder / name
        texts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        files[name] = json.dumps(with_texts(texts, texts_of(declared, language)), ensure_ascii=False, indent=1) + "\n"
    return files


def with_texts(catalogue: Mapping[str, str], declared: Mapping[str, str]) -> dict[str, str]:
    """Return the catalogue with exactly the declared texts under keys that name a plugin; all others stay."""
    kept = {
        key: text for key, text in catalogue.items() if key in declared or not REGISTRY.keys() & set(key.split("."))
    }
    return {**kept, **declared}


def texts_of(declared: Mapping[str, About], language: str) -> dict[str, str]:
    """Return the texts of these plugins by their keys in the player's catalogue."""
    texts: dict[str, Text] = {}
    for name, about in declared.items():
        texts |= about.texts(name)
    return {key: text.zh if language == "zh-hans" else text.en for key, text in texts.items()}


def data_of(declared: Mapping[str, About]) -> dict[str, dict[str, Any]]:
    """Return the other data that the player has of these plugins, as in plugins.js."""
    return {name: data for name, about in declared.items() if (data := _data_of(about))}


def _data_of(about: About) -> dict[str, Any]:
    reasons = [(reason.pattern.replace("(?P<", "(?<"), reason.kind) for reason in about.reasons if reason.short]
    data = {"colour": about.colour, "looks_at": list(about.looks_at), "upstream": about.upstream, "reasons": reasons}
    return {name: value for name, value in data.items() if value not in (None, "", [])}


def _of_our_plugins() -> dict[str, dict[str, Any]]:
    """With what the newest release says of them; the source is in a directory of the plugin's name."""
    release = RELEASES[max(RELEASES, key=lambda version: tuple(map(int, version.split("."))))]
    defaults = {ref.name: ref for ref in release.default_plugins}
    found = {}
    for name, plugin in REGISTRY.items():
        data = _data_of(about_of(plugin))
        if name in defaults:
            data = {"upstream": name.lower(), **data, "points": [_camel(one) for one in release.plugin_points[name]]}
            if defaults[name].weight:
                data["weight"] = defaults[name].weight
        found[name] = data
    return {name: data for name, data in found.items() if data}


def _camel(point: str) -> str:
    """Return an extension point as a configuration names it: "preFilter"."""
    first, *others = point.split("_")
    return first + "".join(map(str.capitalize, others))


def of_other_plugins(language: str, rules: Mapping[str, Rule] = MappingProxyType({})) -> dict[str, Any]:
    """Return the texts of plugins from other packages and of rules: {texts, plugins}; empty if there are none.

    `rules` by the address of the page that shows each.
    """
    declared = {name: about_of(plugin) for name, plugin in outside_plugins().items()}
    declared |= {rule.name: make_about(rule) for rule in rules.values()}
    data = data_of(declared)
    for address, rule in rules.items():
        data[rule.name]["source"] = address
    found = {"texts": texts_of(declared, language), "plugins": data}
    return {name: value for name, value in found.items() if value}


def _as_javascript(data: Mapping[str, Mapping[str, Any]]) -> str:
    lines = []
    for name, about in data.items():
        lines.append(f"\t{name}: {{")
        plain = [field for field in ("colour", "looks_at", "upstream", "points", "weight") if field in about]
        lines += [f"\t\t{field}: {json.dumps(about[field])}," for field in plain]
        if "reasons" in about:
            pairs = [f"\t\t\t[{json.dumps(pattern)}, {json.dumps(kind)}]," for pattern, kind in about["reasons"]]
            lines += ["\t\treasons: [", *pairs, "\t\t],"]
        lines.append("\t},")
    return "\n".join(["{", *lines, "}"])
