"""The options of a conversion to the text of a scenario, and its result."""

import msgspec

from kschedui.scenarios.kinds_of_text import Kind
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.reading.limits import Limits

IMPORTED = "kschedui.io/imported"  # an annotation of the Scenario: the text was printed by a cluster


class Conversion(msgspec.Struct, frozen=True):
    """The options of a conversion.

    `limits`: of the scenario. `max_bytes`: of the uncompressed source; 0: the same as for a scenario. `release`: that
    of the cluster, used if no node has a version. `simulated`: the release to simulate, whatever the text says.
    `autoscaler`: the one that becomes an actor; "": Karpenter if there are NodePools, otherwise Cluster Autoscaler;
    None: none.
    """

    limits: Limits = Limits()
    max_bytes: int = 0
    release: str = ""
    simulated: str = ""
    autoscaler: str | None = None


DEFAULTS = Conversion()


class Imported(msgspec.Struct):
    """The text of the scenario, and a sentence for each change that was made."""

    text: str
    notes: list[Message] = []
    cut: bool = False  # the source ended in the middle of something
    release: str = ""  # of the cluster's nodes
    kind: Kind = Kind.OUTPUT  # of the source
