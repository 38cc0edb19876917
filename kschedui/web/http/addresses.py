"""URL path converters; a path that does not match is not found."""

from django.urls import register_converter


class PublicId:
    """The id of a scenario or run: letters and digits."""

    regex = "[0-9A-Za-z]{1,32}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class Number:
    """The number of a version, chunk or attempt, with few enough digits for a database integer."""

    regex = "[0-9]{1,9}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int | str) -> str:
        return str(value)


class ObjectName:
    """A Kubernetes name."""

    regex = "[0-9A-Za-z._:-]{1,253}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def register() -> None:
    """Register the converters for `path` as id, n and name."""
    register_converter(PublicId, "id")
    register_converter(Number, "n")
    register_converter(ObjectName, "name")
