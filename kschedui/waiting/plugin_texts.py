"""The declarations of plugins (`kschedui.abouts`) for the player: texts by language, reasons and colours.

Those of this project's plugins are generated to static files (`manage.py generate`); those of other packages, which
depend on the installation, are part of the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from kschedui.abouts import about_of
from kschedui.scenarios.outside_plugins import outside_plugins
from scheduler_core.apis.rules import Rule
from scheduler_core.controllers.causes import CAUSES
from scheduler_core.framework.about import About, Text
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.rules.about import make_about
from scheduler_core.releases import RELEASES

CATALOGUES = {"en": "static/i18n/en.json", "zh-hans": "static/i18n/zh-hans.json"}
MODULE = "static/js/steps/parts/plugins.js"
HEADER = """// @ts-check
/** Generated from scheduler_core/plugins by `manage.py generate`. Do not edit. */

/**
 * Declarations of a plugin (scheduler_core/framework/about.py). `reasons` are regular expressions for the whole of one,
 * each with its kind. `points` and `weight` are those of the newest release's default profile.
 * `like` is the plugin of today whose rule it has under a former name. `source` is the address of a page that shows
 * it, if it is not that of all plugins.
 * @typedef {{ like?: string, colour?: number, looks_at?: string[], upstream?: string, points?: string[],
 *   weight?: number, reasons?: [string, string][], source?: string }} PluginData
 */

/** @type {Record<string, PluginData>} */
export const PLUGINS = """


def generate(folder: Path) -> dict[str, str]:
    """Return the generated files by path. Only texts of plugins and causes in the catalogues of `folder` change."""
    declared = {name: _in_own_name(name, plugin) for name, plugin in REGISTRY.items()}
    files = {MODULE: f"{HEADER}{_as_javascript(_of_our_plugins())};\n"}
    for language, name in CATALOGUES.items():
        path = folder / name
        texts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        texts = with_texts(texts, texts_of(declared, language)) | texts_of_causes(language)
        files[name] = json.dumps(texts, ensure_ascii=False, indent=1) + "\n"
    return files


def with_texts(catalogue: Mapping[str, str], declared: Mapping[str, str]) -> dict[str, str]:
    """Return the catalogue with exactly the declared texts for keys that name a plugin; all others are unchanged."""
    remaining = {
        key: text for key, text in catalogue.items() if key in declared or not REGISTRY.keys() & set(key.split("."))
    }
    return {**remaining, **declared}


def texts_of(declared: Mapping[str, About], language: str) -> dict[str, str]:
    """Return the texts of these plugins by their keys in the player's catalogue."""
    texts: dict[str, Text] = {}
    for name, about in declared.items():
        texts |= about.texts(name)
    return {key: text.zh if language == "zh-hans" else text.en for key, text in texts.items()}


def texts_of_causes(language: str) -> dict[str, str]:
    """Return the causes of controllers' writes by their keys in the player's catalogue."""
    return {f"cause.{name}": text.zh if language == "zh-hans" else text.en for name, text in CAUSES.items()}


def data_of(declared: Mapping[str, About]) -> dict[str, dict[str, Any]]:
    """Return the other data of these plugins for the player, as in plugins.js."""
    return {name: data for name, about in declared.items() if (data := _data_of(about))}


def _data_of(about: About) -> dict[str, Any]:
    reasons = [(reason.pattern.replace("(?P<", "(?<"), reason.kind) for reason in about.reasons if reason.short]
    data = {"colour": about.colour, "looks_at": list(about.looks_at), "upstream": about.upstream, "reasons": reasons}
    return {name: value for name, value in data.items() if value not in (None, "", [])}


def _name_today(name: str, plugin: Any) -> str:
    """Return the name of the plugin from which this one is derived; "" if there is none of another name."""
    bases = [str(base.__dict__["name"]) for base in plugin.__mro__[1:] if "name" in base.__dict__]
    return next((base for base in reversed(bases) if base != name and base in REGISTRY), "")


def _in_own_name(name: str, plugin: Any) -> About:
    """Return the declaration of a plugin; texts that are taken from another plugin name this one."""
    about, today = about_of(plugin), _name_today(name, plugin)
    if not today:
        return about

    def rename_in(text: Text) -> Text:
        return Text(text.en.replace(today, name), text.zh.replace(today, name))

    return replace(about, captions={key: rename_in(text) for key, text in about.captions.items()})


def _of_our_plugins() -> dict[str, dict[str, Any]]:
    """Return the data of the engine's plugins in the newest release, by name; plugins without data are left out."""
    release = RELEASES[max(RELEASES, key=lambda version: tuple(map(int, version.split("."))))]
    defaults = {ref.name: ref for ref in release.default_plugins}
    data_by_plugin = {}
    for name, plugin in REGISTRY.items():
        data = _data_of(about_of(plugin))
        if today := about_of(plugin).like or _name_today(name, plugin):
            data["like"] = today
        if name in defaults:
            data = {
                "upstream": name.lower(),
                **data,
                "points": [_camel(point) for point in release.plugin_points[name]],
            }
            if defaults[name].weight:
                data["weight"] = defaults[name].weight
        data_by_plugin[name] = data
    return {name: data for name, data in data_by_plugin.items() if data}


def _camel(point: str) -> str:
    """Return the name of an extension point in a configuration: "preFilter"."""
    first, *others = point.split("_")
    return first + "".join(map(str.capitalize, others))


def of_other_plugins(language: str, rules: Mapping[str, Rule] = MappingProxyType({})) -> dict[str, Any]:
    """Return the texts of plugins from other packages and of rules: {texts, plugins}; empty if there are none.

    `rules` by the URL of each rule's page.
    """
    declared = {name: about_of(plugin) for name, plugin in outside_plugins().items()}
    declared |= {rule.name: make_about(rule) for rule in rules.values()}
    data = data_of(declared)
    for address, rule in rules.items():
        data[rule.name]["source"] = address
    declared_data = {"texts": texts_of(declared, language), "plugins": data}
    return {name: value for name, value in declared_data.items() if value}


def _as_javascript(data: Mapping[str, Mapping[str, Any]]) -> str:
    lines = []
    for name, about in data.items():
        lines.append(f"\t{name}: {{")
        plain = [field for field in ("like", "colour", "looks_at", "upstream", "points", "weight") if field in about]
        lines += [f"\t\t{field}: {json.dumps(about[field])}," for field in plain]
        if "reasons" in about:
            pairs = [f"\t\t\t[{json.dumps(pattern)}, {json.dumps(kind)}]," for pattern, kind in about["reasons"]]
            lines += ["\t\treasons: [", *pairs, "\t\t],"]
        lines.append("\t},")
    return "\n".join(["{", *lines, "}"])
