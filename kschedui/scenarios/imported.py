"""The result of an import."""

import msgspec

from scheduler_core.apis.messages import Message

IMPORTED = "kschedui.io/imported"  # an annotation of the Scenario: the text was printed by a cluster


class Imported(msgspec.Struct):
    """The scenario's text, and a sentence for each thing that was done on the way."""

    text: str
    notes: list[Message] = []
    cut: bool = False  # the source ended in the middle of something
    release: str = ""  # of the cluster's nodes
    imported: bool = True  # False: the text is a scenario as it stands
