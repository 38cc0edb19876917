"""The texts of a CEL rule's plugin: its expression is the rule."""

from __future__ import annotations

from scheduler_core.apis.rules import Point, Rule
from scheduler_core.framework.about import About, Text

_COLOURS = (1, 2, 3)  # the colours of plugins that rarely score
_SENTENCES: dict[Point, Text] = {
    "preEnqueue": Text("A pod enters the queue if {expression}.", "满足 {expression} 的 Pod 才能进入队列。"),
    "filter": Text("A node passes if {expression}.", "节点须满足 {expression}。"),
    "score": Text("The score of a node is {expression}.", "节点的得分为 {expression}。"),
    "permit": Text("A pod is bound if {expression}.", "满足 {expression} 的 Pod 才会被绑定。"),
}


def make_about(rule: Rule) -> About:
    """Return the texts of a rule's plugin."""
    sentences = [(_SENTENCES[point], " ".join(text.split())) for point, text in rule.expressions.items()]
    return About(
        rule=Text(
            " ".join(text.en.replace("{expression}", expression) for text, expression in sentences),
            "".join(text.zh.replace("{expression}", expression) for text, expression in sentences),
        ),
        colour=_COLOURS[sum(map(ord, rule.name)) % len(_COLOURS)],
    )
