"""The library's lessons (see README.md), and the texts of a scenario as stored with a version."""

from typing import Any

import msgspec
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from kschedui.models import Version
from scheduler_core.scenario.lesson import Caption, Lesson, Question, is_chinese

TOPICS = {
    "queue": _("Queue"),
    "filtering": _("Filtering"),
    "scoring": _("Scoring"),
    "preemption": _("Preemption"),
    "spreading": _("Spreading"),
    "affinity": _("Affinity"),
    "volumes": _("Volumes"),
    "binding": _("Binding"),
    "configuration": _("Configuration"),
    "scale": _("Scale"),
    "devices": _("Devices"),
    "workloads": _("Workloads"),
    "nodes": _("Nodes"),
    "autoscaling": _("Autoscaling"),
}
LEVELS = {"beginner": _("Beginner"), "intermediate": _("Intermediate"), "advanced": _("Advanced")}


def in_language(entry: Caption | Question, language: str) -> str:
    """Return a caption or a question in the language, or in English if it is not translated."""
    return (entry.zh if is_chinese(language) else "") or entry.en


def load(words: dict[str, Any] | None) -> Lesson:
    """Return the lesson's texts, from the column `lesson` of a version."""
    return msgspec.convert(words or {}, Lesson)


def description_html(version: Version, language: str) -> SafeString:
    """Return the description as HTML in the language, or in English if it is not translated."""
    stored = version.description
    return mark_safe((stored.get("zh") if is_chinese(language) else "") or stored.get("en", ""))  # noqa: S308 - as saved by prose.markdown_html
