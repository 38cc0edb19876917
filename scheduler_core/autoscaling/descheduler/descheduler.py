"""The descheduler's passes: the Deschedule plugins of all profiles, then their Balance plugins (pkg/descheduler)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.autoscaling import DeschedulerSettings
from scheduler_core.apis.core import Node
from scheduler_core.autoscaling.descheduler.evictor import NAME, Evictor, Limits, TotalLimit, ready_nodes
from scheduler_core.autoscaling.descheduler.strategies import Strategies, Strategy
from scheduler_core.controllers.api import Api, Change

START = 0.1  # seconds until its first pass
Later = Callable[[float, Callable[[], None]], None]


class Descheduler:
    """The descheduler as an `Actor`. `later(seconds, action)` calls the action in that many seconds."""

    def __init__(self, settings: DeschedulerSettings, api: Api, later: Later) -> None:
        self._settings = settings
        self._api = api
        self._later = later
        self._strategies = Strategies(api)

    def start(self) -> None:
        """Plan the first pass."""
        self._later(self._settings.start_seconds + START, self._pass)

    def watch(self, change: Change) -> None:
        """Do nothing: the descheduler acts on its own schedule."""

    def _pass(self) -> None:
        """Make a pass if at least two nodes are ready, and plan the next one if an interval is set."""
        self._api.actor = NAME
        nodes = ready_nodes(self._api, self._settings.policy.get("nodeSelector") or "")
        if len(nodes) > 1:
            limits = Limits(self._settings.policy)
            profiles = self._settings.policy.get("profiles") or ()
            for point, known in (("deschedule", self._strategies.deschedule), ("balance", self._strategies.balance)):
                for profile in profiles:
                    self._run(profile, point, known, nodes, limits)
        if self._settings.interval:
            self._later(self._settings.interval, self._pass)

    def _run(
        self,
        profile: Mapping[str, Any],
        point: str,
        known: Mapping[str, Strategy],
        nodes: Sequence[Node],
        limits: Limits,
    ) -> None:
        args = {entry.get("name"): entry.get("args") or {} for entry in profile.get("pluginConfig") or ()}
        enabled = profile.get("plugins") or {}
        evictor = Evictor(self._api, args.get("DefaultEvictor") or {}, limits)
        for name in (enabled.get(point) or {}).get("enabled") or ():
            try:
                known[name](args.get(name) or {}, nodes, evictor)
            except TotalLimit:
                continue
