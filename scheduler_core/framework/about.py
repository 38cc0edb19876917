"""The texts of a plugin in both languages, declared by the plugin in a file next to its rule.

A plugin's class names its declaration:

    class TaintToleration(FilterPlugin):
        name = "TaintToleration"
        about = AboutFile("about.yaml")  # next to the module; or an About

The player, the decoder of FailedScheduling messages and the list of pending pods use it, also for plugins of other
packages. All texts are in English and in Simplified Chinese. The engine itself reads neither the texts nor the file;
`kschedui.abouts` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from scheduler_core.apis.messages import Text
from scheduler_core.framework.starter import Manifest, StarterCluster

__all__ = [
    "COLOURS",
    "About",
    "AboutFile",
    "MakeStarter",
    "PodPart",
    "PostFilterNote",
    "Reason",
    "Text",
]

COLOURS = 7  # the number of colours for scores in the palette


PodPart = Literal[
    "requests", "priority", "labels", "node", "tolerates", "near", "apart", "spread", "claim", "port", "device", "group"
]  # and the kinds of `trace.records.Wish`
MakeStarter = Callable[[StarterCluster, list[Manifest], str], None]


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason that the plugin gives in a FailedScheduling message, as worded in all releases.

    `pattern` is a regular expression that the reason matches as a whole; the browser uses it too, so it is limited to
    what Python and JavaScript have in common, with named groups as in Python. If several match, the first one applies.

    `meaning` explains the reason, `unsaid` what it does not say. `preemption_helps`: evicting pods could make room.
    `lesson` is the slug of a lesson about it. `kind` selects its captions `filter.*.<kind>...`, and `short` is its
    short form for a node's row; the placeholders of both are the pattern's groups.

    `starter(cluster, nodes, reason)` changes a sample cluster so that `nodes` are rejected for this reason; None if
    only an extender can return it. `reason` is its text in a message, "" if there is no message. `about_nodes`: it
    needs at least one node. `beside_others`: a node may be rejected for several such reasons at once.
    """

    pattern: str
    meaning: Text
    unsaid: Text
    preemption_helps: bool = False
    lesson: str = ""
    kind: str = ""
    short: Text | None = None
    starter: MakeStarter | None = None
    about_nodes: bool = False
    beside_others: bool = False


class PostFilterNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that the plugin's PostFilter adds to a message: a regular expression and its meaning."""

    pattern: str
    meaning: Text


class About(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of a plugin. Where a text is missing, the plugin's name is displayed.

    `question` is the plain name of its Filter ("Room?"), `score` that of its Score ("Room"), `rule` its rule in one
    sentence, `blocker` the heading over pods that wait because of it; its placeholder {resources} lists the matches of
    the groups `resource` in its reasons. `colour` is the index of its scores in the palette, from 0 to 6; None: grey.
    The default plugins use all seven, so another plugin shares one, best that of a plugin that it replaces.

    `looks_at` are the fields of the pod that it reads; its explanations highlight them. `upstream` is the location of
    its source: a directory of pkg/scheduler/framework/plugins, or a URL. `like` is the plugin whose
    picture it has.

    `captions` are other texts of the player by their keys, in which `*` stands for the plugin's name:
    {"filter.*.none": Text("No taint keeps {pod} away.", ...)}.
    """

    question: Text | None = None
    score: Text | None = None
    rule: Text | None = None
    blocker: Text | None = None
    colour: int | None = None
    looks_at: tuple[PodPart, ...] = ()
    upstream: str = ""
    like: str = ""
    reasons: tuple[Reason, ...] = ()
    post_filter_notes: tuple[PostFilterNote, ...] = ()
    captions: Mapping[str, Text] = {}

    def texts(self, plugin: str) -> dict[str, Text]:
        """Return all texts of the player by their catalogue keys."""
        by_field = {"question": self.question, "score": self.score, "rule": self.rule}
        texts = {f"{key}.{plugin}": text for key, text in by_field.items() if text is not None}
        for reason in self.reasons:
            if reason.short is not None:
                texts.setdefault(f"reason.{plugin}.{reason.kind}", reason.short)
        for key, text in self.captions.items():
            texts[".".join(plugin if part == "*" else part for part in key.split("."))] = text
        return texts


class AboutFile(msgspec.Struct, frozen=True):
    """The declaration of a plugin in a YAML file with the fields of `About`; `name` is its path relative to the module.

    A text is {en, zh}, and a `starter` the name of a function ("package.module:function"). `base` is the path
    of another such file, which supplies the fields and captions that this file lacks.
    """

    name: str
