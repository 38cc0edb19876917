"""The Kubernetes releases whose kube-scheduler can be simulated, one file a minor."""

from __future__ import annotations

from scheduler_core.releases.release import Gate, Release
from scheduler_core.releases.rules import Rules
from scheduler_core.releases.v1_25 import V1_25
from scheduler_core.releases.v1_26 import V1_26
from scheduler_core.releases.v1_27 import V1_27
from scheduler_core.releases.v1_28 import V1_28
from scheduler_core.releases.v1_29 import V1_29
from scheduler_core.releases.v1_30 import V1_30
from scheduler_core.releases.v1_31 import V1_31
from scheduler_core.releases.v1_32 import V1_32
from scheduler_core.releases.v1_33 import V1_33
from scheduler_core.releases.v1_34 import V1_34
from scheduler_core.releases.v1_35 import V1_35
from scheduler_core.releases.v1_36 import V1_36

__all__ = ["DEFAULT_RELEASE", "RELEASES", "Gate", "Release", "Rules"]

RELEASES = {  # oldest first; a release joins when it is complete
    release.version: release
    for release in (V1_25, V1_26, V1_27, V1_28, V1_29, V1_30, V1_31, V1_32, V1_33, V1_34, V1_35, V1_36)
}
DEFAULT_RELEASE = V1_36  # of a scenario that names none: the newest that is complete
