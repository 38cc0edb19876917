"""Writes objects as YAML that this site's parser and kubectl read back unchanged."""

from typing import Any

import yaml

from scheduler_core.scenario.reading.yaml_composer import resolve_plain


class Dumper(yaml.CSafeDumper):
    """Quotes every text that go-yaml would read as a number or a boolean: PyYAML does not quote `n` and `1e3`."""


def _text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    bare = isinstance(resolve_plain(text), str)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if bare else "'")


Dumper.add_representer(str, _text)


def write(data: Any) -> str:
    """Return the data as one YAML document, without a document marker."""
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
