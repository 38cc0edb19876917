"""`kschedui instance-types FILE ...`: a vendor's published lists as the catalogue of a Karpenter document."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

import msgspec

from kschedui.cli.inputs import open_input
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.published_types import READ, Published, UnknownList
from kschedui.scenarios.yaml_text import write

SHOWN = 5


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"{READ}; - reads standard input")
    parser.add_argument("--match", action="append", default=[], metavar="PATTERN", help="only types such as 'm5.*'")
    parser.add_argument(
        "--zone", action="append", default=[], metavar="ZONE", help="only this zone; needed where no list names zones"
    )
    parser.add_argument("--strict", action="store_true", help="exit status 1 if a type is left out")
    parser.add_argument("--quiet", action="store_true", help="print nothing on standard error")


def run(options: Namespace) -> int:
    published = Published()
    for name in options.files:
        _read(name, published)
    types = published.catalogue(options.match, options.zone)
    if not types:
        raise Unusable(_empty_message(published, options))
    if published.unpriced and not options.quiet:
        some = ", ".join(published.unpriced[:SHOWN])
        more = f" and {len(published.unpriced) - SHOWN} more" if len(published.unpriced) > SHOWN else ""
        sys.stderr.write(f"left out, because no list has a zone and a price for them: {some}{more}\n")
    document = {
        "apiVersion": "kschedui.io/v1alpha1",
        "kind": "Karpenter",
        "metadata": {"name": "karpenter"},
        "spec": {"instanceTypes": types},
    }
    sys.stdout.write(write(document))
    return int(options.strict and bool(published.unpriced))


def _read(name: str, published: Published) -> None:
    try:
        with open_input(name) as source:
            published.read(msgspec.json.decode(source.read()))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unusable(f"{name} is not JSON: {error}") from None
    except UnknownList:
        raise Unusable(f"{name} is not a list of instance types or prices; expected {READ}") from None


def _empty_message(published: Published, options: Namespace) -> str:
    """Return the error message for an empty catalogue."""
    if not published.types:
        return "no file lists instance types; expected one with their cpus and memory"
    if options.match and not published.unpriced:
        return f"no instance type matches {' or '.join(options.match)}"
    if not published.prices and not published.spot:
        return "no file has prices of the instance types"
    return "no instance type has a zone and a price; name the zones with --zone, or add a list that has them"
