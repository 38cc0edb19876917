"""URL path converters; a path that does not match is not found."""

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter


class PublicId(StringConverter):
    """The id of a scenario or run: letters and digits."""

    regex = "[0-9A-Za-z]{1,32}"


class Number(IntConverter):
    """The number of a version, chunk or attempt, with few enough digits for a database integer."""

    regex = "[0-9]{1,9}"


class ObjectName(StringConverter):
    """A Kubernetes name."""

    regex = "[0-9A-Za-z._:-]{1,253}"


def register() -> None:
    """Register the converters for `path` as id, n and name."""
    register_converter(PublicId, "id")
    register_converter(Number, "n")
    register_converter(ObjectName, "name")
