"""The base of records whose JSON names their kind, since a field can have several kinds."""

import msgspec


class Tagged(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A record whose JSON contains its kind (`type`) and leaves out default values."""
