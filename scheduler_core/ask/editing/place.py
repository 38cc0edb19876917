"""Applies a step to the text of a YAML or JSON document; the rest of the text stays unchanged."""

from __future__ import annotations

import json
from typing import Any

import yaml

from scheduler_core.ask.editing.edits import Path, Step
from scheduler_core.scenario.reading.yaml_composer import resolve_plain


def apply_step(text: str, step: Step) -> str:
    """Return the text with the step applied, or unchanged if it cannot be; the caller has to check the result."""
    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return text
    node, left = _deepest(root, step.path)
    if not left:
        if not step.add:
            return _spliced(text, node, step.value)
        return _inserted_item(text, node, step.value)
    if not isinstance(node, yaml.MappingNode) or not isinstance(left[0], str):
        return text
    value = [step.value] if step.add else step.value
    for part in reversed(left[1:]):
        value = {part: value}
    return _inserted_key(text, node, left[0], value)


def flow(value: Any) -> str:
    """Return a value in flow style on one line, which is valid YAML and JSON."""
    if isinstance(value, str):
        plain = isinstance(resolve_plain(value), str) and value and all(c.isalnum() or c in "-_./" for c in value)
        return value if plain and value[0].isalnum() else json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    return json.dumps(value)


def _deepest(root: Any, path: Path) -> tuple[Any, Path]:
    """Return the deepest node on the path and the rest of the path; null counts as missing, except at the end."""
    node = root
    for depth, part in enumerate(path):
        below = _child(node, part)
        is_null = isinstance(below, yaml.ScalarNode) and below.value in ("", "~", "null") and not below.style
        if below is None or (is_null and depth < len(path) - 1):
            return node, path[depth:]
        node = below
    return node, ()


def _child(node: Any, part: str | int) -> Any:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part]
    return None


def _spliced(text: str, node: Any, value: Any) -> str:
    """Return the text with another value in the place of a node, as JSON in a JSON document."""
    start, end = node.start_mark.index, node.end_mark.index
    new = json.dumps(value, ensure_ascii=False) if text.lstrip().startswith("{") else flow(value)
    old_text = text[start:end]
    end -= len(old_text) - len(old_text.rstrip())
    if start == end:  # the value is empty: "key:"
        new = new if text[start - 1 : start].isspace() else " " + new
    return text[:start] + new + text[end:]


def _inserted_key(text: str, node: yaml.MappingNode, key: str, value: Any) -> str:
    at: int = node.start_mark.index
    if node.flow_style:
        pair = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        return text[: at + 1] + pair + (", " if node.value else "") + text[at + 1 :]
    return text[:at] + f"{flow(key)}: {flow(value)}\n{' ' * node.start_mark.column}" + text[at:]


def _inserted_item(text: str, node: Any, value: Any) -> str:
    if not isinstance(node, yaml.SequenceNode):
        return text
    at: int = node.start_mark.index
    if node.flow_style:
        item = json.dumps(value, ensure_ascii=False)
        return text[: at + 1] + item + (", " if node.value else "") + text[at + 1 :]
    return text[:at] + f"- {flow(value)}\n{' ' * node.start_mark.column}" + text[at:]
