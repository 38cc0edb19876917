"""Reads output that kubectl prints for people: `describe node`, `describe pod`, tables of pods and nodes.

`sections` finds the parts of a text, without the text around them (prompts, line numbers, fences). Each reader converts
its part to the objects that it describes for certain, and `reading` notes what kubectl does not print there.
"""

from kschedui.scenarios.importers.for_people.reading import Reading, read, remove_volumes

__all__ = ["Reading", "read", "remove_volumes"]
