"""Reads what kubectl prints for people: `describe node`, `describe pod`, tables of pods and nodes.

`sections` finds the parts of a text, without what is around them (prompts, line numbers, fences); each reader turns its
part into the objects of which it is certain, and `reading` says what is not printed there.
"""

from kschedui.scenarios.importers.for_people.reading import Reading, read, without_claims

__all__ = ["Reading", "read", "without_claims"]
