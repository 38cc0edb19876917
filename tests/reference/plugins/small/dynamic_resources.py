"""DynamicResources, for pods without resource claims: nothing is filtered, and no pod waits for it.

What its PostFilter says stands in the scheduling cycle, since it depends on what PreFilter came to.
"""

from __future__ import annotations

from tests.reference.framework.interface import Plugin


class DynamicResources(Plugin):
    pass
