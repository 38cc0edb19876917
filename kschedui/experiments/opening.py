"""Opens any run of an experiment as a scenario in the player."""

from kschedui.experiments.plan import design_of
from kschedui.models import Experiment, Version
from kschedui.runs import store as runs
from kschedui.runs.turns import Requester
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from kschedui.scenarios.digest import Digest
from kschedui.scenarios.parsed import sha256

MAX_NAMED = 4  # factors in the title


def start_run(version: Version, experiment: Experiment, release: str, requester: Requester) -> str:
    """Start the run of a version that was opened; return the release to show ("": the version's own)."""
    wanted = release or experiment.kubernetes_version
    own = runs.own_release(version)
    kubernetes = "" if not wanted or wanted == runs.release_of(version, own) else wanted
    runs.start_run(version, requester, kubernetes=kubernetes or own)
    return kubernetes


def find_or_create_version(visitor: Visitor, experiment: Experiment, number: int, digest: Digest) -> Version:
    """Return the visitor's existing fork for this run, or a new one."""
    origin = experiment.version
    forks = scenarios.of_visitor(visitor).filter(fork_of=origin, deleted_at=None)
    same = Version.objects.filter(scenario__in=forks.values("pk"), sha256=sha256(digest.text))
    if (before := same.select_related("scenario").order_by("pk").first()) is not None:
        return before
    version = scenarios.create(visitor, digest, origin)
    scenarios.rename(version.scenario, f"{origin.scenario.title}: {title_of(experiment, number)}")
    return version


def title_of(experiment: Experiment, number: int) -> str:
    """Return a title with a run's levels of the first factors that have several levels; "run N" if there are none."""
    design = design_of(experiment)
    pairs = [
        f"{factor.name} {level.label[:40]}"
        for factor, level in zip(design.factors, design.levels(number), strict=True)
        if len(factor.levels) > 1
    ]
    return ", ".join(pairs[:MAX_NAMED]) or f"run {number}"
