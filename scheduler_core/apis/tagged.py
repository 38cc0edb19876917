"""The base of records that are one of several kinds in a field."""

import msgspec


class Tagged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A record whose JSON says which kind it is (`type`), and leaves out default values."""
