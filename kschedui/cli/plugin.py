"""`kschedui plugin new NAME`: creates a package with a scheduler plugin and a test of it."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from kschedui.cli.unusable import Unusable

FOLDER = Path(__file__).parent / "plugin_package"
_NAME = re.compile(r"[A-Z][A-Za-z0-9]{1,62}")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("new",), help="new: create a package")
    parser.add_argument(
        "name", metavar="NAME", help="the name by which a configuration enables the plugin, such as SpotFirst"
    )
    parser.add_argument(
        "--directory", metavar="DIR", type=Path, help="the directory of the package (default: named after the plugin)"
    )


def run(options: Namespace) -> int:
    if not _NAME.fullmatch(options.name):
        raise Unusable(f'"{options.name}" is not a plugin name; expected letters and digits, a capital first')
    package = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", options.name).lower()
    directory = options.directory or Path(package.replace("_", "-"))
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise Unusable(f"{directory} exists already and is not empty")
    for source in sorted(FOLDER.rglob("*.txt")):
        place = str(source.relative_to(FOLDER)).removesuffix(".txt").replace("PACKAGE", package)
        text = source.read_text(encoding="utf-8").replace("PLUGIN", options.name).replace("PACKAGE", package)
        target = directory / place
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise Unusable(f"cannot write {target}: {error.strerror}") from None
        sys.stdout.write(f"{target}\n")
    sys.stdout.write(f"Next: pip install -e {directory} && pytest {directory}\n")
    return 0
